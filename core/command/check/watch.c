/* SPDX-License-Identifier: MIT */
/*
 * tickwise check --watch: repeats the same check until Ctrl-C. Prints a line
 * for each check, and a line for each change.
 *
 * SIGINT and SIGTERM are blocked, not caught. Between two checks they end the
 * waiting, and a long check polls for them. So no handler runs, and no call is
 * interrupted. Only while the reader of the output does not read do they end
 * the program at once.
 */
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "command/check/output.h"
#include "command/check/sequel.h"
#include "command/command.h"
#include "base/allocate.h"
#include "command/output/page.h"
#include "timespec.h"

static sigset_t ending;
static sigset_t before;		/* the signal mask at the start */

/* Add a signal that is not ignored. A blocked signal arrives even if it is
 * ignored; a shell that starts a background job has Ctrl-C ignored on
 * purpose. */
static void add_unless_ignored(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) || action.sa_handler != SIG_IGN)
		sigaddset(&ending, signal);
}

/* Return 1: a signal is pending. It stays pending for wait_until(). A check
 * that it ends does not count, and no further check is waited for. */
static int asked_to_end(void)
{
	sigset_t pending;

	return sigpending(&pending) == 0 &&
	       ((sigismember(&pending, SIGINT) == 1 &&
		 sigismember(&ending, SIGINT) == 1) ||
		(sigismember(&pending, SIGTERM) == 1 &&
		 sigismember(&ending, SIGTERM) == 1));
}

/* Wait until @at_ns. Return: 1 when a signal came first. */
static int wait_until(uint64_t at_ns)
{
	int got;

	do {
		uint64_t now = tw_clock_id_ns(CLOCK_MONOTONIC);
		uint64_t left_ns = at_ns > now ? at_ns - now : 0;
		struct timespec left = {
			.tv_sec = (time_t)(left_ns / TW_NS_PER_SECOND),
			.tv_nsec = (long)(left_ns % TW_NS_PER_SECOND),
		};

		got = sigtimedwait(&ending, NULL, &left);
	} while (got < 0 && errno == EINTR);
	return got > 0;
}

/* Wait until output can be written. While the reader has stopped reading,
 * signals are not blocked, so that they can end the program. */
static void wait_for_reader(void)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (poll(&out, 1, 0) == 0)
		ppoll(&out, 1, NULL, &before);
}

/* Room for the time of day, such as "22:13:20". */
#define TIME_SIZE	32

static const char *time_text(char *text)
{
	time_t now = time(NULL);
	struct tm local;

	if (!localtime_r(&now, &local) ||
	    !strftime(text, TIME_SIZE, "%H:%M:%S", &local))
		*text = '\0';
	return text;
}

static void add_offset(struct tw_table *table, const struct tw_reliability *result,
		       int64_t ticks)
{
	if (result->pairs && fabs((double)ticks) < (double)INT64_MAX && result->hz > 0)
		tw_cell_printf(table, "%+.1f", (double)ticks / result->hz * 1e9);
	else
		tw_cell_none(table);
}

static void add_pace(struct tw_table *table, const struct tw_reliability *result,
		     double ppb)
{
	if (result->pairs && isfinite(ppb))
		tw_cell_printf(table, "%+.1f", ppb / 1e3);
	else
		tw_cell_none(table);
}

/* Return the table for a check. Every check has a page of its own, so that it
 * is printed at once. The columns have the same width on every page, and only
 * the first page has headings. */
static struct tw_table *checks_table(struct tw_page *page, int is_first)
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

	for (size_t i = 0; i < count && !is_first; i++) {
		columns[i].heading = "";
		columns[i].group = NULL;
	}
	return tw_page_table(page, columns, count);
}

static void add_check(struct tw_page *page, const struct tw_reliability *result,
		      int is_first)
{
	struct tw_table *table = checks_table(page, is_first);
	char time[TIME_SIZE];

	tw_table_row(table);
	tw_cell_text(table, time_text(time));
	tw_cell_text(table, tw_name(TW_ENUM_VERDICT, result->verdict));
	tw_cell_u64(table, result->cpus);
	add_offset(table, result, result->offset_low_ticks);
	add_offset(table, result, result->offset_high_ticks);
	add_pace(table, result, result->pace_low_ppb);
	add_pace(table, result, result->pace_high_ppb);
}

/* Add the changes below the check, indented to its verdict. */
static void add_changes(struct tw_page *page, const char *changes)
{
	size_t length;

	for (; *changes; changes += length + 1) {
		length = strcspn(changes, "\n");
		tw_page_paragraph(page, "%.*s", (int)length, changes);
		tw_page_indent(page, 10, 12);
	}
}

/* Print the page of the first check, above the table. */
static void print_head(const struct tw_check *check,
		      const struct tw_check_arguments *arguments)
{
	struct tw_page *page = tw_check_page(check, arguments);

	tw_page_heading(page, 2, "Every %.10g s until Ctrl-C:",
			(double)arguments->watch_ns / 1e9);
	tw_output_print(page);
}

static void print(const struct tw_check *check,
		  const struct tw_check_arguments *arguments,
		  const struct tw_check_history *history, const char *changes)
{
	struct tw_page *page;

	if (arguments->wanted.form == TW_FORM_JSON) {
		tw_output_json(tw_check_json_line(check, arguments, history, changes),
			       stdout, JSON_COMPACT);
		return;
	}
	if (history->checks == 1)
		print_head(check, arguments);
	page = tw_page_new("Check");
	add_check(page, &check->result, history->checks == 1);
	add_changes(page, changes);
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
	for (unsigned bit = 1; bit && bit <= history->reasons; bit <<= 1)
		if (history->reasons & bit)
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

/* Return all changes as lines, to be freed. */
static char *find_changes(struct tw_check_history *history,
			  struct tw_check_offsets *seen,
			  const struct tw_check *check, uint64_t begin_ns,
			  uint64_t end_ns)
{
	const struct tw_check last = history->last;
	int is_first = !history->checks;
	char *changes = NULL;
	size_t size = 0;
	FILE *out;

	tw_check_remember(history, check, begin_ns, end_ns);
	out = tw_text_open(&changes, &size);
	if (!is_first) {
		tw_check_compare_verdicts(out, &last, check);
		tw_check_compare_cpus(out, &last, check);
		tw_check_compare_facts(out, &last, check);
	}
	tw_check_compare_offsets(out, seen, &check->result);
	tw_text_close(out);
	history->changes += *changes != '\0';
	return changes;
}

/* Check once. Return: TW_EXIT_GOOD; -ECANCELED; another enum tw_exit. */
static int look(const struct tw_check_arguments *arguments,
		struct tw_check_history *history, struct tw_check_offsets *seen)
{
	struct tw_check check;
	uint64_t begin_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	char *changes;
	int code = tw_check_run(&check, arguments, asked_to_end);
	uint64_t end_ns = tw_clock_id_ns(CLOCK_MONOTONIC);

	if (code != TW_EXIT_GOOD)
		return code;
	wait_for_reader();
	changes = find_changes(history, seen, &check, begin_ns, end_ns);
	print(&check, arguments, history, changes);
	free(changes);
	tw_check_free(&check);
	return tw_command_finish(TW_CHECK, code);
}

/* Print the summary. If a signal ended the first check, there is nothing to sum
 * up. */
static int sum_up(const struct tw_check_arguments *arguments,
		  const struct tw_check_history *history)
{
	int code = tw_check_exit_code(tw_check_worst(history));

	if (!history->checks)
		return tw_command_fail(TW_CHECK, TW_EXIT_SOFTWARE,
				       "ended before the first check was done");
	if (arguments->wanted.form == TW_FORM_JSON)
		tw_output_json(tw_check_json_summary(history), stdout, JSON_COMPACT);
	else
		print_summary(history);
	return tw_command_finish(TW_CHECK, code);
}

/* Return the next time of a check in the future. Times that have passed in the
 * meantime are left out. */
static uint64_t next_check_ns(uint64_t at_ns, uint64_t distance_ns)
{
	uint64_t now = tw_clock_id_ns(CLOCK_MONOTONIC);

	do
		at_ns += distance_ns;
	while (at_ns < now);
	return at_ns;
}

int tw_check_watch(const struct tw_check_arguments *arguments)
{
	struct tw_check_history history = { 0 };
	struct tw_check_offsets seen = { 0 };
	uint64_t at_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
	int code;

	sigemptyset(&ending);
	add_unless_ignored(SIGINT);
	add_unless_ignored(SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, &before);
	do {
		code = look(arguments, &history, &seen);
		at_ns = next_check_ns(at_ns, arguments->watch_ns);
	} while (code == TW_EXIT_GOOD && !wait_until(at_ns));
	if (code == TW_EXIT_GOOD || code == -ECANCELED)
		code = sum_up(arguments, &history);
	tw_check_forget(&history);
	tw_check_forget_offsets(&seen);
	return code;
}
