/* SPDX-License-Identifier: MIT */
/*
 * Many reports at once.
 */
#ifndef TW_REPORT_LOAD_H
#define TW_REPORT_LOAD_H

#include "command/reports/report.h"

/**
 * tw_report_read_all - tw_report_read() of many files, on all CPUs
 *
 * Of a file of intervals the header: its lines are read when reports are merged.
 *
 * @reports: as many as @paths; all to be released, also after a failure
 * @problem: on failure what is wrong, the path before it: of the first of the
 *           files with a fault
 *
 * Return: an enum tw_exit.
 */
int tw_report_read_all(struct tw_report *reports, char *const *paths,
		       size_t count, struct tw_report_problem *problem);

#endif
