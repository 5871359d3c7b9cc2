/* SPDX-License-Identifier: MIT */
/*
 * Cuts runs into pieces of about the same time, if there are too few runs to
 * compare. The pieces are tested as if each was a run. This is valid if I/Os
 * are correlated for less time than a piece takes. Differences from run to run
 * are not part of it.
 *
 * I/Os per second and the mean come from the report's windows over time. The histograms
 * of these are too coarse for percentiles, which come from the files of intervals
 * (tw_interval) of the jobs.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/diff/diff.h"
#include "base/allocate.h"
#include "command/analysis/interval_files.h"
#include "command/analysis/analysis.h"
#include "latency/histogram.h"

/* With fewer windows for each piece, pieces would not take about the same time. */
#define WINDOWS		4

/* ---- where a run is cut -------------------------------------------------- */

/* A time since the start of a group's first job. */
struct span {
	uint64_t from_ns, to_ns;
};

static struct span span_of(const struct tw_report_group *group)
{
	return (struct span) {
		tw_report_window_ns(group, 0),
		tw_report_window_ns(group, tw_report_windows(group)),
	};
}

/* Return the piece that holds the middle of a part of the span. */
static size_t piece_at(struct span span, uint64_t from_ns, uint64_t to_ns, size_t pieces)
{
	double middle_ns = ((double)from_ns + (double)to_ns) / 2 - (double)span.from_ns;
	double piece = middle_ns / (double)(span.to_ns - span.from_ns) * (double)pieces;

	return piece < 0 ? 0 : piece < (double)pieces ? (size_t)piece : pieces - 1;
}

static int can_be_cut(const struct tw_report_group *group, size_t pieces)
{
	return tw_report_windows(group) >= WINDOWS * pieces;
}

struct tw_histogram *tw_diff_piece(const struct tw_diff_run *run, size_t group,
				   size_t piece, int direction)
{
	return &run->pieces[(group * TW_DIFF_MAX_PIECES + piece) *
			    TW_DIRECTIONS + (size_t)direction];
}

/* ---- files of intervals -------------------------------------------------- */

/* Return the path of the file of a job's intervals. */
static const char *path_of(const struct tw_report_job *job)
{
	size_t length = strlen(job->path);
	const char *path;

	if (job->intervals)
		return job->intervals;
	if (length > 5 && strcmp(job->path + length - 5, ".json") == 0)
		length -= 5;
	path = tw_format("%.*s.intervals.jsonl", (int)length, job->path);
	return access(path, R_OK) == 0 ? path :
					 tw_format("%s.intervals.jsonl", job->path);
}

static int add_lines(const struct tw_diff *diff, struct tw_diff_run *run, size_t group,
		     const struct tw_report_job *job, struct tw_intervals *intervals,
		     struct tw_report_problem *problem)
{
	const struct tw_report_group *of = run->groups[group];
	/* The start of this job, since that of the group. */
	const uint64_t after_ns = job->start_ns - of->all.jobs[0].start_ns;
	const struct tw_intervals_line *line;
	int error;

	while (!(error = tw_must(tw_intervals_next(intervals, &line, problem))) && line) {
		size_t piece = piece_at(span_of(of), after_ns + line->is.from_ns,
					after_ns + line->is.to_ns, diff->pieces);

		for (int i = 0; i < TW_DIRECTIONS && !error; i++)
			error = tw_must(tw_histogram_merge_into_empty(
					tw_diff_piece(run, group, piece, i),
					&line->tally.times[TW_LAT][i]));
		if (error) {
			tw_report_refuse(problem, "its lines don't add up");
			return error;
		}
	}
	return error;
}

/* Add the I/Os of a job to the pieces. Return: 1; 0: they can't be added. */
static int add_file(struct tw_diff *diff, struct tw_diff_run *run, size_t group,
		    const struct tw_report_job *job)
{
	struct tw_report_problem problem = { "" };
	struct tw_intervals *intervals;
	const char *path = path_of(job);
	int error, is = 0;

	if (access(path, R_OK) || !can_be_cut(run->groups[group], diff->pieces))
		return 0;
	error = tw_must(tw_intervals_open(&intervals, path, &problem));
	if (!error && !tw_report_compare_jobs(&intervals->header.jobs[0], job)) {
		error = add_lines(diff, run, group, job, intervals, &problem);
		is = !error;
	}
	tw_intervals_close(intervals);
	if (error)
		json_array_append_new(diff->left_out,
				      json_sprintf("%s: %s", path, problem.text));
	return is;
}

/* Add the files of all jobs of a run, or none. */
static void add_files(struct tw_diff *diff, struct tw_diff_run *run)
{
	int is = 1;

	run->pieces = tw_zalloc(run->count * TW_DIFF_MAX_PIECES * TW_DIRECTIONS,
				sizeof(*run->pieces));
	for (size_t i = 0; i < run->count; i++)
		for (size_t j = 0; j < run->groups[i]->all.job_count && is; j++)
			is = add_file(diff, run, i, &run->groups[i]->all.jobs[j]);
	if (!is)
		tw_diff_drop_pieces(run);
}

/* ---- figures of the pieces ----------------------------------------------- */

/* Compute the logarithms for a run. Return: 1; 0: there are none. */
static int rates_and_means(double *values, const struct tw_diff *diff, size_t run,
			   const struct tw_diff_figure *figure)
{
	const struct tw_report_group *group =
		diff->runs[run].groups[tw_diff_group(diff, run, figure)];
	struct {
		uint64_t count, sum_ns;
		double ns;			/* its duration */
	} pieces[TW_DIFF_MAX_PIECES] = { { 0 } };

	if (!can_be_cut(group, diff->pieces))
		return 0;
	for (uint32_t i = 0; i < tw_report_windows(group); i++) {
		const struct tw_histogram *lat = &tw_windows_get(
			&group->all.tally.over_time, i)->lat[figure->direction];
		uint64_t from_ns = tw_report_window_ns(group, i);
		uint64_t to_ns = tw_report_window_ns(group, i + 1);
		size_t at = piece_at(span_of(group), from_ns, to_ns, diff->pieces);

		pieces[at].count += lat->count;
		pieces[at].sum_ns += lat->sum_ns;
		pieces[at].ns += (double)(to_ns - from_ns);
	}
	for (size_t i = 0; i < diff->pieces; i++) {
		double count = (double)pieces[i].count;

		if (!pieces[i].count || !pieces[i].sum_ns || !(pieces[i].ns > 0))
			return 0;
		values[i] = log(figure->kind == TW_DIFF_IOPS ? count * 1e9 / pieces[i].ns :
				(double)pieces[i].sum_ns / count);
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

		if (!lat->bins || !tw_diff_has_beyond((double)lat->count, percent))
			return 0;
		values[i] = log(fmax(tw_diff_percentile_ns(lat, percent), 1));
	}
	return diff->runs[run].pieces != NULL;
}

void tw_diff_find_pieces(struct tw_diff *diff)
{
	diff->piece_values = tw_zalloc(diff->figure_count * diff->count * diff->pieces,
				       sizeof(*diff->piece_values));
	for (size_t i = 0; i < diff->figure_count; i++) {
		double *values = &diff->piece_values[i * diff->count * diff->pieces];
		struct tw_diff_figure *figure = &diff->figures[i];

		/* Stages are not cut. */
		figure->is_cut = figure->is_log;
		for (size_t run = 0; run < diff->count && figure->is_cut; run++)
			figure->is_cut = (figure->kind == TW_DIFF_PERCENTILE ?
					  percentiles : rates_and_means)
					 (&values[run * diff->pieces], diff, run, figure);
	}
}

void tw_diff_cut(struct tw_diff *diff)
{
	size_t fewest = diff->of[diff->of[TW_DIFF_B] < diff->of[TW_DIFF_A]];
	size_t pieces = (TW_DIFF_FEWEST_TESTED + fewest - 1) / fewest;

	if (pieces <= 1 || pieces * diff->count > TW_DIFF_MAX_RUNS)
		return;
	diff->pieces = pieces;
	for (size_t i = 0; i < diff->count; i++)
		add_files(diff, &diff->runs[i]);
	tw_diff_find_pieces(diff);
}
