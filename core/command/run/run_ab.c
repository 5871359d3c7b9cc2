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
#include "command/run/run_parts.h"

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

int tw_run_check_sides(const struct tw_run_arguments *arguments)
{
	if (!arguments->file_count || arguments->jobs.section_count > 1)
		return tw_run_fail(TW_EXIT_USAGE, "--ab changes job "
				       "files: the jobs can't be given by options");
	for (size_t i = 0; i < arguments->file_count; i++)
		if (!strcmp(arguments->files[i].path, "-"))
			return tw_run_fail(TW_EXIT_USAGE, "--ab reads "
					       "each job file twice: standard input "
					       "can't be one");
	if (arguments->runs_nothing)
		return tw_run_fail(TW_EXIT_USAGE, "--ab: these "
				       "options make fio run nothing");
	return TW_EXIT_GOOD;
}

void tw_run_add_options(struct tw_run_arguments *arguments, const char *options)
{
	char *list = tw_format("%s", options);

	for (char *option = strtok(list, " "); option; option = strtok(NULL, " "))
		for (size_t i = 0; i < arguments->file_count; i++) {
			struct tw_run_jobs *jobs = &arguments->files[i];

			for (size_t j = 0; j < jobs->section_count; j++)
				if (!jobs->sections[j].is_global)
					add_option(jobs, j, option + strspn(option, "-"));
		}
}

/* ---- runs ---------------------------------------------------------------- */

static int has_path(const struct tw_run_reports *reports, const char *path)
{
	for (size_t i = 0; i < reports->count; i++)
		if (strcmp(reports->list[i].path, path) == 0)
			return 1;
	return 0;
}

/* Add the reports of a run to those of its side. */
static int keep(struct tw_run_reports sides[2], struct tw_run_reports *side,
		const struct tw_run_reports *reports)
{
	if (!reports->count)
		return tw_run_fail(TW_EXIT_DATA, "--ab: this run left no report to compare");
	for (size_t i = 0; i < reports->count; i++) {
		const char *path = reports->list[i].path;

		if (has_path(&sides[0], path) || has_path(&sides[1], path))
			return tw_run_fail(TW_EXIT_DATA, "--ab: %s: each run would write the "
					   "same report; leave out tw_report", path);
		*tw_grow_by_one(side->list, side->count) = reports->list[i];
	}
	return TW_EXIT_GOOD;
}

static int run_once(struct tw_run_arguments *arguments, const char *fio,
		    struct tw_run_reports *reports)
{
	time_t since = time(NULL);
	int ret, code = TW_EXIT_GOOD;
	pid_t pid;

	arguments->is_quiet = 1;
	ret = tw_run_fio(arguments, fio, &pid, &code);
	if (ret || code)
		return ret ? ret : code;
	tw_run_find_reports(reports, arguments, pid, since);
	return tw_run_check_reports(reports, arguments);
}

/* ---- the comparison ------------------------------------------------------ */

static int compare(const struct tw_run_reports sides[2])
{
	char **argv = NULL;
	size_t count = tw_push(&argv, 0, tw_format("diff"));

	for (int side = 0; side < 2; side++) {
		if (side)
			count = tw_push(&argv, count, tw_format("--"));
		for (size_t i = 0; i < sides[side].count; i++) {
			char *path = sides[side].list[i].path;

			count = tw_push(&argv, count, *path == '-' ?
					tw_format("./%s", path) : path);
		}
	}
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
	int has_both = sides[0].count && sides[1].count;
	int code = has_both ? compare(sides) : TW_EXIT_UNDECIDED;

	tw_run_say("interrupted after %d of %d runs%s", runs, of,
		   has_both ? "" : ": nothing to compare");
	return code < TW_EXIT_USAGE ? TW_EXIT_UNDECIDED : code;
}

int tw_run_in_turn(struct tw_run_arguments sides[2], const char *fio, int rounds)
{
	struct tw_run_reports reports[2] = { { NULL, 0 }, { NULL, 0 } };

	/* The order is A B, B A, A B: a drift changes both sides alike. */
	for (int i = 0; i < 2 * rounds; i++) {
		int side = (i + i / 2) % 2, code;
		struct tw_run_reports of_run = { NULL, 0 };

		tw_run_remark("run %d of %d: %c", i + 1, 2 * rounds, "AB"[side]);
		code = run_once(&sides[side], fio, &of_run);
		if (sides[side].was_interrupted)
			return compare_until(reports, i, 2 * rounds);
		if (code == TW_EXIT_GOOD)
			code = keep(reports, &reports[side], &of_run);
		if (code != TW_EXIT_GOOD)
			return code;
	}
	return compare(reports);
}
