/* SPDX-License-Identifier: MIT */
/*
 * Writes merged reports as files of percentiles.
 */
#ifndef TW_REPORT_PERCENTILES_H
#define TW_REPORT_PERCENTILES_H

#include "command/answers/report.h"

/**
 * tw_report_write_percentiles - write a file for each group, direction and
 * stage
 * @prefix: the beginning of the files' names; a directory if it ends with '/'
 *
 * Return: an enum tw_exit. If it is not TW_EXIT_GOOD, @problem has the reason.
 */
int tw_report_write_percentiles(const struct tw_report_group *groups,
				size_t count, const char *prefix,
				struct tw_report_problem *problem);

#endif
