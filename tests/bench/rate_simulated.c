/* SPDX-License-Identifier: MIT */
/*
 * Simulates thousands of starts of 20 ms, on counters of 1 to 5 GHz: how often is
 * the kernel's rate accepted, how often a wrong one, and is the stated error
 * honest? tests/rate_machine.h describes the disturbances.
 *
 * Three of four counters run at the image of an integer kHz. The others run between
 * two: a quarter to half of the gap from the nearer one, which is as close as 20 ms
 * can tell. A rate accepted for those is wrong as well. "wander 5" lets the place
 * of the reading drift five times as much as was ever seen.
 *
 *	rate_simulated [STARTS [SEED [WANDER]]]
 *
 * Start i of a seed is the same for any number of CPUs. Exit 1: more than one in
 * 10000 starts was wrong, or the truth was outside a hard interval.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "rate_start.h"

#define MAX_THREADS	64

struct run {
	uint64_t starts, seed;
	double wander;
	atomic_uint_fast64_t next;
	pthread_mutex_t lock;
	struct rate_counts counts[RATE_LOADS];
};

static void *work(void *argument)
{
	struct rate_counts own[RATE_LOADS] = { { 0 } };
	struct run *run = argument;
	uint64_t i;
	int load;

	while ((i = atomic_fetch_add(&run->next, 1)) < run->starts)
		rate_start(own, run->seed, i, run->wander);
	pthread_mutex_lock(&run->lock);
	for (load = 0; load < RATE_LOADS; load++)
		rate_counts_add(&run->counts[load], &own[load]);
	pthread_mutex_unlock(&run->lock);
	return NULL;
}

static int run_all(struct run *run)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), started, i;
	pthread_t threads[MAX_THREADS];

	for (started = 0; started < cpus && started < MAX_THREADS; started++)
		if (pthread_create(&threads[started], NULL, work, run))
			break;
	for (i = 0; i < started; i++)
		pthread_join(threads[i], NULL);
	return started > 0 ? 0 : -1;
}

static void print_counts(const char *name, const struct rate_counts *counts)
{
	double measured = (double)(counts->starts - counts->failed);

	printf("%-20s %6u %6u %6u %6u %6u %7.2f %7.2f %6.2f %7.2f %6u\n", name,
	       counts->starts, counts->failed, counts->accepted, counts->off,
	       counts->wrong, sqrt(counts->squares / measured),
	       counts->worst_ppb, sqrt(counts->normed / measured),
	       100 - 100 * counts->beyond / measured, counts->outside);
}

int main(int argc, char **argv)
{
	static const char *const names[RATE_LOADS] = {
		"quiet", "busy neighbour", "busy loops, spinning", "busy loops, sleeping",
	};
	struct run run = {
		.starts = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000,
		.seed = argc > 2 ? strtoull(argv[2], NULL, 0) : tap_seed(),
		.wander = argc > 3 ? strtod(argv[3], NULL) : 1,
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};
	struct rate_counts all = { 0 };
	int load;

	if (run_all(&run))
		return 2;
	printf("%llu starts of %d ms, seed %llu, wander %g\n\n",
	       (unsigned long long)run.starts, RATE_WINDOW_NS / 1000000,
	       (unsigned long long)run.seed, run.wander);
	printf("%-20s %6s %6s %6s %6s %6s %7s %7s %6s %7s %6s\n", "",
	       "starts", "failed", "accept", "off", "wrong", "rms", "worst",
	       "error", "within", "out of");
	printf("%-20s %6s %6s %6s %6s %6s %7s %7s %6s %7s %6s\n", "", "", "",
	       "", "grid", "", "ppb", "ppb", "/sigma", "3 s., %", "bound");
	for (load = 0; load < RATE_LOADS; load++) {
		print_counts(names[load], &run.counts[load]);
		rate_counts_add(&all, &run.counts[load]);
	}
	print_counts("all", &all);
	return (uint64_t)all.wrong * 10000 > run.starts || all.outside;
}
