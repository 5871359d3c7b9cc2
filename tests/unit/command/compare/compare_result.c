/* SPDX-License-Identifier: MIT */
/*
 * Checks tickwise compare's arithmetic on made-up moments: errors against either
 * clock with their sign and their bounds, medians and worst of absolute values.
 * Fails if a clock is compared with the wrong one, if the epoch of a clock costs
 * precision, or if a bound of one moment is left out.
 */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "command/compare/compare.h"
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
			struct tw_probe_moment *moment = &report.moment[i];

			moment->ticks = 1000 + (uint64_t)i;
			moment->base_ns[which] = epoch_ns[which] + (i ?
				10000000000ULL + ahead_ns[which] + 40 : 0);
			/* The base belongs to another reading than the moment. */
			moment->low_ns[which] = (i ? -40 : 0) - 10 - which;
			moment->high_ns[which] = (i ? -40 : 0) + 10 + which;
		}
	}
	return report;
}

static void errors(void)
{
	struct tw_probe_report report = report_of(), other;
	struct tw_compare_start start;
	char line[TW_PROBE_LINE];
	int ends[2];
	ssize_t got;

	tap_ok(!tw_compare_evaluate(&start, &report), "two moments");
	is(start.raw_ppb, 100, "1000 ns of 10 s ahead of RAW");
	is(start.monotonic_ppb, 90 * (1 - 1e-8), "900 ns of MONOTONIC");
	/* Twice 12 and twice 10; twice 12 and twice 11. */
	is(start.raw_error_ppb, 4.4, "bounds of both moments and both clocks");
	is(start.monotonic_error_ppb, 4.6 * (1 - 1e-8), "of MONOTONIC's");
	is(start.over_ns, 1e10, "over 10 s");
	other = report;
	other.moment[1] = report.moment[0];
	tap_ok(tw_compare_evaluate(&start, &other) == -1,
	       "nothing between two moments");

	if (pipe(ends) || tw_probe_print(ends[1], &report)) {
		tap_skip("no pipe");
		return;
	}
	got = read(ends[0], line, sizeof(line) - 1);
	line[got > 0 ? got : 0] = '\0';
	tap_ok(!tw_probe_scan(line, &other) &&
	       !memcmp(&report, &other, sizeof(report)),
	       "a report is the same once written and read");
	*strrchr(line, ' ') = '\0';
	tap_ok(tw_probe_scan(line, &other) == -1, "a number too few");
}

static void sums(void)
{
	struct tw_compare_start starts[4] = {
		{ .raw_ppb = -7, .monotonic_ppb = 1, .raw_error_ppb = 2 },
		{ .raw_ppb = 3, .monotonic_ppb = -9, .raw_error_ppb = 5 },
		{ .raw_ppb = 1, .monotonic_ppb = 2, .monotonic_error_ppb = 6 },
		{ .raw_ppb = -5, .monotonic_ppb = 0, .startup_ns = 8 },
	};
	struct tw_compare_sum sum = { 0 };

	tw_compare_sum_up(&sum, starts, 4);
	is(sum.raw_median_ppb, 4, "the median of absolute values");
	is(sum.raw_worst_ppb, 7, "the worst, whichever sign");
	is(sum.monotonic_worst_ppb, 9, "of MONOTONIC");
	is(sum.raw_error_ppb, 5, "the widest bound against RAW");
	is(sum.monotonic_error_ppb, 6, "and against MONOTONIC");
	is(sum.uncertainty_ppb, 6, "and of all");
	tw_compare_sum_up(&sum, starts, 0);
	is(sum.raw_worst_ppb, 0, "no start at all");
}

int main(void)
{
	errors();
	sums();
	return tap_done();
}
