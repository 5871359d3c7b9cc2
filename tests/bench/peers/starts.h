/* SPDX-License-Identifier: MIT */
/*
 * Starts a clock for peers.sh, and compares it with CLOCK_MONOTONIC_RAW at once,
 * after one second and after sixty.
 *
 * The file that includes this one defines a clock:
 *	peer_start(variant)	sets it up, and ends the process if that fails
 *	peer_ns()		reads it
 * In peer_start() it may set the variables below.
 *
 *	PROGRAM start VARIANT	see start()
 *	PROGRAM cost VARIANT	see cost()
 *
 * It is C and C++, since some of the clocks are C++.
 */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "figures.h"
#include "tickwise.h"

enum {
	BRACKETS = 2000,	/* readings of a comparison */
	COST_ROUNDS = 2001,	/* odd: the median is one of them */
	COST_READS = 1000,	/* of a round, some 10 us */
	EARLY_S = 1,
	LATE_S = 60,
	CORRECTED_S = 4,	/* tscns corrects its rate for the first time after 3 */
	HANGS_S = 200,		/* no start takes longer */
};

static void peer_start(const char *variant);
static inline uint64_t peer_ns(void);

/*
 * What its manual asks for while it is in use. Returns 1 if that has corrected the
 * clock, and 0 if not, and ends the process if it fails.
 */
static int (*peer_each_second)(void);
static double peer_bound_ppb = -1;	/* of its rate, as it states it; -1: not */
static int peer_has_kernel_rate;	/* it recognised the kernel's own rate */

/*
 * Let no reading begin before the one in front of it has ended. These are the
 * instructions of core/counter/, which explains them. A barrier for memory does not
 * order readings of a counter.
 */
static inline void wait_for_reads(void)
{
#if defined(__x86_64__)
	__asm__ volatile("lfence" ::: "memory");
#elif defined(__aarch64__)
	__asm__ volatile("isb" ::: "memory");
#elif defined(__powerpc64__)
	__asm__ volatile("isync" ::: "memory");
#elif defined(__riscv)
	__asm__ volatile("fence ir, ir" ::: "memory");
#else
#error "how are readings of this processor's counter ordered?"
#endif
}

/* How far a clock is ahead of CLOCK_MONOTONIC_RAW, for certain, at a RAW time. */
struct ahead {
	int64_t low_ns;
	int64_t high_ns;
	int64_t raw_ns;
};

/*
 * Compare by the narrowest bracket: a reading that lies between two of RAW. Both
 * clocks cut their fractions, so each end is a nanosecond further out. One bracket
 * holds at one moment. An intersection of many would hold for a clock alone that
 * does not drift meanwhile.
 */
static struct ahead compare(void)
{
	struct ahead ahead = { 0, 0, 0 };
	int64_t narrowest_ns = INT64_MAX;
	int i;

	for (i = 0; i < BRACKETS; i++) {
		int64_t before_ns, ns, after_ns;

		before_ns = raw_ns();
		wait_for_reads();
		ns = (int64_t)peer_ns();
		wait_for_reads();
		after_ns = raw_ns();
		if (after_ns < before_ns) {
			fprintf(stderr, "CLOCK_MONOTONIC_RAW ran backwards\n");
			exit(1);
		}
		if (after_ns - before_ns >= narrowest_ns)
			continue;
		narrowest_ns = after_ns - before_ns;
		ahead.low_ns = ns - after_ns - 1;
		ahead.high_ns = ns - before_ns + 1;
		ahead.raw_ns = before_ns + narrowest_ns / 2;
	}
	return ahead;
}

/* Return how much further ahead the clock is at @end: the middle of the interval. */
static double error_ns(const struct ahead *begin, const struct ahead *end)
{
	return (double)(end->low_ns - begin->low_ns + end->high_ns -
			begin->high_ns) / 2;
}

/* Return half the width of that interval. */
static double bound_ns(const struct ahead *begin, const struct ahead *end)
{
	return (double)(end->high_ns - end->low_ns + begin->high_ns -
			begin->low_ns) / 2;
}

/*
 * Sleep, and correct the clock each second if it asks for that. Return how often it
 * was corrected. If nothing reads standard output any more, peers.sh has ended, and
 * so does this process.
 */
static int sleep_until(int64_t end_ns)
{
	struct pollfd output = { STDOUT_FILENO, 0, 0 };
	int corrections = 0;
	int64_t left_ns;

	while ((left_ns = end_ns - raw_ns()) > 0) {
		struct timespec left = { 0, 0 };

		if (peer_each_second && left_ns > NS_PER_S)
			left_ns = NS_PER_S;
		left.tv_sec = left_ns / NS_PER_S;
		left.tv_nsec = left_ns % NS_PER_S;
		if (ppoll(&output, 1, &left, NULL) > 0)
			_exit(1);
		if (peer_each_second)
			corrections += peer_each_second();
	}
	return corrections;
}

/* A clock that should have been corrected, and was not, is not what its row says. */
static void require_corrections(int corrections)
{
	if (!peer_each_second || corrections)
		return;
	fprintf(stderr, "the clock was never corrected\n");
	exit(1);
}

static void print_line(const char *variant, int64_t start_ns,
		       const struct ahead *at)
{
	double span_s = (double)(at[2].raw_ns - at[0].raw_ns) / 1e9;

	printf("%s.%s %lld %.1f %.1f %.1f %.1f %.1f %d\n",
	       program_invocation_short_name, variant, (long long)start_ns,
	       error_ns(&at[0], &at[1]), bound_ns(&at[0], &at[1]),
	       error_ns(&at[0], &at[2]), bound_ns(&at[0], &at[2]),
	       peer_bound_ppb * span_s, peer_has_kernel_rate);
	fflush(stdout);
}

/* Set the clock up, tell it through @started, and compare it three times. */
static void one_start(const char *variant, int started)
{
	int64_t begin_ns = raw_ns(), start_ns;
	struct ahead at[3];
	int corrections;

	peer_start(variant);
	start_ns = raw_ns() - begin_ns;
	begin_ns = raw_ns();
	at[0] = compare();
	if (write(started, "", 1) != 1)
		exit(1);
	close(started);
	corrections = sleep_until(begin_ns + EARLY_S * NS_PER_S);
	at[1] = compare();
	corrections += sleep_until(begin_ns + LATE_S * NS_PER_S);
	at[2] = compare();
	require_corrections(corrections);
	print_line(variant, start_ns, at);
}

/*
 * Start the clock in a process of its own, and return when it has been set up. That
 * process goes on for 60 s, and prints one line then:
 *	PROGRAM.VARIANT START ERROR_1S BOUND ERROR_60S BOUND STATED HAS_KERNEL_RATE
 * with times in ns; STATED is negative if the clock states no bound.
 */
static int start(const char *variant)
{
	int started[2];
	char byte;
	pid_t pid;

	if (pipe(started))
		return 1;
	pid = fork();
	if (pid < 0)
		return 1;
	if (!pid) {
		alarm(HANGS_S);
		close(started[0]);
		one_start(variant, started[1]);
		_exit(0);
	}
	close(started[1]);
	return read(started[0], &byte, 1) != 1;
}

/* Each call is a copy of its own, in which @read_it is inline. */
static inline __attribute__((always_inline))
double round_ns(uint64_t (*read_it)(void))
{
	static volatile uint64_t sink;
	int64_t begin_ns = raw_ns();
	uint64_t sum = 0;
	int i;

	for (i = 0; i < COST_READS; i++)
		sum += read_it();
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
	if (peer_each_second)	/* a corrected clock may take another way */
		require_corrections(sleep_until(raw_ns() +
						CORRECTED_S * NS_PER_S));
	for (i = 0; i < COST_ROUNDS; i++) {
		double counter_ns = round_ns(tw_ticks);

		ns[i] = round_ns(peer_ns);
		ratio[i] = ns[i] / counter_ns;
	}
	printf("%.2f %.3f\n", median(ns, COST_ROUNDS),
	       median(ratio, COST_ROUNDS));
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "cost"))
		return cost(argv[2]);
	if (argc == 3 && !strcmp(argv[1], "start"))
		return start(argv[2]);
	fprintf(stderr, "usage: %s start VARIANT | cost VARIANT\n", argv[0]);
	return 64;
}
