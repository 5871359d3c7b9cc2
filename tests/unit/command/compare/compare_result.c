/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/probe
 *
 * Checks tickwise compare's arithmetic on made-up moments: errors against either
 * clock with their sign and their bounds, medians and worst of absolute values.
 * Fails if a clock is compared with the wrong one, if the epoch of a clock costs
 * precision, or if a bound of one moment is left out.
 */
#include <math.h>
#include <string.h>

#include "command/compare/compare_parts.h"
#include "tap.h"

/* Doubles of some seconds in ns are good to 1e-6 ns; these are ppb of 10 s. */
static void is(double is, double should, const char *what)
{
	if (!tap_ok(fabs(is - should) < 1e-4, "%s", what))
		tap_note("is %.9g, should be %.9g", is, should);
}

/* 10 s of RAW; MONOTONIC is 100 ns, the clock 1000 ns ahead by then. */
static struct tw_probe_report report_of(void)
{
	struct tw_probe_report report = { .startup_ns = 5, .read_ns = 7 };
	static const uint64_t epoch_ns[] = { 4000000000000000001ULL,
		12345678901234567ULL, 3 };
	static const uint64_t ahead_ns[] = { 0, 100, 1000 };

	for (int which = 0; which < TW_PROBE_CLOCKS; which++) {
		for (int i = 0; i < 2; i++) {
			struct tw_anchor_at *moment = &report.moment[i][which];

			moment->ticks = 1000 + (uint64_t)i;
			moment->ns = epoch_ns[which] + (i ?
				10000000000ULL + ahead_ns[which] + 40 : 0);
			/* The base belongs to another reading than the moment. */
			moment->low_ns = (i ? -40 : 0) - 10 - which;
			moment->high_ns = (i ? -40 : 0) + 10 + which;
		}
	}
	return report;
}

static void errors(void)
{
	struct tw_probe_report report = report_of(), other;
	struct tw_compare_start start;

	tap_ok(!tw_compare_evaluate(&start, &report), "two moments");
	is(start.ppb[TW_AGAINST_RAW], 100, "1000 ns of 10 s ahead of RAW");
	is(start.ppb[TW_AGAINST_MONOTONIC], 90 * (1 - 1e-8), "900 ns of MONOTONIC");
	/* Twice 12 and twice 10; twice 12 and twice 11. */
	is(start.error_ppb[TW_AGAINST_RAW], 4.4, "bounds of both moments and both clocks");
	is(start.error_ppb[TW_AGAINST_MONOTONIC], 4.6 * (1 - 1e-8), "of MONOTONIC's");
	is(start.over_ns, 1e10, "over 10 s");
	other = report;
	memcpy(other.moment[1], report.moment[0], sizeof(other.moment[1]));
	tap_ok(tw_compare_evaluate(&start, &other) == -1,
	       "nothing between two moments");
}

static void sums(void)
{
	const struct tw_compare_start starts[4] = {
		{ .ppb = { -7, 1 }, .error_ppb = { 2, 0 } },
		{ .ppb = { 3, -9 }, .error_ppb = { 5, 0 } },
		{ .ppb = { 1, 2 }, .error_ppb = { 0, 6 } },
		{ .ppb = { -5, 0 }, .startup_ns = 8 },
	};
	struct tw_compare_sum sum = { 0 };
	const struct tw_compare_off *raw = &sum.off[TW_AGAINST_RAW];
	const struct tw_compare_off *monotonic = &sum.off[TW_AGAINST_MONOTONIC];

	tw_compare_sum_up(&sum, starts, 4);
	is(raw->median_ppb, 4, "the median of absolute values");
	is(raw->worst_ppb, 7, "the worst, whichever sign");
	is(monotonic->worst_ppb, 9, "of MONOTONIC");
	is(raw->error_ppb, 5, "the widest bound against RAW");
	is(monotonic->error_ppb, 6, "and against MONOTONIC");
	tw_compare_sum_up(&sum, starts, 0);
	is(raw->worst_ppb, 0, "no start at all");
}

static void parts(void)
{
	const struct tw_compare_result result = { .all_s = 40, .done_s = 10, .step_s = 5 };

	is(tw_compare_part(&result, 2), 12 / 40.0, "2 s in a step");
	is(tw_compare_part(&result, 7), 15 / 40.0, "in a step that takes longer");
}

int main(void)
{
	errors();
	sums();
	parts();
	return tap_done();
}
