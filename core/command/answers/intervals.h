/* SPDX-License-Identifier: MIT */
/*
 * Reads the file of a job's intervals (tw_interval) line by line. A line has the tally
 * of one interval. tickwise-report(5) describes the file.
 *
 * A file can have gigabytes, so only one line is in memory. The last line is
 * left out if it has no newline: the job was killed while it wrote the line, or
 * is writing it. Any other fault is damage, and a problem.
 *
 *	struct tw_intervals *intervals;
 *	const struct tw_intervals_line *line;
 *	int ret = tw_intervals_open(&intervals, path, &problem);
 *
 *	while (!ret && !(ret = tw_intervals_next(intervals, &line, &problem)) && line)
 *		... line->is.from_ns, line->tally.times[TW_LAT][TW_READ] ...
 *	tw_intervals_close(intervals);
 */
#ifndef TW_REPORT_INTERVALS_H
#define TW_REPORT_INTERVALS_H

#include "report/report.h"

struct tw_intervals;

struct tw_intervals_line {
	struct tw_report_line is;
	/* For how long I/Os that count ran in it: from the job's first to its last. */
	uint64_t ran_ns;
	struct tw_tally tally;
};

/* Is this such a file? Reports, pipes and files that can't be opened are
 * not. */
int tw_intervals_are_in(const char *path);

/* The same for a text, which may be only its beginning. */
int tw_intervals_are_text(const char *begin, size_t length);

/* Open a file and read its header. Return: 0; -EINVAL: no header, or a damaged
 * one; another -errno: it can't be read. After a failure @problem is
 * set and @intervals is NULL. */
int tw_intervals_open(struct tw_intervals **intervals, const char *path,
		      struct tw_report_problem *problem);

/* Return the header: a report of one job without numbers. The caller may take it, and
 * leave a zeroed one. */
struct tw_report *tw_intervals_header(struct tw_intervals *intervals);

/* Read the next line. The call after it overwrites @line; NULL: there is none.
 * Return: as tw_intervals_open(). */
int tw_intervals_next(struct tw_intervals *intervals,
		      const struct tw_intervals_line **line,
		      struct tw_report_problem *problem);

/* Leave out the lines that end up to @to_ns of the job. They are not parsed,
 * which would take most of the time; only the end of the job is noticed. */
void tw_intervals_skip_to(struct tw_intervals *intervals, uint64_t to_ns);

/* Return how far the lines so far reach, with those that were left out. */
uint64_t tw_intervals_reach_ns(const struct tw_intervals *intervals);

/* Return what the lines so far had that this version can't show:
 * {"stages.NAME": null}. */
json_t *tw_intervals_unknown(const struct tw_intervals *intervals);

void tw_intervals_close(struct tw_intervals *intervals);

/* Return the enum tw_exit for such a return value. */
int tw_intervals_exit(int ret);

#endif
