/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why an I/O was slow: see why.h.
 */
#include <jansson.h>
#include <string.h>

#include "engine.h"
#include "guards.h"
#include "histogram_json.h"
#include "kernel/job.h"
#include "kernel/why.h"
#include "report_file.h"

static const char not_split[] =
	"I/Os are not split inside the kernel (kernel_stages says why)";

void tw_why_load_for_jobs(void)
{
	uint32_t jobs = 0;
	unsigned i;

	for (i = 0; i < thread_number; i++) {
		const struct thread_data *td = tnumber_to_td(i);

		if (tw_kernel_is_for(td))
			jobs += ((const struct tw_options *) td->eo)->causes;
	}
	if (jobs && tw_kernel_is_own())
		tw_follow_load(jobs);
}

void tw_why_ring_begins(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;

	if (!o->causes)
		return;
	if (!job->kernel.slots)
		job->follow.why = not_split;
	else if (job->kernel.by_helper)
		job->follow.why = "the kernel helper does not follow threads: run "
				  "as root or with CAP_BPF, CAP_PERFMON and "
				  "CAP_SYSLOG";
	else	/* Loaded already, but for a single job with create_serialize=0. */
		job->follow.why = tw_follow_load(1);
	if (!job->follow.why)
		tw_follow_expect(&job->follow);
}

void tw_why_ring_made(struct tw_job *job)
{
	tw_follow_made(&job->follow);
	if (!job->follow.turns || job->kernel.slots)
		return;
	job->follow.turns = NULL;
	job->follow.why = not_split;
}

/* ---- an I/O -------------------------------------------------------------- */

/* What the job's thread has to do with a stage. */
enum part_of {
	NO_PART,
	IN_CALL,	/* while the submitting call lasts */
	TAKES_PART,
	ENDS_IT,	/* and is woken for its end */
};

/* With a polling thread of the kernel, that one submits and fills the ring; it is not
 * followed. Nor are the workers of io_uring. */
static enum part_of part_of(const struct tw_job *job, unsigned stage,
			    const struct tw_io *io)
{
	switch (stage) {
	case TW_QUEUE:
	case TW_DELIVER:
		return TAKES_PART;
	case TW_SUBMIT:
		return job->polled_submission ? NO_PART : TAKES_PART;
	case TW_BLOCKQ:
		return io->kernel.retries ? NO_PART : IN_CALL;
	case TW_COMPLETE:
		return job->polled_submission ? NO_PART : ENDS_IT;
	case TW_REAP:
		return ENDS_IT;
	case TW_KERNEL:
		return IN_CALL;
	default:
		return NO_PART;
	}
}

static unsigned longest_stage(const struct tw_io_times *times)
{
	unsigned longest = TW_QUEUE, stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		if (times->stages & TW_STAGE_BIT(stage) &&
		    times->stage_ns[stage] > times->stage_ns[longest])
			longest = stage;
	return longest;
}

/* Since the I/O was prepared. Kernel is in the place of the stages that the I/O lacks
 * between queue and deliver. */
static int64_t begin_of(const struct tw_io_times *times, unsigned of)
{
	bool had_kernel = false;
	int64_t since_ns = 0;
	unsigned stage;

	for (stage = 0; stage < TW_STAGES && stage != of; stage++) {
		if (stage == TW_KERNEL || times->stages & TW_STAGE_BIT(stage)) {
			since_ns += stage == TW_KERNEL ? 0 :
				    (int64_t) times->stage_ns[stage];
		} else if (!had_kernel) {
			if (of == TW_KERNEL)
				break;
			since_ns += (int64_t) times->stage_ns[TW_KERNEL];
			had_kernel = true;
		}
	}
	return since_ns;
}

static int64_t own_ns(const struct tw_clocks *clocks, uint64_t ticks)
{
	return tw_span_ns(clocks->scale, clocks->system, clocks->zero_ticks,
			  ticks);
}

void tw_why_find(const struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_io *io, const struct tw_io_times *times,
		 struct tw_why *why)
{
	const int64_t begin_ns = own_ns(clocks, io->prepared_ticks);
	const unsigned longest = longest_stage(times);
	const enum part_of is = part_of(job, longest, io);
	struct tw_part part = { .ends_by_wakeup = is == ENDS_IT };
	struct tw_explained *explained = &why->explained;

	*why = (struct tw_why) {
		.stage = longest,
		.from_ns = begin_of(times, longest),
	};
	part.from_ns = begin_ns + why->from_ns;
	part.to_ns = part.from_ns + (int64_t) times->stage_ns[longest];
	if (is == IN_CALL)
		part.to_ns = io->entered_ticks ?
			tw_least(part.to_ns, own_ns(clocks, io->entered_ticks)) :
			part.from_ns;
	if (is == NO_PART || part.to_ns <= part.from_ns)
		return;
	why->followed = true;
	why->followed_ns = (uint64_t) (part.to_ns - part.from_ns);
	tw_explain(job->follow.turns, clocks->join, &part, explained);
	explained->stall_from_ns -= begin_ns;
	explained->stall_to_ns -= begin_ns;
}

/* ---- the report ---------------------------------------------------------- */

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

/* A process may have any bytes for its name. */
static json_t *name_of(const struct tw_had_cpu *had)
{
	char name[TW_NAME_SIZE + 1] = "";
	char *c;

	if (had->kind == TW_SOFTIRQ && had->id < FIO_ARRAY_SIZE(vectors))
		return json_string(vectors[had->id]);
	memcpy(name, had->name, sizeof(had->name));
	for (c = name; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	return json_string(name);
}

static json_t *had_to_json(const struct tw_had_cpu *had)
{
	json_t *object = json_pack("{ss, sI}", "kind", kinds[had->kind],
				   "ns", (json_int_t) had->ns);

	if (had->kind == TW_HIDDEN || had->kind == TW_IDLE)
		return object;
	json_object_set_new(object, "id", json_integer((json_int_t) had->id));
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

/* When the thread could not run, or, without that, the stage. */
static json_t *stall_to_json(const struct tw_why *why, uint64_t stage_ns,
			     uint64_t begin_ns)
{
	const struct tw_explained *is = &why->explained;
	int64_t from_ns = is->stall_from_ns, to_ns = is->stall_to_ns;

	if (to_ns <= from_ns) {
		from_ns = why->from_ns;
		to_ns = from_ns + (int64_t) stage_ns;
	}
	return json_pack("{so, sI}", "from_ns",
			 tw_u64_string(begin_ns + (uint64_t) from_ns),
			 "ns", (json_int_t) (to_ns - from_ns));
}

json_t *tw_why_to_json(const struct tw_why *why,
		       const struct tw_io_times *times, uint64_t begin_ns)
{
	const struct tw_explained *is = &why->explained;
	const uint64_t stage_ns = times->stage_ns[why->stage];
	const uint64_t known_ns = is->ran_ns + is->waited_ns + is->asleep_ns +
				  is->interrupts_ns + is->woken_late_ns;
	json_t *object = json_pack("{ss, so}", "stage",
				   tw_stage_names[why->stage], "stall",
				   stall_to_json(why, stage_ns, begin_ns));

	if (!why->followed)
		return object;
	json_object_update_new(object, json_pack(
		"{sI, sI, sI, sI, sI, sI, sI, sI, sb, so}",
		"ran_ns", (json_int_t) is->ran_ns,
		"waited_ns", (json_int_t) is->waited_ns,
		"interrupts_ns", (json_int_t) is->interrupts_ns,
		"woken_late_ns", (json_int_t) is->woken_late_ns,
		"since_interrupt_ns", (json_int_t) is->interrupt_ns,
		"asleep_ns", (json_int_t) is->asleep_ns,
		"unexplained_ns", (json_int_t) (stage_ns - known_ns),
		"stolen_at_most_ns", (json_int_t) is->stolen_ns,
		"lost", is->lost,
		"had_cpu", all_had_to_json(is)));
	return object;
}

json_t *tw_why_state_to_json(const struct tw_job *job)
{
	if (job->follow.turns)
		return json_pack("{ss}", "state", "on");
	return json_pack("{ss, ss}", "state", "off", "why",
			 job->follow.why ? job->follow.why : "not asked for");
}
