/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: can the counter be trusted on the CPUs that this command may run on?
 * This file reads the options.
 */
#include "command/check/check.h"
#include "command/command.h"
#include "command/output/page.h"
#include "trust.h"

/* unit/command/check/check_page.c compares the defaults in the text with those in use. */
static const struct tw_option option_table[] = {
	TW_OPTION_JSON(struct tw_check_arguments, wanted),
	TW_OPTION_HTML(struct tw_check_arguments, wanted),
	{ .name = "method", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("cas", "switch"), .preset = "cas",
	  .sets = TW_METHOD_CAS,
	  .help = "Compare counters between threads on all CPUs, which take turns, or "
		  "with one thread that is moved from CPU to CPU",
	  .more = "With `cas` the threads take turns at a number in memory, by "
		  "compare-and-swap. With `switch` offsets are bounded by the shortest "
		  "moves there and back: some ten microseconds or more instead of tenths "
		  "of one. But nothing has to run at the same time.",
	  TW_OPTION_AT(struct tw_check_arguments, options.method) },
	{ .name = "time-limit", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 1, .max = TW_TRUST_MAX_TIME_NS / 1e6,
	  .otherwise = "500 more than --least-time: 530; with `switch` 540",
	  .help = "Give up after this time",
	  TW_OPTION_AT(struct tw_check_arguments, options.time_limit_ns) },
	{ .name = "least-time", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 1, .max = TW_TRUST_MAX_TIME_NS / 1e6,
	  .otherwise = "30; with `switch` 40 and no less",
	  .help = "Measure for at least this time, which narrows the bounds on "
		  "pace",
	  .more = "The time limit may come first. The intervals of pace become narrower "
		  "with the time: some 30 ppm in 10 ms, 4 in 50, 0.2 in a second.",
	  TW_OPTION_AT(struct tw_check_arguments, options.least_time_ns) },
	{ .name = "tolerance", .kind = TW_OPTION_TIME, .value = "NS",
	  .min = 1, .max = 1000000000,
	  .otherwise = "500; with `switch` 100000",
	  .help = "Require a proof that offsets between CPUs are smaller than this",
	  .more = "Moving a thread takes microseconds, so `switch` can prove nothing near "
		  "500. With it, RELIABLE says that the counters are within 100 us of "
		  "each other. Only `cas` can prove 500 ns.",
	  TW_OPTION_AT(struct tw_check_arguments, options.tolerance_ns) },
	{ .name = NULL },
};

const struct tw_options tw_check_options = {
	.command = TW_CHECK,
	.about =
	"Check whether the CPU's counter can be trusted on the CPUs that this command "
	"may run on. taskset(1) narrows them.",
	.codes =
	"Exit codes: 0 reliable, 1 unreliable, 2 undecided; 64 and above could not run.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

static int exit_code(enum tw_verdict verdict)
{
	return verdict == TW_RELIABLE ? TW_EXIT_GOOD :
	       verdict == TW_UNRELIABLE ? TW_EXIT_BAD_VERDICT : TW_EXIT_UNDECIDED;
}

static int check_once(const struct tw_check_arguments *arguments)
{
	struct tw_check check;
	int code = tw_check_run(&check, &arguments->options);

	if (code != TW_EXIT_GOOD)
		return code;
	code = tw_command_show(TW_CHECK, &arguments->wanted,
			       tw_check_page(&check, &arguments->options), NULL,
			       tw_check_json(&check, &arguments->options));
	if (code == TW_EXIT_GOOD)
		code = exit_code(check.result.verdict);
	tw_reliability_free(&check.result);
	return code;
}

int tw_command_check(char **argv)
{
	struct tw_check_arguments arguments = { 0 };
	int code = tw_command_options(&tw_check_options, &arguments, argv, NULL);

	if (code != TW_GO_ON)
		return code;
	tw_check_fill_in_defaults(&arguments.options);
	tw_command_catch_interrupts();
	return check_once(&arguments);
}
