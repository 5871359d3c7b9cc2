/* SPDX-License-Identifier: MIT */
/*
 * tickwise bench: measures what reading the time costs, as ratios within one
 * run.
 */
#include <errno.h>
#include <string.h>

#include "command/bench/output.h"
#include "command/command.h"
#include "command/show.h"
#include "trust.h"

#define NAME			"bench"
/* A rate is needed for one result only, which is in nanoseconds. A rough rate
 * is enough for it. */
#define CALIBRATION_NS		20000000
#define LONGEST_CALIBRATION_NS	640000000

struct arguments {
	uint64_t window_ns;
	struct tw_wanted wanted;
};

static const struct tw_option table[] = {
	TW_OPTION_JSON(struct arguments, wanted),
	TW_OPTION_CSV(struct arguments, wanted, "figure"),
	TW_OPTION_HTML(struct arguments, wanted),
	{ .name = "seconds", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .min = 0.02, .max = 20, .preset = "2",
	  .help = "Measure for this time",
	  TW_OPTION_AT(struct arguments, window_ns) },
	{ .name = NULL },
};

const struct tw_options tw_bench_options = {
	.command = NAME,
	.about =
	"Measure what it costs to read the time. Every way to read it runs in blocks of "
	"some microseconds, which take turns. A figure is the median of the ratios of "
	"blocks of one turn. Compare only ratios of one run, and measure on an idle "
	"machine.",
	.codes =
	"Exit codes: 0 measured, 2 too disturbed to tell or interrupted, 64 and above could not run.",
	.table = table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

static int run(const struct arguments *arguments,
	       struct tw_bench_costs *costs, const struct tw_clock *clock)
{
	struct tw_bench_result results[TW_BENCH_RESULTS];
	struct tw_table *rows;
	struct tw_page *page;
	int code, error;

	tw_command_catch_interrupts();
	error = tw_bench_measure(costs, clock, arguments->window_ns);
	if (error)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s", strerror(-error));
	if (!costs->rounds && tw_command_is_interrupted())
		return tw_command_interrupted(NAME, 0);
	error = tw_bench_evaluate(results, costs, clock->scale.hz);
	page = tw_bench_page(results, costs, !error, &rows);
	code = tw_command_show(NAME, &arguments->wanted, page, rows,
			       tw_bench_json(results, costs, clock, !error));
	return code == TW_EXIT_GOOD && error ? TW_EXIT_UNDECIDED : code;
}

int tw_command_bench(int argc, char **argv)
{
	const struct tw_clock_options options = {
		.size = sizeof(options),
		.window_ns = CALIBRATION_NS,
		.longest_ns = LONGEST_CALIBRATION_NS,
	};
	struct arguments arguments = { 0 };
	struct tw_bench_costs costs;
	struct tw_clock clock = { 0 };
	struct tw_trust trust;
	int code, ret;

	(void)argc;
	code = tw_command_options(&tw_bench_options, &arguments, argv, NULL);
	if (code == TW_GO_ON)
		code = tw_command_try_html(NAME, &arguments.wanted);
	if (code != TW_GO_ON)
		return code;
	ret = tw_clock_init(&clock, &options);
	if (!ret && clock.system)
		ret = clock.system_errno;
	if (!tw_trust_rate(ret, &trust)) {
		tw_clock_free(&clock);
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s",
				       trust.why_not);
	}
	tw_bench_costs_init(&costs, arguments.window_ns);
	code = run(&arguments, &costs, &clock);
	tw_bench_costs_free(&costs);
	tw_clock_free(&clock);
	return tw_command_finish(NAME, code);
}
