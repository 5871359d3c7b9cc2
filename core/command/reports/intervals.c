/* SPDX-License-Identifier: MIT */
/*
 * Reads the file of a job's intervals: see intervals.h. Functions that read a
 * report also read those parts of a line that a report has.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "command/output/file.h"
#include "command/reports/inside.h"
#include "command/reports/intervals.h"
#include "command/reports/read.h"
#include "latency/histogram.h"
#include "report/json_memory.h"
#include "report/want.h"

/* A header has its kind among the first keys; a report has none. */
#define KIND_WITHIN	4096

struct tw_intervals {
	FILE *file;
	char *text;			/* of the current line */
	size_t size;
	uint64_t lines;			/* number of lines of text, with the header */
	uint64_t skip_to_ns;
	char *skipped;			/* the text of the last line that was
					 * left out */
	size_t skipped_size;
	json_t *header_json;
	struct tw_intervals_header header;
	/* The line in the form of a report: its JSON and its tally. */
	struct tw_report as_report;
	struct tw_intervals_line line;
	uint64_t backwards, negative_within;	/* counted from the job's start */
};

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
	struct stat status;
	int fd = stat(path, &status) || !S_ISREG(status.st_mode) ? -1 :
		 tw_input_open(path);
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

/* Return: 0; -EINVAL; -ENOMEM. */
static int parse(const struct tw_intervals *intervals, const char *text, size_t length,
		 json_t **json, struct tw_report_problem *problem)
{
	struct tw_report_problem in_line = { "" };
	json_error_t error;

	*json = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (tw_json_lacked_memory()) {
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	if (!*json)
		tw_report_refuse(&in_line, "not JSON: column %d: %s", error.column,
				 error.text);
	return refused(intervals, &in_line, problem);
}

/* ---- the header ---------------------------------------------------------- */

static void check_kind(const json_t *json, struct tw_report_problem *problem)
{
	tw_report_check_schema(json, problem);
	if (strcmp(tw_want_string(json, "", "kind", problem), "intervals") != 0)
		tw_report_refuse(problem, "kind is not \"intervals\"");
}

static void read_header(struct tw_intervals_header *header, const json_t *json,
			struct tw_report_problem *problem)
{
	uint64_t digits;

	check_kind(json, problem);
	tw_report_read_job(&header->job, json, problem);
	header->monotonic_ns = tw_want_u64(tw_want_object(json, "", "clock", problem),
					   "clock.", "monotonic_ns", problem);
	header->interval_ns = tw_want_u64(json, "", "interval_ns", problem);
	digits = tw_want_u64(json, "", "digits", problem);
	if (digits < 1 || digits > 5)
		tw_report_refuse(problem, "digits is not 1 to 5");
	else
		header->digits = (unsigned)digits;
	header->json = json;
}

static int open_header(struct tw_intervals *intervals,
		       struct tw_report_problem *problem)
{
	struct tw_report_problem in_line = { "" };
	size_t length;
	int ret = next_text(intervals, &length, problem);

	if (ret)
		return ret;
	if (!length) {
		tw_report_refuse(problem, "no file of intervals: its first line has no "
				 "end");
		return -EINVAL;
	}
	ret = parse(intervals, intervals->text, length, &intervals->header_json, problem);
	if (ret)
		return ret;
	read_header(&intervals->header, intervals->header_json, &in_line);
	return refused(intervals, &in_line, problem);
}

static void set_digits(struct tw_report_tally *tally, unsigned digits)
{
	for (int i = 0; i < TW_REPORT_TIMES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			tally->times[i][j].digits = (uint8_t)digits;
}

/* Open a file. Use tw_intervals_close(), also after a failure. Return: 0;
 * -errno. */
static int open_file(struct tw_intervals *intervals, const char *path,
		     struct tw_report_problem *problem)
{
	int ret;

	intervals->file = tw_input_stream(path);
	if (!intervals->file) {
		ret = -errno;
		tw_report_refuse(problem, "%s", tw_file_error(-ret));
		return ret;
	}
	intervals->as_report.path = path;
	intervals->as_report.unknown = json_object();
	if (!intervals->as_report.unknown) {
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
		return -ENOMEM;
	}
	ret = open_header(intervals, problem);
	if (!ret)
		set_digits(&intervals->as_report.tally, intervals->header.digits);
	return ret;
}

int tw_intervals_open(struct tw_intervals **intervals, const char *path,
		      struct tw_report_problem *problem)
{
	struct tw_intervals *made = calloc(1, sizeof(*made));
	int ret = -ENOMEM;

	*intervals = NULL;
	if (made)
		ret = open_file(made, path, problem);
	else
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
	if (!ret)
		*intervals = made;
	else
		tw_intervals_close(made);
	return ret;
}

const struct tw_intervals_header *tw_intervals_header(const struct tw_intervals *intervals)
{
	return &intervals->header;
}

json_t *tw_intervals_unknown(const struct tw_intervals *intervals)
{
	return intervals->as_report.unknown;
}

void tw_intervals_close(struct tw_intervals *intervals)
{
	if (!intervals)
		return;
	if (intervals->file)
		fclose(intervals->file);
	tw_report_free(&intervals->as_report);
	json_decref(intervals->header_json);
	free(intervals->text);
	free(intervals->skipped);
	free(intervals);
}

int tw_intervals_exit(int ret)
{
	if (!ret)
		return TW_EXIT_GOOD;
	if (ret == -ENOMEM)
		return TW_EXIT_SOFTWARE;
	return ret == -EINVAL ? TW_EXIT_DATA : TW_EXIT_NO_INPUT;
}

/* ---- a line -------------------------------------------------------------- */

/* Clear a histogram. Only bins between the extremes are cleared, as the others
 * are empty. */
static void forget(struct tw_histogram *histogram)
{
	uint32_t first, last;

	if (histogram->count) {
		first = tw__histogram_bin(histogram, histogram->min_ns);
		last = tw__histogram_bin(histogram, histogram->max_ns);
		memset(&histogram->bins[first], 0,
		       (last - first + 1) * sizeof(*histogram->bins));
	}
	tw_histogram_forget_sums(histogram);
}

static void forget_line(struct tw_report *as_report)
{
	struct tw_report_tally *tally = &as_report->tally;

	json_decref(as_report->root);
	as_report->root = NULL;
	for (int i = 0; i < TW_REPORT_TIMES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			forget(&tally->times[i][j]);
	tally->missing = 0;
	memset(tally->counts, 0, sizeof(tally->counts));
	tally->inside = (struct tw_report_inside) { 0 };
}

struct times {
	uint64_t number, from_ns, to_ns;
};

/* Set the times of a line, and check that it follows the line before. */
static void take_times(struct tw_intervals_line *line, const struct times *times,
		       struct tw_report_problem *problem)
{
	const uint64_t number = line->number, to_ns = line->to_ns;

	line->number = times->number;
	line->from_ns = times->from_ns;
	line->to_ns = times->to_ns;
	if (line->number != number + 1)
		tw_report_refuse(problem, "interval %llu follows interval %llu",
				 (unsigned long long)line->number,
				 (unsigned long long)number);
	if (line->from_ns != to_ns)
		tw_report_refuse(problem, "it does not begin where the one before "
				 "ended");
	if (line->to_ns < line->from_ns)
		tw_report_refuse(problem, "it ends before it begins");
}

static void read_times_of(struct tw_intervals_line *line, const json_t *json,
			  struct tw_report_problem *problem)
{
	const struct times times = {
		.number = tw_want_u64(json, "", "interval", problem),
		.from_ns = tw_want_u64(json, "", "from_ns", problem),
		.to_ns = tw_want_u64(json, "", "to_ns", problem),
	};

	take_times(line, &times, problem);
}

/* Read when I/Os ran. A line without this is of the ramp time, or of an older
 * engine. */
static void read_run(struct tw_intervals_line *line, const json_t *json,
		     struct tw_report_problem *problem)
{
	uint64_t begin_ns = line->from_ns, end_ns = line->to_ns, first_ns, last_ns;

	line->has_begun = json_object_get(json, "first_ns") != NULL;
	if (line->has_begun) {
		first_ns = tw_want_u64(json, "", "first_ns", problem);
		if (__builtin_add_overflow(first_ns,
				tw_want_u64(json, "", "run_ns", problem), &last_ns))
			tw_report_refuse(problem, "run_ns is too large");
		else if (line->is_end && last_ns < end_ns)
			end_ns = last_ns;
		if (first_ns > begin_ns)
			begin_ns = first_ns;
	}
	line->ran_ns = end_ns > begin_ns ? end_ns - begin_ns : 0;
}

/* Return the growth of a count that runs from the job's start and never
 * decreases. */
static uint64_t growth_of(uint64_t *count, uint64_t now)
{
	const uint64_t growth = now > *count ? now - *count : 0;

	*count = now;
	return growth;
}

static void read_health(struct tw_intervals *intervals, const json_t *json,
			struct tw_report_problem *problem)
{
	const json_t *health = tw_want_object(json, "", "health", problem);

	intervals->line.backwards = growth_of(&intervals->backwards,
		tw_want_u64(health, "health.", "backwards", problem));
	intervals->line.negative_within = growth_of(&intervals->negative_within,
		tw_want_u64(health, "health.", "negative_within", problem));
}

/* Read a line. Sets @problem if it is wrong. Return: 0; -ENOMEM. */
static int read_line(struct tw_intervals *intervals, struct tw_report_problem *problem)
{
	struct tw_report *as_report = &intervals->as_report;
	struct tw_intervals_line *line = &intervals->line;

	if (line->is_end)
		tw_report_refuse(problem, "it follows the end");
	if (json_object_get(as_report->root, "end")) {
		json_t *end = tw_want_object(as_report->root, "", "end", problem);

		json_incref(end);
		json_decref(as_report->root);
		as_report->root = end;
		line->is_end = 1;
	}
	read_times_of(line, as_report->root, problem);
	read_run(line, as_report->root, problem);
	tw_report_read_counts(&as_report->tally, as_report->root, problem);
	read_health(intervals, as_report->root, problem);
	if (tw_report_read_times(as_report, tw_histogram_growth_from_json, problem) ||
	    tw_report_read_inside_counts(as_report, problem))
		return -ENOMEM;
	line->tally = &as_report->tally;
	return 0;
}

/* ---- lines that are left out --------------------------------------------- */

void tw_intervals_skip_to(struct tw_intervals *intervals, uint64_t to_ns)
{
	intervals->skip_to_ns = to_ns;
}

uint64_t tw_intervals_reach_ns(const struct tw_intervals *intervals)
{
	return intervals->line.to_ns;
}

/* Read the times, which the engine writes first. Return: 0: the line has to be
 * parsed. */
static int times_in(const char *text, struct times *times)
{
	unsigned long long number, from_ns, to_ns;
	char begin[160];

	snprintf(begin, sizeof(begin), "%s", text);
	if (sscanf(begin, " { \"interval\" : %19llu , \"from_ns\" : %19llu , "
		   "\"to_ns\" : %19llu ,", &number, &from_ns, &to_ns) != 3)
		return 0;
	*times = (struct times) { number, from_ns, to_ns };
	return 1;
}

/* Leave the line out if it is before the wanted time. Return: 1; 0; -EINVAL. */
static int skip(struct tw_intervals *intervals, struct tw_report_problem *problem)
{
	struct tw_report_problem in_line = { "" };
	char *text = intervals->text;
	const size_t size = intervals->size;
	struct times times;

	/* A line without length belongs to the time where it begins. */
	if (!intervals->skip_to_ns || intervals->line.is_end ||
	    !times_in(text, &times) || times.to_ns > intervals->skip_to_ns ||
	    times.from_ns == intervals->skip_to_ns)
		return 0;
	take_times(&intervals->line, &times, &in_line);
	intervals->text = intervals->skipped;
	intervals->size = intervals->skipped_size;
	intervals->skipped = text;
	intervals->skipped_size = size;
	return refused(intervals, &in_line, problem) ? -EINVAL : 1;
}

/* Read the counts from the job's start of the last line that was left out.
 * Return: 0; -EINVAL. */
static int end_skipping(struct tw_intervals *intervals,
			struct tw_report_problem *problem)
{
	struct tw_report_problem in_line = { "" };
	json_t *json;
	int ret;

	intervals->lines--;
	ret = parse(intervals, intervals->skipped, strlen(intervals->skipped), &json,
		    problem);
	if (!ret)
		read_health(intervals, json, &in_line);
	json_decref(json);
	if (!ret)
		ret = refused(intervals, &in_line, problem);
	intervals->lines++;
	return ret;
}

/* Read the text of the next line that is wanted. @length is 0 if there is none.
 * Return: 0; -errno. */
static int next_wanted(struct tw_intervals *intervals, size_t *length,
		       struct tw_report_problem *problem)
{
	int skipped = 0, ret;

	while (!(ret = next_text(intervals, length, problem)) && *length) {
		ret = skip(intervals, problem);
		if (ret <= 0)
			break;
		skipped = 1;
	}
	return !ret && skipped && *length ? end_skipping(intervals, problem) : ret;
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
	forget_line(&intervals->as_report);
	ret = next_wanted(intervals, &length, problem);
	if (ret || !length)
		return ret;
	ret = parse(intervals, intervals->text, length, &intervals->as_report.root,
		    problem);
	if (ret)
		return ret;
	ret = read_line(intervals, &in_line);
	if (ret) {
		tw_report_refuse(problem, "%s", strerror(-ret));
		return ret;
	}
	ret = refused(intervals, &in_line, problem);
	if (!ret)
		*line = &intervals->line;
	return ret;
}

/* Add what belongs to bins of earlier lines: a sum, and extremes in the same
 * bins. Extremes in bins that @into lacks are not of its lines. Return: 0;
 * -EOVERFLOW. */
static int add_late(struct tw_histogram *into, const struct tw_histogram *growth)
{
	if (!into->count)
		return 0;
	if (growth->min_ns < into->min_ns &&
	    tw__histogram_bin(into, growth->min_ns) ==
	    tw__histogram_bin(into, into->min_ns))
		into->min_ns = growth->min_ns;
	if (growth->max_ns > into->max_ns &&
	    tw__histogram_bin(into, growth->max_ns) ==
	    tw__histogram_bin(into, into->max_ns))
		into->max_ns = growth->max_ns;
	return __builtin_add_overflow(into->sum_ns, growth->sum_ns, &into->sum_ns) ?
		-EOVERFLOW : 0;
}

int tw_intervals_add(struct tw_histogram *into, const struct tw_histogram *growth)
{
	int error = 0;

	if (!growth->bins)
		return 0;
	if (!into->bins)
		error = tw_histogram_init(into, growth->digits);
	if (error)
		return error;
	return growth->count ? tw_histogram_merge(into, growth) :
			       add_late(into, growth);
}
