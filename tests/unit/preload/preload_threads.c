/* SPDX-License-Identifier: MIT */
/*
 * Several threads read one preload clock while NTP slews and the thread that renews
 * is held up: no reading is below one that was handed on before. Fails if a segment
 * is used before or after its time, or if a proposal is accepted late or never.
 * Fails also if the second thread's first reading does not end unordered ones. The
 * counter is a number in memory; tests/bench/preload_threads reads this machine's.
 */
#define PRELOAD_COUNTER_IN_MEMORY
#include "preload_threads.h"

#define HZ	2.1e9

/* Of all runs: a thread that is held up with the lock may keep it all the time. */
static uint64_t renewed;

static void readers(unsigned threads, uint64_t apart_ns, int stalls,
		    uint64_t seed)
{
	uint64_t apart_ticks = (uint64_t)((double)apart_ns * HZ / 1e9);
	/*
	 * Add one each for the rounding of the offset and of both readings, and the
	 * effect of the slew.
	 */
	uint64_t allowed_ns = apart_ns ? apart_ns + 3 : 0;
	struct preload_run run;

	if (preload_run_init(&run, HZ, 0.7, 500, seed)) {
		tap_skip("no memory");
		return;
	}
	run.stalls = stalls;
	if (preload_threads(&run, threads, apart_ticks, seed)) {
		tap_skip("no threads");
	} else if (!tap_ok(apart_ns ? run.largest_ns <= allowed_ns :
				      !run.backwards,
			   "%u threads, %s, counters %d ns apart: never "
			   "backwards by more", threads,
			   stalls ? "held up" : "not held up", (int)apart_ns)) {
		tap_note("%" PRIu64 " of %" PRIu64 ", by up to %" PRIu64
			 " ns", run.backwards, run.reads, run.largest_ns);
	}
	renewed += run.clock.counts.renewed;
	tap_note("%" PRIu64 " reads, renewed %" PRIu64 ", entered %" PRIu64
		 ", late %" PRIu64, run.reads, run.clock.counts.renewed,
		 run.clock.counts.entered, run.clock.counts.late);
	preload_system_free(&run.system);
}

struct second {
	struct preload_thread thread;
	uint64_t *go;
};

static void *second_main(void *context)
{
	struct second *second = context;

	while (!__atomic_load_n(second->go, __ATOMIC_ACQUIRE))
		;
	for (unsigned i = 0; i < 200; i++)
		preload_thread_step(&second->thread);
	return NULL;
}

/* One thread has the clock for itself, until another comes. */
static void turn(unsigned rounds, uint64_t seed)
{
	uint64_t backwards = 0, alone = 0;
	unsigned i;

	for (i = 0; i < rounds; i++) {
		struct preload_thread first = { .me = 64, .random = seed + i };
		struct second second = { .thread = { .me = 128 } };
		struct preload_run run;
		uint64_t go = 0, reads;

		if (preload_run_init(&run, HZ, 0.02, 500, seed + i))
			break;
		first.run = second.thread.run = &run;
		second.thread.random = seed ^ i;
		second.go = &go;
		first.source = second.thread.source = (struct tw_preload_source)
			{ preload_thread_slow_ticks, preload_thread_system_ns,
			  NULL };
		first.source.context = &first;
		second.thread.source.context = &second.thread;
		if (pthread_create(&second.thread.id, NULL, second_main,
				   &second))
			break;
		/*
		 * Read until the thread owns the clock, and has owned it for some
		 * time.
		 */
		reads = 20000 + tap_random(&first.random) % 20000;
		while (first.reads < reads)
			preload_thread_step(&first);
		alone += run.clock.owner == 64;
		__atomic_store_n(&go, 1, __ATOMIC_RELEASE);
		while (first.reads < reads + 400)
			preload_thread_step(&first);
		pthread_join(second.thread.id, NULL);
		backwards += first.backwards + second.thread.backwards;
		preload_system_free(&run.system);
	}
	if (i < rounds)
		tap_skip("no thread or no memory");
	else
		tap_ok(!backwards && alone == rounds, "%u times a second "
		       "thread came: never backwards", rounds);
	if (backwards || alone < i)
		tap_note("%" PRIu64 " times, alone before in %" PRIu64,
			 backwards, alone);
}

int main(void)
{
	uint64_t seed = tap_seed();

	readers(2, 0, 0, seed);
	readers(16, 0, 0, seed);
	readers(16, 0, 1, seed);
	readers(4, 200, 0, seed);
	readers(4, 1000, 1, seed);
	tap_ok(renewed > 0, "while segments were renewed");
	turn(30, seed);
	return tap_done();
}
