/* SPDX-License-Identifier: MIT */
/*
 * The option --html, which subcommands share.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command/command.h"
#include "command/output/file.h"

int tw_command_check_html(const char *name, const char *path)
{
	struct stat output, html;

	if (fstat(fileno(stdout), &output) || stat(path, &html) ||
	    !S_ISREG(html.st_mode) || html.st_dev != output.st_dev ||
	    html.st_ino != output.st_ino)
		return TW_GO_ON;
	return tw_command_fail(name, TW_EXIT_USAGE, "can't write %s: the output goes "
			       "to this file, too", path);
}

int tw_command_html_file(const char *name, const struct tw_page *page,
			 const char *path)
{
	int error, code = tw_command_check_html(name, path);

	if (code != TW_GO_ON)
		return code;
	error = tw_output_html_file(page, path);
	if (!error)
		return TW_EXIT_GOOD;
	return tw_command_fail(name, error == -ENOMEM ? TW_EXIT_SOFTWARE : TW_EXIT_IO,
			       "can't write %s: %s", path, strerror(-error));
}
