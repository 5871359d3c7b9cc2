/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: a thread's periods show what happened to it in a part of an I/O's time,
 * to the nanosecond: it ran, was ready to run while something else had its CPU, was
 * interrupted, was asleep, was woken late. The pieces never add up to more than the
 * part, whatever the periods are. What had the CPU is named, the longest first. Turns
 * that were overwritten, or are being written, are not read. What a sleep was for comes from
 * its stack, the longest reason first; sleeps of workers count for their own I/O only. What held
 * an I/O back is counted from when it was seen before, or a worker slept last. Defect: a piece
 * counted twice, a holder of another time, an old period taken for a new one, sleep
 * blamed on a stage that no wakeup ends.
 *
 * A reference classifies each single nanosecond.
 */
#include "kernel/cgroup.h"
#include "kernel/causes/find_causes.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "tap.h"

#define CASES	20000
#define LONGEST	2000	/* of all periods of a case, ns */
#define MONOTONIC_NS	5000000000000ULL

static uint64_t random_state;
static struct tw_offcpu periods;

/* The engine's own time is CLOCK_MONOTONIC minus this. */
static const struct tw_clock_map map = {
	.first = { 0, MONOTONIC_NS, 1 }, .before = { 0, MONOTONIC_NS, 1 },
	.last = { LONGEST, MONOTONIC_NS + LONGEST, 1 },
	.rate = 1, .older_rate = 1, .error_ns = 1, .max_error_ns = 1,
};

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

static struct tw_offcpu_period *add_period(void)
{
	struct tw_offcpu_period *period = &periods.periods[periods.newest % TW_OFFCPU_PERIODS];

	*period = (struct tw_offcpu_period) { .number = ++periods.newest };
	return period;
}

static uint64_t at(uint64_t own_ns)
{
	return MONOTONIC_NS + own_ns;
}

static void hold(struct tw_offcpu_period *period, unsigned i, uint64_t from_ns,
		 uint64_t to_ns, enum tw_holder_kind kind, uint32_t id,
		 const char *name)
{
	struct tw_holder *holder = &period->holders[i];

	*holder = (struct tw_holder) { at(from_ns), at(to_ns), id, kind, "" };
	snprintf(holder->name, sizeof(holder->name), "%s", name);
}

static uint64_t sum_of(const struct tw_wait_causes *is)
{
	return is->ran_ns + is->waited_ns + is->interrupts_ns +
	       is->woken_late_ns + is->asleep_ns;
}

static struct tw_wait_causes explain(int64_t from_ns, int64_t to_ns, bool wakeup)
{
	const struct tw_part part = { from_ns, to_ns, wakeup };
	struct tw_wait_causes is;

	tw_find_causes(&periods, &map, &part, &is);
	return is;
}

static bool had(const struct tw_wait_causes *is, unsigned i, uint64_t ns,
		uint32_t id, const char *name)
{
	return is->had_cpu[i].ns == ns && is->had_cpu[i].id == id &&
	       strncmp(is->had_cpu[i].name, name, TW_NAME_SIZE) == 0;
}

/* ---- by hand ------------------------------------------------------------ */

/* The thread ran from 0 to 100, was preempted until 500, and ran on. */
static void preempted(void)
{
	struct tw_wait_causes is;
	struct tw_offcpu_period *period;

	memset(&periods, 0, sizeof(periods));
	period = add_period();
	period->ran_ns = at(0);
	period->off_ns = at(100);
	period->on_ns = at(500);
	period->stolen_ns = 70;
	hold(period, 0, 300, 500, TW_PROCESS, 7, "loop");
	hold(period, 1, 250, 300, TW_SOFTIRQ, 3, "");
	hold(period, 2, 100, 250, TW_KERNEL_THREAD, 9, "kworker/1:2");

	is = explain(50, 600, true);
	tap_ok(is.ran_ns == 150 && is.waited_ns == 350 &&
	       is.interrupts_ns == 50 && !is.woken_late_ns && !is.asleep_ns,
	       "preempted: ran, waited, interrupted");
	tap_ok(had(&is, 0, 200, 7, "loop") && had(&is, 1, 150, 9, "kworker/1:2") &&
	       had(&is, 2, 50, 3, "") && !is.had_cpu[3].ns,
	       "who had the CPU, the longest first");
	tap_ok(is.stall_from_ns == 100 && is.stall_to_ns == 500,
	       "when it could not run");
	tap_ok(is.stolen_ns == 70, "stolen at most");

	is = explain(200, 260, true);
	tap_ok(is.waited_ns == 50 && is.interrupts_ns == 10 && !is.ran_ns &&
	       had(&is, 0, 50, 9, "kworker/1:2") && had(&is, 1, 10, 3, "") &&
	       is.stolen_ns == 60 && is.stall_from_ns == 100,
	       "of a part of the wait no more than the part");
	is = explain(500, 800, true);
	tap_ok(is.ran_ns == 300 && sum_of(&is) == 300 && !is.had_cpu[0].ns &&
	       !is.stolen_ns && is.stall_from_ns == is.stall_to_ns,
	       "after it: it ran");
	is = explain(-50, 60, true);
	tap_ok(is.ran_ns == 60 && sum_of(&is) == 60, "before the first period "
	       "nothing is known");

	/* It was preempted again from 600 to 640. */
	period = add_period();
	period->ran_ns = at(500);
	period->off_ns = at(600);
	period->on_ns = at(640);
	period->stolen_ns = 20;
	is = explain(50, 650, true);
	tap_ok(is.stolen_ns == 90, "stolen at most, of both periods");
	memset(period, 0, sizeof(*period));
	periods.newest--;

	/* The thread left its CPU at 650. It runs, so it was missed when it came back. */
	periods.ran_ns = at(500);
	periods.off_ns = at(650);
	is = explain(550, 800, true);
	tap_ok(is.ran_ns == 100 && sum_of(&is) == 100,
	       "since it left its CPU nothing is known");
	is = explain(550, 600, true);
	tap_ok(is.ran_ns == 50 && sum_of(&is) == 50, "before that it ran");
	/* It came back at 700, and it was missed when it had left. */
	periods.ran_ns = at(700);
	periods.off_ns = 0;
	is = explain(550, 800, true);
	tap_ok(is.ran_ns == 100 && sum_of(&is) == 100,
	       "from the period until it came back nothing is known");
}

/*
 * The thread sleeps from 100 on; an interrupt at 300 wakes it at 320; it is ready
 * at 350, and runs at 400.
 */
static void woken(void)
{
	struct tw_wait_causes is;
	struct tw_offcpu_period *period;

	memset(&periods, 0, sizeof(periods));
	period = add_period();
	period->ran_ns = at(0);
	period->off_ns = at(100);
	period->interrupt_ns = at(300);
	period->waking_ns = at(320);
	period->woken_ns = at(350);
	period->on_ns = at(400);
	hold(period, 0, 350, 400, TW_IDLE, 0, "swapper/0");

	is = explain(200, 410, true);
	tap_ok(is.woken_late_ns == 150 && is.interrupt_ns == 20 &&
	       is.waited_ns == 50 && is.ran_ns == 10 && !is.asleep_ns,
	       "a part that a wakeup ends: woken late");
	tap_ok(is.stall_from_ns == 200 && is.stall_to_ns == 400,
	       "it was not kept from anything before the part began");
	is = explain(310, 410, true);
	tap_ok(is.woken_late_ns == 40 && is.interrupt_ns == 10,
	       "the interrupt began before the part");
	is = explain(50, 410, false);
	tap_ok(is.asleep_ns == 220 && is.woken_late_ns == 30 &&
	       is.waited_ns == 50 && is.ran_ns == 60,
	       "another part: asleep");
	period->woken_ns = 0;
	is = explain(200, 410, true);
	tap_ok(is.woken_late_ns == 120 && is.waited_ns == 80 && is.ran_ns == 10,
	       "without the second stamp it is ready when it is to be woken");
}

static void names(void)
{
	struct tw_wait_causes is;
	struct tw_offcpu_period *period;
	unsigned i;

	memset(&periods, 0, sizeof(periods));
	period = add_period();
	period->ran_ns = at(0);
	period->off_ns = at(10);
	period->on_ns = at(800);
	for (i = 0; i < 8; i++)
		hold(period, i, 700 - 90 * i, 720 - 88 * i, i & 1 ? TW_HIDDEN :
		     TW_PROCESS, i & 1 ? 0 : 1 + i, i & 1 ? "" : "a");
	is = explain(0, 800, true);
	tap_ok(had(&is, 0, 2 * 4 + 22 + 26 + 30 + 34 - 8, 0, "") &&
	       is.had_cpu[0].kind == TW_HIDDEN && is.had_cpu[1].ns == 32 &&
	       is.had_cpu[1].id == 7, "processes of others are one");
	tap_ok(is.waited_ns == 790 && is.ran_ns == 10, "all of the wait counts");
	period->holders[2].kind = TW_HOLDER_KINDS;
	is = explain(0, 800, true);
	tap_ok(is.waited_ns == 790 && is.had_cpu[0].ns == 22 &&
	       is.had_cpu[1].ns == 20 && !is.had_cpu[2].ns,
	       "none is read after an unknown kind");
}

/* ---- at random ---------------------------------------------------------- */

enum state { UNKNOWN, RAN, WAITED, INTERRUPTED, LATE, ASLEEP, STATES };

static unsigned char states[LONGEST], holders[LONGEST];

static void put(enum state state, uint64_t from, uint64_t to)
{
	for (; from < to; from++)
		states[from] = (unsigned char)state;
}

/* Put what had the CPU from @from on; the holders lie without gaps, but the first. */
static void put_holders(struct tw_offcpu_period *period, uint64_t from, uint64_t to)
{
	unsigned i;

	put(WAITED, from, to);
	for (i = 0; i < TW_HOLDERS && to > from && below(5); i++) {
		const uint64_t begin = to - 1 - below(to - from);
		const unsigned id = 1 + (unsigned)below(3);
		const bool interrupt = !below(3);

		hold(period, i, begin, to, interrupt ? TW_SOFTIRQ : TW_PROCESS,
		     id, "x");
		if (interrupt)
			put(INTERRUPTED, begin, to);
		memset(&holders[begin], (int)(id + (interrupt ? 3 : 0)),
		       to - begin);
		to = begin;
	}
}

static uint64_t put_period(uint64_t now)
{
	struct tw_offcpu_period *period = add_period();
	uint64_t times[5];
	const bool slept = below(2);
	unsigned i;

	for (i = 0; i < 5; i++) {
		times[i] = now;
		now += below(2) * below(60);
	}
	if (!slept)
		times[2] = times[3] = times[1];
	period->ran_ns = at(times[0]);
	period->off_ns = at(times[1]);
	period->waking_ns = slept ? at(times[2]) : 0;
	period->woken_ns = slept ? at(times[3]) : 0;
	period->on_ns = at(times[4]);
	put(RAN, times[0], times[1]);
	put(ASLEEP, times[1], times[2]);
	put(LATE, times[2], times[3]);
	put_holders(period, times[3], times[4]);
	return times[4];
}

static bool is_right(const struct tw_wait_causes *is, int64_t from, int64_t to,
		     bool wakeup)
{
	uint64_t ns[STATES] = { 0 }, by[7] = { 0 }, named = 0;
	unsigned i;

	for (; from < to; from++) {
		ns[states[from]]++;
		if (states[from] == WAITED || states[from] == INTERRUPTED)
			by[holders[from]]++;
	}
	for (i = 0; i < TW_HAD_CPU && is->had_cpu[i].ns; i++) {
		const struct tw_had_cpu *who = &is->had_cpu[i];

		if (who->ns != by[who->id + (who->kind == TW_SOFTIRQ ? 3 : 0)] ||
		    (i && who->ns > who[-1].ns))
			return false;
		named++;
	}
	for (i = 1; i < 7; i++)
		named -= by[i] > 0;
	return is->ran_ns == ns[RAN] && is->waited_ns == ns[WAITED] &&
	       is->interrupts_ns == ns[INTERRUPTED] &&
	       is->woken_late_ns == ns[LATE] + (wakeup ? ns[ASLEEP] : 0) &&
	       is->asleep_ns == (wakeup ? 0 : ns[ASLEEP]) &&
	       (named == 0 || is->had_cpu[TW_HAD_CPU - 1].ns);
}

static void any_periods(void)
{
	unsigned wrong = 0, i, j;

	for (i = 0; i < CASES; i++) {
		const unsigned count = (unsigned)below(7);
		const bool wakeup = below(2);
		uint64_t now = below(50), from, to;
		struct tw_wait_causes is;

		memset(&periods, 0, sizeof(periods));
		memset(states, 0, sizeof(states));
		memset(holders, 0, sizeof(holders));
		for (j = 0; j < count; j++)
			now = put_period(now);
		put(count ? RAN : UNKNOWN, now, LONGEST);
		from = below(now + 50);
		to = from + below(now + 100 - from);
		is = explain((int64_t)from, (int64_t)to, wakeup);
		wrong += is.lost || !is_right(&is, (int64_t)from, (int64_t)to,
					      wakeup);
	}
	tap_ok(!wrong, "%d threads: each nanosecond is what it was (wrong: %u)",
	       CASES, wrong);
}

static void fill(void *memory, size_t size)
{
	unsigned char *bytes = memory;

	while (size--)
		*bytes++ = (unsigned char)below(256);
}

/* Turns that contradict each other, or have no meaning. */
static void nonsense(void)
{
	unsigned wrong = 0, i, j;

	for (i = 0; i < CASES; i++) {
		const uint64_t from = below(LONGEST);
		const uint64_t to = from + below(LONGEST);
		struct tw_wait_causes is;

		memset(&periods, 0, sizeof(periods));
		for (j = 0; j < 5; j++) {
			struct tw_offcpu_period *period = add_period();
			const uint64_t number = period->number;

			fill(period, sizeof(*period));
			period->number = number;
			period->ran_ns = at(below(LONGEST));
			period->off_ns = at(below(LONGEST));
			period->on_ns = at(below(LONGEST));
			period->woken_ns = below(2) * at(below(LONGEST));
			period->waking_ns = below(2) * at(below(LONGEST));
			period->interrupt_ns = below(2) * at(below(LONGEST));
			for (unsigned k = 0; k < TW_HOLDERS; k++)
				hold(period, k, below(LONGEST), below(LONGEST),
				     (enum tw_holder_kind)
				     below(TW_HOLDER_KINDS + 1), 0, "y");
		}
		is = explain((int64_t)from, (int64_t)to, below(2));
		wrong += sum_of(&is) > to - from || is.stolen_ns > to - from ||
			 is.interrupt_ns > to - from;
	}
	tap_ok(!wrong, "%d threads with periods of nonsense: never more than the "
	       "part (wrong: %u)", CASES, wrong);
}

/* ---- the ring ----------------------------------------------------------- */

/* Each period: 1 ns running, 1 ns waiting. */
static void many(uint64_t count)
{
	memset(&periods, 0, sizeof(periods));
	while (periods.newest < count) {
		const uint64_t now = 2 * periods.newest;
		struct tw_offcpu_period *period = add_period();

		period->ran_ns = at(now);
		period->off_ns = at(now + 1);
		period->on_ns = at(now + 2);
	}
}

static void overwritten(void)
{
	struct tw_wait_causes is;

	many(TW_OFFCPU_PERIODS);
	is = explain(0, 2 * TW_OFFCPU_PERIODS, true);
	tap_ok(!is.lost && is.waited_ns == TW_OFFCPU_PERIODS && is.ran_ns == TW_OFFCPU_PERIODS,
	       "as many periods as there is room for");
	many(3 * TW_OFFCPU_PERIODS + 5);
	is = explain(0, 6 * TW_OFFCPU_PERIODS + 10, true);
	tap_ok(is.lost && is.waited_ns == TW_OFFCPU_PERIODS && is.ran_ns == TW_OFFCPU_PERIODS,
	       "of more, the older ones are lost, and not misread");
	is = explain(4 * TW_OFFCPU_PERIODS + 10, 6 * TW_OFFCPU_PERIODS + 10, true);
	tap_ok(!is.lost && sum_of(&is) == 2 * TW_OFFCPU_PERIODS,
	       "which is no matter where they are not needed");
	periods.periods[(periods.newest - 3) % TW_OFFCPU_PERIODS].number = 0;
	is = explain(0, 6 * TW_OFFCPU_PERIODS + 10, true);
	tap_ok(is.lost && sum_of(&is) == 4,
	       "nothing is read beyond one that is being written");
	memset(&periods, 0, sizeof(periods));
	is = explain(0, 10, true);
	tap_ok(!is.lost && !sum_of(&is), "no period: nothing is known");
	periods.newest = 5;
	is = explain(0, 10, true);
	tap_ok(is.lost && !sum_of(&is), "a number without its period");
}

/* Of CPU 0 no run was timed. On CPU 2 the clock took longer than it seemed to. */
static void cost(void)
{
	static const struct tw_follow_cost costs[] = {
		{ 0, 0 }, { 2, 30 }, { 1, (uint64_t)-7 },
	};
	json_t *is = tw_follow_cost_to_json(costs, 3, 12345);
	json_t *should = json_pack("{si, s[{si, si, si}, {si, si, si}]}", "over_ns", 12345,
				   "cpus", "cpu", 1, "runs", 2 * 251, "ns", 30 * 251,
				   "cpu", 2, "runs", 251, "ns", 0);

	tap_ok(json_equal(is, should), "one in 251 runs stands for all");
	json_decref(is);
	json_decref(should);
}

/* ---- sleeps --------------------------------------------------------------- */

static const char functions[] =
	"1000 T blk_mq_get_tag\n2000 T __bio_queue_enter\n3000 T some_driver\n"
	"4000 T other_driver\n5000 T io_cqring_wait\n6000 T start_this_handle\n"
	"7000 T mempool_alloc\n8000 T end\n";

/* Add a sleep of the thread in the function at @address. */
static void sleep_in(uint64_t address, uint64_t from, uint64_t to)
{
	struct tw_offcpu_period *period = add_period();

	period->ran_ns = period->off_ns = at(from);
	period->waking_ns = period->woken_ns = period->on_ns = at(to);
	period->stack = (struct tw_stack) { .frames = { address + 1 }, .count = !!address };
}

static bool slept(const struct tw_wait_causes *is, unsigned i, enum tw_sleep_word word,
		  uint64_t ns)
{
	return is->slept[i].ns == ns && (!ns || is->slept[i].cause.word == word);
}

static void reasons(void)
{
	static char text[sizeof(functions)];
	struct tw_wait_causes is;

	memset(&periods, 0, sizeof(periods));
	sleep_in(0x1000, 100, 200);
	memcpy(text, functions, sizeof(text));
	is = explain(0, 300, false);
	tap_ok(is.asleep_ns == 100 && !is.slept[0].ns, "no names of functions: no reason");
	tw_functions_read(text);
	sleep_in(0x2000, 200, 220);
	sleep_in(0x1000, 300, 400);
	sleep_in(0x5000, 400, 450);
	sleep_in(0, 450, 460);
	is = explain(150, 460, false);
	tap_ok(is.asleep_ns == 230 && slept(&is, 0, TW_SLEEP_TAG, 150) &&
	       slept(&is, 1, TW_SLEEP_FROZEN_QUEUE, 20) && slept(&is, 2, 0, 0),
	       "sleeps for one reason are one, as far as they are in the part");
	is = explain(150, 460, true);
	tap_ok(!is.asleep_ns && !is.slept[0].ns, "none where a wakeup ends the part");
	sleep_in(0x3000, 500, 530);
	sleep_in(0x4000, 530, 531);
	sleep_in(0x6000, 531, 533);
	is = explain(100, 533, false);
	tap_ok(slept(&is, 0, TW_SLEEP_TAG, 200) && slept(&is, 1, TW_SLEEP_OTHER, 30) &&
	       !strcmp(is.slept[1].cause.function, "some_driver") &&
	       slept(&is, 2, TW_SLEEP_FROZEN_QUEUE, 20) && slept(&is, 3, TW_SLEEP_JOURNAL, 2),
	       "of five reasons, the longest four");
}

static struct tw_sleeps sleeps;

static void worker_sleep(uint64_t key, uint64_t address, uint64_t from, uint64_t to)
{
	struct tw_sleep *sleep = &sleeps.sleeps[sleeps.newest % TW_SLEEPS];

	*sleep = (struct tw_sleep) {
		.number = ++sleeps.newest, .key = key, .off_ns = at(from), .on_ns = at(to),
		.at.stack = { .frames = { address + 1 }, .count = 1 },
	};
}

static struct tw_wait_causes worker_causes(uint64_t key)
{
	const struct tw_part part = { 100, 1000, false };
	struct tw_wait_causes is = { .lost = false };

	tw_find_worker_causes(&sleeps, &map, &part, key, &is);
	return is;
}

static void no_worker(void)
{
	struct tw_wait_causes is = { .lost = false };

	tw_add_wait_for_worker(0, 0, &is);
	tw_add_wait_for_worker(0, 10, &is);
	tw_add_wait_for_worker(49, 1000, &is);
	tap_ok(!is.slept[0].ns, "no wait for a worker, or a short one");
	worker_sleep(5, 0x1000, 150, 950);
	is = worker_causes(5);
	tw_add_wait_for_worker(50, 1000, &is);
	tap_ok(slept(&is, 0, TW_SLEEP_TAG, 800) && slept(&is, 1, TW_SLEEP_WORKER, 50) &&
	       !is.slept[1].cause.function[0], "a wait for a worker, after a longer sleep");
	tw_add_wait_for_worker(900, 1000, &is);
	tap_ok(slept(&is, 0, TW_SLEEP_WORKER, 950) && slept(&is, 1, TW_SLEEP_TAG, 800),
	       "before a shorter one");
}

static void workers(void)
{
	struct tw_wait_causes is = worker_causes(7);
	unsigned i;

	tap_ok(!is.slept[0].ns, "no worker slept");
	worker_sleep(7, 0x1000, 50, 150);
	worker_sleep(8, 0x2000, 100, 900);
	worker_sleep(7, 0x1000, 950, 1200);
	worker_sleep(7, 0x6000, 20, 90);
	is = worker_causes(7);
	tap_ok(slept(&is, 0, TW_SLEEP_TAG, 100) && slept(&is, 1, 0, 0),
	       "a worker's sleeps in this I/O, in the part");
	sleeps.sleeps[2].number = 0;
	is = worker_causes(7);
	tap_ok(slept(&is, 0, TW_SLEEP_TAG, 50), "none that is being written");
	for (i = 0; i < TW_SLEEPS - 1; i++)
		worker_sleep(9, 0x1000, 100, 101);
	is = worker_causes(9);
	tap_ok(slept(&is, 0, TW_SLEEP_TAG, TW_SLEEPS - 1), "all of the ring");
	is = worker_causes(7);
	tap_ok(!is.slept[0].ns, "what was overwritten is not read");
}

/* Return what held an I/O back by the limit of a cgroup, and by the device mapper. */
static struct tw_wait_causes throttle_causes(struct tw_throttle_time limit, struct tw_throttle_time mapper)
{
	const struct tw_part part = { 100, 1000, false };
	const struct tw_throttled throttled = {
		.key = 7, .by = { limit, mapper },
		.limit = { .cgroup = ~0ULL, .value = 100, .which = TW_LIMIT_WIOPS },
	};
	struct tw_wait_causes is = { .lost = false };

	tw_find_throttle_causes(&throttled, &sleeps, &map, &part, &is);
	return is;
}

static void held(void)
{
	const struct tw_throttle_time none = { 0 };
	struct tw_wait_causes is;
	json_t *json, *should;

	memset(&sleeps, 0, sizeof(sleeps));
	is = throttle_causes(none, none);
	tap_ok(!is.slept[0].ns, "an I/O that was not held");
	is = throttle_causes((struct tw_throttle_time) { at(150), at(900) },
			  (struct tw_throttle_time) { at(50), at(140) });
	tap_ok(slept(&is, 0, TW_SLEEP_IO_MAX, 750) && slept(&is, 1, TW_SLEEP_SUSPENDED, 40) &&
	       slept(&is, 2, 0, 0), "one that was held twice, as far as it is in the part");
	is = throttle_causes((struct tw_throttle_time) { at(20), at(90) },
			  (struct tw_throttle_time) { at(1100), at(1200) });
	tap_ok(!is.slept[0].ns, "outside of the part");
	is = throttle_causes((struct tw_throttle_time) { 0, at(1200) }, none);
	tap_ok(slept(&is, 0, TW_SLEEP_IO_MAX, 900), "from a time that is not known");
	worker_sleep(7, 0x1000, 50, 250);
	worker_sleep(7, 0x1000, 800, 950);
	worker_sleep(8, 0x1000, 100, 600);
	is = throttle_causes((struct tw_throttle_time) { at(150), at(900) }, none);
	tap_ok(slept(&is, 0, TW_SLEEP_IO_MAX, 650),
	       "a worker's last sleep in this I/O before comes off");
	json = tw_causes_to_json("blockq", 100, 900, &is, false);
	should = json_pack("[{ss, ss, sI, ss}]", "reason", "io.max", "function",
			   "blk_throtl_dispatch_work_fn", "ns", (json_int_t)650,
			   "limit", "wiops=100");
	tap_ok(json_equal(json_object_get(json, "slept"), should),
	       "the limit, of a cgroup that is gone");
	json_decref(json);
	json_decref(should);
	is.limit.cgroup = TW_CGROUP_ROOT;
	is.limit.which = TW_LIMIT_UNKNOWN;
	json = tw_causes_to_json("blockq", 100, 900, &is, false);
	tap_ok(!json_object_get(json_array_get(json_object_get(json, "slept"), 0), "limit"),
	       "no limit that is not known");
	json_decref(json);
}

/* The thread is off from 100 to 200 and from 300 to 400, and is woken at 150 and 390. */
static void waking(void)
{
	static const struct {
		const char *what;
		uint64_t at_ns;
		int found;
		uint64_t waking_ns;
	} cases[] = {
		{ "before it slept", 99, 0, 0 }, { "as it fell asleep", 100, 1, 150 },
		{ "asleep", 120, 1, 150 }, { "as it was woken", 150, 1, 150 },
		{ "woken before, and not yet running", 151, 0, 0 },
		{ "running", 250, 0, 0 }, { "asleep again", 301, 1, 390 },
		{ "running since", 400, 0, 0 },
	};
	uint64_t waking_ns;

	memset(&periods, 0, sizeof(periods));
	tap_ok(!tw_find_waking(&periods, 1, &waking_ns), "a thread that never slept");
	for (unsigned i = 0; i < 2; i++) {
		struct tw_offcpu_period *period = add_period();

		period->off_ns = 100 + 200 * i;
		period->waking_ns = i ? 390 : 150;
		period->on_ns = period->off_ns + 100;
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_ok(tw_find_waking(&periods, cases[i].at_ns, &waking_ns) == cases[i].found &&
		       (!cases[i].found || waking_ns == cases[i].waking_ns),
		       "a completion %s", cases[i].what);
	periods.periods[0].number += TW_OFFCPU_PERIODS;
	tap_ok(tw_find_waking(&periods, 350, &waking_ns) == 1 &&
	       tw_find_waking(&periods, 120, &waking_ns) == -ENOENT,
	       "a completion in a period that was overwritten");
	/* It is off for another thread, and not asleep. */
	periods.periods[1].waking_ns = 0;
	tap_ok(!tw_find_waking(&periods, 350, &waking_ns), "a completion as it waits for a CPU");
}

int main(void)
{
	random_state = tap_seed();
	preempted();
	woken();
	names();
	any_periods();
	nonsense();
	overwritten();
	cost();
	reasons();
	workers();
	held();
	no_worker();
	waking();
	return tap_done();
}
