/* SPDX-License-Identifier: MIT */
/*
 * A file that `tickwise report` writes beside its output: opened, and closed
 * with a look at whether all of it has arrived.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "command/command.h"
#include "command/output/html.h"
#include "command/report/file.h"
#include "command/report/want.h"

FILE *tw_report_open_file(const char *path, struct tw_report_problem *problem)
{
	FILE *file = fopen(path, "we");

	if (!file)
		tw_report_refuse(problem, "%s: %s", path, strerror(errno));
	return file;
}

int tw_report_close_file(FILE *file, const char *path,
			 struct tw_report_problem *problem)
{
	int error = 0;

	errno = 0;
	if (fflush(file) || ferror(file))
		error = errno ? errno : EIO;
	if (fclose(file) && !error)
		error = errno;
	if (!error)
		return TW_EXIT_GOOD;
	tw_report_refuse(problem, "can't write the output: %s: %s", path,
			 strerror(error));
	return TW_EXIT_IO;
}

int tw_report_write_html(const struct tw_page *page, const char *path,
			 struct tw_report_problem *problem)
{
	FILE *file = tw_report_open_file(path, problem);
	int code;

	if (!file)
		return TW_EXIT_IO;
	if (!tw_output_html(page, file))
		return tw_report_close_file(file, path, problem);
	tw_report_refuse(problem, "%s", strerror(ENOMEM));
	code = tw_report_close_file(file, path, problem);
	return code == TW_EXIT_GOOD ? TW_EXIT_SOFTWARE : code;
}
