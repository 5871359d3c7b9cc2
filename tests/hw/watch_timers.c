/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: a watcher on another CPU says when a completion was due, while the
 * thread that submitted is busy and sees nothing: of a ring as fio sets it up,
 * the first one after each drain; of one that does not defer, each.
 * Defect: the stamp of another completion, of the drain, or of when it was
 * seen.
 *
 * The truth is a timer's: eight IORING_OP_TIMEOUT due 100 to 800 us after they
 * were submitted. None can come earlier, and the kernel's timers come within
 * some us; 50 us leave room for those of a virtual machine. Others may have a
 * CPU for longer, so each timer's median over the rounds is held against that.
 *
 * A timer that came late itself says nothing of its stamp. Its interrupt goes
 * to the CPU that submitted, whose thread reads the counter all the time: it
 * sees the interrupt as a pause between two reads, its own drains apart. No
 * pause in the first half of those 50 us: the interrupt came later, and may be
 * what the next timers' look like. One too long for an interrupt: something
 * else had that CPU, and without its thread no completion becomes visible
 * either. Such rounds count as disturbed, as do those where the watcher's looks
 * lay too far apart; where too few are left, nothing has been measured. Nor is
 * there where the watcher does not run while the other thread is busy. Rounds
 * that it saw nothing of are made up for, up to a limit, and all begin at
 * changing distances, not in step with whatever else comes in turn.
 */
#include <errno.h>
#include <liburing.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "side_by_side.h"
#include "tap.h"
#include "taskrun.h"
#include "tickwise.h"
#include "watcher.h"

#define TIMERS		8
#define ROUNDS		45	/* that the watcher saw something of */
#define MOST_ROUNDS	600
/* Stamps that a median is taken of, at least. Of fewer, those of timers whose
 * interrupt another pause was taken for might be half. */
#define ENOUGH		15
#define STEP_NS		100000LL
#define BAR_NS		50000LL
#define INTERRUPT_NS	25000	/* at the latest, of that */
#define LATE_NS		5000
/* No look for so long: something else had the CPU. */
#define AWAY_NS		50000
/* Between two reads of the counter: an interrupt takes longer than the one, and
 * less than the other. */
#define PAUSE_NS	300
#define LOST_NS		20000
#define PAUSES		4096
/* IORING_SETUP_ of newer headers */
#define COOP_TASKRUN	(1U << 8)
#define TASKRUN_FLAG	(1U << 9)
#define SINGLE_ISSUER	(1U << 12)
#define DEFER_TASKRUN	(1U << 13)

struct results {
	int64_t ns[TIMERS][ROUNDS];	/* after it was due */
	unsigned count[TIMERS];
	unsigned disturbed[TIMERS], stamped[TIMERS];
	unsigned batches, unproved, early, rounds;
};

/* What the thread that submitted saw of its own CPU, in this round. */
struct pauses {
	uint64_t read;			/* the counter, last */
	struct {
		uint64_t from, to;
	} at[PAUSES];
	unsigned count;			/* PAUSES: there may be more */
};

static struct tw_clock tw;
static struct pauses pauses;
static unsigned cpus[2];

static uint64_t ticks_of(uint64_t ns)
{
	return (uint64_t)((double)ns * tw.rate.hz / 1e9);
}

static int two_cpus(void)
{
	unsigned found = 0, cpu;
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (cpu = 0; cpu < CPU_SETSIZE && found < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			cpus[found++] = cpu;
	CPU_ZERO(&set);
	CPU_SET(cpus[0], &set);
	return found == 2 && !sched_setaffinity(0, sizeof(set), &set);
}

static uint64_t read_counter(void)
{
	uint64_t now = tw_ticks();

	if (now - pauses.read > ticks_of(PAUSE_NS) && pauses.count < PAUSES) {
		pauses.at[pauses.count].from = pauses.read;
		pauses.at[pauses.count++].to = now;
	}
	pauses.read = now;
	return now;
}

/* From @due on. The longest one in @longest; 0: none. */
static bool was_interrupted(uint64_t due, uint64_t *longest)
{
	uint64_t until = due + ticks_of(INTERRUPT_NS);
	unsigned i;

	*longest = 0;
	for (i = 0; i < pauses.count; i++) {
		uint64_t from = pauses.at[i].from, to = pauses.at[i].to;

		if ((int64_t)(to - due) >= 0 && (int64_t)(until - from) >= 0 &&
		    to - from > *longest)
			*longest = to - from;
	}
	return *longest > 0;
}

/* And all before it: else the interrupt may be one of theirs. */
static bool came_in_time(uint64_t submitted, uint64_t timer)
{
	uint64_t longest = 0;

	for (uint64_t i = 0; i <= timer; i++)
		if (!was_interrupted(submitted + ticks_of((i + 1) * STEP_NS),
				     &longest))
			return false;
	return longest <= ticks_of(LOST_NS) && pauses.count < PAUSES;
}

static void keep(struct results *results, const struct tw_watch_note *note,
		 uint64_t timer, uint64_t submitted, uint64_t seen)
{
	uint64_t due = submitted + ticks_of((timer + 1) * STEP_NS);
	uint64_t watched = 0;
	int64_t ns;

	if (tw_watch_stamp(note, submitted, seen, ticks_of(200),
			   ticks_of(LATE_NS), &watched) != TW_WATCH_IN_ORDER) {
		results->disturbed[timer]++;
		return;
	}
	ns = tw_ticks_delta_to_ns(&tw.scale, (int64_t)(watched - due));
	results->early += ns < -200;
	results->stamped[timer]++;
	if (!came_in_time(submitted, timer)) {
		results->disturbed[timer]++;
		return;
	}
	results->ns[timer][results->count[timer]++] = ns;
}

static uint64_t submit_timers(struct io_uring *ring)
{
	static struct __kernel_timespec when[TIMERS];
	uint64_t submitted;
	unsigned i;

	for (i = 0; i < TIMERS; i++) {
		struct io_uring_sqe *sqe = io_uring_get_sqe(ring);

		when[i].tv_nsec = (i + 1) * STEP_NS;
		io_uring_prep_timeout(sqe, &when[i], 0, 0);
		sqe->user_data = i;
	}
	submitted = tw_ticks_begin();
	io_uring_submit(ring);
	return submitted;
}

static void busy_until(uint64_t ticks)
{
	while ((int64_t)(read_counter() - ticks) < 0)
		;
}

/* Busy, into the kernel, what is there now; until all have come. */
static void round_of(struct io_uring *ring, struct tw_watch_notes *notes,
		     enum tw_watch_mode mode, uint64_t busy_ns,
		     struct results *results)
{
	uint32_t seen_tail = *ring->cq.ktail, start = seen_tail;
	uint64_t left = tw_ticks_begin(), submitted = submit_timers(ring);
	uint64_t until = submitted;
	bool saw = false;

	pauses.count = 0;
	pauses.read = submitted;
	while (seen_tail - start < TIMERS) {
		struct tw_watch_batch batch = {
			.place = seen_tail, .left_ticks = left,
			.enter_ticks = submitted,
		};
		struct tw_watch_note note;
		uint32_t tail;
		uint64_t seen;

		until += ticks_of(busy_ns);
		busy_until(until);
		if (*(volatile unsigned *)ring->cq.ktail == seen_tail)
			batch.entering_ticks = tw_ticks_begin();
		io_uring_get_events(ring);
		tail = io_uring_smp_load_acquire(ring->cq.ktail);
		seen = tw_ticks_end();
		/* This was no interrupt, unless something else was. */
		if (seen - pauses.read <= ticks_of(LOST_NS))
			pauses.read = seen;
		if (tail == seen_tail)
			continue;
		batch.alone = start + TIMERS - seen_tail == 1;
		left = seen;
		results->batches++;
		/* As long as fio takes until it comes again. */
		busy_until(seen + ticks_of(2000));
		for (uint32_t place = seen_tail; place != tail; place++) {
			struct io_uring_cqe *cqe =
				&ring->cq.cqes[place & ring->cq.ring_mask];
			bool has = mode == TW_WATCH_CQ ?
				tw_watch_notes_at(notes, place, &note) :
				place == seen_tail &&
				tw_watch_notes_first(notes, &batch,
					ticks_of(200), &note) !=
				TW_WATCH_UNPROVED;

			saw |= has;
			if (has)
				keep(results, &note, cqe->user_data, submitted,
				     seen);
			else if (mode == TW_WATCH_CQ || place == seen_tail)
				results->unproved++;
		}
		io_uring_cq_advance(ring, tail - seen_tail);
		seen_tail = tail;
	}
	results->rounds += saw;
}

static int ascending(const void *a, const void *b)
{
	const int64_t *left = a, *right = b;

	return (*left > *right) - (*left < *right);
}

/* False where there is nothing to judge: it was stamped in few rounds. */
static bool judge(const struct results *results, unsigned timer,
		  const char *what)
{
	unsigned count = results->count[timer];
	int64_t ns[ROUNDS];

	if (count + results->disturbed[timer] < ROUNDS / 2)
		return false;	/* not a first one, most of the time */
	if (count < ENOUGH) {
		tap_skip("%s, %u us: %u of %u rounds were disturbed", what,
			 100 * (timer + 1), results->disturbed[timer], ROUNDS);
		return true;
	}
	memcpy(ns, results->ns[timer], count * sizeof(*ns));
	qsort(ns, count, sizeof(*ns), ascending);
	tap_ok(ns[count / 2] <= BAR_NS, "%s, %u us: within 50 us", what,
	       100 * (timer + 1));
	tap_note("%u stamps, %u disturbed: %.1f us after it was due, "
		 "%.1f to %.1f", count, results->disturbed[timer],
		 (double)ns[count / 2] / 1e3, (double)ns[0] / 1e3,
		 (double)ns[count - 1] / 1e3);
	return true;
}

/* For a fifth of the time that the rounds took, or more. An absence is counted
 * when it is over. */
static int was_away(const struct tw_watcher *watcher, uint64_t took_ticks)
{
	const struct timespec pause = { .tv_nsec = 50000000 };
	unsigned i;

	for (i = 0; i < 20; i++) {
		if (tw_watcher_away_ticks(watcher) > took_ticks / 5)
			return 1;
		nanosleep(&pause, NULL);
	}
	return 0;
}

static void watch_timers(enum tw_watch_mode mode, unsigned flags,
			 uint64_t busy_ns, unsigned wanted, const char *what)
{
	struct tw_watcher_options options = { .mode = mode, .cpu = cpus[1] };
	static struct results results;
	struct tw_watcher *watcher;
	struct io_uring ring;
	unsigned timer, tried, stamped = 0, judged = 0;
	uint64_t took_ticks;
	int ret;

	memset(&results, 0, sizeof(results));
	ret = io_uring_queue_init(TIMERS, &ring, flags);
	if (ret) {
		tap_skip("%s: no such ring here: %s", what, strerror(-ret));
		return;
	}
	options.entries = *ring.cq.kring_entries;
	options.sq_flags = ring.sq.kflags;
	options.sq_head = ring.sq.khead;
	options.cq_tail = ring.cq.ktail;
	options.away_ticks = ticks_of(AWAY_NS);
	ret = tw_watcher_start(&watcher, &options);
	if (ret) {
		tap_skip("%s: no watcher: %s", what, strerror(-ret));
		io_uring_queue_exit(&ring);
		return;
	}
	took_ticks = tw_ticks_begin();
	for (tried = 0; tried < MOST_ROUNDS && results.rounds < ROUNDS;
	     tried++) {
		round_of(&ring, tw_watcher_notes(watcher), mode, busy_ns,
			 &results);
		/* 0 to 1.1 ms, no two in a row the same */
		busy_until(tw_ticks_end() +
			   ticks_of((tried * 7) % ROUNDS * 25000ULL));
	}
	took_ticks = tw_ticks_end() - took_ticks;
	for (timer = 0; timer < TIMERS; timer++) {
		judged += judge(&results, timer, what);
		stamped += results.stamped[timer] > 0;
	}
	if (!judged)
		tap_skip("%s: the watcher saw something of %u of %u rounds",
			 what, results.rounds, tried);
	tap_ok(results.early == 0, "%s: none before it was due", what);
	if (stamped < wanted && was_away(watcher, took_ticks))
		tap_skip("%s: something else had the watcher's CPU", what);
	else
		tap_ok(stamped >= wanted, "%s: %u of the eight timers were "
		       "stamped", what, stamped);
	tap_note("%u batches of %u rounds, %u without a stamp",
		 results.batches, tried, results.unproved);
	tw_watcher_stop(watcher);
	io_uring_queue_exit(&ring);
}

int main(void)
{
	unsigned flags = COOP_TASKRUN | SINGLE_ISSUER | DEFER_TASKRUN |
			 TASKRUN_FLAG;
	struct io_uring ring;
	uint64_t still_ns;

	if (!two_cpus()) {
		printf("1..0 # SKIP two CPUs are needed, one to watch\n");
		return 0;
	}
	still_ns = side_by_side_ns(cpus[0], cpus[1]);
	if (still_ns > STEP_NS) {
		printf("1..0 # SKIP a thread on the other CPU stands still "
		       "for %llu us at a time while this one runs\n",
		       (unsigned long long)still_ns / 1000);
		return 0;
	}
	if (io_uring_queue_init(1, &ring, 0)) {
		printf("1..0 # SKIP no io_uring here\n");
		return 0;
	}
	io_uring_queue_exit(&ring);
	if (tw_clock_init(&tw, NULL) || tw.system) {
		printf("1..0 # SKIP no counter to be calibrated\n");
		return 0;
	}
	if (tw_taskrun_try()) {
		tap_skip("this kernel has no flag for deferred completions, or "
			 "hands them over newest first (before Linux 6.5)");
	} else {
		watch_timers(TW_WATCH_TASKRUN, flags, 1000000, 1,
			     "busy for 1 ms");
		/* At no time when a timer is due: 100, 200, 300, 400, 600, 700
		 * and 800 us are the first ones after a drain. */
		watch_timers(TW_WATCH_TASKRUN, flags, 130000, 5,
			     "drained each 130 us");
	}
	watch_timers(TW_WATCH_CQ, 0, 1000000, TIMERS, "not deferred");
	return tap_done();
}
