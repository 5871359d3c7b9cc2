/* SPDX-License-Identifier: MIT */
/*
 * Cuts runs into pieces of about the same time, if there are too few runs to
 * compare. The pieces are tested as if each was a run. This is valid if I/Os
 * are correlated for less time than a piece takes. Differences from run to run
 * are not part of it.
 *
 * I/Os per second and the mean come from the report's own parts of the run.
 * Percentiles come from the file of intervals (tw_interval) next to the report.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/diff/diff.h"
#include "command/reports/intervals.h"
#include "report/want.h"

/* With fewer parts of a run for each piece, pieces would not take about the
 * same time. */
#define PARTS		4

/* ---- where a run is cut -------------------------------------------------- */

static size_t pieces_of(const struct tw_diff *diff)
{
	size_t fewest = diff->of[diff->of[TW_DIFF_B] < diff->of[TW_DIFF_A]];
	size_t pieces = (TW_DIFF_FEWEST_TESTED + fewest - 1) / fewest;

	return pieces > 1 && pieces * diff->count <= TW_DIFF_MAX_RUNS ? pieces : 0;
}

struct span {
	uint64_t from_ns, to_ns;
};

static struct span span_of(const struct tw_report_over_time *parts)
{
	const struct tw_report_interval *last = &parts->intervals[parts->count - 1];

	return (struct span) { parts->intervals[0].from_ns,
			       last->from_ns + last->over_ns };
}

/* Return the piece that holds the middle of a part of the span. */
static size_t piece_at(struct span span, uint64_t from_ns, uint64_t to_ns, size_t pieces)
{
	double middle_ns = ((double)from_ns + (double)to_ns) / 2 - (double)span.from_ns;
	double piece = middle_ns / (double)(span.to_ns - span.from_ns) * (double)pieces;

	return piece < 0 ? 0 : piece < (double)pieces ? (size_t)piece : pieces - 1;
}

static int can_be_cut(const struct tw_report_over_time *parts, size_t pieces)
{
	return parts->count >= PARTS * pieces;
}

struct tw_histogram *tw_diff_piece(const struct tw_diff_run *run, size_t group,
				   size_t piece, int direction)
{
	return &run->pieces[(group * TW_DIFF_MAX_PIECES + piece) *
			    TW_REPORT_DIRECTIONS + (size_t)direction];
}

/* ---- files of intervals -------------------------------------------------- */

/* Return the path of the file of intervals, to be freed; NULL: out of
 * memory. */
static char *path_of(const struct tw_report *report)
{
	size_t length = strlen(report->path);
	char *path;

	if (length > 5 && strcmp(report->path + length - 5, ".json") == 0)
		length -= 5;
	if (asprintf(&path, "%.*s.intervals.jsonl", (int)length, report->path) < 0)
		return NULL;
	if (access(path, R_OK) == 0)
		return path;
	free(path);
	return asprintf(&path, "%s.intervals.jsonl", report->path) < 0 ? NULL : path;
}

static int is_of(const struct tw_intervals *intervals, const struct tw_report_job *job)
{
	const struct tw_report_job *is = &tw_intervals_header(intervals)->job;

	return is->pid == job->pid && is->thread_number == job->thread_number &&
	       is->start_ns == job->start_ns && strcmp(is->host, job->host) == 0;
}

static int add_line(struct tw_diff_run *run, size_t group, size_t piece,
		    const struct tw_intervals_line *line)
{
	int error = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++)
		error = tw_intervals_add(tw_diff_piece(run, group, piece, i),
					 &line->tally->times[TW_REPORT_LAT][i]);
	return error;
}

static int add_lines(struct tw_diff *diff, struct tw_diff_run *run, size_t group,
		     const struct tw_report *report, struct tw_intervals *intervals,
		     struct tw_report_problem *problem)
{
	struct span span = span_of(&report->over_time);
	const struct tw_intervals_line *line;
	int error;

	while (!(error = tw_intervals_next(intervals, &line, problem)) && line) {
		error = add_line(run, group, piece_at(span, line->from_ns, line->to_ns,
						      diff->pieces), line);
		if (error) {
			tw_report_refuse(problem, "its lines don't add up");
			return error;
		}
	}
	return error;
}

static int leave_out(struct tw_diff *diff, const char *path, const char *why)
{
	json_t *text = json_sprintf("%s: %s", path, why);

	return json_array_append_new(diff->left_out, text) ? -ENOMEM : 0;
}

/* Add the I/Os of a job to the pieces. Return: 1; 0: they can't be added;
 * -ENOMEM. */
static int add_file(struct tw_diff *diff, struct tw_diff_run *run, size_t group,
		    const struct tw_report *report)
{
	struct tw_report_problem problem = { "" };
	struct tw_intervals *intervals = NULL;
	char *path = path_of(report);
	int error, is = 0;

	if (!path)
		return -ENOMEM;
	if (access(path, R_OK) || !can_be_cut(&report->over_time, diff->pieces)) {
		free(path);
		return 0;
	}
	error = tw_intervals_open(&intervals, path, &problem);
	if (!error && is_of(intervals, &report->job)) {
		error = add_lines(diff, run, group, report, intervals, &problem);
		is = !error;
	}
	tw_intervals_close(intervals);
	if (error && error != -ENOMEM)
		error = leave_out(diff, path, problem.text);
	free(path);
	return error ? error : is;
}

static void no_pieces(struct tw_diff_run *run)
{
	for (size_t i = 0; i < run->count * TW_DIFF_MAX_PIECES * TW_REPORT_DIRECTIONS; i++)
		tw_histogram_free(&run->pieces[i]);
	free(run->pieces);
	run->pieces = NULL;
}

/* Add the files of all jobs of a run, or none. */
static int add_files(struct tw_diff *diff, struct tw_diff_run *run)
{
	int is = 1;

	run->pieces = calloc(run->count * TW_DIFF_MAX_PIECES * TW_REPORT_DIRECTIONS,
			     sizeof(*run->pieces));
	if (!run->pieces)
		return -ENOMEM;
	for (size_t i = 0; i < run->count; i++)
		for (size_t j = 0; j < run->groups[i]->size && is > 0; j++)
			is = add_file(diff, run, i, run->groups[i]->members[j]);
	if (is <= 0)
		no_pieces(run);
	return is < 0 ? is : 0;
}

/* ---- figures of the pieces ----------------------------------------------- */

struct piece {
	uint64_t count, sum_ns;
	double ns;			/* its duration */
};

static void cut(struct piece pieces[], size_t count,
		const struct tw_report_over_time *parts, int direction)
{
	struct span span = span_of(parts);

	memset(pieces, 0, count * sizeof(*pieces));
	for (size_t i = 0; i < parts->count; i++) {
		const struct tw_report_interval *part = &parts->intervals[i];
		/* The report has no entry for a part without I/Os. */
		uint64_t to_ns = i + 1 < parts->count ? part[1].from_ns : span.to_ns;
		struct piece *piece = &pieces[piece_at(span, part->from_ns, to_ns, count)];

		piece->count += part->of[direction].count;
		piece->sum_ns += part->of[direction].sum_ns;
		piece->ns += (double)(to_ns - part->from_ns);
	}
}

/* Compute the logarithms for a run. Return: 1; 0: there are none. */
static int rates_and_means(double *values, const struct tw_diff *diff, size_t run,
			   const struct tw_diff_figure *figure)
{
	size_t group = tw_diff_group(diff, run, figure);
	const struct tw_report_over_time *parts =
		&diff->runs[run].groups[group]->over_time;
	struct piece pieces[TW_DIFF_MAX_PIECES];

	if (!can_be_cut(parts, diff->pieces))
		return 0;
	cut(pieces, diff->pieces, parts, figure->direction);
	for (size_t i = 0; i < diff->pieces; i++) {
		const struct piece *is = &pieces[i];

		if (!is->count || !is->sum_ns || !(is->ns > 0))
			return 0;
		values[i] = figure->kind == TW_DIFF_IOPS ?
			log((double)is->count * 1e9 / is->ns) :
			log((double)is->sum_ns / (double)is->count);
	}
	return 1;
}

static int percentiles(double *values, const struct tw_diff *diff, size_t run,
		       const struct tw_diff_figure *figure)
{
	size_t group = tw_diff_group(diff, run, figure);
	double percent = tw_diff_percent(figure);

	for (size_t i = 0; i < diff->pieces && diff->runs[run].pieces; i++) {
		const struct tw_histogram *lat = tw_diff_piece(&diff->runs[run], group, i,
							       figure->direction);

		if (!lat->bins || !tw_diff_has_beyond(lat, percent))
			return 0;
		values[i] = log(fmax(tw_diff_percentile_ns(lat, percent), 1));
	}
	return diff->runs[run].pieces != NULL;
}

static int is_cut(double *values, const struct tw_diff *diff, size_t run,
		  const struct tw_diff_figure *figure)
{
	switch (figure->kind) {
	case TW_DIFF_IOPS:
	case TW_DIFF_MEAN:
		return rates_and_means(values, diff, run, figure);
	case TW_DIFF_PERCENTILE:
		return percentiles(values, diff, run, figure);
	default:
		return 0;
	}
}

int tw_diff_find_pieces(struct tw_diff *diff)
{
	diff->piece_values = calloc(diff->figure_count * diff->count * diff->pieces,
				    sizeof(*diff->piece_values));
	if (!diff->piece_values)
		return -ENOMEM;
	for (size_t i = 0; i < diff->figure_count; i++) {
		double *values = &diff->piece_values[i * diff->count * diff->pieces];
		struct tw_diff_figure *figure = &diff->figures[i];

		figure->is_cut = 1;
		for (size_t run = 0; run < diff->count && figure->is_cut; run++)
			figure->is_cut = is_cut(&values[run * diff->pieces], diff, run,
						figure);
	}
	return 0;
}

int tw_diff_cut(struct tw_diff *diff)
{
	int error = 0;

	diff->pieces = pieces_of(diff);
	if (!diff->pieces)
		return 0;
	for (size_t i = 0; i < diff->count && !error; i++)
		error = add_files(diff, &diff->runs[i]);
	return error ? error : tw_diff_find_pieces(diff);
}
