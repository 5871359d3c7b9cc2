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

#include "command/answers/answers.h"
#include "command/command.h"
#include "command/run/run_parts.h"
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
	const json_t *element = json_array_get(match->jobs, i);
	const json_t *group = json_object_get(element, "groupid");

	return json_is_integer(group) && (uint64_t)json_integer_value(group) == job->groupid;
}

static int has_name(const struct match *match, size_t i, const struct tw_report_job *job)
{
	const json_t *element = json_array_get(match->jobs, i);
	const char *name = json_string_value(json_object_get(element, "jobname"));

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

/* Merge the reports of the element @at, and add them to it. Return 0: not possible. */
static int add_to_job(const struct match *match, size_t at)
{
	struct tw_report_problem problem = { "" };
	struct tw_report_group *groups;
	size_t count = 0, used;
	json_t *json;

	for (size_t i = 0; i < match->count; i++)
		if (match->places[i] == at)
			match->of_job[count++] = match->reports[i];
	if (!count)
		return 1;
	if (tw_report_merge(match->of_job, count, 0, &groups, &used, &problem) !=
	    TW_EXIT_GOOD) {
		tw_run_say("%s", problem.text);
		return 0;
	}
	json = tw_report_groups_to_json(groups, used);
	tw_report_groups_free(groups, used);
	return !json_object_set_new(json_array_get(match->jobs, at), KEY, json);
}

/* Add the reports to @jobs. Return 0: @jobs is incomplete and must not be used. */
static int add_reports(json_t *jobs, const struct tw_run_reports *reports)
{
	struct tw_report_problem problem = { "" };
	struct match match = {
		.jobs = jobs,
		.job_count = json_array_size(jobs),
	};
	char **paths = NULL;
	int is_good = json_is_array(jobs);

	for (size_t i = 0; i < reports->count; i++)
		tw_push(&paths, i, reports->list[i].path);
	if (tw_report_load(&match.reports, &match.count, paths, reports->count, &problem)) {
		tw_run_say("%s", problem.text);
		return 0;
	}
	match.places = tw_zalloc(match.count, sizeof(*match.places));
	match.of_job = tw_zalloc(match.count, sizeof(*match.of_job));
	if (is_good)
		find_places(&match);
	for (size_t i = 0; i < match.job_count && is_good; i++)
		is_good = add_to_job(&match, i);
	tw_reports_free(match.reports, match.count);
	free(match.places);
	free(match.of_job);
	return is_good;
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

/* Replace @text, to be freed, by the text to print instead. After a message it stays as
 * it is. Return: was it replaced? */
static int add_to_text(char **text, size_t *length, const struct tw_run_reports *reports)
{
	const char *begin = last_object(*text, *length), *end = *text + *length;
	json_error_t error = { .text = "there is none" };
	json_t *root = begin ? json_loadb(begin, (size_t)(end - begin),
					  JSON_DISABLE_EOF_CHECK, &error) : NULL;
	char *changed = NULL;
	FILE *out;

	if (!root) {
		tw_run_say("nothing was added to fio's JSON: %s", error.text);
		return 0;
	}
	if (!add_reports(json_object_get(root, "jobs"), reports)) {
		tw_run_say("nothing was added to fio's JSON");
		json_decref(root);
		return 0;
	}
	out = tw_text_open(&changed, length);
	fwrite(*text, 1, (size_t)(begin - *text), out);
	json_dumpf(root, out, JSON_INDENT(2));
	begin += error.position;
	fwrite(begin, 1, (size_t)(end - begin), out);
	tw_text_close(out);
	json_decref(root);
	free(*text);
	*text = changed;
	return 1;
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

/* ---- where it is ---- */

/* Write the text into the file itself, which may be a link or have another owner. If the
 * disk is full, write fio's text again, for which there is room. Signals are blocked
 * meanwhile. */
static int add_to_file(const char *path, const struct tw_run_reports *reports)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), error = 0;
	size_t length, old_length;
	char *text = fd < 0 ? NULL : tw_text_all(fd, &length), *old;
	sigset_t all, before;

	if (!text) {
		error = -errno;
	} else {
		old_length = length;
		old = memcpy(tw_malloc(length), text, length);
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, &before);
		if (add_to_text(&text, &length, reports))
			error = write_all(fd, text, length);
		if (error)
			write_all(fd, old, old_length);
		sigprocmask(SIG_SETMASK, &before, NULL);
		free(old);
	}
	free(text);
	if (fd >= 0)
		close(fd);
	return error ? tw_run_fail(TW_EXIT_IO, "can't add to %s: %s", path,
				   strerror(-error)) : TW_EXIT_GOOD;
}

static int print_kept(int fd, const struct tw_run_reports *reports)
{
	size_t length;
	char *text = lseek(fd, 0, SEEK_SET) ? NULL : tw_text_all(fd, &length);

	close(fd);
	if (!text)
		return tw_run_fail(TW_EXIT_SOFTWARE, "can't read fio's output: %s",
				   strerror(errno));
	if (reports->count)
		add_to_text(&text, &length, reports);
	fwrite(text, length, 1, stdout);
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
