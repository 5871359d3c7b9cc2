/* SPDX-License-Identifier: MIT */
/*
 * Files that `tickwise report` writes in addition to its output.
 */
#ifndef TW_REPORT_FILE_H
#define TW_REPORT_FILE_H

#include <stdio.h>

#include "command/reports/report.h"

/* Open a new or emptied file. Return: NULL with a @problem if this fails. */
FILE *tw_report_open_file(const char *path, struct tw_report_problem *problem);

/* Close the file. Return: TW_EXIT_GOOD; TW_EXIT_IO with a @problem if not all
 * data could be written. */
int tw_report_close_file(FILE *file, const char *path,
			 struct tw_report_problem *problem);

#endif
