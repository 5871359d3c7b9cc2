/* SPDX-License-Identifier: MIT */
/*
 * Adds the reports of the jobs to fio's JSON output. Each element of "jobs"
 * gets a key "tickwise": an array of what `tickwise report --json` prints of the
 * reports that belong to it. All other text is printed unchanged. If the text
 * is not fio's JSON, all of it is.
 *
 * fio prints a JSON object in one piece, with a { at the beginning of a line.
 * With --status-interval it prints several; the last one is for the whole run.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "command/answers/json.h"
#include "command/answers/load.h"
#include "command/answers/merge.h"
#include "command/run/run.h"
#include "text_file.h"

#define KEY	"tickwise"

/* Reports, and the elements of fio's "jobs" that they belong to. */
struct match {
	json_t *jobs;
	size_t job_count;
	struct tw_report *reports;
	size_t *places;			/* element of each report; job_count:
					 * not known */
	struct tw_report *of_job;	/* the reports of one element; room for all */
	size_t count;
};

/* ---- which of fio's jobs it is ---- */

static int is_of_group(const struct match *match, size_t i, const struct tw_report_job *job)
{
	const json_t *group = json_object_get(json_array_get(match->jobs, i), "groupid");

	return json_is_integer(group) &&
	       (uint64_t)json_integer_value(group) == job->groupid;
}

static int has_name(const struct match *match, size_t i, const struct tw_report_job *job)
{
	const char *name = json_string_value(
		json_object_get(json_array_get(match->jobs, i), "jobname"));

	return name && strcmp(name, job->name) == 0;
}

/* Find the elements by thread number. Without group_reporting each thread has
 * an element. */
static int find_by_thread(struct match *match)
{
	for (size_t i = 0; i < match->count; i++) {
		const struct tw_report_job *job = &match->reports[i].jobs[0];
		uint64_t at = job->thread_number - 1;

		if (!is_of_group(match, at, job) || !has_name(match, at, job))
			return 0;
		match->places[i] = at;
	}
	return 1;
}

/* Find the element by group. With group_reporting a group has one element,
 * which has the name of the group's first job. If a group has several elements,
 * the name decides. */
static size_t find_by_group(const struct match *match, const struct tw_report_job *job)
{
	size_t group_at = 0, name_at = 0, of_group = 0, of_name = 0;

	for (size_t i = 0; i < match->job_count; i++) {
		if (!is_of_group(match, i, job))
			continue;
		of_group++;
		group_at = i;
		if (has_name(match, i, job)) {
			of_name++;
			name_at = i;
		}
	}
	return of_group == 1 ? group_at : of_name == 1 ? name_at : match->job_count;
}

static void find_places(struct match *match)
{
	if (find_by_thread(match))
		return;
	for (size_t i = 0; i < match->count; i++) {
		const struct tw_report_job *job = &match->reports[i].jobs[0];

		match->places[i] = find_by_group(match, job);
		if (match->places[i] == match->job_count)
			tw_run_say("%s: not in fio's JSON: can't tell which of its "
				   "jobs this is", job->path);
	}
}

/* ---- what is added ---- */

static json_t *merged(struct tw_report *reports, size_t count)
{
	struct tw_report_problem problem = { "" };
	struct tw_report_group *groups;
	size_t used;
	json_t *json;

	if (tw_report_merge(reports, count, 0, &groups, &used, &problem) != TW_EXIT_GOOD) {
		tw_run_say("%s", problem.text);
		return NULL;
	}
	json = tw_report_groups_to_json(groups, used);
	tw_report_groups_free(groups, used);
	return json;
}

static int add_to_job(const struct match *match, size_t at)
{
	size_t count = 0;

	for (size_t i = 0; i < match->count; i++)
		if (match->places[i] == at)
			match->of_job[count++] = match->reports[i];
	return count ? json_object_set_new(json_array_get(match->jobs, at), KEY,
					   merged(match->of_job, count)) : 0;
}

static int add_to_jobs(struct match *match)
{
	int failed = !json_is_array(match->jobs);

	if (!failed)
		find_places(match);
	for (size_t i = 0; i < match->job_count && !failed; i++)
		failed = add_to_job(match, i);
	return failed;
}

/* Add the reports to @jobs. Return: 0; else @jobs is incomplete and must not be
 * used. */
static int add_reports(json_t *jobs, const struct tw_run_reports *reports)
{
	struct tw_report_problem problem = { "" };
	struct match match = {
		.jobs = jobs,
		.job_count = json_array_size(jobs),
	};
	char **paths = NULL;
	int failed;

	for (size_t i = 0; i < reports->count; i++)
		tw_push(&paths, i, reports->list[i].path);
	if (tw_report_load(&match.reports, &match.count, paths, reports->count, &problem)) {
		tw_run_say("%s", problem.text);
		return -1;
	}
	match.places = tw_zalloc(match.count, sizeof(*match.places));
	match.of_job = tw_zalloc(match.count, sizeof(*match.of_job));
	failed = add_to_jobs(&match);
	tw_reports_free(match.reports, match.count);
	free(match.places);
	free(match.of_job);
	return failed;
}

/* ---- fio's text ---- */

/* Return where the last line begins that begins with a {; NULL: there is
 * none. */
static const char *last_object(const char *text, size_t length)
{
	while (length-- > 0)
		if (text[length] == '{' && (length == 0 || text[length - 1] == '\n'))
			return text + length;
	return NULL;
}

/* Return the text to print instead of @text, to be freed by tw_release_texts().
 * Return NULL after a message: @text is to be printed as it is. */
static struct tw_growing_text *with_reports(const char *text, size_t length,
					    const struct tw_run_reports *reports)
{
	struct tw_growing_text *more = tw_grow(NULL, 0, sizeof(*more));
	const char *begin = last_object(text, length);
	json_error_t error = { .text = "there is none" };
	json_t *root = begin ? json_loadb(begin, length - (size_t)(begin - text),
					  JSON_DISABLE_EOF_CHECK, &error) : NULL;
	char *changed = NULL;

	if (!root)
		tw_run_say("nothing was added to fio's JSON: %s", error.text);
	else if (add_reports(json_object_get(root, "jobs"), reports))
		tw_run_say("nothing was added to fio's JSON");
	else
		changed = json_dumps(root, JSON_INDENT(2));
	json_decref(root);
	if (!changed)
		return NULL;
	tw_append(more, text, (size_t)(begin - text));
	tw_append(more, changed, strlen(changed));
	begin += error.position;
	tw_append(more, begin, length - (size_t)(begin - text));
	free(changed);
	return more;
}

static int write_all(int fd, const char *text, size_t length)
{
	ssize_t written;

	if (lseek(fd, 0, SEEK_SET))
		return -errno;
	for (size_t at = 0; at < length; at += (size_t)written) {
		written = write(fd, text + at, length - at);
		if (written < 0)
			return -errno;
	}
	return ftruncate(fd, (off_t)length) ? -errno : 0;
}

/* Write the text into the file itself, which may be a link or have another
 * owner. If the disk is full, write fio's text again, for which there is room.
 * Signals are blocked meanwhile. */
static int replace(int fd, const char *path, const char *old, size_t length,
		   const struct tw_growing_text *text)
{
	sigset_t all, before;
	int error;

	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	error = write_all(fd, text->bytes, text->length);
	if (error)
		write_all(fd, old, length);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return error ? tw_command_fail(TW_RUN_NAME, TW_EXIT_IO, "can't write %s: %s",
				       path, strerror(-error)) : TW_EXIT_GOOD;
}

/* ---- where it is ---- */

static int add_to_file(const char *path, const struct tw_run_reports *reports)
{
	const struct tw_growing_text *changed;
	int code = TW_EXIT_GOOD;
	int fd = open(path, O_RDWR | O_CLOEXEC);
	size_t length;
	char *text = fd < 0 ? NULL : tw_text_all(fd, &length);

	if (text) {
		changed = with_reports(text, length, reports);
		if (changed)
			code = replace(fd, path, text, length, changed);
	} else {
		code = tw_command_fail(TW_RUN_NAME, TW_EXIT_IO, "can't add to %s: %s",
				       path, strerror(errno));
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return code;
}

static int print_kept(int fd, const struct tw_run_reports *reports)
{
	const struct tw_growing_text *changed = NULL;
	size_t length;
	char *text = lseek(fd, 0, SEEK_SET) ? NULL : tw_text_all(fd, &length);

	close(fd);
	if (!text)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_SOFTWARE,
				       "can't read fio's output: %s", strerror(errno));
	if (reports->count)
		changed = with_reports(text, length, reports);
	fwrite(changed ? changed->bytes : text, changed ? changed->length : length, 1,
	       stdout);
	free(text);
	return tw_command_finish(TW_RUN_NAME, TW_EXIT_GOOD);
}

void tw_run_keep_output(struct tw_run_arguments *arguments)
{
	if (!arguments->is_json || arguments->output || arguments->runs_nothing)
		return;
	arguments->kept = memfd_create("fio-output", MFD_CLOEXEC);
	arguments->is_kept = arguments->kept >= 0;
	if (!arguments->is_kept)
		tw_run_say("nothing will be added to fio's JSON: %s", strerror(errno));
}

int tw_run_add_to_json(const struct tw_run_arguments *arguments,
		       const struct tw_run_reports *reports)
{
	struct stat status;

	if (arguments->is_kept)
		return print_kept(arguments->kept, reports);
	/* Output that went into a pipe can't be changed any more. */
	if (!arguments->is_json || !arguments->output || !reports->count ||
	    stat(arguments->output, &status) || !S_ISREG(status.st_mode))
		return TW_EXIT_GOOD;
	return add_to_file(arguments->output, reports);
}
