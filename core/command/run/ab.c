/* SPDX-License-Identifier: MIT */
/*
 * tickwise run --ab: runs the same jobs with two sets of options in turn, and
 * compares the runs. The options are put at the end of each job's section,
 * where they override earlier ones.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "command/command.h"
#include "command/run/run.h"

static const char side_names[] = { 'A', 'B' };

/* ---- options ------------------------------------------------------------- */

/* Add a line at the end of a section. */
static void add_option(struct tw_run_jobs *jobs, size_t section, const char *option)
{
	struct tw_run_line line = {
		.section = section, .text = tw_format("%s", option),
	};
	size_t at;

	tw_run_split(&line, tw_format("%s", option));
	tw_run_add_line(jobs);
	for (at = jobs->line_count - 1; jobs->lines[at - 1].section > section; at--)
		jobs->lines[at] = jobs->lines[at - 1];
	jobs->lines[at] = line;
	jobs->is_changed = 1;
}

static void add_to_all(struct tw_run_arguments *arguments, const char *option)
{
	for (size_t i = 0; i < arguments->file_count; i++) {
		struct tw_run_jobs *jobs = &arguments->files[i];

		for (size_t j = 0; j < jobs->section_count; j++)
			if (!jobs->sections[j].is_global)
				add_option(jobs, j, option);
	}
}

int tw_run_check_sides(const struct tw_run_arguments *arguments)
{
	if (!arguments->file_count || arguments->jobs.section_count > 1)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_USAGE, "--ab changes job "
				       "files: the jobs can't be given by options");
	for (size_t i = 0; i < arguments->file_count; i++)
		if (!strcmp(arguments->files[i].path, "-"))
			return tw_command_fail(TW_RUN_NAME, TW_EXIT_USAGE, "--ab reads "
					       "each job file twice: standard input "
					       "can't be one");
	if (arguments->runs_nothing)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_USAGE, "--ab: these "
				       "options make fio run nothing");
	return TW_EXIT_GOOD;
}

void tw_run_add_options(struct tw_run_arguments *arguments, const char *options)
{
	options += strspn(options, " ");
	while (*options) {
		size_t length = strcspn(options, " ");
		char *option = tw_format("%.*s", (int)length, options);

		add_to_all(arguments, option + strspn(option, "-"));
		options += length;
		options += strspn(options, " ");
	}
}

/* ---- runs ---------------------------------------------------------------- */

/* Add the reports of a run to those of its side. */
static int keep(struct tw_run_reports sides[2], int side,
		const struct tw_run_reports *reports)
{
	if (!reports->count)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_DATA, "--ab: this run left "
				       "no report to compare");
	for (size_t i = 0; i < reports->count; i++) {
		const char *path = reports->list[i].path;

		if (tw_run_has_report(&sides[0], path) ||
		    tw_run_has_report(&sides[1], path))
			return tw_command_fail(TW_RUN_NAME, TW_EXIT_DATA, "--ab: %s: "
					       "each run would write the same report; "
					       "leave out tw_report", path);
		sides[side].list = tw_grow(sides[side].list, sides[side].count,
					   sizeof(*sides[side].list));
		sides[side].list[sides[side].count++] = reports->list[i];
	}
	return TW_EXIT_GOOD;
}

static int run_once(struct tw_run_arguments *arguments, const char *fio,
		    struct tw_run_reports *reports)
{
	time_t since = time(NULL);
	int code, status;
	pid_t pid;

	arguments->is_quiet = 1;
	code = tw_run_fio(arguments, fio, &pid, &status);
	if (code == TW_EXIT_GOOD)
		code = tw_run_exit_code(status);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_run_find_reports(reports, arguments, pid, since);
	return tw_run_check_reports(reports, arguments);
}

/* ---- the comparison ------------------------------------------------------ */

static size_t push_paths(char ***argv, size_t count, const struct tw_run_reports *reports)
{
	for (size_t i = 0; i < reports->count; i++) {
		char *path = reports->list[i].path;

		count = tw_push(argv, count, *path == '-' ? tw_format("./%s", path) : path);
	}
	return count;
}

static int compare(const struct tw_run_reports sides[2])
{
	char **argv = NULL;
	size_t count = tw_push(&argv, 0, tw_format("diff"));

	count = push_paths(&argv, count, &sides[0]);
	count = tw_push(&argv, count, tw_format("--"));
	count = push_paths(&argv, count, &sides[1]);
	tw_push(&argv, count, NULL);
	if (!tw_command_is_quiet()) {
		tw_run_say("to compare them again:");
		tw_run_print_command("  tickwise", argv, stderr);
	}
	return tw_command_diff((int)count, argv);
}

/* Compare the runs that ended before Ctrl-C. The interrupted run is left
 * out. */
static int compare_until(const struct tw_run_reports sides[2], int runs, int of)
{
	int code = TW_EXIT_UNDECIDED;

	if (sides[0].count && sides[1].count)
		code = compare(sides);
	tw_run_say("interrupted after %d of %d runs%s", runs, of,
		   sides[0].count && sides[1].count ? "" : ": nothing to compare");
	return code < TW_EXIT_USAGE ? TW_EXIT_UNDECIDED : code;
}

int tw_run_in_turn(struct tw_run_arguments sides[2], const char *fio, int rounds)
{
	struct tw_run_reports reports[2] = { { NULL, 0 }, { NULL, 0 } };

	/* The order is A B, B A, A B: a drift changes both sides alike. */
	for (int i = 0; i < 2 * rounds; i++) {
		int side = (i + i / 2) % 2, code;
		struct tw_run_reports of_run = { NULL, 0 };

		tw_run_remark("run %d of %d: %c", i + 1, 2 * rounds, side_names[side]);
		code = run_once(&sides[side], fio, &of_run);
		if (sides[side].was_interrupted)
			return compare_until(reports, i, 2 * rounds);
		if (code == TW_EXIT_GOOD)
			code = keep(reports, side, &of_run);
		if (code != TW_EXIT_GOOD)
			return code;
	}
	return compare(reports);
}
