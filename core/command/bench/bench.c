/* SPDX-License-Identifier: MIT */
/*
 * tickwise bench: measures what reading the time costs, as ratios within one run.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "command/bench/bench.h"
#include "command/command.h"
#include "command/output/page.h"
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

static const struct tw_option option_table[] = {
	TW_OPTION_JSON(struct arguments, wanted),
	{ .name = "seconds", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .min = 0.02, .max = 20, .preset = "2",
	  .help = "Measure for this time",
	  TW_OPTION_AT(struct arguments, window_ns) },
	{ .name = NULL },
};

const struct tw_options tw_bench_options = {
	.command = NAME,
	.about =
	"Measure what it costs to read the time: for developers who choose a clock for a hot "
	"path, or change Tickwise's. Who measures drives does not need it. Every way to read it runs in blocks of "
	"some microseconds, which take turns. A figure is the median of the ratios of "
	"blocks of one turn. Compare only ratios of one run, and measure on an idle "
	"machine.",
	.codes =
	"Exit codes: 0 measured, 2 too disturbed to tell or interrupted, 64 and above could "
	"not run.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

/* ---- arithmetic: disturbed rounds are left out and counted ---- */

/* A multiple of the loop's median block. An interrupt takes a microsecond or
 * more, a block takes two to five. Changes of the CPU's frequency between two
 * blocks stay well below this limit. */
#define DISTURBED	1.5

#define NONE		TW_LOOPS

static const struct figure {
	const char *name;
	enum tw_bench_loop over;
	enum tw_bench_loop under;	/* NONE: nanoseconds of one call */
	const char *of;
} figures[TW_BENCH_RESULTS] = {
	{ "rdtsc_ns", TW_LOOP_RDTSC, NONE,
	  "tw_ticks(), the bare counter" },
	{ "to_ns_over_rdtsc", TW_LOOP_TO_NS, TW_LOOP_RDTSC,
	  "tw_ticks_to_ns(tw_ticks()) / tw_ticks()" },
	{ "now_over_rdtsc", TW_LOOP_NOW, TW_LOOP_RDTSC,
	  "tw_clock_ns() / tw_ticks()" },
	{ "timespec_over_rdtsc", TW_LOOP_TIMESPEC, TW_LOOP_RDTSC,
	  "tw_clock_timespec() / tw_ticks()" },
	{ "system_over_now", TW_LOOP_SYSTEM, TW_LOOP_NOW,
	  "clock_gettime(CLOCK_MONOTONIC) / tw_clock_ns()" },
	{ "system_over_rdtsc", TW_LOOP_SYSTEM, TW_LOOP_RDTSC,
	  "the same / tw_ticks(): no clock can gain more" },
};

/* @sorted has @count values, at least one. @part is 0 to 1. */
static double quantile(const double *sorted, uint32_t count, double part)
{
	return sorted[(uint32_t)(part * (count - 1) + 0.5)];
}

/* Return the limit above which a block of @loop counts as disturbed. Changes
 * @scratch. */
static double limit_ticks(const struct tw_bench_costs *costs,
			  enum tw_bench_loop loop, double *scratch)
{
	for (uint32_t i = 0; i < costs->rounds; i++)
		scratch[i] = costs->ticks[loop][i];
	qsort(scratch, costs->rounds, sizeof(*scratch), tw_ascending_real);
	return DISTURBED * quantile(scratch, costs->rounds, 0.5);
}

static struct tw_bench_result evaluate(const struct tw_bench_costs *costs,
				       const struct figure *figure, double tick_ns,
				       double *scratch)
{
	const int is_ratio = figure->under != NONE;
	double over_limit = limit_ticks(costs, figure->over, scratch);
	double under_limit = is_ratio ? limit_ticks(costs, figure->under, scratch) : 0;
	uint32_t used = 0;

	for (uint32_t i = 0; i < costs->rounds; i++) {
		uint32_t over_ticks = costs->ticks[figure->over][i];
		uint32_t under_ticks = is_ratio ? costs->ticks[figure->under][i] : 0;

		if (over_ticks > over_limit || under_ticks > under_limit)
			continue;
		scratch[used] = is_ratio ? (double)over_ticks / under_ticks :
					   over_ticks * tick_ns / costs->calls;
		used++;
	}
	/* @used is never 0: more than half of the blocks of either loop are
	 * within the limit, so at least one round has both. */
	qsort(scratch, used, sizeof(*scratch), tw_ascending_real);
	return (struct tw_bench_result) {
		.name = figure->name, .unit = is_ratio ? "ratio" : "ns", .of = figure->of,
		.value = quantile(scratch, used, 0.5), .p10 = quantile(scratch, used, 0.1),
		.p90 = quantile(scratch, used, 0.9), .used = used,
		.disturbed = costs->rounds - used,
	};
}

int tw_bench_evaluate(struct tw_bench_result results[TW_BENCH_RESULTS],
		      const struct tw_bench_costs *costs, double hz)
{
	int ret = 0;
	double *scratch;

	if (!costs->rounds)
		return -EAGAIN;
	scratch = tw_zalloc(costs->rounds, sizeof(*scratch));
	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++) {
		results[i] = evaluate(costs, &figures[i], 1e9 / hz, scratch);
		if (results[i].used < TW_BENCH_MIN_ROUNDS || results[i].used < results[i].disturbed)
			ret = -EAGAIN;
	}
	free(scratch);
	return ret;
}

/* ---- output ---- */

/* Add the table of the figures. A figure that is no ratio has its unit in its name. */
static void add_results(struct tw_page *page, const struct tw_bench_result *results)
{
	static const struct tw_column columns[] = {
		{ .heading = "figure", .flags = TW_COLUMN_LEFT },
		{ .heading = "median" },
		{ .heading = "p10", .width = 5 },
		{ .heading = "p90", .width = 5 },
		{ .heading = "what over what", .width = 2, .flags = TW_COLUMN_BELOW },
	};
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++) {
		const struct tw_bench_result *result = &results[i];

		tw_table_row(table);
		tw_cell_text(table, result->name);
		tw_cell_fixed(table, result->value, 2);
		tw_cell_fixed(table, result->p10, 2);
		tw_cell_fixed(table, result->p90, 2);
		tw_cell_text(table, result->of);
	}
}

static struct tw_page *make_page(const struct tw_bench_result *results, uint32_t rounds,
				 int is_evidence)
{
	uint32_t disturbed = 0;
	struct tw_page *page = tw_page_new("What reading the time costs");

	if (!is_evidence)
		tw_page_warning(page, "too few rounds were undisturbed, so the figures "
				"below are no evidence. Try again when the machine is "
				"idle, or with a longer --seconds.");
	if (!tw_bench_is_optimized())
		tw_page_warning(page, "this program was not built for speed, so a "
				"usual build has other figures.");
	tw_page_gap(page);
	add_results(page, results);
	tw_page_gap(page);
	tw_page_note(page, "Built with %s.", tw_bench_compiler());
	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++)
		if (results[i].disturbed > disturbed)
			disturbed = results[i].disturbed;
	tw_page_note(page, "%u rounds of one block each. At most %u rounds of a "
		     "figure were disturbed and left out.",
		     rounds, disturbed);
	tw_page_note(page, "Calls follow each other without a pause, and load the "
		     "clock's fields again each time.");
	return page;
}

static json_t *make_json(const struct tw_bench_result *results, uint32_t rounds, double hz,
			 int is_evidence)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < TW_BENCH_RESULTS; i++) {
		const struct tw_bench_result *result = &results[i];

		json_array_append_new(array, json_pack(
			"{ss, sf, ss, s{sf, sf}, ss, sI, sI}",
			"name", result->name,
			"value", result->value,
			"unit", result->unit,
			"spread", "p10", result->p10, "p90", result->p90,
			"of", result->of,
			"rounds", (json_int_t)result->used,
			"disturbed", (json_int_t)result->disturbed));
	}
	return json_pack("{ss, si, ss, sb, sb, sf, sI, so}",
		"schema", "tickwise-bench",
		"version", 1,
		"compiler", tw_bench_compiler(),
		"optimized", tw_bench_is_optimized(),
		"undisturbed", is_evidence,
		"hz", hz,
		"rounds", (json_int_t)rounds,
		"results", array);
}

/* ---- the command ---- */

static int run(const struct arguments *arguments,
	       struct tw_bench_costs *costs, const struct tw_clock *clock)
{
	struct tw_bench_result results[TW_BENCH_RESULTS];
	int code, error;

	tw_command_catch_interrupts();
	tw_bench_measure(costs, clock, arguments->window_ns);
	if (!costs->rounds && tw_command_is_interrupted())
		return tw_command_interrupted(NAME, 0);
	error = tw_bench_evaluate(results, costs, clock->scale.hz);
	code = tw_command_show(NAME, &arguments->wanted,
			       make_page(results, costs->rounds, !error), NULL,
			       make_json(results, costs->rounds, clock->scale.hz, !error));
	return code == TW_EXIT_GOOD && error ? TW_EXIT_UNDECIDED : code;
}

int tw_command_bench(char **argv)
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
	int code = tw_command_options(&tw_bench_options, &arguments, argv, NULL), ret;

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
	return code;
}
