/* SPDX-License-Identifier: MIT */
/*
 * Finds files that are built and installed together with this program: see
 * own_files.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/own_files.h"

/* Write the folder of this program; "." if it is not known. */
static void own_folder(char *path, size_t size)
{
	ssize_t length = readlink("/proc/self/exe", path, size - 1);

	if (length <= 0)
		path[0] = '.';
	path[length > 0 ? length : 1] = '\0';
	if (strrchr(path, '/'))
		*strrchr(path, '/') = '\0';
}

char *tw_own_file(const char *file, int mode)
{
	char own[PATH_MAX], path[2 * PATH_MAX];
	const char *const places[][2] = {
		{ own, "" }, { TW_ENGINE_DIR, "" }, { own, "/../lib/tickwise" },
		{ own, "/../../bin" },
	};
	size_t i;

	own_folder(own, sizeof(own));
	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", places[i][0],
			 places[i][1], file);
		if (access(path, mode) == 0)
			return realpath(path, NULL);
	}
	errno = ENOENT;
	return NULL;
}

int tw_own_file_missing(const char *name, const char *file, const char *what)
{
	return tw_command_fail(name, TW_EXIT_NO_INPUT, "no %s next to this program and "
			       "none in " TW_ENGINE_DIR "%s%s%s", file,
			       *what ? " (" : "", what, *what ? ")" : "");
}
