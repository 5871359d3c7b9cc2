/* SPDX-License-Identifier: MIT */
/*
 * How much more does the real clock_gettime(CLOCK_MONOTONIC) cost than the
 * preload's, one call after another, and with other work between two calls?
 *
 *	LD_PRELOAD=build/libtickwise-preload.so build/tests/bench/preload_cost [shared]
 *
 * The cost is what a loop takes more than the same loop without the call. Ratios
 * are of blocks that follow each other. With work between the calls, a reading that
 * need not wait for earlier instructions costs less. "shared": a second thread has
 * read the clock.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickwise.h"

#define ROUNDS	2000
#define CALLS	128
#define WORDS	4096

typedef int gettime_function(clockid_t, struct timespec *);

static uint64_t state = 1, words[WORDS];

/* Do a chain of shifts, and write to memory. */
static inline void work(unsigned amount)
{
	while (amount--) {
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		words[state % WORDS] += state;
	}
	__asm__ __volatile__("" : : : "memory");
}

static double time_block(unsigned amount, gettime_function *gettime)
{
	uint64_t begin = tw_ticks_begin();
	struct timespec now;

	for (unsigned i = 0; i < CALLS; i++) {
		work(amount);
		if (gettime)
			gettime(CLOCK_MONOTONIC, &now);
	}
	return (double)(tw_ticks_end() - begin) / CALLS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(unsigned amount, gettime_function *real)
{
	static double ratio[ROUNDS], alone[ROUNDS];

	for (unsigned i = 0; i < ROUNDS; i++) {
		double cost;

		alone[i] = amount ? time_block(amount, NULL) : 0;
		cost = time_block(amount, clock_gettime) - alone[i];
		ratio[i] = (time_block(amount, real) - alone[i]) / cost;
	}
	qsort(ratio, ROUNDS, sizeof(*ratio), compare);
	qsort(alone, ROUNDS, sizeof(*alone), compare);
	printf("%4.0f ticks of work between calls: %5.2f  (p10 %.2f, p90 %.2f)\n",
	       alone[ROUNDS / 2], ratio[ROUNDS / 2], ratio[ROUNDS / 10],
	       ratio[ROUNDS - ROUNDS / 10]);
}

static void *read_once(void *context)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return context;
}

/* Make no call at all: the most that could be gained. */
static int bare(clockid_t id, struct timespec *now)
{
	(void)id;
	now->tv_nsec = (long)tw_ticks();
	return 0;
}

int main(int argc, char **argv)
{
	void *libc = dlopen("libc.so.6", RTLD_NOW | RTLD_NOLOAD);
	void *found = libc ? dlsym(libc, "clock_gettime") : NULL;
	double ratio[ROUNDS];
	pthread_t thread;

	if (!found)
		return 2;
	if (found == dlsym(RTLD_DEFAULT, "clock_gettime"))
		puts("nothing is preloaded: the real clock against itself");
	if (argc > 1 && !strcmp(argv[1], "shared") &&
	    !pthread_create(&thread, NULL, read_once, NULL))
		pthread_join(thread, NULL);
	for (unsigned amount = 0; amount <= 30; amount += 10)
		measure(amount, (gettime_function *)found);
	for (unsigned i = 0; i < ROUNDS; i++)
		ratio[i] = time_block(0, (gettime_function *)found) /
			   time_block(0, bare);
	qsort(ratio, ROUNDS, sizeof(*ratio), compare);
	printf("for comparison, over a function that reads the bare counter: "
	       "%.2f\n", ratio[ROUNDS / 2]);
	return 0;
}
