/* SPDX-License-Identifier: MIT */
/*
 * One report: read, checked, and released.
 */
#ifndef TW_REPORT_READ_H
#define TW_REPORT_READ_H

#include "command/reports/report.h"

/* Name what the file has and this version can't show: 0; -ENOMEM. */
int tw_report_leave_out(struct tw_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * tw_report_read - read and validate one file
 * @report: released with tw_report_free(), also after a failure
 * @path: kept in the report
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why.
 */
int tw_report_read(struct tw_report *report, const char *path,
		   struct tw_report_problem *problem);

/*
 * The parts that a line of intervals has, too (intervals.h). What is wrong goes to
 * @problem; an int is 0 or -ENOMEM. The report's root is the JSON that they are in.
 */
typedef int tw_report_histogram(struct tw_histogram *histogram, const json_t *json,
				const char **problem);

void tw_report_check_schema(const json_t *root, struct tw_report_problem *problem);

/* All but run_ns. */
void tw_report_read_job(struct tw_report_job *job, const json_t *root,
			struct tw_report_problem *problem);
void tw_report_read_counts(struct tw_report_tally *tally, const json_t *root,
			   struct tw_report_problem *problem);
int tw_report_read_times(struct tw_report *report, tw_report_histogram *read,
			 struct tw_report_problem *problem);

void tw_report_free(struct tw_report *report);
void tw_report_tally_free(struct tw_report_tally *tally);

#endif
