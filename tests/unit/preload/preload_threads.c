/* SPDX-License-Identifier: MIT */
/*
 * Several threads read one preload clock and hand each other what they read, while NTP slews a
 * simulated system clock and the thread that renews is held up. A thread takes the largest time
 * that any thread has handed on, reads the clock, and hands on its reading. The clock ran
 * backwards if the reading is below the time taken. Each thread may have an offset, as counters
 * of unlike CPUs have: a reading may then be lower by the difference of two offsets, and no more.
 *
 * Fails if a segment is used before or after its time, or if a proposal is accepted late or
 * never. Fails also if the second thread's first reading does not end unordered ones.
 *
 *	preload_threads [SECONDS [THREADS [SLEW_PPM [APART_NS]]]]
 *
 * The counter is a number in memory, which each reading advances: the result does not depend on
 * a machine's counters. With SECONDS (of 16 threads, 500 ppm, counters not apart) it is this
 * machine's, and the slew is still simulated. Exit code 1: a reading went backwards.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "preload/preload_clock.h"
#include "preload_machine.h"

#define HZ		2.1e9
#define READ_TICKS	60

static int has_own_counter;	/* 1: this machine's */
static uint64_t counter_ticks = 1000000000000;

static uint64_t ticks_ordered(void)
{
	return has_own_counter ? tw_preload_ticks_ordered(NULL) :
	       __atomic_add_fetch(&counter_ticks, READ_TICKS, __ATOMIC_SEQ_CST);
}

/* Wait. The counter in memory advances even if all threads are held up. */
static void hold_up(uint64_t ns)
{
	const struct timespec while_held = { .tv_nsec = (long)ns };
	uint64_t end_ticks = ticks_ordered() + ns * 2;

	if (has_own_counter) {
		nanosleep(&while_held, NULL);
		return;
	}
	/* Yield seldom: each call may give the CPU to a busy loop for some milliseconds. */
	for (unsigned polls = 1; ticks_ordered() < end_ticks; polls++)
		if (polls % 4096 == 0)
			sched_yield();
}

/* Readings that went backwards, the largest step back, and how far any was beyond the system
 * clock's readings. */
struct seen {
	uint64_t reads, backwards, largest_ns;
	double worst_ns;
};

struct run {
	struct tw_preload_clock clock;
	struct preload_system system;
	uint64_t end_ticks;
	uint64_t top_ns;
	struct seen seen;
	int stalls;			/* 1: threads are held up in mid-renewal */
};

struct thread {
	struct run *run;
	struct tw_preload_source source;
	pthread_t id;
	uint64_t me, random;
	int64_t offset_ticks;
	struct seen seen;
	const uint64_t *go;		/* of the second thread: it waits for this */
};

static uint64_t thread_ticks(void *context)
{
	const struct thread *thread = context;

	return ticks_ordered() + (uint64_t)thread->offset_ticks;
}

static uint64_t thread_unordered(void *context)
{
	const struct thread *thread = context;

	return (has_own_counter ? tw_preload_ticks(NULL) : ticks_ordered()) +
	       (uint64_t)thread->offset_ticks;
}

/* Read the counter for the slow paths. Now and then a thread is held up here, as if another one
 * took its CPU at this point. */
static uint64_t thread_slow_ticks(void *context)
{
	struct thread *thread = context;
	uint64_t ticks = thread_ticks(context);

	if (thread->run->stalls && tap_random(&thread->random) % 512 == 0)
		hold_up(tap_random(&thread->random) % 2000000);
	return ticks;
}

static uint64_t thread_system_ns(void *context)
{
	struct thread *thread = context;

	return preload_system_ns(&thread->run->system, thread_ticks(context));
}

static uint64_t thread_read(struct thread *thread)
{
	struct tw_preload_clock *clock = &thread->run->clock;
	uint64_t seconds, ns;

	if (tw_preload_alone(clock, thread->me, thread_unordered, thread, &seconds, &ns) ||
	    tw_preload_among(clock, thread_ticks, thread, &seconds, &ns))
		return seconds * 1000000000 + ns;
	return tw_preload_ns(clock, &thread->source, thread->me);
}

static void thread_step(struct thread *thread)
{
	struct run *run = thread->run;
	uint64_t low_ns = thread_system_ns(thread), high_ns, ns;
	uint64_t top_ns = __atomic_load_n(&run->top_ns, __ATOMIC_ACQUIRE), handed = top_ns;
	struct seen *seen = &thread->seen;

	ns = thread_read(thread);
	while (handed < ns && !__atomic_compare_exchange_n(&run->top_ns, &handed, ns, 1,
							   __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
	high_ns = thread_system_ns(thread);
	seen->reads++;
	if (ns < top_ns) {
		seen->backwards++;
		if (top_ns - ns > seen->largest_ns)
			seen->largest_ns = top_ns - ns;
	}
	if ((double)(int64_t)(low_ns - ns) > seen->worst_ns)
		seen->worst_ns = (double)(int64_t)(low_ns - ns);
	if ((double)(int64_t)(ns - high_ns) > seen->worst_ns)
		seen->worst_ns = (double)(int64_t)(ns - high_ns);
}

static void *thread_main(void *context)
{
	struct thread *thread = context;

	do {
		for (unsigned i = 0; i < 64; i++)
			thread_step(thread);
	} while ((int64_t)(thread_ticks(thread) - thread->run->end_ticks) < 0);
	return NULL;
}

/* Start a thread. Return 0 if there is none. */
static int begin(struct thread *thread, struct run *run, uint64_t me, uint64_t random,
		 void *(*main)(void *))
{
	thread->run = run;
	thread->me = me;
	thread->random = random;
	thread->source = (struct tw_preload_source) { thread_slow_ticks, thread_system_ns, thread };
	return !main || !pthread_create(&thread->id, NULL, main, thread);
}

/* Run readers of @run->clock until @run->end_ticks. Return 0 without threads. */
static int run_threads(struct run *run, unsigned threads, uint64_t apart_ticks, uint64_t seed)
{
	struct thread *all = calloc(threads, sizeof(*all));
	unsigned started = 0;

	for (; all && started < threads; started++) {
		all[started].offset_ticks = started % 2 ? (int64_t)apart_ticks : 0;
		if (!begin(&all[started], run, 64 * (uint64_t)(started + 1), seed + started + 1,
			   thread_main))
			break;
	}
	for (unsigned i = 0; i < started; i++) {
		const struct seen *seen = &all[i].seen;

		pthread_join(all[i].id, NULL);
		run->seen.reads += seen->reads;
		run->seen.backwards += seen->backwards;
		if (seen->largest_ns > run->seen.largest_ns)
			run->seen.largest_ns = seen->largest_ns;
		if (seen->worst_ns > run->seen.worst_ns)
			run->seen.worst_ns = seen->worst_ns;
	}
	free(all);
	return started == threads;
}

/* Make a new clock with @seconds of slew from now on, in pieces of a millisecond. */
static void run_init(struct run *run, double hz, double seconds, double slew_ppm, uint64_t seed)
{
	struct preload_slew slew = { slew_ppm, seed };
	uint64_t now = ticks_ordered();

	memset(run, 0, sizeof(*run));
	run->clock = (struct tw_preload_clock)TW_PRELOAD_CLOCK_INIT;
	run->end_ticks = now + (uint64_t)(seconds * hz);
	tw_preload_enable(&run->clock, 1e9 / hz);
	/* The remainder is for threads that are held up at the end. */
	preload_system_init(&run->system, hz, now, 1e6, (uint64_t)(seconds * 1000) + 1000,
			    preload_random_slew, &slew);
}

/* Of all runs: a thread that is held up with the lock may keep it all the time. */
static uint64_t renewed;

static void note(const struct run *run)
{
	renewed += run->clock.counts.renewed;
	tap_note("%" PRIu64 " reads, %" PRIu64 " backwards by up to %" PRIu64 " ns",
		 run->seen.reads, run->seen.backwards, run->seen.largest_ns);
	tap_note("renewed %" PRIu64 ", entered %" PRIu64 ", late %" PRIu64 ", disturbed %" PRIu64,
		 run->clock.counts.renewed, run->clock.counts.entered, run->clock.counts.late,
		 run->clock.counts.wide);
}

static void readers(unsigned threads, uint64_t apart_ns, int stalls, uint64_t seed)
{
	uint64_t apart_ticks = (uint64_t)((double)apart_ns * HZ / 1e9);
	/* One each for the rounding of the offset and of both readings, and the slew. */
	uint64_t allowed_ns = apart_ns ? apart_ns + 3 : 0;
	struct run run;

	run_init(&run, HZ, 0.7, 500, seed);
	run.stalls = stalls;
	if (!run_threads(&run, threads, apart_ticks, seed))
		tap_skip("no threads");
	else
		tap_ok(apart_ns ? run.seen.largest_ns <= allowed_ns : !run.seen.backwards,
		       "%u threads, %s, counters %d ns apart: never backwards by more", threads,
		       stalls ? "held up" : "not held up", (int)apart_ns);
	note(&run);
	preload_system_free(&run.system);
}

static void *second_main(void *context)
{
	struct thread *second = context;

	while (!__atomic_load_n(second->go, __ATOMIC_ACQUIRE))
		;
	for (unsigned i = 0; i < 200; i++)
		thread_step(second);
	return NULL;
}

/* One thread has the clock for itself, until another comes. */
static void turn(unsigned rounds, uint64_t seed)
{
	uint64_t backwards = 0, alone = 0;
	unsigned i;

	for (i = 0; i < rounds; i++) {
		uint64_t go = 0, reads;
		struct thread first = { 0 }, second = { .go = &go };
		struct run run;

		run_init(&run, HZ, 0.02, 500, seed + i);
		if (!begin(&first, &run, 64, seed + i, NULL) ||
		    !begin(&second, &run, 128, seed ^ i, second_main))
			break;
		/* Read until the thread owns the clock, and has owned it for some time. */
		reads = 20000 + tap_random(&first.random) % 20000;
		while (first.seen.reads < reads)
			thread_step(&first);
		alone += run.clock.owner == 64;
		__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
		while (first.seen.reads < reads + 400)
			thread_step(&first);
		pthread_join(second.id, NULL);
		backwards += first.seen.backwards + second.seen.backwards;
		preload_system_free(&run.system);
	}
	if (i < rounds)
		tap_skip("no thread");
	else
		tap_ok(!backwards && alone == rounds, "%u times a second thread came: %" PRIu64
		       " backwards, alone before in %" PRIu64, rounds, backwards, alone);
}

static int run_own_counter(int argc, char **argv, uint64_t seed)
{
	double seconds = atof(argv[1]), slew_ppm = argc > 3 ? atof(argv[3]) : 500;
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 16;
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct run run;

	has_own_counter = 1;
	if (!(seconds > 0) || !threads || tw_rate_measure(&rate, NULL))
		return 2;
	run_init(&run, rate.hz, seconds, slew_ppm, seed);
	run.stalls = 1;
	if (!run_threads(&run, threads, (uint64_t)((argc > 4 ? atof(argv[4]) : 0) * rate.hz / 1e9),
			 seed))
		return 2;
	note(&run);
	tap_note("off the system's clock by up to %.0f ns (promised: %.0f)", run.seen.worst_ns,
		 slew_ppm + TW_STEER_BOUND_NS);
	preload_system_free(&run.system);
	return run.seen.backwards != 0;
}

int main(int argc, char **argv)
{
	uint64_t seed = tap_seed();

	if (argc > 1)
		return run_own_counter(argc, argv, seed);
	readers(2, 0, 0, seed);
	readers(16, 0, 0, seed);
	readers(16, 0, 1, seed);
	readers(4, 200, 0, seed);
	readers(4, 1000, 1, seed);
	tap_ok(renewed > 0, "while segments were renewed");
	turn(30, seed);
	return tap_done();
}
