/* SPDX-License-Identifier: MIT */
/*
 * Threads that read one preload clock and hand each other what they read. The clock
 * uses this machine's counter and a simulated system clock, made of the counter,
 * which NTP slews.
 *
 * A thread takes the largest time that any thread has handed on, reads the clock,
 * and hands on its reading. The clock ran backwards if the reading is below the
 * time taken. Each thread may have an offset, as counters of unlike CPUs have. A
 * reading may then be lower by the difference of two offsets, and no more.
 */
#ifndef TW_TESTS_PRELOAD_THREADS_H
#define TW_TESTS_PRELOAD_THREADS_H

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "preload/preload_clock.h"
#include "preload_machine.h"

/*
 * PRELOAD_COUNTER_IN_MEMORY: the counter is a number that each reading advances by
 * this many ticks. The result then does not depend on a machine's counters.
 */
#ifdef PRELOAD_COUNTER_IN_MEMORY
#define PRELOAD_READ_TICKS	60

static uint64_t preload_counter_ticks = 1000000000000;

static inline uint64_t preload_ticks_ordered(void)
{
	return __atomic_add_fetch(&preload_counter_ticks, PRELOAD_READ_TICKS,
				  __ATOMIC_SEQ_CST);
}

static inline uint64_t preload_ticks(void)
{
	return preload_ticks_ordered();
}

/* Wait by that counter, which advances even if all threads are held up. */
static void preload_hold_up(uint64_t ns)
{
	uint64_t end_ticks = preload_ticks() + ns * 2;
	unsigned polls = 0;

	/*
	 * Yield seldom: each call may give the CPU to a busy loop for some
	 * milliseconds.
	 */
	while (preload_ticks() < end_ticks)
		if (++polls % 4096 == 0)
			sched_yield();
}
#else
static inline uint64_t preload_ticks_ordered(void)
{
	return tw_preload_ticks_ordered(NULL);
}

static inline uint64_t preload_ticks(void)
{
	return tw_preload_ticks(NULL);
}

static void preload_hold_up(uint64_t ns)
{
	struct timespec while_held = { .tv_nsec = (long)ns };

	nanosleep(&while_held, NULL);
}
#endif

struct preload_run {
	struct tw_preload_clock clock;
	struct preload_system system;
	uint64_t end_ticks;
	uint64_t top_ns;
	uint64_t reads;
	uint64_t backwards;
	uint64_t largest_ns;		/* the largest step back */
	double worst_ns;		/* beyond the system clock's readings */
	int stalls;			/* 1: threads are held up in mid-renewal */
};

struct preload_thread {
	struct preload_run *run;
	struct tw_preload_source source;
	pthread_t id;
	uint64_t me;
	int64_t offset_ticks;
	uint64_t random;
	uint64_t reads, backwards, largest_ns;
	double worst_ns;
};

static inline uint64_t preload_thread_ticks(void *context)
{
	struct preload_thread *thread = context;

	return preload_ticks_ordered() + (uint64_t)thread->offset_ticks;
}

static inline uint64_t preload_thread_unordered(void *context)
{
	struct preload_thread *thread = context;

	return preload_ticks() + (uint64_t)thread->offset_ticks;
}

/*
 * Read the counter for the slow paths. Now and then a thread is held up here, as if
 * another one took its CPU at this point.
 */
static uint64_t preload_thread_slow_ticks(void *context)
{
	struct preload_thread *thread = context;
	uint64_t ticks = preload_thread_ticks(context);

	if (thread->run->stalls && tap_random(&thread->random) % 512 == 0)
		preload_hold_up(tap_random(&thread->random) % 2000000);
	return ticks;
}

static uint64_t preload_thread_system_ns(void *context)
{
	struct preload_thread *thread = context;

	return preload_system_ns(&thread->run->system,
				 preload_thread_ticks(context));
}

static uint64_t preload_thread_read(struct preload_thread *thread)
{
	struct tw_preload_clock *clock = &thread->run->clock;
	uint64_t seconds, ns;

	if (tw_preload_alone(clock, thread->me, preload_thread_unordered,
			     thread, &seconds, &ns) ||
	    tw_preload_among(clock, preload_thread_ticks, thread, &seconds,
			     &ns))
		return seconds * 1000000000 + ns;
	return tw_preload_ns(clock, &thread->source, thread->me);
}

static void preload_hand_on(uint64_t *top_ns, uint64_t ns)
{
	uint64_t seen = __atomic_load_n(top_ns, __ATOMIC_RELAXED);

	while (seen < ns &&
	       !__atomic_compare_exchange_n(top_ns, &seen, ns, 1,
					    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		;
}

static void preload_thread_step(struct preload_thread *thread)
{
	struct preload_run *run = thread->run;
	uint64_t low_ns, high_ns, top_ns, ns;

	low_ns = preload_thread_system_ns(thread);
	top_ns = __atomic_load_n(&run->top_ns, __ATOMIC_ACQUIRE);
	ns = preload_thread_read(thread);
	preload_hand_on(&run->top_ns, ns);
	high_ns = preload_thread_system_ns(thread);
	thread->reads++;
	if (ns < top_ns) {
		thread->backwards++;
		if (top_ns - ns > thread->largest_ns)
			thread->largest_ns = top_ns - ns;
	}
	if ((double)(int64_t)(low_ns - ns) > thread->worst_ns)
		thread->worst_ns = (double)(int64_t)(low_ns - ns);
	if ((double)(int64_t)(ns - high_ns) > thread->worst_ns)
		thread->worst_ns = (double)(int64_t)(ns - high_ns);
}

static void *preload_thread_main(void *context)
{
	struct preload_thread *thread = context;

	do {
		unsigned i;

		for (i = 0; i < 64; i++)
			preload_thread_step(thread);
	} while ((int64_t)(preload_thread_ticks(thread) -
			   thread->run->end_ticks) < 0);
	return NULL;
}

static inline void preload_add_up(struct preload_run *run,
				  const struct preload_thread *thread)
{
	run->reads += thread->reads;
	run->backwards += thread->backwards;
	if (thread->largest_ns > run->largest_ns)
		run->largest_ns = thread->largest_ns;
	if (thread->worst_ns > run->worst_ns)
		run->worst_ns = thread->worst_ns;
}

/* Run readers of @run->clock until @run->end_ticks. Return -1 without threads. */
static int preload_threads(struct preload_run *run, unsigned threads,
			   uint64_t apart_ticks, uint64_t seed)
{
	struct preload_thread *all = calloc(threads, sizeof(*all));
	unsigned i, started = 0;

	for (i = 0; all && i < threads; i++) {
		all[i] = (struct preload_thread) {
			.run = run,
			.me = 64 * (uint64_t)(i + 1),
			.random = seed + i + 1,
			.offset_ticks = i % 2 ? (int64_t)apart_ticks : 0,
		};
		all[i].source = (struct tw_preload_source) {
			preload_thread_slow_ticks, preload_thread_system_ns,
			&all[i],
		};
		if (pthread_create(&all[i].id, NULL, preload_thread_main,
				   &all[i]))
			break;
		started++;
	}
	for (i = 0; i < started; i++) {
		pthread_join(all[i].id, NULL);
		preload_add_up(run, &all[i]);
	}
	free(all);
	return started == threads ? 0 : -1;
}

struct preload_slew {
	double limit_ppm;
	uint64_t random;
};

static double preload_random_slew(void *context, uint64_t piece)
{
	struct preload_slew *slew = context;

	(void)piece;
	return slew->limit_ppm *
	       (2 * ((double)(tap_random(&slew->random) >> 11) * 0x1p-53) - 1);
}

/* Make a new clock with @seconds of slew from now on, in pieces of a millisecond. */
static int preload_run_init(struct preload_run *run, double hz, double seconds,
			    double slew_ppm, uint64_t seed)
{
	struct preload_slew slew = { slew_ppm, seed };
	uint64_t now = preload_ticks_ordered();

	memset(run, 0, sizeof(*run));
	run->clock = (struct tw_preload_clock)TW_PRELOAD_CLOCK_INIT;
	run->end_ticks = now + (uint64_t)(seconds * hz);
	tw_preload_enable(&run->clock, 1e9 / hz);
	/* The remainder is for threads that are held up at the end. */
	return preload_system_init(&run->system, hz, now, 1e6,
				   (uint64_t)(seconds * 1000) + 1000,
				   preload_random_slew, &slew);
}

#endif
