/* SPDX-License-Identifier: MIT */
/*
 * Computes errors from two moments, and lines of the table from starts. Pure.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "array.h"
#include "command/compare/compare_parts.h"

/* Return how far a clock advanced from one moment to the other. */
static double advance_ns(const struct tw_probe_report *report, int which)
{
	const struct tw_anchor_at *from = &report->moment[0][which];
	const struct tw_anchor_at *to = &report->moment[1][which];

	return tw_difference(to->ns, from->ns) +
	       (to->low_ns + to->high_ns - from->low_ns - from->high_ns) / 2;
}

static double half_ns(const struct tw_probe_report *report, int which)
{
	double sum = 0;

	for (int i = 0; i < 2; i++)
		sum += (report->moment[i][which].high_ns - report->moment[i][which].low_ns) / 2;
	return sum;
}

int tw_compare_evaluate(struct tw_compare_start *start,
			const struct tw_probe_report *report)
{
	double tested_ns = advance_ns(report, TW_PROBE_TESTED);
	double tested_half_ns = half_ns(report, TW_PROBE_TESTED);
	struct tw_compare_start all = {
		.startup_ns = report->startup_ns, .read_ns = report->read_ns,
		.over_ns = advance_ns(report, TW_PROBE_RAW),
	};

	for (int i = 0; i < TW_COMPARE_AGAINST; i++) {
		int which = i == TW_AGAINST_RAW ? TW_PROBE_RAW : TW_PROBE_MONOTONIC;
		double ns = advance_ns(report, which);

		if (!(ns > 0))
			return -1;
		all.ppb[i] = (tested_ns - ns) / ns * 1e9;
		all.error_ppb[i] = (tested_half_ns + half_ns(report, which)) / ns * 1e9;
	}
	*start = all;
	return 0;
}

double tw_compare_median(double *values, unsigned count)
{
	return count ? tw_median(values, count) : 0;
}

/* Return the median of one member over all starts. @worst is set to the largest. */
static double median_of(const struct tw_compare_start *starts, unsigned count,
			size_t member, double *worst)
{
	double values[TW_COMPARE_MAX_STARTS], median;

	for (unsigned i = 0; i < count; i++) {
		double value;

		memcpy(&value, (const char *)&starts[i] + member, sizeof(value));
		values[i] = fabs(value);
	}
	median = tw_compare_median(values, count);
	*worst = count ? values[count - 1] : 0;
	return median;
}

void tw_compare_sum_up(struct tw_compare_sum *sum,
		       const struct tw_compare_start *starts, unsigned count)
{
	double worst;

	sum->starts = count;
	for (size_t i = 0; i < TW_COMPARE_AGAINST; i++) {
		struct tw_compare_off *off = &sum->off[i];
		size_t at = i * sizeof(double);

		off->median_ppb = median_of(starts, count, at +
					    offsetof(struct tw_compare_start, ppb),
					    &off->worst_ppb);
		median_of(starts, count, at + offsetof(struct tw_compare_start, error_ppb),
			  &off->error_ppb);
	}
	sum->startup_ns = median_of(starts, count,
				    offsetof(struct tw_compare_start, startup_ns), &worst);
	sum->read_ns = median_of(starts, count, offsetof(struct tw_compare_start, read_ns),
				 &worst);
}

double tw_compare_part(const struct tw_compare_result *result, double in_step_s)
{
	return fmin(1, (result->done_s + fmin(in_step_s, result->step_s)) / result->all_s);
}
