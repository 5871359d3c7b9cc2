/* SPDX-License-Identifier: MIT */
/*
 * Finds the reports that a run left. They also prove that fio ran the jobs on
 * the tickwise engine, while fio's own output may be JSON, terse, in a file, or
 * missing. The engine writes into each report to which process of fio it
 * belongs, and no other engine writes reports.
 */
#include <dirent.h>
#include <fnmatch.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"
#include "command/analysis/analysis.h"
#include "command/command.h"
#include "command/output/page.h"
#include "command/run/run_parts.h"

#define SUFFIX	".tickwise.json"

/* A file's time can be behind the clock by a tick of the kernel's timer, or by
 * the resolution of a file system. */
#define SLACK_SECONDS	2

struct search {
	struct tw_run_reports *reports;
	const struct tw_run_arguments *arguments;
	char *run;			/* beginning of their job's run */
	time_t since;
	int are_own;			/* all that were found are this user's */
};

static const char *string_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* Return 1 for a file that was written during the run, and that was not found by
 * another path yet. */
static int is_new(const struct search *search, const char *path, struct stat *status)
{
	const struct tw_run_reports *reports = search->reports;

	if (stat(path, status))
		return 0;
	for (size_t i = 0; i < reports->count; i++)
		if (reports->list[i].device == status->st_dev &&
		    reports->list[i].inode == status->st_ino)
			return 0;
	return S_ISREG(status->st_mode) &&
	       status->st_mtime >= search->since - SLACK_SECONDS;
}

/* Has a job done an I/O, or tried to? */
static int has_io(json_t *report)
{
	static const char *const counts[] = { "ios", "errors" };
	const char *direction;
	json_t *count;

	for (size_t i = 0; i < TW_LENGTH(counts); i++)
		json_object_foreach(json_object_get(report, counts[i]), direction, count)
			if (json_integer_value(count))
				return 1;
	return 0;
}

/* Return the jobs of the command line, then those of each file; NULL: no more. */
static const struct tw_run_jobs *jobs_number(const struct tw_run_arguments *arguments,
					     size_t i)
{
	return !i ? &arguments->jobs :
	       i <= arguments->file_count ? &arguments->files[i - 1] : NULL;
}

/* Return 1 for a file that a job with the option uid has written: fio becomes this user. */
static int is_of_job(const struct search *search, const struct stat *status)
{
	const struct tw_run_jobs *jobs;

	for (size_t i = 0; (jobs = jobs_number(search->arguments, i)); i++)
		for (size_t j = 0; j < jobs->line_count; j++)
			if (jobs->lines[j].name && !strcmp(jobs->lines[j].name, "uid") &&
			    strtoul(jobs->lines[j].value, NULL, 0) == status->st_uid)
				return 1;
	return 0;
}

/* Read a file of this user: others can put theirs into a folder that they share. */
static json_t *read_own(const struct search *search, const char *path, struct stat *status)
{
	int fd = tw_input_open(path, 0);
	json_t *json = NULL;

	if (fd >= 0 && !fstat(fd, status) && (!tw_is_anothers_in(status, path) ||
					      is_of_job(search, status)))
		json = json_loadfd(fd, 0, NULL);
	if (fd >= 0)
		close(fd);
	return json;
}

/* Add the report @path, if it is one of this run. Other files are not opened:
 * there may be a thousand older reports, and opening a pipe would block. */
static void look_at(struct search *search, const char *path)
{
	struct tw_run_reports *reports = search->reports;
	struct stat status;
	const json_t *job;
	json_t *json;

	if (!is_new(search, path, &status))
		return;
	json = read_own(search, path, &status);
	search->are_own &= !json || !tw_is_anothers(&status);
	job = json_array_get(json_object_get(json, "jobs"), 0);
	if (strcmp(string_of(json, "schema"), TW_REPORT_SCHEMA) == 0 &&
	    strncmp(string_of(job, "run"), search->run,
		    strlen(search->run)) == 0) {
		reports->has_io |= has_io(json);
		*tw_grow_by_one(reports->list, reports->count) = (struct tw_run_report) {
			.path = tw_format("%s", path),
			.job = tw_format("%s", string_of(job, "name")),
			.thread_number = json_integer_value(
				json_object_get(job, "thread_number")),
			.is_first = !json_integer_value(
				json_object_get(job, "subjob_number")),
			.device = status.st_dev, .inode = status.st_ino,
		};
	}
	json_decref(json);
}

/* ---- where they may be ---- */

/* Match "NAME.N.PID.tickwise.json"; with a @file, "FILE.N". */
static int has_name(const char *entry, const char *file)
{
	size_t skip = strlen(file);

	if (!skip)
		return fnmatch("?*" SUFFIX, entry, 0) == 0;
	if (strncmp(entry, file, skip) || entry[skip] != '.')
		return 0;
	entry += skip + 1;
	return *entry && !entry[strspn(entry, "0123456789")];
}

static void look_in(struct search *search, const char *directory, const char *file)
{
	DIR *stream = opendir(*directory ? directory : ".");
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (has_name(entry->d_name, file))
			look_at(search, tw_format("%s%s%s", directory,
				*directory ? "/" : "", entry->d_name));
	if (stream)
		closedir(stream);
}

/* Look where the option tw_report leads. */
static void look_where_told(struct search *search, const struct tw_run_jobs *jobs)
{
	for (size_t i = 0; i < jobs->line_count; i++) {
		const struct tw_run_line *line = &jobs->lines[i];
		const char *path = line->value, *file;

		if (!line->name || strcmp(line->name, "tw_report") != 0)
			continue;
		file = strrchr(path, '/');
		file = file ? file + 1 : path;
		look_at(search, path);
		/* "/x" is in the root, not in the current directory. */
		if (*file)
			look_in(search, file == path + 1 ? "/." :
				tw_format("%.*s", file > path ? (int)(file - path) - 1 : 0,
					  path), file);
	}
}

static int by_thread(const void *a, const void *b)
{
	const struct tw_run_report *one = a, *other = b;

	return tw_compare((uint64_t)one->thread_number, (uint64_t)other->thread_number);
}

void tw_run_find_reports(struct tw_run_reports *reports,
			 const struct tw_run_arguments *arguments, pid_t pid,
			 time_t since)
{
	static int are_own = 1;		/* all of all runs */
	const char *temporary = getenv("TMPDIR");
	const struct tw_run_jobs *jobs;
	struct search search = {
		.reports = reports,
		.arguments = arguments,
		.are_own = 1,
		.run = tw_format("%d-", (int)pid),
		.since = since,
	};

	look_in(&search, arguments->aux_path ? arguments->aux_path : "", "");
	for (size_t i = 0; (jobs = jobs_number(arguments, i)); i++)
		look_where_told(&search, jobs);
	/* The engine writes a report here that can't be where it should. */
	look_in(&search, "", "");
	look_in(&search, temporary && *temporary ? temporary : "/tmp", "");
	/* They are read again, by their names, also those of earlier runs. */
	are_own &= search.are_own;
	tw_report_load_only_own(are_own);
	if (reports->count)
		qsort(reports->list, reports->count, sizeof(*reports->list),
		      by_thread);
}

/* ---- were they all there? ---- */

/* fio's JSON has 127 bytes of a name. */
#define COMPARED	124

int tw_run_is_name(const char *name, const char *of_report)
{
	json_t *text = tw_json_text(name);
	int is_same = text && strncmp(json_string_value(text), of_report, COMPARED) == 0;

	json_decref(text);
	return is_same;
}

/* Is a report there that the section @name may have left? fio puts something else in place
 * of $ncpus. */
static int has_report(const struct tw_run_reports *reports, const char *name)
{
	for (size_t i = 0; i < reports->count; i++)
		if (strchr(name, '$') || tw_run_is_name(name, reports->list[i].job))
			return 1;
	return 0;
}

/* Return 1 if the option is set. "0", "no" and an empty ${VARIABLE} do not set
 * it. */
static int is_set(const struct tw_run_jobs *jobs, size_t section, const char *name)
{
	const struct tw_run_line *line = tw_run_setting(jobs, section, name);

	return line && strcmp(line->value, "0") != 0;
}

static int is_owed(const struct tw_run_jobs *jobs, size_t section)
{
	const struct tw_run_line *report = tw_run_setting(jobs, section, "tw_report");

	if (!jobs->sections[section].owes_report)
		return 0;
	/* Without a report fio gives the proof: it refuses a tw_ option in the
	 * section of another engine. (fio drops a tw_ option of [global] there;
	 * then nothing proves the engine.) */
	if (report && strcmp(report->value, "none") == 0)
		return 0;
	return !is_set(jobs, section, "create_only");
}

/* A job has one for each of numjobs, and sends it whatever tw_report says. */
size_t tw_run_owed(const struct tw_run_jobs *jobs)
{
	size_t owed = 0;

	for (size_t i = 0; i < jobs->section_count; i++) {
		const struct tw_run_line *line = tw_run_setting(jobs, i, "numjobs");
		const size_t of_job = line ? strtoul(line->value, NULL, 0) : 1;

		if (jobs->sections[i].owes_report && !is_set(jobs, i, "create_only"))
			owed += of_job ? of_job : 1;
	}
	return owed;
}

int tw_run_check_reports(const struct tw_run_reports *reports,
			 const struct tw_run_arguments *arguments)
{
	const struct tw_run_jobs *jobs;
	/* A trigger, or a job with exitall, may end other jobs before they begin. */
	int is_excused = arguments->has_trigger;
	size_t missing = 0, named = 0;
	const char *why;

	for (size_t i = 0; (jobs = jobs_number(arguments, i)); i++)
		for (size_t j = 0; j < jobs->section_count; j++) {
			missing += is_owed(jobs, j) ? 1 : 0;
			is_excused |= is_set(jobs, j, "exitall");
		}
	/* fio may change a name, and two sections may have one. Each section has one job
	 * that is the first of its numjobs. */
	for (size_t i = 0; i < reports->count && missing; i++)
		missing -= reports->list[i].is_first ? 1 : 0;
	if (!missing)
		return TW_EXIT_GOOD;
	is_excused &= reports->count > 0;
	why = is_excused ? "" : ", or not on tickwise's engine";
	for (size_t i = 0; (jobs = jobs_number(arguments, i)); i++)
		for (size_t j = 0; j < jobs->section_count; j++) {
			const char *name = tw_run_job_name(jobs, j);

			if (!is_owed(jobs, j) || has_report(reports, name))
				continue;
			named++;
			tw_run_say("[%s] left no report: it did not run%s", name, why);
		}
	if (!named)
		tw_run_say("%zu of the jobs left no report: not all ran%s", missing, why);
	return is_excused ? TW_EXIT_GOOD : TW_EXIT_SOFTWARE;
}

/* ---- how to read them ---- */

char **tw_run_paths(const struct tw_run_reports *reports)
{
	struct tw_texts paths = { .count = 0 };

	for (size_t i = 0; i < reports->count; i++)
		tw_push(&paths, reports->list[i].path);
	return paths.list;
}

char **tw_run_report_arguments(const struct tw_run_reports *reports, int all)
{
	struct tw_texts argv = { .count = 0 };
	int has_dash = 0;

	tw_push(&argv, tw_format("report"));
	if (all)
		tw_push(&argv, tw_format("--all"));
	if (reports->are_of_hosts)
		tw_push(&argv, tw_format("--merge-hosts"));
	for (size_t i = 0; i < reports->count; i++)
		has_dash |= reports->list[i].path[0] == '-';
	if (has_dash)
		tw_push(&argv, tw_format("--"));
	for (size_t i = 0; i < reports->count; i++)
		tw_push(&argv, reports->list[i].path);
	return argv.list;
}

void tw_run_say_reports(const struct tw_run_reports *reports, int is_shown)
{
	if (tw_command_is_quiet())
		return;
	if (!is_shown)
		tw_run_say("%zu report%s. To read %s (add --html=page.html for plots), type:",
			   reports->count, tw_format_plural(reports->count),
			   reports->count == 1 ? "it" : "them");
	tw_run_print_command(is_shown ? "tickwise" : "  tickwise",
			     tw_run_report_arguments(reports, is_shown), stderr);
}
