/* SPDX-License-Identifier: MIT */
/*
 * Reads the file of a job's intervals: see interval_files.h. The functions of core/report/
 * read the header and the lines. --from and --to cut these lines where there are any, since
 * only they have stages, and else the windows over time, which each report has.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/analysis/interval_files.h"

/* A header has its kind among the first keys; a report has none. */
#define KIND_WITHIN	4096

/* ---- is it one? ---------------------------------------------------------- */

int tw_intervals_are_text(const char *begin, size_t length)
{
	char text[KIND_WITHIN + 1];
	const char *kind;

	if (length > KIND_WITHIN)
		length = KIND_WITHIN;
	memcpy(text, begin, length);
	text[length] = '\0';
	text[strcspn(text, "\n")] = '\0';
	kind = strstr(text, "\"kind\"");
	if (!kind)
		return 0;
	kind += strlen("\"kind\"");
	kind += strspn(kind, " :");
	return strncmp(kind, "\"intervals\"", strlen("\"intervals\"")) == 0;
}

/* Return 0 for a pipe, which can be opened only once. */
int tw_intervals_are_in(const char *path)
{
	int fd = tw_input_open(path, 0);
	char text[KIND_WITHIN];
	ssize_t length = fd < 0 ? -1 : pread(fd, text, KIND_WITHIN, 0);

	if (fd >= 0)
		close(fd);
	return length > 0 && tw_intervals_are_text(text, (size_t)length);
}

/* ---- lines of text ------------------------------------------------------- */

/* Report the first problem of the line, with the line's number. Return: 0;
 * -EINVAL. */
static int refused(const struct tw_intervals *intervals,
		   const struct tw_report_problem *in_line,
		   struct tw_report_problem *problem)
{
	if (!in_line->text[0])
		return 0;
	tw_report_refuse(problem, "line %llu: %s",
			 (unsigned long long)intervals->lines, in_line->text);
	return -EINVAL;
}

/* Read a line of text. @got is its length, 0 at the end of the file or if the
 * line has no newline. Return: 0; -errno. */
static int next_text(struct tw_intervals *intervals, size_t *got,
		     struct tw_report_problem *problem)
{
	ssize_t length;

	*got = 0;
	errno = 0;
	length = getline(&intervals->text, &intervals->size, intervals->file);
	if (length < 0 && !feof(intervals->file)) {
		const int code = errno ? errno : EIO;

		tw_report_refuse(problem, "%s", strerror(code));
		return -code;
	}
	if (length < 1 || intervals->text[length - 1] != '\n')
		return 0;
	intervals->lines++;
	*got = (size_t)length;
	return 0;
}

/* Return NULL with @problem set. */
static json_t *parse(const struct tw_intervals *intervals, size_t length,
		     struct tw_report_problem *problem)
{
	json_error_t error;
	json_t *json = json_loadb(intervals->text, length, JSON_REJECT_DUPLICATES, &error);

	if (!json)
		tw_report_refuse(problem, "not JSON: column %d: %s", error.column, error.text);
	return json;
}

/* ---- the header ---------------------------------------------------------- */

/* Sets @problem if it is wrong. */
static void read_header(struct tw_intervals *intervals, const char *path, size_t length,
			struct tw_report_problem *problem)
{
	struct tw_report *header = &intervals->header;
	json_t *json = parse(intervals, length, problem);

	if (!json)
		return;
	tw_must(tw_report_from_json(header, json, path, problem));
	json_decref(json);
	if (!header->interval_ns)
		tw_report_refuse(problem, "kind is not \"intervals\"");
	if (header->job_count != 1)
		tw_report_refuse(problem, "it has not one job");
	intervals->digits = header->digits;
}

int tw_intervals_open(struct tw_intervals **intervals, const char *path,
		      struct tw_report_problem *problem)
{
	struct tw_intervals *made = tw_zalloc(1, sizeof(*made));
	struct tw_report_problem in_line = { "" };
	size_t length;
	int ret = 0;

	made->file = tw_input_stream(path, 0);
	if (!made->file) {
		ret = -errno;
		tw_report_refuse(problem, "%s", tw_file_error(-ret));
	}
	if (!ret)
		ret = next_text(made, &length, problem);
	if (!ret && !length) {
		tw_report_refuse(problem, "no file of intervals: its first line has no "
				 "end");
		ret = -EINVAL;
	}
	if (!ret) {
		read_header(made, path, length, &in_line);
		ret = refused(made, &in_line, problem);
	}
	if (ret)
		tw_intervals_close(made);
	*intervals = ret ? NULL : made;
	return ret;
}

void tw_intervals_close(struct tw_intervals *intervals)
{
	if (!intervals)
		return;
	if (intervals->file)
		fclose(intervals->file);
	tw_report_free(&intervals->header);
	tw_tally_free(&intervals->line.tally);
	free(intervals->text);
	free(intervals);
}

int tw_intervals_exit(int ret)
{
	if (!ret)
		return TW_EXIT_GOOD;
	return ret == -EINVAL ? TW_EXIT_DATA : TW_EXIT_NO_INPUT;
}

/* ---- a line -------------------------------------------------------------- */

/* Check that a line follows the one before, and that the end was not before. */
static void check_place(const struct tw_report_line *line,
			const struct tw_report_line *before,
			struct tw_report_problem *problem)
{
	if (before->is_end)
		tw_report_refuse(problem, "it follows the end");
	if (line->number != before->number + 1)
		tw_report_refuse(problem, "interval %llu follows interval %llu",
				 (unsigned long long)line->number,
				 (unsigned long long)before->number);
	if (line->from_ns != before->to_ns)
		tw_report_refuse(problem, "it does not begin where the one before "
				 "ended");
	if (line->to_ns < line->from_ns)
		tw_report_refuse(problem, "it ends before it begins");
}

/* Read a line. Sets @problem if it is wrong. */
static void read_line(struct tw_intervals *intervals, size_t length,
		      struct tw_report_problem *problem)
{
	json_t *json = parse(intervals, length, problem);
	const struct tw_report_line before = intervals->line.is;
	struct tw_intervals_line *line = &intervals->line;
	struct tw_report_line *is = &line->is;
	uint64_t last_ns, begin_ns, end_ns;
	unsigned digits;

	if (!json)
		return;
	*is = (struct tw_report_line) { 0 };
	tw_must(tw_report_line_from_json(is, &line->tally, json, problem));
	json_decref(json);
	check_place(is, &before, problem);
	last_ns = is->first_ns + is->run_ns;
	begin_ns = is->first_ns > is->from_ns ? is->first_ns : is->from_ns;
	end_ns = is->is_end && last_ns < is->to_ns ? last_ns : is->to_ns;
	line->ran_ns = is->has_run && end_ns > begin_ns ? end_ns - begin_ns : 0;
	digits = tw_tally_digits(&line->tally);
	if (digits && digits != intervals->digits)
		tw_report_refuse(problem, "digits differ from those of the header");
}

/* ---- lines that are left out --------------------------------------------- */

/* Leave the line out if it is before the wanted time. Return: 1, or 0. Sets @problem if the line
 * that is left out is wrong. */
static int skip(struct tw_intervals *intervals, struct tw_report_problem *problem)
{
	unsigned long long number, from_ns, to_ns;
	struct tw_report_line line;
	char begin[160];

	/* The engine writes the times first. A line without length belongs to the time where
	 * it begins. The last line of a job has the key "end". */
	snprintf(begin, sizeof(begin), "%s", intervals->text);
	if (!intervals->skip_to_ns || intervals->line.is.is_end ||
	    sscanf(begin, " { \"interval\" : %19llu , \"from_ns\" : %19llu , "
		   "\"to_ns\" : %19llu ,", &number, &from_ns, &to_ns) != 3 ||
	    to_ns > intervals->skip_to_ns || from_ns == intervals->skip_to_ns ||
	    strstr(intervals->text, "\"end\""))
		return 0;
	line = (struct tw_report_line) {
		.number = number, .from_ns = from_ns, .to_ns = to_ns,
	};
	check_place(&line, &intervals->line.is, problem);
	intervals->line.is = line;
	return 1;
}

/* ---- the next line ------------------------------------------------------- */

int tw_intervals_next(struct tw_intervals *intervals,
		      const struct tw_intervals_line **line,
		      struct tw_report_problem *problem)
{
	struct tw_report_problem in_line = { "" };
	size_t length;
	int ret;

	*line = NULL;
	tw_tally_free(&intervals->line.tally);
	intervals->line.tally = (struct tw_tally) { 0 };
	do {
		ret = next_text(intervals, &length, problem);
		if (ret || !length)
			return ret;
	} while (skip(intervals, &in_line) && !in_line.text[0]);
	if (!in_line.text[0])
		read_line(intervals, length, &in_line);
	ret = refused(intervals, &in_line, problem);
	if (!ret)
		*line = &intervals->line;
	return ret;
}
