/* SPDX-License-Identifier: MIT */
/*
 * tickwise compare: compares fio's clocks and Tickwise's: how far off each is,
 * and what it costs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/compare/output.h"
#include "timespec.h"
#include "trust.h"

#define NAME		TW_COMPARE_NAME

enum { LOAD_BOTH = TW_COMPARE_LOADS };

static const struct tw_option table[] = {
	{ .name = "fio", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM",
	  .otherwise = "FIO of the environment, else fio",
	  .help = "Compare the clocks of this fio; `none` compares only Tickwise's",
	  TW_OPTION_AT(struct tw_compare_arguments, fio) },
	{ .name = "fio-patched", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM",
	  .otherwise = "FIO_PATCHED of the environment, else none",
	  .help = "Compare the clocks of a second fio, too",
	  TW_OPTION_AT(struct tw_compare_arguments, fio_patched) },
	{ .name = "starts", .kind = TW_OPTION_WHOLE, .value = "N",
	  .min = 1, .max = TW_COMPARE_MAX_STARTS, .preset = "5",
	  .help = "Start each clock N times",
	  TW_OPTION_AT(struct tw_compare_arguments, starts) },
	{ .name = "seconds", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .min = 0.1, .max = 3600, .preset = "4",
	  .help = "Compare each start over this time",
	  TW_OPTION_AT(struct tw_compare_arguments, window_ns) },
	{ .name = "load", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("idle", "busy", "both"), .preset = "both",
	  .help = "Compare on an idle machine, with two busy loops for each CPU, or with "
		  "both",
	  TW_OPTION_AT(struct tw_compare_arguments, load) },
	{ .name = "rounds", .kind = TW_OPTION_WHOLE, .value = "N",
	  .max = 99, .preset = "3",
	  .help = "Run fio's null engine N times with each clock, one second each",
	  .more = "The clocks take turns. The median is shown.",
	  TW_OPTION_AT(struct tw_compare_arguments, rounds) },
	TW_OPTION_JSON(struct tw_compare_arguments, wanted),
	TW_OPTION_CSV(struct tw_compare_arguments, wanted, "clock and load"),
	TW_OPTION_HTML(struct tw_compare_arguments, wanted),
	{ .name = NULL },
};

const struct tw_options tw_compare_options = {
	.command = NAME,
	.about =
	"Compare fio's clocks and Tickwise's: how far off each is from one start to the "
	"next, idle and under load, and what it costs. fio's clock is read inside a fio "
	"that does no I/O. Takes some 40 seconds.",
	.codes =
	"Exit codes: 0 compared, 2 a clock could not be measured, or interrupted, 64 and "
	"above could not run.",
	.table = table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

/* Measure how long a tick is, precisely enough for the brackets. */
static int calibrate(struct tw_compare_result *result)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 100000000, .longest_ns = 800000000,
	};
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_trust trust;

	if (!tw_trust_rate(tw_rate_measure(&rate, &options), &trust))
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s",
				       trust.why_not);
	tw_machine_read(&machine);
	result->ns_per_tick = 1e9 / rate.hz;
	result->steering_ppb = machine.ntp_steering_ppb;
	snprintf(result->clocksource, sizeof(result->clocksource), "%s",
		 machine.clocksource);
	return TW_EXIT_GOOD;
}

static int has_any(const struct tw_compare_result *result)
{
	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (result->sum[i][load].starts)
				return 1;
	return 0;
}

void tw_compare_show_step(struct tw_compare_result *result)
{
	const uint64_t now_ns = tw_clock_id_ns(CLOCK_MONOTONIC);

	tw_progress_show(&result->line, tw_compare_steps_part(&result->steps, now_ns),
			 "%s", result->step);
}

void tw_compare_step(struct tw_compare_result *result, enum tw_compare_kind kind,
		     const char *what)
{
	tw_compare_steps_begin(&result->steps, kind, tw_clock_id_ns(CLOCK_MONOTONIC));
	result->step = what;
	tw_compare_show_step(result);
}

static void begin_progress(struct tw_compare_result *result,
			   const struct tw_compare_arguments *arguments)
{
	tw_compare_steps_plan(&result->steps, arguments->starts * result->clocks,
			      arguments->loads, (double)arguments->window_ns / 1e9,
			      tw_compare_null_runs(result, arguments->rounds),
			      tw_clock_id_ns(CLOCK_MONOTONIC));
	result->line = tw_progress_begin(NAME, 0);
}

static int compare(struct tw_compare_result *result,
		   const struct tw_compare_arguments *arguments)
{
	int code = tw_compare_find(result, arguments);
	struct tw_page *page;

	begin_progress(result, arguments);
	tw_command_catch_interrupts();

	if (code == TW_EXIT_GOOD)
		code = calibrate(result);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_compare_starts(result, arguments);
	tw_compare_null(result, arguments->rounds);
	tw_progress_end(&result->line);
	if (tw_command_is_interrupted() && !has_any(result))
		return tw_command_interrupted(NAME, 0);
	page = tw_compare_page(result, arguments);
	code = tw_command_show(NAME, &arguments->wanted, page,
			       tw_compare_csv(page, result), tw_compare_json(result));
	if (code != TW_EXIT_GOOD)
		return code;
	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (arguments->loads[load] &&
			    !result->sum[i][load].starts)
				code = TW_EXIT_UNDECIDED;
	return code;
}

static const char *from_environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

int tw_command_compare(int argc, char **argv)
{
	struct tw_compare_arguments arguments = {
		.fio = from_environment("FIO", "fio"),
		.fio_patched = from_environment("FIO_PATCHED", NULL),
	};
	static struct tw_compare_result result;
	int code;

	(void)argc;
	code = tw_command_options(&tw_compare_options, &arguments, argv, NULL);
	if (code == TW_GO_ON)
		code = tw_command_try_html(NAME, &arguments.wanted);
	if (code != TW_GO_ON)
		return code;
	if (strcmp(arguments.fio, "none") == 0)
		arguments.fio = "";
	for (int load = 0; load < TW_COMPARE_LOADS; load++)
		arguments.loads[load] = arguments.load == load ||
					arguments.load == LOAD_BOTH;
	code = compare(&result, &arguments);
	for (unsigned i = 0; i < result.clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			free(result.start[i][load]);
	return tw_command_finish(NAME, code);
}
