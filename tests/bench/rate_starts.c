/* SPDX-License-Identifier: MIT */
/*
 * Makes many calibrations in a row on the real clocks. How often is the kernel's
 * rate accepted, and how far off are the samples alone? Are the stated uncertainty
 * and the hard interval honest, and what does a start cost?
 *
 * The truth is the kernel's rate as a long window recognises it. Without one
 * (another clocksource) there is nothing to compare with, and the program tells so.
 * A start that needs more than WINDOW_MS goes on for up to LONGEST_MS, as the
 * engine's does.
 *
 *	rate_starts [STARTS [WINDOW_MS [TRUTH_MS [LONGEST_MS]]]]
 *
 * With EACH in the environment it prints a line for each start. Exit: 0; 1 if a
 * wrong rate was accepted or a hard interval missed the truth; 2 without a truth.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tickwise.h"

/* A figure that is printed as a distribution: one value for each start. */
struct series {
	double *value;
	size_t count;
};

struct starts {
	unsigned wanted, failed, longer;
	unsigned accepted, provisional, wrong;
	unsigned beyond, outside;
	unsigned refusals[8];
	double squares, normed, worst_ppb;
	struct series width;		/* of the hard interval, see below */
	struct series took_ms;
};

static uint64_t argument(int argc, char **argv, int i, uint64_t otherwise)
{
	return argc > i ? strtoull(argv[i], NULL, 10) : otherwise;
}

static double now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_series(const struct series *series, const char *what)
{
	const double *value = series->value;
	size_t count = series->count;

	if (!count)
		return;
	qsort(series->value, count, sizeof(*value), ascending);
	printf("%s: median %.2f, p90 %.2f, max %.2f\n", what, value[count / 2],
	       value[count * 9 / 10], value[count - 1]);
}

/*
 * Return the width of the hard interval, in units of what two brackets, one at each
 * end, leave open on one side. That unit is the narrowest bracket and the
 * granularity of the reference, 1 ns here, over the window. Two such brackets with
 * the truth anywhere leave 2.
 */
static double relative_width(const struct tw_rate *rate)
{
	double bracket_ns = (double)rate->bracket_ticks / rate->hz * 1e9;

	return (rate->high_hz / rate->low_hz - 1) *
	       (double)rate->window_ns / (bracket_ns + 1);
}

static void look_at_samples(struct starts *starts, const struct tw_rate *rate,
			    const struct tw_rate *truth)
{
	double error_ppb = (rate->measured_hz / truth->hz - 1) * 1e9;
	double sigma_ppb = rate->measured_uncertainty_ppb;

	starts->squares += error_ppb * error_ppb;
	starts->worst_ppb = fmax(starts->worst_ppb, fabs(error_ppb));
	starts->normed += error_ppb / sigma_ppb * error_ppb / sigma_ppb;
	starts->beyond += fabs(error_ppb) > 3 * sigma_ppb;
	starts->outside += truth->hz < rate->low_hz ||
			   truth->hz > rate->high_hz;
	starts->width.value[starts->width.count++] = relative_width(rate);
	if (getenv("EACH"))
		printf("%+.2f ppb, sigma %.2f, used %u of %u, refusal %x\n",
		       error_ppb, sigma_ppb, rate->used, rate->samples,
		       rate->refusal);
}

static unsigned is_kernel_rate(const struct tw_rate *rate)
{
	return rate->source != TW_RATE_REGRESSION;
}

static unsigned is_wrong(const struct tw_rate *rate, const struct tw_rate *truth)
{
	return is_kernel_rate(rate) && rate->hz != truth->hz;
}

static void start(struct starts *starts, const struct tw_rate_options *options,
		  const struct tw_rate *truth)
{
	double began_ms = now_ms();
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	unsigned bit;
	int ret;

	ret = tw_rate_measure(&rate, options);
	starts->took_ms.value[starts->took_ms.count++] = now_ms() - began_ms;
	if (ret) {
		starts->failed++;
		return;
	}
	look_at_samples(starts, &rate, truth);
	for (bit = 0; bit < 8; bit++)
		starts->refusals[bit] += rate.refusal >> bit & 1;
	starts->longer += rate.window_ns > options->window_ns * 3 / 2;
	starts->accepted += is_kernel_rate(&rate);
	starts->provisional += rate.source == TW_RATE_KERNEL_PROVISIONAL;
	starts->wrong += is_wrong(&rate, truth);
}

static void print_kernel_rate(const struct starts *starts)
{
	unsigned bit;

	printf("kernel rate: accepted %u of %u (%u provisional), wrong %u\n",
	       starts->accepted, starts->wanted, starts->provisional,
	       starts->wrong);
	for (bit = 0; bit < 8; bit++)
		if (starts->refusals[bit])
			printf("  refused %u: %s\n", starts->refusals[bit],
			       tw_text(TW_ENUM_RATE_REFUSAL, 1u << bit));
	if (starts->failed)
		printf("  failed %u: too few samples\n", starts->failed);
	printf("  went on for longer: %u\n", starts->longer);
}

static void print_samples(struct starts *starts)
{
	double count = (double)starts->width.count;

	if (!starts->width.count)
		return;
	printf("samples alone: rms %.2f ppb, worst %.2f ppb\n",
	       sqrt(starts->squares / count), starts->worst_ppb);
	printf("error/sigma: rms %.2f, beyond 3 sigma %u\n",
	       sqrt(starts->normed / count), starts->beyond);
	printf("hard interval: truth outside %u\n", starts->outside);
	print_series(&starts->width,
		     "  its width over (bracket + granularity) / window");
	print_series(&starts->took_ms, "time of a start, ms");
}

static int find_truth(struct tw_rate *truth, uint64_t window_ms)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = window_ms * 1000000,
	};

	if (tw_rate_measure(truth, &options) || !is_kernel_rate(truth)) {
		printf("no kernel rate to compare with on this machine\n");
		return -ENOENT;
	}
	printf("truth %.3f Hz (mult %u >> %u, witness %s)\n", truth->hz,
	       truth->kernel_mult, truth->kernel_shift,
	       tw_name(TW_ENUM_WITNESS, truth->witness));
	return 0;
}

int main(int argc, char **argv)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = argument(argc, argv, 2, 20) * 1000000,
		.longest_ns = argument(argc, argv, 4, 160) * 1000000,
	};
	struct starts starts = {
		.wanted = (unsigned)argument(argc, argv, 1, 100),
	};
	struct tw_rate truth = TW_SIZED(struct tw_rate);
	unsigned i;

	starts.width.value = calloc(starts.wanted, sizeof(double));
	starts.took_ms.value = calloc(starts.wanted, sizeof(double));
	if (!starts.width.value || !starts.took_ms.value)
		return 2;
	if (find_truth(&truth, argument(argc, argv, 3, 2000)))
		return 2;
	for (i = 0; i < starts.wanted; i++)
		start(&starts, &options, &truth);
	printf("%u windows of %llu ms\n", starts.wanted,
	       (unsigned long long)options.window_ns / 1000000);
	print_kernel_rate(&starts);
	print_samples(&starts);
	free(starts.width.value);
	free(starts.took_ms.value);
	return starts.wrong || starts.outside;
}
