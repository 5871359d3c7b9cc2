/* SPDX-License-Identifier: MIT */
/*
 * Reads the files of reports.
 */
#ifndef TW_REPORT_LOAD_H
#define TW_REPORT_LOAD_H

#include "report/report.h"

/**
 * tw_report_load - read files, on all CPUs
 * @paths: kept in the jobs of the reports
 * @reports: the result, in the order of the files; to be released with
 *	tw_reports_free()
 * @problem: set on failure to the path and what is wrong, of the first file with a
 *	fault
 *
 * A file may hold several reports, one after another. Of a file of intervals only the
 * header is read. Its lines are read when reports are merged.
 *
 * Return: an enum tw_exit.
 */
int tw_report_load(struct tw_report **reports, size_t *count, char *const *paths,
		   size_t path_count, struct tw_report_problem *problem);
void tw_reports_free(struct tw_report *reports, size_t count);

#endif
