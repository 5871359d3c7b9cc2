/* SPDX-License-Identifier: MIT */
/*
 * The page of compare where starts fail and clocks tie. Fails if a clock without a
 * start has figures, or if a failed start is not reported. Fails also if a clock
 * whose error exceeds the comparison's is called a tie, or if three digits become
 * two.
 */
#include "tickwise.h"
#include "command/compare/compare_parts.h"
#include "output.h"

int main(void)
{
	static struct tw_compare_result result = {
		.clock = {
			{ .name = "one", .what = "the first", .version = "fio-1\x1b" },
			{ .name = "two", .what = "the second" },
			{ .name = "three", .what = "the third" },
		},
		.clocks = 3,
		.busy_loops = 4,
		.reads_per_io = { 2.125 },
	};
	static const struct tw_compare_arguments arguments = {
		.loads = 1 << TW_COMPARE_BUSY, .window_ns = 500000000,
	};

	result.sum[0][TW_COMPARE_BUSY] = (struct tw_compare_sum) {
		.starts = 2, .failed = 1,
		.off = { { 9.994, 10, 999.94 }, { 1000, 12345.6, 12345.5 } },
		.startup_ns = 1.26e6, .read_ns = 9.96,
	};
	result.sum[1][TW_COMPARE_BUSY].failed = 3;
	result.sum[2][TW_COMPARE_BUSY] = (struct tw_compare_sum) {
		.starts = 3, .off = { { 0, 4, 4 }, { 0, 4, 4 } },
	};
	text_is(tw_compare_page(&result, &arguments),
		"No measured clock is off by more than the error of this comparison.\n"
		"  Within the error of the comparison, at most +-999.9 ppb: one, three.\n"
		"  Each clock is judged by the nearer of CLOCK_MONOTONIC_RAW and\n"
		"    CLOCK_MONOTONIC.\n"
		"\n"
		"Under load, 4 busy loops\n"
		"                                   off RAW, ppb   off MONOTONIC, ppb start-up\n"
		"clock               starts median  worst     +- median  worst     +-       ms\n"
		"one                      2   9.99   10.0  999.9   1000  12346  12346      1.3\n"
		"two                      0\n"
		"three                    3   0.00   4.00   4.00   0.00   4.00   4.00      0.0\n"
		"one: 1 of 3 starts failed.\n"
		"two: 3 of 3 starts failed.\n"
		"Tie against RAW, all within +-: one, three\n"
		"Tie against MONOTONIC, all within +-: three\n"
		"\n"
		"Cost\n"
		"clock               read, ns reads/I/O null, IOPS\n"
		"one                     10.0      2.12          -\n"
		"two                        -         -          -\n"
		"three                      -         -          -\n"
		"\n"
		"Each start was compared over 0.5 s. Errors are of the rate: 1 ppb is 1 ns per\n"
		"second. +- is what the comparison itself can be off.\n"
		"adjtimex(2) reports that CLOCK_MONOTONIC runs +0.0 ppb off CLOCK_MONOTONIC_RAW.\n"
		"The kernel keeps time by an unknown clocksource. Neither clock is SI. At some\n"
		"frequencies fio's clock is exact by chance; that hides how far off it is at\n"
		"others.\n"
		"Such an error hardly shows in one I/O: 1000 ppb of 100 us are 0.1 ns. It\n"
		"matters for run times, rates, and comparisons with results of other tools.\n"
		"\n"
		"Clocks\n"
		"one    the first (fio-1?)\n"
		"two    the second\n"
		"three  the third\n", "starts that fail, and ties");
	return tap_done();
}
