/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: can the counter be trusted on the CPUs that this command may run on?
 * This file reads the options, and checks once, or again and again until Ctrl-C.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/check/check.h"
#include "command/command.h"
#include "command/output/page.h"
#include "timespec.h"
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
	{ .name = "watch", .kind = TW_OPTION_TIME, .value = "SECONDS", .bare = "1",
	  .min = 1, .max = 86400,
	  .help = "Check again and again, at this interval, until Ctrl-C, and show what "
		  "changes",
	  .more = "With --json there is one object a line. "
		  "What can change: the verdict, its reasons and contradictions; CPUs "
		  "that come and go; the kernel's clocksource; how the counter can be "
		  "read (trapped, disabled). Rates that kernel, processor and hypervisor "
		  "name are shown when they change, and the measured one when it changes "
		  "by more than 500 ppm. An offset has moved when its interval has "
		  "nothing in common with what all earlier ones left. "
		  "At the end, after SIGINT or SIGTERM, all checks are summed up, with "
		  "the bounds on pace that the time between the first and the last "
		  "gives. The exit code is that of the worst verdict.",
	  TW_OPTION_AT(struct tw_check_arguments, watch_ns) },
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
	"Exit codes: 0 reliable, 1 unreliable, 2 undecided; with --watch the worst of "
	"all; 64 and above could not run.",
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
	int code = tw_check_run(&check, &arguments->options, tw_command_has_enough);

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

/* ---- a watch ---- */

/* How long a signal may wait. */
#define POLL_NS		200000000

/* Wait until @at_ns, or until a signal comes. */
static void wait_until(uint64_t at_ns)
{
	uint64_t now_ns;

	while (!tw_command_is_interrupted() &&
	       (now_ns = tw_clock_id_ns(CLOCK_MONOTONIC)) < at_ns) {
		uint64_t left_ns = at_ns - now_ns;
		const struct timespec rest = {
			.tv_nsec = (long)(left_ns < POLL_NS ? left_ns : POLL_NS),
		};

		nanosleep(&rest, NULL);
	}
}

/* Wait until output can be written. Return 0: a signal came, and the reader has stopped
 * reading. */
static int wait_for_reader(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	while (poll(&out, 1, POLL_NS / 1000000) <= 0)
		if (tw_command_is_interrupted())
			return 0;
	return 1;
}

static void add_bound(struct tw_table *table, double value)
{
	if (isfinite(value))
		tw_cell_printf(table, "%+.1f", value);
	else
		tw_cell_none(table);
}

static double offset_ns(const struct tw_reliability *result, int64_t ticks)
{
	return result->pairs && fabs((double)ticks) < (double)INT64_MAX && result->hz > 0 ?
	       (double)ticks / result->hz * 1e9 : INFINITY;
}

/* Add the line of a check. Every check has a page of its own, so that it is printed at
 * once. The columns have the same width on every page, and only the first page has
 * headings. */
static void add_check(struct tw_page *page, const struct tw_reliability *result,
		      int is_first)
{
	struct tw_column columns[] = {
		{ "time", .width = 9, .flags = TW_COLUMN_LEFT },
		{ "verdict", .width = 10, .flags = TW_COLUMN_LEFT },
		{ "CPUs", .width = 4 },
		{ "from", "offsets, ns", .width = 10 },
		{ "to", "offsets, ns", .width = 10 },
		{ "from", "pace, ppm", .width = 8 },
		{ "to", "pace, ppm", .width = 8 },
	};
	const size_t count = sizeof(columns) / sizeof(*columns);
	struct tw_table *table;
	time_t now = time(NULL);
	struct tm local;
	char text[32] = "";

	for (size_t i = 0; i < count && !is_first; i++) {
		columns[i].heading = "";
		columns[i].group = NULL;
	}
	if (localtime_r(&now, &local))
		strftime(text, sizeof(text), "%H:%M:%S", &local);
	table = tw_page_table(page, columns, count);
	tw_table_row(table);
	tw_cell_text(table, text);
	tw_cell_text(table, tw_name(TW_ENUM_VERDICT, result->verdict));
	tw_cell_u64(table, result->cpus);
	add_bound(table, offset_ns(result, result->offset_low_ticks));
	add_bound(table, offset_ns(result, result->offset_high_ticks));
	add_bound(table, result->pairs ? result->pace_low_ppb / 1e3 : INFINITY);
	add_bound(table, result->pairs ? result->pace_high_ppb / 1e3 : INFINITY);
}

static void print(const struct tw_check *check,
		  const struct tw_check_arguments *arguments,
		  const struct tw_check_history *history, const char *changes)
{
	struct tw_page *page;

	if (arguments->wanted.form == TW_FORM_JSON) {
		json_t *root = tw_check_json(check, &arguments->options);

		tw_check_json_add(root, history, changes);
		tw_output_json(root, stdout, JSON_COMPACT);
		return;
	}
	if (history->checks == 1) {
		page = tw_check_page(check, &arguments->options);
		tw_page_heading(page, 2, "Every %.10g s until Ctrl-C:",
				(double)arguments->watch_ns / 1e9);
		tw_output_print(page);
	}
	page = tw_page_new("Check");
	add_check(page, &check->result, history->checks == 1);
	/* Below the check, indented to its verdict. */
	for (; *changes; changes += strcspn(changes, "\n") + 1) {
		tw_page_paragraph(page, "%.*s", (int)strcspn(changes, "\n"), changes);
		tw_page_indent(page, 10, 12);
	}
	tw_output_print(page);
}

static void print_summary(const struct tw_check_history *history)
{
	const unsigned *verdicts = history->verdicts;
	struct tw_page *page = tw_page_new("All checks");

	if (history->checks == 1)
		tw_page_paragraph(page, "1 check: %u reliable, %u unreliable, %u "
				  "undecided.", verdicts[TW_RELIABLE],
				  verdicts[TW_UNRELIABLE], verdicts[TW_UNDECIDED]);
	else
		tw_page_paragraph(page, "%u checks in %.0f s: %u reliable, %u "
				  "unreliable, %u undecided; %u found a change.",
				  history->checks,
				  (double)(history->last_ns - history->begin_ns) / 1e9,
				  verdicts[TW_RELIABLE], verdicts[TW_UNRELIABLE],
				  verdicts[TW_UNDECIDED], history->changes);
	TW_EACH_BIT(bit, history->reasons)
		tw_page_remark(page, "seen: %s", tw_text(TW_ENUM_REASON, bit));
	if (isfinite(history->pace_low_ppb) && isfinite(history->pace_high_ppb))
		tw_page_paragraph(page, "Over these %.0f s the rates of any two CPUs "
				  "differ by %+.3f to %+.3f ppm.",
				  (double)(history->last_ns - history->first_begin_ns) /
				  1e9, history->pace_low_ppb / 1e3,
				  history->pace_high_ppb / 1e3);
	/* A terminal shows ^C at the start of this line. Leave it. */
	putchar('\n');
	tw_output_print(page);
}

/* Check once. Return: TW_EXIT_GOOD; -ECANCELED; another enum tw_exit. */
static int look(const struct tw_check_arguments *arguments,
		struct tw_check_history *history)
{
	struct tw_check check;
	uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	char *changes;
	int code = tw_check_run(&check, &arguments->options, tw_command_is_interrupted);

	if (code != TW_EXIT_GOOD)
		return code;
	changes = tw_check_remember(history, &check, begin_ns,
				    tw_clock_id_ns(CLOCK_MONOTONIC));
	if (wait_for_reader())
		print(&check, arguments, history, changes);
	free(changes);
	tw_reliability_free(&check.result);
	return tw_command_finish(TW_CHECK, code);
}

/* Print the summary. If a signal ended the first check, there is nothing to sum up. */
static int sum_up(const struct tw_check_arguments *arguments,
		  const struct tw_check_history *history)
{
	if (!history->checks)
		return tw_command_fail(TW_CHECK, TW_EXIT_SOFTWARE,
				       "ended before the first check was done");
	if (!wait_for_reader())
		return tw_command_fail(TW_CHECK, TW_EXIT_IO, "can't write the output: its "
				       "reader has stopped reading");
	if (arguments->wanted.form == TW_FORM_JSON)
		tw_output_json(tw_check_json_summary(history), stdout, JSON_COMPACT);
	else
		print_summary(history);
	return tw_command_finish(TW_CHECK, exit_code(tw_check_worst(history)));
}

/* Check again and again until SIGINT or SIGTERM. A check that the signal ends does not
 * count. Return: the enum tw_exit of the worst verdict. */
static int watch(const struct tw_check_arguments *arguments)
{
	struct tw_check_history history = { 0 };
	uint64_t now_ns, at_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	int code;

	do {
		code = look(arguments, &history);
		/* Times that have passed in the meantime are left out. */
		now_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
		at_ns += arguments->watch_ns *
			 ((now_ns - at_ns + arguments->watch_ns - 1) / arguments->watch_ns);
		if (code == TW_EXIT_GOOD)
			wait_until(at_ns);
	} while (code == TW_EXIT_GOOD && !tw_command_is_interrupted());
	if (code == TW_EXIT_GOOD || code == -ECANCELED)
		code = sum_up(arguments, &history);
	tw_check_forget(&history);
	return code;
}

/* ---- the command ---- */

int tw_command_check(char **argv)
{
	struct tw_check_arguments arguments = { 0 };
	int code = tw_command_options(&tw_check_options, &arguments, argv, NULL);

	if (code == TW_GO_ON && arguments.watch_ns && arguments.wanted.html)
		return tw_command_fail(TW_CHECK, TW_EXIT_USAGE, "--html is of one check, "
				       "not of --watch");
	if (code != TW_GO_ON)
		return code;
	tw_check_fill_in_defaults(&arguments.options);
	tw_command_catch_interrupts();
	return arguments.watch_ns ? watch(&arguments) : check_once(&arguments);
}
