/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Explain a part of an I/O's time, and write that as JSON: see find_causes.h.
 */
#include "find_causes.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/plain_text.h"
#include "kernel/cgroup.h"
#include "latency/histogram_json.h"

#define MOST_HOLDERS	(TW_HOLDERS + TW_HAD_CPU)

/* Copy the first @size bytes of what has @number as its first member, if it is at @place. Return as
 * tw_sleep_read(). */
static int read_at(const void *place, uint64_t number, void *to, size_t size)
{
	const uint64_t is = __atomic_load_n((const __u64 *)place, __ATOMIC_ACQUIRE);

	if (is != number)
		return is < number ? -EAGAIN : -ENOENT;
	memcpy(to, place, size);
	atomic_thread_fence(memory_order_acquire);
	return __atomic_load_n((const __u64 *)place, __ATOMIC_RELAXED) == number ? 0 : -ENOENT;
}

/* The same of period @number. False: the period was overwritten, or does not exist. */
static bool read_period(const struct tw_offcpu *periods, uint64_t number,
			struct tw_offcpu_period *period, size_t size)
{
	return !read_at(&periods->periods[(number - 1) % TW_OFFCPU_PERIODS], number, period, size);
}

int tw_find_waking(const struct tw_offcpu *offcpu, uint64_t at_ns, uint64_t *waking_ns)
{
	uint64_t number = __atomic_load_n(&offcpu->newest, __ATOMIC_ACQUIRE);

	for (; number; number--) {
		struct tw_offcpu_period period;

		/* Without the stack and the holders, which are nearly all of it. */
		if (!read_period(offcpu, number, &period,
				 offsetof(struct tw_offcpu_period, stack)))
			return -ENOENT;
		*waking_ns = period.waking_ns;
		if (period.off_ns <= at_ns)
			return at_ns < period.on_ns && *waking_ns >= at_ns;
	}
	return 0;
}

/* The state of the explanation, which goes backwards from the end of @part. Only the time
 * before @at_ns is still unexplained. */
struct finding {
	const struct tw_clock_map *clock_map;
	struct tw_part part;
	int64_t at_ns;
};

/* Return how much unexplained time lies between @from_ns and @to_ns. It counts as
 * explained afterwards. */
static uint64_t take(struct finding *now, int64_t from_ns, int64_t to_ns)
{
	from_ns = tw_max_ns(from_ns, now->part.from_ns);
	to_ns = tw_min_ns(to_ns, now->at_ns);
	if (to_ns <= from_ns)
		return 0;
	now->at_ns = from_ns;
	return (uint64_t)(to_ns - from_ns);
}

static bool is_same(const struct tw_had_cpu *had, const struct tw_holder *holder)
{
	return had->kind == holder->kind && had->id == holder->id &&
	       memcmp(had->name, holder->name, sizeof(had->name)) == 0;
}

/* Add @ns of a holder to @all, which stays sorted by time. A new holder is dropped if all
 * MOST_HOLDERS places are in use. */
static void add_holder(struct tw_had_cpu *all, const struct tw_holder *holder,
		       uint64_t ns)
{
	unsigned i = 0;

	if (!ns)
		return;
	while (i < MOST_HOLDERS && all[i].ns && !is_same(&all[i], holder))
		i++;
	if (i == MOST_HOLDERS)
		return;
	all[i].id = holder->id;
	all[i].kind = holder->kind;
	memcpy(all[i].name, holder->name, sizeof(all[i].name));
	all[i].ns += ns;
	for (; i && all[i].ns > all[i - 1].ns; i--) {
		struct tw_had_cpu other = all[i - 1];

		all[i - 1] = all[i];
		all[i] = other;
	}
}

/* Explain the time from @ready_ns to @on_ns, in which the thread was ready to run. The
 * holders of the CPU are sorted by time, the last one first. */
static void causes_of_wait(struct finding *now, struct tw_wait_causes *is,
			 struct tw_had_cpu *all, const struct tw_offcpu_period *period,
			 int64_t ready_ns, int64_t on_ns)
{
	unsigned i;

	for (i = 0; i < TW_HOLDERS; i++) {
		const struct tw_holder *holder = &period->holders[i];
		int64_t from_ns, to_ns;
		uint64_t ns;

		if (holder->kind == TW_NOBODY || holder->kind >= TW_HOLDER_KINDS)
			break;
		from_ns = tw_max_ns(ready_ns,
				  tw_clock_map_own_ns(now->clock_map, holder->from_ns));
		to_ns = tw_min_ns(on_ns,
				 tw_clock_map_own_ns(now->clock_map, holder->to_ns));
		/* It is unknown what had the CPU between two holders. */
		is->waited_ns += take(now, to_ns, on_ns);
		ns = take(now, from_ns, to_ns);
		if (holder->kind == TW_INTERRUPT || holder->kind == TW_SOFTIRQ)
			is->interrupts_ns += ns;
		else
			is->waited_ns += ns;
		add_holder(all, holder, ns);
	}
	is->waited_ns += take(now, ready_ns, on_ns);
}

/* Add @ns for @cause to @all, which stays sorted by time. */
static void add_cause(struct tw_slept *all, struct tw_sleep_cause cause, uint64_t ns)
{
	unsigned i = 0;

	while (i < TW_SLEPT && all[i].ns && (all[i].cause.word != cause.word ||
	       (cause.word == TW_SLEEP_OTHER &&
		strcmp(all[i].cause.function, cause.function))))
		i++;
	/* A shorter sleep than all of these is not among the longest so far. */
	if (i == TW_SLEPT) {
		if (ns <= all[--i].ns)
			return;
		all[i].ns = 0;
	}
	if (!all[i].ns)
		all[i].cause = cause;
	all[i].ns += ns;
	for (; i && all[i].ns > all[i - 1].ns; i--) {
		struct tw_slept other = all[i - 1];

		all[i - 1] = all[i];
		all[i] = other;
	}
}

/* Add @ns of a sleep to @all. What has no cause is not added. */
static void add_slept(struct tw_slept *all, const struct tw_stack *stack, uint64_t ns)
{
	struct tw_sleep_cause cause;

	if (!ns || !stack->count)
		return;
	cause = tw_sleep_cause_of_stack(stack);
	if (cause.word != TW_SLEEP_NOTHING)
		add_cause(all, cause, ns);
}

static void causes_of_period(struct finding *now, struct tw_wait_causes *is,
			 struct tw_had_cpu *all, const struct tw_offcpu_period *period)
{
	const struct tw_clock_map *map = now->clock_map;
	const int64_t off_ns = tw_clock_map_own_ns(map, period->off_ns);
	const int64_t on_ns = tw_clock_map_own_ns(map, period->on_ns);
	const int64_t waking_ns = period->waking_ns ?
		tw_clock_map_own_ns(map, period->waking_ns) : off_ns;
	const int64_t ready_ns = period->woken_ns ?
		tw_clock_map_own_ns(map, period->woken_ns) : waking_ns;
	const int64_t end_ns = tw_min_ns(now->at_ns, on_ns);
	const int64_t interrupt_ns = period->interrupt_ns ?
		tw_clock_map_own_ns(map, period->interrupt_ns) : waking_ns;
	struct finding since;
	uint64_t asleep_ns;

	causes_of_wait(now, is, all, period, ready_ns, on_ns);
	is->woken_late_ns += take(now, waking_ns, ready_ns);
	since = *now;
	asleep_ns = take(now, off_ns, waking_ns);
	if (now->part.ends_by_wakeup) {
		is->woken_late_ns += asleep_ns;
		is->interrupt_ns += take(&since, tw_max_ns(off_ns, interrupt_ns),
					    waking_ns);
	} else {
		is->asleep_ns += asleep_ns;
		add_slept(is->slept, &period->stack, asleep_ns);
	}
	if (now->at_ns < end_ns && period->stolen_ns)
		is->stolen_ns += period->stolen_ns;
	if (end_ns - now->at_ns > is->stall_to_ns - is->stall_from_ns) {
		/* A thread that is asleep does not want to run. */
		is->stall_from_ns = period->waking_ns ?
			tw_max_ns(now->at_ns, off_ns) : off_ns;
		is->stall_to_ns = on_ns;
	}
	is->ran_ns += take(now, tw_clock_map_own_ns(map, period->ran_ns), off_ns);
}

void tw_find_causes(const struct tw_offcpu *periods, const struct tw_clock_map *map,
		const struct tw_part *part, struct tw_wait_causes *is)
{
	struct finding now = {
		.clock_map = map, .part = *part, .at_ns = part->to_ns,
	};
	struct tw_had_cpu all[MOST_HOLDERS] = { { .ns = 0 } };
	const uint64_t off_ns = __atomic_load_n(&periods->off_ns, __ATOMIC_ACQUIRE);
	const int64_t to_ns = off_ns ? tw_clock_map_own_ns(map, off_ns) : part->to_ns;
	uint64_t number = __atomic_load_n(&periods->newest, __ATOMIC_ACQUIRE);
	const int64_t ran_ns = tw_clock_map_own_ns(map, __atomic_load_n(&periods->ran_ns,
								    __ATOMIC_ACQUIRE));
	struct tw_offcpu_period period;
	bool first = true;

	*is = (struct tw_wait_causes) { .lost = false };
	for (; now.at_ns > part->from_ns && number; number--) {
		if (!read_period(periods, number, &period, sizeof(period))) {
			is->lost = true;
			break;
		}
		if (first)
			is->ran_ns += take(&now, tw_max_ns(ran_ns,
				tw_clock_map_own_ns(map, period.on_ns)), to_ns);
		first = false;
		causes_of_period(&now, is, all, &period);
	}
	if (is->stolen_ns > (uint64_t)(part->to_ns - part->from_ns))
		is->stolen_ns = (uint64_t)(part->to_ns - part->from_ns);
	memcpy(is->had_cpu, all, sizeof(is->had_cpu));
}

int tw_sleep_read(const struct tw_sleeps *sleeps, uint64_t number, struct tw_sleep *sleep)
{
	return read_at(&sleeps->sleeps[(number - 1) % TW_SLEEPS], number, sleep, sizeof(*sleep));
}

/* The same if the sleep has @key; then return true. */
static bool read_sleep(const struct tw_sleeps *sleeps, uint64_t number, uint64_t key,
		       struct tw_sleep *sleep)
{
	return sleeps->sleeps[(number - 1) % TW_SLEEPS].key == key &&
	       !tw_sleep_read(sleeps, number, sleep);
}

void tw_find_worker_causes(const struct tw_sleeps *sleeps, const struct tw_clock_map *map,
			const struct tw_part *part, uint64_t key, struct tw_wait_causes *is)
{
	const uint64_t newest = __atomic_load_n(&sleeps->newest, __ATOMIC_ACQUIRE);
	struct tw_sleep sleep;
	uint64_t number;

	for (number = newest; number && newest - number < TW_SLEEPS; number--) {
		int64_t from_ns, to_ns;

		if (!read_sleep(sleeps, number, key, &sleep))
			continue;
		from_ns = tw_max_ns(part->from_ns, tw_clock_map_own_ns(map, sleep.off_ns));
		to_ns = tw_min_ns(part->to_ns, tw_clock_map_own_ns(map, sleep.on_ns));
		if (to_ns > from_ns)
			add_slept(is->slept, &sleep.at.stack, (uint64_t)(to_ns - from_ns));
	}
}

/* Return when the last sleep ended that a worker had in the I/O with @key before @to_ns, or
 * @from_ns if that is later. */
static int64_t last_woken_ns(const struct tw_sleeps *sleeps, const struct tw_clock_map *map,
			     uint64_t key, int64_t from_ns, int64_t to_ns)
{
	const uint64_t newest = __atomic_load_n(&sleeps->newest, __ATOMIC_ACQUIRE);
	struct tw_sleep sleep;
	uint64_t number;
	int64_t on_ns;

	for (number = newest; number && newest - number < TW_SLEEPS; number--) {
		if (!read_sleep(sleeps, number, key, &sleep))
			continue;
		on_ns = tw_clock_map_own_ns(map, sleep.on_ns);
		if (on_ns <= to_ns)
			from_ns = tw_max_ns(from_ns, on_ns);
	}
	return from_ns;
}

void tw_find_throttle_causes(const struct tw_throttled *throttled, const struct tw_sleeps *sleeps,
		     const struct tw_clock_map *map, const struct tw_part *part,
		     struct tw_wait_causes *is)
{
	static const struct tw_sleep_cause causes[TW_THROTTLED_BYS] = {
		[TW_THROTTLED_BY_LIMIT] = { TW_SLEEP_IO_MAX, "blk_throtl_dispatch_work_fn" },
		[TW_THROTTLED_BY_MAPPER] = { TW_SLEEP_SUSPENDED, "dm_wq_work" },
	};
	unsigned i;

	for (i = 0; i < TW_THROTTLED_BYS; i++) {
		/* A time of 0 is before each part. */
		int64_t to_ns = tw_clock_map_own_ns(map, throttled->by[i].to_ns);
		int64_t from_ns = tw_max_ns(part->from_ns,
					    tw_clock_map_own_ns(map, throttled->by[i].from_ns));

		from_ns = last_woken_ns(sleeps, map, throttled->key, from_ns, to_ns);
		to_ns = tw_min_ns(part->to_ns, to_ns);
		if (to_ns > from_ns)
			add_cause(is->slept, causes[i], (uint64_t)(to_ns - from_ns));
	}
	is->limit = throttled->limit;
}

void tw_add_wait_for_worker(uint64_t ns, uint64_t blockq_ns, struct tw_wait_causes *is)
{
	if (ns >= blockq_ns / TW_CAUSE_PART)
		add_cause(is->slept, (struct tw_sleep_cause) { .word = TW_SLEEP_WORKER }, ns);
}

/* ---- as JSON ---- */

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

static json_t *all_had_to_json(const struct tw_wait_causes *is)
{
	json_t *array = json_array(), *object;
	const struct tw_had_cpu *had;

	for (had = is->had_cpu; had < is->had_cpu + TW_HAD_CPU && had->ns; had++) {
		object = json_pack("{ss, sI}", "kind", kinds[had->kind],
				   "ns", (json_int_t) had->ns);
		if (json_array_append_new(array, object) ||
		    had->kind == TW_HIDDEN || had->kind == TW_IDLE)
			continue;
		/* A process has no number in a namespace that can't see it. */
		if (had->id || (had->kind != TW_PROCESS && had->kind != TW_KERNEL_THREAD))
			json_object_set_new(object, "id",
					    json_integer((json_int_t) had->id));
		json_object_set_new(object, "name", name_of(had));
	}
	return array;
}

/* Add the limit of a cgroup that is known. */
static void add_limit(json_t *object, const struct tw_wait_causes *is)
{
	char path[TW_CGROUP_PATH], limit[TW_LIMIT_TEXT];

	tw_limit_text(limit, &is->limit);
	if (!limit[0])
		return;
	tw_cgroup_path(path, is->limit.cgroup);
	json_object_set_new(object, "limit", json_string(limit));
	if (path[0])
		json_object_set_new(object, "cgroup", json_string(path));
}

static json_t *all_slept_to_json(const struct tw_wait_causes *is)
{
	json_t *array = json_array(), *object;
	const struct tw_slept *slept;

	for (slept = is->slept; slept < is->slept + TW_SLEPT && slept->ns; slept++) {
		object = json_pack("{ss, ss, sI}",
			"reason", tw_sleep_texts[slept->cause.word].word,
			"function", slept->cause.function,
			"ns", (json_int_t) slept->ns);
		if (slept->cause.word == TW_SLEEP_IO_MAX)
			add_limit(object, is);
		json_array_append_new(array, object);
	}
	return array;
}

/* Return the time in which the thread could not run. If there is none, return the stage. */
static json_t *stall_to_json(uint64_t stage_from_ns, uint64_t stage_ns,
			     const struct tw_wait_causes *is)
{
	const bool stalled = is->stall_to_ns > is->stall_from_ns;
	const int64_t from_ns = stalled ? is->stall_from_ns : 0;
	const int64_t to_ns = stalled ? is->stall_to_ns : (int64_t) stage_ns;
	const uint64_t begin_ns = stage_from_ns + (uint64_t) from_ns;

	return json_pack("{so, sI}", "from_ns", tw_json_digits(begin_ns),
			 "ns", (json_int_t) (to_ns - from_ns));
}

json_t *tw_causes_to_json(const char *stage, uint64_t from_ns, uint64_t ns,
			     const struct tw_wait_causes *is, bool followed)
{
	json_t *object = json_pack("{ss, so}", "stage", stage, "stall",
				   stall_to_json(from_ns, ns, is));
	uint64_t known_ns;

	if (is->slept[0].ns)
		json_object_set_new(object, "slept", all_slept_to_json(is));
	if (!followed)
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

json_t *tw_follow_cost_to_json(const struct tw_follow_cost *costs, unsigned cpus,
			       uint64_t over_ns)
{
	json_t *array = json_array();
	unsigned cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		const int64_t ns = tw_max_ns(0, (int64_t) costs[cpu].ns);

		if (costs[cpu].timed)
			json_array_append_new(array, json_pack("{si, sI, sI}",
				"cpu", (int)cpu,
				"runs", (json_int_t) costs[cpu].timed * TW_FOLLOW_EVERY,
				"ns", (json_int_t) ns * TW_FOLLOW_EVERY));
	}
	return json_pack("{sI, so}", "over_ns", (json_int_t) over_ns, "cpus", array);
}
