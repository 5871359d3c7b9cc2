/* SPDX-License-Identifier: MIT */
/*
 * Does the preload clock ever go backwards, and how far is it off, while NTP slews
 * as hard as the clock follows? Threads hand each other what they read, for
 * SECONDS.
 *
 *	preload_threads [SECONDS [THREADS [SLEW_PPM [APART_NS]]]]
 *
 * Defaults: ten minutes, 16 threads, 500 ppm, counters not apart. Exit code 1: a
 * reading went backwards.
 */
#include "preload_threads.h"

int main(int argc, char **argv)
{
	double seconds = argc > 1 ? atof(argv[1]) : 600;
	unsigned threads = argc > 2 ? (unsigned)atoi(argv[2]) : 16;
	double slew_ppm = argc > 3 ? atof(argv[3]) : 500;
	double apart_ns = argc > 4 ? atof(argv[4]) : 0;
	uint64_t seed = tap_seed();
	struct preload_run run;
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	if (!(seconds > 0) || !threads || tw_rate_measure(&rate, NULL) ||
	    preload_run_init(&run, rate.hz, seconds, slew_ppm, seed)) {
		fprintf(stderr, "preload_threads: can't be done\n");
		return 2;
	}
	run.stalls = 1;
	if (preload_threads(&run, threads, (uint64_t)(apart_ns * rate.hz / 1e9),
			    seed)) {
		fprintf(stderr, "preload_threads: no threads\n");
		return 2;
	}
	printf("%g s, %u threads, slew up to %g ppm, another every ms, counters "
	       "%g ns apart\n", seconds, threads, slew_ppm, apart_ns);
	printf("%" PRIu64 " reads: %" PRIu64 " backwards, by up to %" PRIu64
	       " ns\n", run.reads, run.backwards, run.largest_ns);
	printf("off the system's clock by up to %.0f ns (promised: %.0f)\n",
	       run.worst_ns, slew_ppm + TW_STEER_BOUND_NS);
	printf("renewed %" PRIu64 ", entered %" PRIu64 ", late %" PRIu64
	       ", disturbed %" PRIu64 "\n", run.clock.counts.renewed,
	       run.clock.counts.entered, run.clock.counts.late,
	       run.clock.counts.wide);
	preload_system_free(&run.system);
	return run.backwards != 0;
}
