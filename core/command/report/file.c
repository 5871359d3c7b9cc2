/* SPDX-License-Identifier: MIT */
/*
 * Opens a file that `tickwise report` writes in addition to its output, and
 * checks when it is closed that all data were written.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "command/output/file.h"
#include "command/report/file.h"
#include "command/reports/want.h"

FILE *tw_report_open_file(const char *path, struct tw_report_problem *problem)
{
	FILE *file = fopen(path, "we");

	if (!file)
		tw_report_refuse(problem, "can't write %s: %s", path, strerror(errno));
	return file;
}

int tw_report_close_file(FILE *file, const char *path,
			 struct tw_report_problem *problem)
{
	int error = tw_output_close(file);

	if (!error)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "can't write %s: %s", path, strerror(-error));
	return TW_EXIT_IO;
}
