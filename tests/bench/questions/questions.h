/* SPDX-License-Identifier: MIT */
/*
 * What the programs of the five questions share: their command line, the machine's
 * name, quantiles of samples, and exact nanoseconds.
 */
#ifndef TW_QUESTIONS_H
#define TW_QUESTIONS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickwise.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* Make the compiler forget what it knows of a variable; keep a result alive. */
#define FORGET(it)	__asm__ __volatile__("" : "+r"(it))
#define KEEP(value)	__asm__ __volatile__("" : : "r"(value))
#define KEEP_MEMORY(at)	__asm__ __volatile__("" : : "r"(at) : "memory")

#define DAY_S		86400ULL

/* End the program if @argv asks for help, or has more than @most arguments. */
static inline void help(int argc, char **argv, int most, const char *text)
{
	if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))) {
		fputs(text, stdout);
		exit(0);
	}
	if (argc - 1 > most || (argc > 1 && argv[1][0] == '-')) {
		fputs(text, stderr);
		exit(64);
	}
}

static inline void print_machine(void)
{
	struct tw_machine machine = TW_SIZED(struct tw_machine);

	if (tw_machine_read(&machine))
		return;
	printf("%s, %s, clocksource %s, %u CPUs\n\n", machine.processor,
	       machine.hypervisor[0] ? machine.hypervisor : "no hypervisor",
	       machine.clocksource, machine.cpus_allowed);
}

static inline int ascending(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

struct spread {
	double median, p10, p90;
	double middle;		/* mean of the middle half */
};

/* Sort @samples and summarise them. A counter that moves in steps of 10 ns has
 * few different values; the mean of the middle half is finer than the median. */
static inline struct spread spread_of(double *samples, size_t count)
{
	double sum = 0;
	size_t from = count / 4, to = count - count / 4;

	qsort(samples, count, sizeof(*samples), ascending);
	for (size_t i = from; i < to; i++)
		sum += samples[i];
	return (struct spread) {
		samples[count / 2], samples[count / 10],
		samples[count - 1 - count / 10], sum / (double)(to - from),
	};
}

/* How far @ns is off ticks / hz. Exact: hz * 2^30 is an integer, and products stay
 * below 2^127 for @ticks below 2^60. Then the remainder is a double below 1. */
static inline double off_ns(uint64_t ns, uint64_t ticks, double hz)
{
	const u128 under = (u128)ldexp(hz, 30);
	const u128 over = (u128)ticks * TW_NS_PER_SECOND;
	u128 whole = over / under, rest = over % under;
	double fraction;

	/* ticks * 1e9 * 2^30 / under, in two steps */
	for (int bits = 30; bits; bits -= 10) {
		rest <<= 10;
		whole = (whole << 10) + rest / under;
		rest %= under;
	}
	fraction = (double)rest / (double)under;
	return (double)((i128)ns - (i128)whole) - fraction;
}

/* Return 0 and set up the clock for which this machine's kernel rate is recognised
 * in a second; otherwise explain why not. */
static inline int clock_here(struct tw_clock *clock)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 200000000,
	};

	if (!tw_clock_init(clock, &options) && !clock->system)
		return 0;
	fprintf(stderr, "no counter to measure with\n");
	return 2;
}

#endif
