/* SPDX-License-Identifier: MIT */
/*
 * Measures how long the judge takes for made-up samples of many CPUs: once with
 * bounds that are good enough, once with bounds that have to be added up over third
 * CPUs.
 *
 *	estimate_judge_time [CPUS ...]
 *
 * By default 64, 256 and 1024. The time is CPU time of this process: other programs
 * disturb it only through the caches.
 */
#include <stdio.h>

#include "unit/estimate/estimate_generate.h"

#define TURNS	172	/* of each CPU */

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double judge_seconds(struct made *made, int64_t tolerance_ticks)
{
	double begin = seconds();

	made_judge(made, tolerance_ticks);
	return seconds() - begin;
}

static void try_count(unsigned cpus)
{
	uint64_t random = 1;
	struct made made;
	double once, added;

	made_init(&made, cpus, 2 * TURNS);
	made_probe(&made, (uint64_t)cpus * TURNS, &random);
	once = judge_seconds(&made, INT64_MAX / 2);
	added = judge_seconds(&made, 1);
	printf("%4u CPUs, %6u pairs, %6" PRIu64 " readings: %.3f s, bounds "
	       "added up %.3f s\n", cpus, made.result.pairs,
	       made.result.probes, once, added);
	made_free(&made);
}

int main(int argc, char **argv)
{
	static const unsigned usual[] = { 64, 256, 1024 };
	int i;

	for (i = 1; i < argc; i++)
		if (atoi(argv[i]) > 0)
			try_count((unsigned)atoi(argv[i]));
	for (i = 0; argc < 2 && i < 3; i++)
		try_count(usual[i]);
	return 0;
}
