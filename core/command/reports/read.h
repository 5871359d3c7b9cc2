/* SPDX-License-Identifier: MIT */
/*
 * Reads, checks and releases one report.
 */
#ifndef TW_REPORT_READ_H
#define TW_REPORT_READ_H

#include "command/reports/report.h"

/* Name a part of the file that this version can't show. Return: 0; -ENOMEM. */
int tw_report_leave_out(struct tw_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * tw_report_read - read and validate one file
 * @report: released with tw_report_free(), also after a failure
 * @path: kept in the report
 *
 * Return: an enum tw_exit. If it is not TW_EXIT_GOOD, @problem has the reason.
 */
int tw_report_read(struct tw_report *report, const char *path,
		   struct tw_report_problem *problem);

/*
 * Functions for parts that a line of intervals has, too (intervals.h). The
 * report's root is the JSON with these parts. Faults are put into @problem.
 * Return: 0; -ENOMEM.
 */
typedef int tw_report_histogram(struct tw_histogram *histogram, const json_t *json,
				const char **problem);

void tw_report_check_schema(const json_t *root, struct tw_report_problem *problem);

/* Read all but run_ns. */
void tw_report_read_job(struct tw_report_job *job, const json_t *root,
			struct tw_report_problem *problem);
void tw_report_read_counts(struct tw_report_tally *tally, const json_t *root,
			   struct tw_report_problem *problem);
int tw_report_read_times(struct tw_report *report, tw_report_histogram *read,
			 struct tw_report_problem *problem);

void tw_report_free(struct tw_report *report);
void tw_report_tally_free(struct tw_report_tally *tally);

#endif
