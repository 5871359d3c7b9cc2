/* SPDX-License-Identifier: MIT */
/*
 * Finds files that are built and installed together with this program: see
 * own_files.h.
 */
#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "command/command.h"
#include "command/own_files.h"

void tw_own_folder(char path[PATH_MAX])
{
	const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	path[length > 0 ? length : 0] = '\0';
	/* Where /proc is not mounted: the path by which the program was started. */
	if (length <= 0 && started && !realpath(started, path))
		path[0] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

char *tw_own_file(const char *file, int mode)
{
	char own[PATH_MAX], path[2 * PATH_MAX];
	const char *const places[][2] = {
		{ own, "" }, { TW_ENGINE_DIR, "" }, { own, "/../lib/tickwise" },
		{ own, "/../../bin" }, { TW_ENGINE_DIR, "/.." }, { own, "/../lib" },
	};
	size_t i;

	tw_own_folder(own);
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
