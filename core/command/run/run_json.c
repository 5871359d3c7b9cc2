/* SPDX-License-Identifier: MIT */
/*
 * Adds the reports of the jobs to fio's JSON output. Each element of "jobs"
 * gets a key "tickwise": an array of what `tickwise report --json` prints of the
 * reports that belong to it. fio's text is not read into a tree and printed again: keys
 * may be there twice, numbers may be no JSON, names may be no UTF-8. Each byte stays, and
 * the key is put between.
 *
 * With --status-interval fio prints several documents; the last one is for the whole run.
 */
#include <errno.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/analysis/analysis.h"
#include "command/command.h"
#include "command/run/run_parts.h"
#include "base/write_file.h"
#include "text_file.h"

/* fio prints each value on a line of its own, indented by its level. */
#define DOCUMENT	"{\n  \"fio version\" : "
#define JOBS		"\n  \"jobs\" : [\n"
#define ELEMENT_END	"\n    }"
#define LIST_END	"\n  ]"
#define KEY		"\n      "		/* and the name of a key of an element */

/* Reports, and the elements of fio's "jobs" that they belong to. */
struct match {
	struct element {
		const char *end;	/* of what it has */
		const char *group, *name;	/* the name has no quotes */
	} *jobs;
	size_t job_count;
	struct tw_report *reports;
	size_t *places;			/* element of each report; job_count:
					 * not known */
	struct tw_report *of_job;	/* the reports of one element; room for all */
	size_t count;
	struct tw_report_problem problem;
};

/* ---- fio's text ---- */

/* Return the text behind @what, before @end; NULL: it is not there. */
static const char *behind(const char *text, const char *end, const char *what)
{
	const char *found = text ? memmem(text, (size_t)(end - text), what, strlen(what)) : NULL;

	return found ? found + strlen(what) : NULL;
}

/* Return the name of a job, whose element begins at @text. */
static const char *name_of(const char *text, const char *end)
{
	const char *at = behind(text, end, KEY "\"jobname\" : \"");
	struct tw_growing_text name = { NULL, 0 };

	tw_append(&name, "", 0);
	for (; at && at < end && *at != '"'; at++) {
		at += *at == '\\';
		tw_append(&name, at, 1);
	}
	return name.bytes;
}

/* Return the last document behind its beginning; NULL: there is none. An error may be in
 * front of it on the same line, and a job's name in other text may begin with a {. */
static const char *last_document(const char *text, const char *end)
{
	const char *last = NULL;

	while ((text = behind(text, end, DOCUMENT)))
		last = text;
	return last;
}

/* Find the elements of "jobs". Return 0: there is no such list, or it is cut. */
static int find_elements(struct match *match, const char *text, const char *end)
{
	const char *at = behind(last_document(text, end), end, JOBS), *next;
	const char *list_end = behind(at, end, LIST_END);

	for (; list_end && (next = behind(at, list_end, ELEMENT_END)); at = next)
		*tw_grow_by_one(match->jobs, match->job_count) = (struct element) {
			.end = next - strlen(ELEMENT_END),
			.group = behind(at, next, KEY "\"groupid\" : "),
			.name = name_of(at, next),
		};
	return behind(list_end, end, "\n}") != NULL;
}

/* ---- which of fio's jobs it is ---- */

static int is_of_group(const struct match *match, size_t i, const struct tw_report_job *job)
{
	return i < match->job_count && match->jobs[i].group &&
	       strtoull(match->jobs[i].group, NULL, 10) == job->groupid;
}

static int has_name(const struct match *match, size_t i, const struct tw_report_job *job)
{
	return tw_run_is_name(match->jobs[i].name, job->name);
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

/* Print the reports of the element @at. Return 0: not possible. */
static int print_reports(struct match *match, size_t at, FILE *out)
{
	struct tw_report_group *groups;
	size_t count = 0, used;
	json_t *json;
	char *text;

	for (size_t i = 0; i < match->count; i++)
		if (match->places[i] == at)
			match->of_job[count++] = match->reports[i];
	if (!count)
		return 1;
	if (tw_report_merge(match->of_job, count, 0, NULL, &groups, &used, &match->problem) !=
	    TW_EXIT_GOOD)
		return 0;
	json = tw_report_groups_to_json(groups, used);
	text = json_dumps(json, JSON_INDENT(2));
	fputs("," KEY "\"tickwise\" : ", out);
	for (const char *from = text; *from; from++)
		if (*from == '\n')
			fputs(KEY, out);
		else
			putc(*from, out);
	free(text);
	json_decref(json);
	tw_report_groups_free(groups, used);
	return 1;
}

/* Print fio's text, with the reports at the end of its elements. Return 0: not possible. */
static int print_all(struct match *match, const char *text, const char *end, FILE *out)
{
	for (size_t i = 0; i < match->job_count; i++) {
		fwrite(text, 1, (size_t)(match->jobs[i].end - text), out);
		if (!print_reports(match, i, out))
			return 0;
		text = match->jobs[i].end;
	}
	fwrite(text, 1, (size_t)(end - text), out);
	return 1;
}

static int load(struct match *match, const struct tw_run_reports *reports)
{
	if (tw_report_load(&match->reports, &match->count, tw_run_paths(reports), reports->count,
			   &match->problem))
		return 0;
	match->places = tw_zalloc(match->count, sizeof(*match->places));
	match->of_job = tw_zalloc(match->count, sizeof(*match->of_job));
	find_places(match);
	return 1;
}

/* Replace @text, to be freed, by the text to print instead. After a message it stays as
 * it is. Return: was it replaced? */
static int add_to_text(char **text, size_t *length, const struct tw_run_reports *reports)
{
	struct match match = { .problem = { "" } };
	const char *end = *text + *length;
	char *changed = NULL;
	size_t size;
	FILE *out = tw_text_open(&changed, &size);
	int is_good = find_elements(&match, *text, end) && load(&match, reports) &&
		      print_all(&match, *text, end, out);

	tw_text_close(out);
	tw_reports_free(match.reports, match.count);
	free(match.places);
	free(match.of_job);
	if (is_good) {
		free(*text);
		*text = changed;
		*length = size;
	} else {
		free(changed);
		tw_run_say("nothing was added to fio's JSON: %s", *match.problem.text ?
			   match.problem.text : "it is not there, or not complete");
	}
	return is_good;
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
	int fd = tw_output_reopen(path), error = 0;
	size_t length, old_length;
	char *text = fd < 0 ? NULL : tw_text_all(fd, TW_TEXT_MAX, &length), *old;
	sigset_t all, before;

	if (!text) {
		error = fd < 0 ? fd : -errno;
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
	char *text = lseek(fd, 0, SEEK_SET) ? NULL : tw_text_all(fd, TW_TEXT_MAX, &length);

	close(fd);
	if (!text)
		return tw_run_fail(TW_EXIT_SOFTWARE, "can't read fio's output: %s",
				   strerror(errno));
	if (reports->count)
		add_to_text(&text, &length, reports);
	fwrite(text, length, 1, stdout);
	free(text);
	return tw_command_finish(tw_run_name, TW_EXIT_GOOD);
}

void tw_run_keep_output(struct tw_run_arguments *arguments)
{
	if (!arguments->is_json || arguments->output || arguments->runs_nothing ||
	    arguments->hosts.count)
		return;
	arguments->kept = memfd_create("fio-output", MFD_CLOEXEC);
	if (arguments->kept >= 0)
		return;
	arguments->kept = 0;
	tw_run_say("nothing will be added to fio's JSON: %s", strerror(errno));
}

int tw_run_add_to_json(const struct tw_run_arguments *arguments,
		       const struct tw_run_reports *reports)
{
	struct stat status;

	if (arguments->kept)
		return print_kept(arguments->kept, reports);
	/* Output that went into a pipe can't be changed any more. */
	if (!arguments->is_json || !arguments->output || !reports->count ||
	    stat(arguments->output, &status) || !S_ISREG(status.st_mode))
		return TW_EXIT_GOOD;
	return add_to_file(arguments->output, reports);
}
