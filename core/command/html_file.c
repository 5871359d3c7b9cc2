/* SPDX-License-Identifier: MIT */
/*
 * The option --html, which subcommands share.
 */
#include <stdio.h>
#include <sys/stat.h>

#include "command/command.h"
#include "base/allocate.h"
#include "base/write_file.h"
#include "command/output/page.h"

/* Return 1 if stdout goes to the file @path, by --output or by the shell. */
static int is_stdout(const char *path)
{
	struct stat output, html;

	if (tw_output_is_at(tw_command_output(), path))
		return 1;
	return fstat(fileno(stdout), &output) == 0 && stat(path, &html) == 0 &&
	       S_ISREG(html.st_mode) && html.st_dev == output.st_dev &&
	       html.st_ino == output.st_ino;
}

int tw_command_check_html(const char *name, const char *path)
{
	return is_stdout(path) ?
		tw_command_fail(name, TW_EXIT_USAGE, "can't write %s: the output goes "
				"to this file, too", path) : TW_GO_ON;
}

int tw_command_check_files(const char *name, const char *const *paths, size_t count)
{
	int code = TW_GO_ON;

	for (size_t i = 0; i < count && code == TW_GO_ON; i++) {
		if (!paths[i])
			continue;
		code = tw_command_check_html(name, paths[i]);
		for (size_t j = 0; j < i && code == TW_GO_ON; j++)
			if (paths[j] && tw_output_are_one(paths[i], paths[j]))
				code = tw_command_fail(name, TW_EXIT_USAGE, "can't write "
						       "%s: two options name this file",
						       paths[i]);
	}
	return code;
}

static int write_page(FILE *file, const void *page)
{
	tw_output_html(page, file);
	return 0;
}

int tw_command_html_file(const char *name, const struct tw_page *page,
			 const char *path)
{
	int error, code = tw_command_check_html(name, path);

	if (code != TW_GO_ON)
		return code;
	error = tw_must(tw_output_file(path, write_page, page));
	if (!error)
		return TW_EXIT_GOOD;
	return tw_command_fail(name, TW_EXIT_IO, "can't write %s: %s", path,
			       tw_file_error(-error));
}
