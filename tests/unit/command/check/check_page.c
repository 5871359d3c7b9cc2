/* SPDX-License-Identifier: MIT */
/*
 * What the page of tickwise check says where no recorded machine of tests/golden comes,
 * and the defaults that help and manual name in words. Fails if a missing bound becomes
 * a number, if advice does not fit the reason, if --method=cas is advised to a user who
 * used it, if a clocksource is claimed that /sys does not name, or if a default of
 * core/trust.c changes and the words do not.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/check/check.h"
#include "command/command.h"
#include "command/output/page.h"
#include "tap.h"
#include "trust.h"

#define NS_PER_MS	1000000

static struct tw_check check;
static struct tw_cpu_offset pair;
static const struct tw_reliability_options options = {
	.tolerance_ns = 500, .least_switches = 100, .time_limit_ns = 20000000,
};

/* Check that the page has @text, up to the end of its line, but no @not. */
static void says(const char *text, const char *not)
{
	struct tw_page *page = tw_check_page(&check, &options);
	char *is = NULL;
	size_t size;
	FILE *file = open_memstream(&is, &size);

	tw_output_text(page, file);
	tw_page_free(page);
	fclose(file);
	if (!tap_ok(strstr(is, text) && (!not || !strstr(is, not)), "%.*s",
		    (int)strcspn(text + 1, "\n"), text + (*text == '\n')))
		tap_note("is %s", is);
	free(is);
}

static void bounds(int64_t low_ticks, int64_t high_ticks, const char *text)
{
	check.result.offset_low_ticks = low_ticks;
	check.result.offset_high_ticks = high_ticks;
	says(text, NULL);
}

static void advice(void)
{
	check.result = (struct tw_reliability) {
		.verdict = TW_UNDECIDED, .reasons = TW_REASON_TOLERANCE, .hz = 2e9,
		.cpus = 2, .pairs = 1, .offsets = &pair, .method = TW_METHOD_SWITCH,
	};
	bounds(-201, 100, "500 ns were wanted and 101 ns were reached");
	bounds(-200, 402, "500 ns were wanted and 201 ns were reached: try again on quieter\n"
	       "    CPUs or with a longer --time-limit (now 20 ms), or accept --tolerance=202;\n"
	       "    --method=cas has narrower bounds.\n");
	check.result.method = TW_METHOD_CAS;
	says("--tolerance=202.\n", "--method=cas");
	bounds(-200, INT64_MAX, "  An offset has no bound: allow more time with --time-limit.\n");
	says("Offset      of any two CPUs: -200 ticks (-100.0 ns) or more\n", "remain");
	bounds(-INT64_MAX, 200, "  An offset has no bound: allow more time with --time-limit.\n");
	bounds(-INT64_MAX, INT64_MAX, "Offset      of any two CPUs: not bounded\n");
	check.result.reasons |= TW_REASON_STATISTICS;
	check.result.switches = 7;
	says("  7 switches between CPUs were seen, on each CPU 100 are wanted: allow more\n"
	     "    time with --time-limit (now 20 ms), or try again when the CPUs are less\n"
	     "    busy.\n", "An offset has no bound");
	check.result.hz = 0;
	check.result.reasons = TW_REASON_TOLERANCE;
	bounds(-200, 400, "  An offset has no bound");
	check.result.reasons = TW_REASON_CPUS_SKIPPED;
	says("  To judge the other CPUs alone, start it with taskset -c and their numbers\n"
	     "    (see CPUs below).\n", NULL);
	check.result.cpus = 1;
	says("  Only one CPU took part: there was nothing to compare it with.\n", NULL);
}

static void clocksource(void)
{
	check.result = (struct tw_reliability) { .reasons = TW_REASON_CLOCKSOURCE };
	says("\nKernel      /sys does not name the clocksource\n", NULL);
	says("WARNING: the kernel itself keeps time by another clocksource.\n", "promise");
	strcpy(check.machine.clocksource, "tsc");
	says("\nKernel      keeps time by tsc (could use: not known)\n", NULL);
	tap_ok(strstr(tw_text(TW_ENUM_RATE_REFUSAL, TW_REFUSED_CLOCKSOURCE),
		      "or does not say") != NULL,
	       "calibrate: the kernel's own rate is refused in both cases");
}

/* Of counters at 2 GHz, of which the largest wraps first. */
static void wrap(void)
{
	const struct tw_reliability one = { .hz = 2e9 };
	struct tw_reliability two = { .hz = 2e9, .pairs = 1 };
	uint64_t last = UINT64_MAX - 3999999999;	/* 2 s are left */

	tap_ok(tw_check_seconds_before_wrap(&one, last) == 2, "one CPU: its counter's");
	two.offset_low_ticks = -2000000000;
	two.offset_high_ticks = 1000;
	tap_ok(tw_check_seconds_before_wrap(&two, last) == 1, "another may be 1 s ahead");
	two.offset_high_ticks = 6000000000;
	tap_ok(tw_check_seconds_before_wrap(&two, last) == 0.5e-9,
	       "or so far ahead that it may wrap now");
	two.offset_high_ticks = INT64_MAX;
	tap_ok(tw_check_seconds_before_wrap(&two, last) == 0, "no bound: not known");
	check.result = one;
	check.seconds_before_wrap = 86400;
	says("\nWrap        the counter starts again at 0 in 86400 s (1.0 days)\n", "years");
	check.seconds_before_wrap = 1e10;
	says("\nWrap        the counter starts again at 0 in 10000000000 s (316.9 years)\n",
	     "days");
	check.seconds_before_wrap = 0;
	says("\nRate ", "Wrap");
}

static void default_is(const char *name, const char *format, uint64_t cas, uint64_t moves)
{
	const struct tw_option *option = tw_check_options.table;
	char should[128];

	while (strcmp(option->name, name) != 0)
		option++;
	snprintf(should, sizeof(should), format, cas, moves);
	if (!tap_ok(!strcmp(option->otherwise, should), "--%s: %s", name, should))
		tap_note("is %s", option->otherwise);
}

static void defaults(void)
{
	struct tw_reliability_options cas = TW_SIZED(struct tw_reliability_options);
	struct tw_reliability_options moves = TW_SIZED(struct tw_reliability_options);

	moves.method = TW_METHOD_SWITCH;
	tw_check_fill_in_defaults(&cas);
	tw_check_fill_in_defaults(&moves);
	tap_is_u64(TW_TRUST_TIME_LIMIT_NS, 500 * NS_PER_MS, "the time above the least time");
	default_is("time-limit", "500 more than --least-time: %" PRIu64 "; with `switch` %"
		   PRIu64, cas.time_limit_ns / NS_PER_MS, moves.time_limit_ns / NS_PER_MS);
	default_is("least-time", "%" PRIu64 "; with `switch` %" PRIu64 " and no less",
		   cas.least_time_ns / NS_PER_MS, moves.least_time_ns / NS_PER_MS);
	default_is("tolerance", "%" PRIu64 "; with `switch` %" PRIu64, cas.tolerance_ns,
		   moves.tolerance_ns);
}

int main(void)
{
	advice();
	clocksource();
	wrap();
	defaults();
	return tap_done();
}
