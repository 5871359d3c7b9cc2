/* SPDX-License-Identifier: MIT */
/*
 * Makes a report of a job's file of intervals: for a job without a report, or for a part
 * of the run. Lines are added one by one. So a job of six hours takes no more memory
 * than a short one.
 */
#ifndef TW_REPORT_MERGE_LINES_H
#define TW_REPORT_MERGE_LINES_H

#include "command/answers/report.h"

/* A report whose numbers are those of lines; the rest is another report's. */
struct tw_report_of_lines {
	struct tw_report report;
	int has_lines;			/* 0: no line is in the wanted part */
	/* Of all its jobs, since the group's start: */
	struct tw_report_span shown;	/* the part that its lines cover */
	uint64_t end_ns;		/* the end of the last line */
	size_t without_end;		/* number of jobs that were killed or still run */
};

/* Is it the header of a file of intervals? */
int tw_report_is_header(const struct tw_report *report);

/**
 * tw_report_add_lines - read the lines of a report's jobs
 * @of: the result; released with tw_report_free_lines(), also after a failure
 * @report: a header, or a report whose jobs have files of intervals; outlives @of
 * @first: the job from whose start on times are counted
 * @wanted: the lines that are partly in it are used as a whole
 *
 * Return: an enum tw_exit, with @problem set.
 */
int tw_report_add_lines(struct tw_report_of_lines *of, const struct tw_report *report,
			const struct tw_report_job *first,
			const struct tw_report_span *wanted,
			struct tw_report_problem *problem);
void tw_report_free_lines(struct tw_report_of_lines *of);

#endif
