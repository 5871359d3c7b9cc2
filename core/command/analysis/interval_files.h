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
#ifndef TW_INTERVAL_FILES_H
#define TW_INTERVAL_FILES_H

#include <stdio.h>

#include "command/analysis/analysis.h"

struct tw_intervals_line {
	struct tw_report_line is;
	/* For how long I/Os that count ran in it: from the job's first to its last. */
	uint64_t ran_ns;
	struct tw_tally tally;
};

struct tw_intervals {
	/* A report of one job without numbers. It may be taken, if a zeroed one is left. */
	struct tw_report header;
	/* Lines that end up to here, of the job, are left out. They are not parsed, which
	 * would take most of the time; only the end of the job is noticed. */
	uint64_t skip_to_ns;
	struct tw_intervals_line line;	/* the current one, or the last that was left out */
	/* For the reader: */
	FILE *file;
	char *text;			/* of the current line */
	size_t size;
	uint64_t lines;			/* number of lines of text, with the header */
	unsigned digits;		/* of the header */
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

/* Read the next line. The call after it overwrites @line; NULL: there is none.
 * Return: as tw_intervals_open(). */
int tw_intervals_next(struct tw_intervals *intervals,
		      const struct tw_intervals_line **line,
		      struct tw_report_problem *problem);

void tw_intervals_close(struct tw_intervals *intervals);

/* Return the enum tw_exit for such a return value. */
int tw_intervals_exit(int ret);

/* ---- sums of lines (interval_sums.c) ---------------------------------------- */

/* Is it the header of a file of intervals? */
static inline int tw_report_is_header(const struct tw_report *report)
{
	return report->interval_ns != 0;
}

/**
 * tw_report_of_lines - make a report of the lines of a report's jobs
 * @of: its numbers are those of lines, the rest is that of @report, which outlives it; released
 *	with tw_report_free_lines(), also after a failure
 * @report: a header, or a report whose jobs have files of intervals
 * @group: of the report; the lines that are partly in the span that it asks for are used as a
 *	whole; gets the part of the run that they cover, the end of the run, and the number of
 *	jobs without one
 *
 * Return: an enum tw_exit, with @problem set.
 */
int tw_report_of_lines(struct tw_report *of, const struct tw_report *report,
		       struct tw_report_group *group, struct tw_report_problem *problem);

/* Make a report of windows over time in place of lines. It has what windows have: I/Os, errors,
 * and lat. */
int tw_report_of_windows(struct tw_report *of, const struct tw_report *report,
			 struct tw_report_group *group, struct tw_report_problem *problem);
void tw_report_free_lines(struct tw_report *of);

#endif
