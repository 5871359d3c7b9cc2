/* SPDX-License-Identifier: MIT */
/*
 * Starts a clock many times, for peers.sh, and compares each start with
 * CLOCK_MONOTONIC_RAW after one second and after sixty.
 *
 * The file that includes this one defines a clock:
 *	peer_start(variant)	sets it up, and ends the process if that fails
 *	peer_ns()		reads it
 *	peer_each_second()	does what its manual asks for while it is in use
 *	peer_stated_ns()	the error that it states after 60 s; negative: none
 *
 *	PROGRAM cost VARIANT			prints "NS RATIO": see cost()
 *	PROGRAM starts VARIANT COUNT FILE	see starts()
 *
 * It is C and C++, since some of the clocks are C++.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tickwise.h"

enum {
	BRACKETS = 2000,	/* readings of a comparison */
	COST_ROUNDS = 2001,	/* odd: the median is one of them */
	COST_READS = 1000,	/* of a round, some 10 us */
	LATE_S = 60,
};

/* How far the clock is ahead of CLOCK_MONOTONIC_RAW, for certain. */
struct ahead {
	int64_t low_ns;
	int64_t high_ns;
};

static inline int64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Let no reading begin before the one in front of it has ended. */
static inline void wait_for_reads(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#else
	__sync_synchronize();
#endif
}

/*
 * Compare by brackets: each reading lies between two of RAW, so each gives an
 * interval for the distance, and all of them overlap. Both clocks cut their
 * fractions, so each end is a nanosecond further out.
 */
static struct ahead compare(void)
{
	struct ahead ahead = { INT64_MIN, INT64_MAX };
	int i;

	for (i = 0; i < BRACKETS; i++) {
		int64_t before_ns, ns, after_ns;

		before_ns = raw_ns();
		wait_for_reads();
		ns = (int64_t)peer_ns();
		wait_for_reads();
		after_ns = raw_ns();
		if (ns - after_ns - 1 > ahead.low_ns)
			ahead.low_ns = ns - after_ns - 1;
		if (ns - before_ns + 1 < ahead.high_ns)
			ahead.high_ns = ns - before_ns + 1;
	}
	return ahead;
}

/* Return how much further ahead the clock is at @end: the middle of the interval. */
static double error_ns(const struct ahead *begin, const struct ahead *end)
{
	return (double)(end->low_ns - begin->low_ns + end->high_ns -
			begin->high_ns) / 2;
}

/* Return half the interval's width. */
static double bound_ns(const struct ahead *begin, const struct ahead *end)
{
	return fabs((double)(end->high_ns - end->low_ns + begin->high_ns -
			     begin->low_ns)) / 2;
}

static void sleep_until(int64_t end_ns)
{
	int64_t left_ns;

	while ((left_ns = end_ns - raw_ns()) > 0) {
		struct timespec left = { 0, 0 };

		if (left_ns > 1000000000)
			left_ns = 1000000000;
		left.tv_sec = left_ns / 1000000000;
		left.tv_nsec = left_ns % 1000000000;
		nanosleep(&left, NULL);
		peer_each_second();
	}
}

/* Append a line: START_NS ERROR_1S BOUND ERROR_60S BOUND STATED, in ns. */
static void write_line(const char *file, int64_t start_ns, const struct ahead *at)
{
	FILE *out = fopen(file, "a");

	if (!out)
		exit(1);
	fprintf(out, "%lld %.1f %.1f %.1f %.1f %.1f\n", (long long)start_ns,
		error_ns(&at[0], &at[1]), bound_ns(&at[0], &at[1]),
		error_ns(&at[0], &at[2]), bound_ns(&at[0], &at[2]),
		peer_stated_ns());
	if (fclose(out))
		exit(1);
}

/* Set a clock up, tell it through @started, and compare it three times. */
static void one_start(const char *variant, const char *file, int started)
{
	int64_t begin_ns = raw_ns(), start_ns;
	struct ahead at[3];

	peer_start(variant);
	start_ns = raw_ns() - begin_ns;
	begin_ns = raw_ns();
	at[0] = compare();
	if (write(started, "", 1) != 1)
		exit(1);
	sleep_until(begin_ns + 1000000000);
	at[1] = compare();
	sleep_until(begin_ns + LATE_S * INT64_C(1000000000));
	at[2] = compare();
	write_line(file, start_ns, at);
}

/*
 * Make COUNT starts, one after the other, each in a process of its own. The
 * processes go on by themselves for 60 s and append their lines to FILE; the
 * program ends when the last clock has been set up.
 */
static int starts(const char *variant, int count, const char *file)
{
	int i;

	for (i = 0; i < count; i++) {
		int started[2];
		char byte;
		pid_t pid;

		if (pipe(started))
			return 1;
		pid = fork();
		if (pid < 0)
			return 1;
		if (!pid) {
			close(started[0]);
			one_start(variant, file, started[1]);
			_exit(0);
		}
		close(started[1]);
		if (read(started[0], &byte, 1) != 1)
			return 1;
		close(started[0]);
	}
	return 0;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *value)
{
	qsort(value, COST_ROUNDS, sizeof(*value), ascending);
	return value[COST_ROUNDS / 2];
}

static double peer_round_ns(void)
{
	static volatile uint64_t sink;
	int64_t begin_ns = raw_ns();
	uint64_t sum = 0;
	int i;

	for (i = 0; i < COST_READS; i++)
		sum += peer_ns();
	sink = sum;
	(void)sink;
	return (double)(raw_ns() - begin_ns) / COST_READS;
}

static double counter_round_ns(void)
{
	static volatile uint64_t sink;
	int64_t begin_ns = raw_ns();
	uint64_t sum = 0;
	int i;

	for (i = 0; i < COST_READS; i++)
		sum += tw_ticks();
	sink = sum;
	(void)sink;
	return (double)(raw_ns() - begin_ns) / COST_READS;
}

/*
 * Print what a reading costs, and as a ratio to the bare counter: medians of many
 * short rounds that take turns, so that few of them are interrupted.
 */
static int cost(const char *variant)
{
	static double ns[COST_ROUNDS], ratio[COST_ROUNDS];
	int i;

	peer_start(variant);
	for (i = 0; i < COST_ROUNDS; i++) {
		double counter_ns = counter_round_ns();

		ns[i] = peer_round_ns();
		ratio[i] = ns[i] / counter_ns;
	}
	printf("%.2f %.3f\n", median(ns), median(ratio));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "cost"))
		return cost(argv[2]);
	if (argc == 5 && !strcmp(argv[1], "starts"))
		return starts(argv[2], atoi(argv[3]), argv[4]);
	fprintf(stderr, "usage: %s cost VARIANT | starts VARIANT COUNT FILE\n",
		argv[0]);
	return 64;
}
