/* SPDX-License-Identifier: MIT */
/*
 * Writes files, and detects data that were not written: see file.h.
 */
#include "command/output/file.h"

#include <errno.h>

#include "command/output/html.h"

int tw_output_close(FILE *file)
{
	int error = 0;

	errno = 0;
	if (fflush(file) || ferror(file))
		error = errno ? -errno : -EIO;
	if (fclose(file) && !error)
		error = -errno;
	return error;
}

int tw_output_html_file(const struct tw_page *page, const char *path)
{
	FILE *file = fopen(path, "we");
	int error, lost;

	if (!file)
		return -errno;
	error = tw_output_html(page, file);
	lost = tw_output_close(file);
	return error ? error : lost;
}
