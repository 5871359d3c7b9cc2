/* SPDX-License-Identifier: MIT */
/*
 * The file of a job's intervals (tw_interval), read line by line: what the job recorded
 * in each. tickwise-report(5) describes it.
 *
 * A file may have gigabytes, so there is one line in memory at a time. The last line is
 * left out if it has no end: the job was killed while it was written, or is writing it.
 * Anything else that is wrong is damage, and a problem.
 *
 *	struct tw_intervals *intervals;
 *	const struct tw_intervals_line *line;
 *	int ret = tw_intervals_open(&intervals, path, &problem);
 *
 *	while (!ret && !(ret = tw_intervals_next(intervals, &line, &problem)) && line)
 *		...
 *	tw_intervals_close(intervals);
 */
#ifndef TW_REPORT_INTERVALS_H
#define TW_REPORT_INTERVALS_H

#include "command/reports/report.h"

struct tw_intervals;

struct tw_intervals_header {
	/* run_ns is 0; strings live until the file is closed. */
	struct tw_report_job job;
	uint64_t monotonic_ns;		/* CLOCK_MONOTONIC at the job's start */
	uint64_t interval_ns;		/* as asked for */
	unsigned digits;
	const json_t *json;
};

struct tw_intervals_line {
	uint64_t number;		/* from 1 */
	uint64_t from_ns, to_ns;	/* since the job's start */
	int is_end;			/* the job ended by itself: the last */
	/* For how long I/Os ran in it that count: from the first to the last of the job.
	 * Of engines that do not write that, all of it. */
	uint64_t ran_ns;
	int has_begun;			/* it is known that there was the first */
	/* Of this line alone: counts, kernel_stages, and the histograms of which
	 * anything has changed; the others are empty. */
	const struct tw_report_tally *tally;
	uint64_t backwards, negative_within;	/* of this line alone, too */
};

/* Is it such a file, and no report? Nor is a pipe, or what can't be opened. */
int tw_intervals_are_in(const char *path);

/* The same of a text, which may be its beginning only. */
int tw_intervals_are_text(const char *begin, size_t length);

/* Read the header. 0; -EINVAL: it is none, or damaged; -ENOMEM; another -errno: it can't
 * be read; all with @problem. @intervals is NULL then. */
int tw_intervals_open(struct tw_intervals **intervals, const char *path,
		      struct tw_report_problem *problem);

const struct tw_intervals_header *tw_intervals_header(const struct tw_intervals *intervals);

/* The next line in @line, which the call after that overwrites; NULL: there is none.
 * Return: as above. */
int tw_intervals_next(struct tw_intervals *intervals,
		      const struct tw_intervals_line **line,
		      struct tw_report_problem *problem);

/* Leave out the lines that end up to @to_ns of the job: they are not parsed, which is what
 * takes the time, but for the end. */
void tw_intervals_skip_to(struct tw_intervals *intervals, uint64_t to_ns);

/* How far the lines so far reach, also those that were left out. */
uint64_t tw_intervals_reach_ns(const struct tw_intervals *intervals);

/* What the lines so far had that this version can't show: {"stages.NAME": null}. */
json_t *tw_intervals_unknown(const struct tw_intervals *intervals);

void tw_intervals_close(struct tw_intervals *intervals);

/* The enum tw_exit of such a return. */
int tw_intervals_exit(int ret);

/* Add what a line has of a histogram to one that is empty, or of as many digits: 0;
 * -ENOMEM; -EINVAL; -EOVERFLOW. */
int tw_intervals_add(struct tw_histogram *into, const struct tw_histogram *growth);

#endif
