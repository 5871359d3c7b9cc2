/* SPDX-License-Identifier: MIT */
/*
 * What check advises where it could not decide, and how far apart it reports
 * counters to be. Fails if a missing bound becomes a number, if advice does not fit
 * the reason, or if --method=cas is advised to a user who used it.
 */
#include <math.h>

#include "tickwise.h"
#include "command/check/output.h"
#include "output.h"

#define NOTHING_AGAINST	"  No reading shows a fault of the counter.\n"

static struct tw_check check;
static const struct tw_check_arguments arguments = {
	.options = {
		.tolerance_ns = 500, .least_switches = 100, .time_limit_ns = 20000000,
	},
};

static void advises(const char *should, const char *what)
{
	struct tw_page *page = tw_page_new("");

	tw_check_add_advice(page, &check, &arguments);
	text_is(page, should, what);
}

static void offsets(int64_t low_ticks, int64_t high_ticks)
{
	check.result.offset_low_ticks = low_ticks;
	check.result.offset_high_ticks = high_ticks;
}

static void reach(void)
{
	check.result.hz = 2e9;
	offsets(-201, 100);
	tap_ok(tw_check_reach_ns(&check.result) == 101, "the lower side, rounded up");
	offsets(-200, 400);
	tap_ok(tw_check_reach_ns(&check.result) == 200, "the upper side");
	offsets(-200, INT64_MAX);
	tap_ok(isinf(tw_check_reach_ns(&check.result)), "no upper bound");
	offsets(-INT64_MAX, 200);
	tap_ok(isinf(tw_check_reach_ns(&check.result)), "no lower bound");
	offsets(-200, 400);
	check.result.hz = 0;
	tap_ok(isinf(tw_check_reach_ns(&check.result)), "no rate");
	check.result.hz = 2e9;
}

static void advice(void)
{
	check.result.reasons = TW_REASON_TOLERANCE;
	advises(NOTHING_AGAINST
		"  Bounds of 500 ns were wanted and 200 ns were reached: try again on quieter\n"
		"    CPUs or with a longer --time-limit (now 20 ms), or accept --tolerance=201.\n", "too wide");
	check.result.method = TW_METHOD_SWITCH;
	advises(NOTHING_AGAINST
		"  Bounds of 500 ns were wanted and 200 ns were reached: try again on quieter\n"
		"    CPUs or with a longer --time-limit (now 20 ms), or accept --tolerance=201;\n"
		"    --method=cas has narrower bounds.\n",
		"too wide by switching");
	offsets(-200, INT64_MAX);
	advises(NOTHING_AGAINST "  An offset has no bound: allow more time with "
		"--time-limit.\n", "no bound");
	check.result.reasons = TW_REASON_TOLERANCE | TW_REASON_STATISTICS;
	check.result.switches = 7;
	advises(NOTHING_AGAINST
		"  7 switches between CPUs were seen, on each CPU 100 are wanted: allow more\n"
		"    time with --time-limit (now 20 ms), or try again when the CPUs are less\n"
		"    busy.\n", "no bound, for too few switches");
	check.result.reasons = TW_REASON_CPUS_SKIPPED;
	check.result.cpus = 1;
	advises(NOTHING_AGAINST "  Only one CPU took part: there was nothing to compare it "
		"with.\n", "one CPU of several");
	check.result.cpus = 2;
	advises(NOTHING_AGAINST
		"  To judge the other CPUs alone, start it with taskset -c and their numbers\n"
		"    (see CPUs below).\n", "two CPUs of several");
}

int main(void)
{
	reach();
	advice();
	return tap_done();
}
