/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happened in a stage as JSON: see explained_json.h.
 */
#include "kernel/explained_json.h"

#include "base/plain_text.h"
#include "latency/histogram_json.h"

static const char *const kinds[TW_HOLDER_KINDS] = {
	[TW_PROCESS] = "process",
	[TW_KERNEL_THREAD] = "kernel",
	[TW_INTERRUPT] = "interrupt",
	[TW_SOFTIRQ] = "softirq",
	[TW_IDLE] = "idle",
	[TW_HIDDEN] = "hidden",
};

/* include/linux/interrupt.h */
static const char *const vectors[] = {
	"HI", "TIMER", "NET_TX", "NET_RX", "BLOCK", "IRQ_POLL", "TASKLET",
	"SCHED", "HRTIMER", "RCU",
};

/* Return the name of a holder. The name of a process may contain any bytes. */
static json_t *name_of(const struct tw_had_cpu *had)
{
	char name[TW_NAME_SIZE + 1] = "";

	if (had->kind == TW_SOFTIRQ && had->id < sizeof(vectors) / sizeof(*vectors))
		return json_string(vectors[had->id]);
	memcpy(name, had->name, sizeof(had->name));
	return json_string(tw_plain_text(name));
}

static json_t *had_to_json(const struct tw_had_cpu *had)
{
	json_t *object = json_pack("{ss, sI}", "kind", kinds[had->kind],
				   "ns", (json_int_t) had->ns);

	if (had->kind == TW_HIDDEN || had->kind == TW_IDLE)
		return object;
	/* A process has no number in a namespace that can't see it. */
	if (had->id || (had->kind != TW_PROCESS && had->kind != TW_KERNEL_THREAD))
		json_object_set_new(object, "id",
				    json_integer((json_int_t) had->id));
	json_object_set_new(object, "name", name_of(had));
	return object;
}

static json_t *all_had_to_json(const struct tw_explained *is)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < TW_HAD_CPU && is->had_cpu[i].ns; i++)
		json_array_append_new(array, had_to_json(&is->had_cpu[i]));
	return array;
}

/* Return the time in which the thread could not run. If there is none, return the stage. */
static json_t *stall_to_json(uint64_t stage_from_ns, uint64_t stage_ns,
			     const struct tw_explained *is)
{
	const bool stalled = is && is->stall_to_ns > is->stall_from_ns;
	const int64_t from_ns = stalled ? is->stall_from_ns : 0;
	const int64_t to_ns = stalled ? is->stall_to_ns : (int64_t) stage_ns;
	const uint64_t begin_ns = stage_from_ns + (uint64_t) from_ns;

	return json_pack("{so, sI}", "from_ns", tw_json_digits(begin_ns),
			 "ns", (json_int_t) (to_ns - from_ns));
}

json_t *tw_explained_to_json(const char *stage, uint64_t from_ns, uint64_t ns,
			     const struct tw_explained *is)
{
	json_t *object = json_pack("{ss, so}", "stage", stage, "stall",
				   stall_to_json(from_ns, ns, is));
	uint64_t known_ns;

	if (!is)
		return object;
	known_ns = is->ran_ns + is->waited_ns + is->asleep_ns +
		   is->interrupts_ns + is->woken_late_ns;
	json_object_update_new(object, json_pack(
		"{sI, sI, sI, sI, sI, sI, sI, sI, sb, so}",
		"ran_ns", (json_int_t) is->ran_ns,
		"waited_ns", (json_int_t) is->waited_ns,
		"interrupts_ns", (json_int_t) is->interrupts_ns,
		"woken_late_ns", (json_int_t) is->woken_late_ns,
		"since_interrupt_ns", (json_int_t) is->interrupt_ns,
		"asleep_ns", (json_int_t) is->asleep_ns,
		"unexplained_ns", (json_int_t) (ns - known_ns),
		"stolen_at_most_ns", (json_int_t) is->stolen_ns,
		"lost", is->lost,
		"had_cpu", all_had_to_json(is)));
	return object;
}
