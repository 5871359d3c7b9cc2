/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as files of percentiles.
 */
#ifndef TW_REPORT_PERCENTILES_H
#define TW_REPORT_PERCENTILES_H

#include "command/reports/report.h"

/**
 * tw_report_write_percentiles - a file for each group, direction and stage
 * @prefix: what the files' names begin with; a directory if it ends with '/'
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why.
 */
int tw_report_write_percentiles(const struct tw_report_group *groups,
				size_t count, const char *prefix,
				struct tw_report_problem *problem);

#endif
