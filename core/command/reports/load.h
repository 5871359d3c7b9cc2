/* SPDX-License-Identifier: MIT */
/*
 * Reads several reports.
 */
#ifndef TW_REPORT_LOAD_H
#define TW_REPORT_LOAD_H

#include "command/reports/report.h"

/**
 * tw_report_read_all - call tw_report_read() for many files, on all CPUs
 *
 * Of a file of intervals only the header is read. Its lines are read when
 * reports are merged.
 *
 * @reports: room for as many as @paths; all to be released, also after a
 *	failure
 * @problem: set on failure to the path and what is wrong, of the first file
 *	with a fault
 *
 * Return: an enum tw_exit.
 */
int tw_report_read_all(struct tw_report *reports, char *const *paths,
		       size_t count, struct tw_report_problem *problem);

#endif
