/* SPDX-License-Identifier: MIT */
/*
 * Makes a report of files of intervals: see interval_files.h.
 */
#include "command/analysis/interval_files.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "base/allocate.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"

/* ---- a report without numbers --------------------------------------------- */

/* The slowest I/Os, triggers, waits and sums by owner are of the whole run, and not of lines. The
 * other JSON is shared. */
static void copy_facts(struct tw_report *copy, const struct tw_report *report)
{
	*copy = *report;
	copy->tally = (struct tw_tally) { 0 };
	copy->slowest = NULL;
	copy->slow_count = 0;
	copy->triggers = copy->others = copy->commits = NULL;
	copy->waits = NULL;
	copy->interval_ns = 0;
	/* The times of the jobs will be those of lines. */
	copy->jobs = tw_zalloc(report->job_count, sizeof(*copy->jobs));
	for (size_t i = 0; i < report->job_count; i++) {
		copy->jobs[i] = report->jobs[i];
		copy->jobs[i].json = json_copy(report->jobs[i].json);
	}
	/* A line tells which device had its I/Os only if one had all. */
	copy->devices = tw_zalloc(report->device_count, sizeof(*copy->devices));
	for (size_t i = 0; i < report->device_count; i++) {
		const struct tw_report_device *from = &report->devices[i];

		copy->devices[i] = (struct tw_report_device) {
			.json = from->json, .host = from->host, .number = from->number,
			.name = from->name, .has_all = from->has_all,
			.jobs = from->has_all ? from->jobs : 0,
		};
	}
}

void tw_report_free_lines(struct tw_report *of)
{
	tw_tally_free(&of->tally);
	for (size_t i = 0; i < of->job_count; i++)
		json_decref(of->jobs[i].json);
	free(of->jobs);
	free(of->devices);
}

/* ---- times ---------------------------------------------------------------- */

/* Return the time from @start_ns on; 0: it is before that. */
static uint64_t since(uint64_t start_ns, uint64_t ns)
{
	return ns > start_ns ? ns - start_ns : 0;
}

/* Return the time from the group's start to the job's start, by a clock that both
 * have. */
static uint64_t begins_ns(const struct tw_report_job *first,
			  const struct tw_report_job *job)
{
	if (first->start_monotonic_ns && job->start_monotonic_ns &&
	    strcmp(first->host, job->host) == 0)
		return since(first->start_monotonic_ns, job->start_monotonic_ns);
	return since(first->start_ns, job->start_ns);
}

/* Let the part of the run that is shown have these times. */
static void show(struct tw_report_group *group, uint64_t from_ns, uint64_t to_ns)
{
	if (group->is_empty || from_ns < group->span.from_ns)
		group->span.from_ns = from_ns;
	if (to_ns > group->span.to_ns)
		group->span.to_ns = to_ns;
	group->is_empty = 0;
}

static void put_run(const struct tw_report_job *job)
{
	json_object_set_new(job->json, "first_ns", tw_json_of_u64(job->first_ns));
	json_object_set_new(job->json, "run_ns", tw_json_of_u64(job->run_ns));
}

/* ---- lines ---------------------------------------------------------------- */

/* A job while its lines are added. Its run is that of the lines added. */
struct adding {
	struct tw_report_group *group;
	struct tw_tally *into;		/* of all jobs of the report */
	struct tw_report_job *job;
	uint64_t begins_ns;		/* since the group's start */
	struct tw_tally tally;		/* of the lines since the last restart */
};

/* Return: 0; -errno. */
static int add_line(struct adding *adding, const struct tw_intervals_line *line)
{
	const struct tw_report_span *asked = &adding->group->asked;
	struct tw_report_job *job = adding->job;
	uint64_t from_ns, to_ns;

	if (__builtin_add_overflow(line->is.from_ns, adding->begins_ns, &from_ns) ||
	    __builtin_add_overflow(line->is.to_ns, adding->begins_ns, &to_ns))
		return -EOVERFLOW;
	/* A line without length is at its begin. */
	if (from_ns >= asked->to_ns || (to_ns <= asked->from_ns && from_ns != asked->from_ns))
		return 0;
	show(adding->group, from_ns, to_ns);
	if (line->is.restarts) {
		tw_tally_free(&adding->tally);
		job->first_ns = job->run_ns = 0;
	}
	if (line->ran_ns && !job->run_ns)
		job->first_ns = line->is.first_ns > line->is.from_ns ?
				line->is.first_ns : line->is.from_ns;
	job->run_ns += line->ran_ns;
	return tw_must(tw_tally_merge(&adding->tally, &line->tally));
}

/* Add the lines of a file. Return: 0; -errno with @problem. */
static int add_all(struct adding *adding, struct tw_intervals *intervals,
		   struct tw_report_problem *problem)
{
	struct tw_report_group *group = adding->group;
	const uint64_t until_ns = since(adding->begins_ns, group->asked.to_ns);
	const struct tw_intervals_line *line;
	uint64_t reach_ns, end_ns;
	int is_end = 0, ret;

	intervals->skip_to_ns = since(adding->begins_ns, group->asked.from_ns);
	while (!(ret = tw_intervals_next(intervals, &line, problem)) && line) {
		/* The lines after it are later. */
		if (line->is.from_ns >= until_ns)
			break;
		ret = add_line(adding, line);
		if (ret) {
			tw_report_refuse(problem, "interval %llu can't be added to the "
					 "others: %s", (unsigned long long)line->is.number,
					 strerror(-ret));
			return ret;
		}
		is_end = line->is.is_end;
	}
	if (ret)
		return ret;
	/* Without the end of the job, lines of the wanted part can be missing.
	 * This is not so if the part ends before the last line. */
	reach_ns = intervals->line.is.to_ns;
	group->without_end += !is_end && until_ns > reach_ns;
	if (__builtin_add_overflow(reach_ns, adding->begins_ns, &end_ns))
		end_ns = UINT64_MAX;
	if (end_ns > group->end_ns)
		group->end_ns = end_ns;
	if (tw_tally_is_empty(&adding->tally))
		return 0;
	ret = tw_must(tw_tally_merge(adding->into, &adding->tally));
	if (ret)
		tw_report_refuse(problem, "its intervals can't be added to the others: %s",
				 strerror(-ret));
	return ret;
}

/* ---- windows over time ---------------------------------------------------- */

/* Add what the windows have: I/Os and errors that ended in them, and lat to a bin. Return: 0;
 * -errno. */
static int add_windows(struct tw_tally *tally, const struct tw_windows *windows)
{
	static const unsigned metrics[] = { TW_METRIC_ios, TW_METRIC_errors,
					    TW_METRIC_TIMES + TW_LAT, TW_METRIC_OVER_TIME };
	int ret = tw_windows_merge(&tally->over_time, windows);

	for (size_t i = 0; i < TW_LENGTH(metrics); i++)
		tw_metric_put(&tally->has, metrics[i]);
	for (uint32_t i = 0; i < windows->count; i++)
		for (int j = 0; j < TW_DIRECTIONS && !ret; j++) {
			const struct tw_window *window = tw_windows_get(windows, i);

			tally->counts[j].ios += window->lat[j].count;
			tally->counts[j].errors += window->errors[j];
			ret = tw_histogram_merge_into_empty(&tally->times[TW_LAT][j],
							    &window->lat[j]);
		}
	return ret;
}

/* Let the run of a job be the part of it between two times of CLOCK_REALTIME. */
static void cut_run(struct tw_report_job *job, uint64_t from_ns, uint64_t to_ns)
{
	const uint64_t begin_ns = job->start_ns + job->first_ns;
	const uint64_t end_ns = begin_ns + job->run_ns;

	from_ns = from_ns > begin_ns ? from_ns : begin_ns;
	to_ns = to_ns < end_ns ? to_ns : end_ns;
	job->first_ns = from_ns - job->start_ns;
	job->run_ns = since(from_ns, to_ns);
	put_run(job);
}

int tw_report_of_windows(struct tw_report *of, const struct tw_report *report,
			 struct tw_report_group *group, struct tw_report_problem *problem)
{
	struct tw_windows part = report->tally.over_time;
	const uint64_t start_ns = group->members[0]->jobs[0].start_ns;
	uint64_t begin_ns, end_ns;
	uint32_t from, to;

	copy_facts(of, report);
	if (!tw_has(&report->tally, TW_METRIC_OVER_TIME) || !part.count) {
		tw_report_refuse(problem, "%s: it has no windows over time, so no part of the run "
				 "can be shown", report->jobs[0].path);
		return TW_EXIT_USAGE;
	}
	for (from = 0; from < part.count; from++)
		if (since(start_ns, tw_windows_from_ns(&part, from + 1)) > group->asked.from_ns)
			break;
	for (to = from; to < part.count; to++)
		if (since(start_ns, tw_windows_from_ns(&part, to)) >= group->asked.to_ns)
			break;
	end_ns = since(start_ns, tw_windows_from_ns(&part, part.count));
	if (end_ns > group->end_ns)
		group->end_ns = end_ns;
	part.first += from;
	part.order += from;
	part.count = to - from;
	begin_ns = tw_windows_from_ns(&part, 0);
	end_ns = tw_windows_from_ns(&part, part.count);
	/* Also of a report that did nothing in the part. */
	for (size_t i = 0; i < report->job_count; i++)
		cut_run(&of->jobs[i], begin_ns, end_ns);
	if (from == to)
		return TW_EXIT_GOOD;
	show(group, since(start_ns, begin_ns), since(start_ns, end_ns));
	if (!tw_must(add_windows(&of->tally, &part)))
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "%s: its windows over time can't be added up",
			 report->jobs[0].path);
	return TW_EXIT_DATA;
}

/* ---- jobs ----------------------------------------------------------------- */

/* Add the lines of a job. Return: as tw_intervals_open(). */
static int add_job(struct adding *adding, const char *path,
		   struct tw_report_problem *problem)
{
	struct tw_report_problem in_file = { "" };
	struct tw_report_job *job = adding->job;
	struct tw_intervals *intervals;
	int ret;

	job->first_ns = job->run_ns = 0;
	ret = tw_intervals_open(&intervals, path, &in_file);
	if (!ret)
		ret = add_all(adding, intervals, &in_file);
	tw_intervals_close(intervals);
	tw_tally_free(&adding->tally);
	if (ret)
		tw_report_refuse(problem, "%s: %s", path, in_file.text);
	put_run(job);
	return ret == -EOVERFLOW ? -EINVAL : ret;
}

int tw_report_of_lines(struct tw_report *of, const struct tw_report *report,
		       struct tw_report_group *group, struct tw_report_problem *problem)
{
	copy_facts(of, report);
	for (size_t i = 0; i < report->job_count; i++) {
		struct tw_report_job *job = &of->jobs[i];
		struct adding adding = {
			.group = group, .into = &of->tally, .job = job,
			.begins_ns = begins_ns(&group->members[0]->jobs[0], job),
		};
		const char *path = tw_report_is_header(report) ? job->path : job->intervals;
		int ret = add_job(&adding, path, problem);

		if (ret)
			return tw_intervals_exit(ret);
	}
	return TW_EXIT_GOOD;
}
