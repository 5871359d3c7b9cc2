/* SPDX-License-Identifier: MIT */
/*
 * What the programs of the five questions share: their command line, the machine's
 * name, quantiles and means of samples, and exact nanoseconds.
 */
#ifndef TW_QUESTIONS_H
#define TW_QUESTIONS_H

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wide.h"
#include "counter/step.h"
#include "tickwise.h"

__extension__ typedef unsigned __int128 u128;
__extension__ typedef __int128 i128;

/* Make the compiler forget what it knows of a variable; keep a result alive. */
#define FORGET(it)	__asm__ __volatile__("" : "+r"(it))
#define KEEP(value)	__asm__ __volatile__("" : : "r"(value))
#define KEEP_MEMORY(at)	__asm__ __volatile__("" : : "r"(at) : "memory")

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))
#define DAY_S		86400ULL
#define SETTLE_NS	4000
#define MOST		1000000		/* samples */

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

/* Read a count of at least @least and at most @most; NULL: @preset. End the program
 * if @text is another. */
static inline unsigned count_of(const char *text, unsigned preset,
				unsigned least, unsigned most,
				const char *usage)
{
	unsigned long count;
	char *end;

	if (!text)
		return preset;
	count = strtoul(text, &end, 10);
	if (end == text || *end || count < least || count > most) {
		fprintf(stderr, "a count from %u to %u, please, not %s\n%s",
			least, most, text, usage);
		exit(64);
	}
	return (unsigned)count;
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
};

/* Sort @samples and summarise them. */
static inline struct spread spread_of(double *samples, size_t count)
{
	qsort(samples, count, sizeof(*samples), ascending);
	return (struct spread) {
		samples[count / 2], samples[count / 10],
		samples[count - 1 - count / 10],
	};
}

struct mean {
	double mean, error;	/* standard error; NAN of one sample */
	double left_out;	/* share of the samples */
};

/* Compute the mean of @samples, which spread_of() has sorted, without those that
 * something disturbed. A median would move in steps of the counter, and so would
 * the ends of a part of the samples by rank: that mean is wrong by up to half a
 * step. So samples are left out by value, and only far from the others: above the
 * median by three times the distance p10 to p90, at least by three steps. */
static inline struct mean mean_of(const double *samples, size_t count,
				  double step_ticks)
{
	const double wide = samples[count - 1 - count / 10] - samples[count / 10];
	const double limit = samples[count / 2] + 3 * fmax(wide, step_ticks);
	double sum = 0, squares = 0, mean;
	size_t kept = 0;

	while (kept < count && samples[kept] <= limit)
		sum += samples[kept++];
	mean = sum / (double)kept;
	for (size_t i = 0; i < kept; i++)
		squares += (samples[i] - mean) * (samples[i] - mean);
	return (struct mean) {
		mean, sqrt(squares / (double)(kept - 1) / (double)kept),
		1 - (double)kept / (double)count,
	};
}

static inline uint64_t next_random(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

/* Wait until all loads of the work before have been answered, and then for a random
 * number of cycles. Otherwise what follows could begin at the same place between
 * two steps of the counter every time, and a mean would be wrong by up to a step. */
static inline void settle(uint64_t *random, double tick_ns)
{
	const uint64_t begin = tw_ticks_begin();
	const uint64_t ticks = (uint64_t)(SETTLE_NS / tick_ns);
	uint64_t cycles = next_random(random) % 256;

	while (tw_ticks_end() - begin < ticks)
		;
	for (; cycles; cycles--)
		FORGET(cycles);
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

/* After which an error is computed. */
static const struct {
	const char *name;
	uint64_t s;
} intervals[] = { { "1 s", 1 }, { "1 h", 3600 }, { "30 days", 30 * DAY_S } };

/* Rates within 0.1 % of @hz, spread evenly but for their last digits. At the ends
 * of the library's range they are on one side, within 0.2 %. */
static inline double near(double hz, unsigned i)
{
	const double side = hz <= 1e7 ? 0 : hz >= 1e10 ? 1 : 0.5;

	return hz * (1 + (fmod(i * 0.6180339887498949, 1) - side) / 500);
}

/* Set up a scale for @rate; its modulus takes about @modulus_s seconds. 0: the
 * library's choice. */
static inline int scale_of(struct tw_scale *scale, const struct tw_rate *rate,
			   double modulus_s)
{
	return tw_scale_init(scale, rate, (uint64_t)llround(modulus_s * 1e9));
}

/* The product of tw_wide_ns() rounded to nearest, as our patches of fio do it. */
static inline uint64_t wide_nearest_ns(const struct tw_wide *wide,
				       uint64_t ticks)
{
	return (uint64_t)(((u128)(ticks << wide->shift) * wide->mult +
			   (1ULL << 63)) >> 64);
}

/* A cell of a table of errors; NAN: no scale could be set up. */
static inline void print_ns(double ns)
{
	if (isnan(ns))
		printf(" %9s", "-");
	else if (ns < 1000)
		printf(" %9.2f", ns);
	else
		printf(" %9.3g", ns);
}

/* Set up a clock within a second or two and return 0; otherwise explain why not and
 * return 2. Its rate need not be the kernel's. Others may have the CPU during a whole
 * window, so there are several. */
static inline int clock_here(struct tw_clock *clock)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .window_ns = 200000000,
	};
	int error = 0;

	for (unsigned i = 0; i < 10; i++) {
		error = tw_clock_init(clock, &options);
		if (!error && !clock->system)
			return 0;
		if (!error) {
			error = clock->system_errno;
			tw_clock_free(clock);
		}
		if (error != -EAGAIN)
			break;
	}
	fprintf(stderr, "no counter to measure with: %s\n",
		error ? strerror(-error) : "it is not to be used");
	return 2;
}

/* A clock's counter. */
struct counter {
	double tick_ns, step_ticks;
};

static inline struct counter counter_of(const struct tw_clock *clock)
{
	return (struct counter) { 1e9 / clock->scale.hz, tw_step_read() };
}

#endif
