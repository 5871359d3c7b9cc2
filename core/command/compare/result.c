/* SPDX-License-Identifier: MIT */
/*
 * Computes errors from two moments, and lines of the table from starts. Pure.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "command/compare/compare.h"

/* Return how far a clock advanced from one moment to the other. */
static double advance_ns(const struct tw_probe_report *report, int which)
{
	const struct tw_probe_moment *from = &report->moment[0];
	const struct tw_probe_moment *to = &report->moment[1];

	return (double)(int64_t)(to->base_ns[which] - from->base_ns[which]) +
	       (to->low_ns[which] + to->high_ns[which] - from->low_ns[which] -
		from->high_ns[which]) / 2;
}

static double half_ns(const struct tw_probe_report *report, int which)
{
	double sum = 0;

	for (int i = 0; i < 2; i++)
		sum += (report->moment[i].high_ns[which] -
			report->moment[i].low_ns[which]) / 2;
	return sum;
}

int tw_compare_evaluate(struct tw_compare_start *start,
			const struct tw_probe_report *report)
{
	double raw_ns = advance_ns(report, TW_PROBE_RAW);
	double monotonic_ns = advance_ns(report, TW_PROBE_MONOTONIC);
	double tested_ns = advance_ns(report, TW_PROBE_TESTED);
	double tested_half_ns = half_ns(report, TW_PROBE_TESTED);

	if (!(raw_ns > 0) || !(monotonic_ns > 0))
		return -1;
	*start = (struct tw_compare_start) {
		.startup_ns = report->startup_ns,
		.read_ns = report->read_ns,
		.over_ns = raw_ns,
		.raw_ppb = (tested_ns - raw_ns) / raw_ns * 1e9,
		.monotonic_ppb = (tested_ns - monotonic_ns) / monotonic_ns *
				 1e9,
		.raw_error_ppb = (tested_half_ns +
				  half_ns(report, TW_PROBE_RAW)) / raw_ns *
				 1e9,
		.monotonic_error_ppb = (tested_half_ns +
			half_ns(report, TW_PROBE_MONOTONIC)) / monotonic_ns *
			1e9,
	};
	return 0;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double tw_compare_median(double *values, unsigned count)
{
	if (!count)
		return 0;
	qsort(values, count, sizeof(*values), compare);
	return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

/* Return the median of one member over all starts. @worst is set to the
 * largest. */
static double median_of(const struct tw_compare_start *starts, unsigned count,
			size_t member, double *worst)
{
	double values[TW_COMPARE_MAX_STARTS], median;
	unsigned i;

	for (i = 0; i < count; i++) {
		double value;

		memcpy(&value, (const char *)&starts[i] + member,
		       sizeof(value));
		values[i] = fabs(value);
	}
	median = tw_compare_median(values, count);
	if (worst)
		*worst = count ? values[count - 1] : 0;
	return median;
}

#define MEMBER(name)	offsetof(struct tw_compare_start, name)

void tw_compare_sum_up(struct tw_compare_sum *sum,
		       const struct tw_compare_start *starts, unsigned count)
{
	sum->starts = count;
	sum->raw_median_ppb = median_of(starts, count, MEMBER(raw_ppb),
					&sum->raw_worst_ppb);
	sum->monotonic_median_ppb = median_of(starts, count,
					      MEMBER(monotonic_ppb),
					      &sum->monotonic_worst_ppb);
	median_of(starts, count, MEMBER(raw_error_ppb), &sum->raw_error_ppb);
	median_of(starts, count, MEMBER(monotonic_error_ppb),
		  &sum->monotonic_error_ppb);
	sum->uncertainty_ppb = fmax(sum->raw_error_ppb,
				    sum->monotonic_error_ppb);
	sum->startup_ns = median_of(starts, count, MEMBER(startup_ns), NULL);
	sum->read_ns = median_of(starts, count, MEMBER(read_ns), NULL);
	sum->over_ns = median_of(starts, count, MEMBER(over_ns), NULL);
}
