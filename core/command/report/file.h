/* SPDX-License-Identifier: MIT */
/*
 * A file that `tickwise report` writes next to its output.
 */
#ifndef TW_REPORT_FILE_H
#define TW_REPORT_FILE_H

#include <stdio.h>

#include "command/reports/report.h"

/* A new or emptied file. NULL with a @problem if there is none to be had. */
FILE *tw_report_open_file(const char *path, struct tw_report_problem *problem);

/* Return: TW_EXIT_GOOD; TW_EXIT_IO with a @problem if not all of it could be
 * written. The file is closed either way. */
int tw_report_close_file(FILE *file, const char *path,
			 struct tw_report_problem *problem);

#endif
