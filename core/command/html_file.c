/* SPDX-License-Identifier: MIT */
/*
 * The option --html, which subcommands share.
 */
#include <errno.h>
#include <string.h>

#include "command/command.h"
#include "command/output/file.h"

int tw_command_html_file(const char *name, const struct tw_page *page,
			 const char *path)
{
	int error = tw_output_html_file(page, path);

	if (!error)
		return TW_EXIT_GOOD;
	return tw_command_fail(name, error == -ENOMEM ? TW_EXIT_SOFTWARE : TW_EXIT_IO,
			       "can't write %s: %s", path, strerror(-error));
}
