/* SPDX-License-Identifier: MIT */
/*
 * Finds where `tickwise build-engine` puts the engines for a fio. There is a
 * folder for each version of this program and of fio, since an engine works
 * with one of each.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/run/run.h"
#include "tickwise.h"

#define SYSTEM_FOLDER	"/var/lib/tickwise"

/* Return "fio-3.33", as fio prints it, for the name of a folder; NULL: this is
 * no fio. */
static const char *version_of(const char *fio)
{
	char *argv[] = { (char *)fio, tw_format("--version"), NULL };
	char *printed = tw_run_output_of(argv);
	const char *version = NULL;

	if (printed && strncmp(printed, "fio-", 4) == 0) {
		size_t length = strspn(printed, "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+~_-");

		if (printed[length] == '\n')
			version = tw_format("%.*s", (int)length, printed);
	}
	free(printed);
	return version;
}

/* Return the user's own data folder; for root the system's. */
static char *own_folder(void)
{
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");

	if (data && *data == '/')
		return tw_format("%s/tickwise", data);
	if (geteuid() == 0 || !home || *home != '/')
		return tw_format("%s", SYSTEM_FOLDER);
	return tw_format("%s/.local/share/tickwise", home);
}

static char *folder_in(const char *folder, const char *version)
{
	return tw_format("%s/engines/" TW_VERSION "/%s", folder, version);
}

char *tw_run_built_folder(const char *fio)
{
	const char *version = version_of(fio);

	return version ? folder_in(own_folder(), version) : NULL;
}

char *tw_run_built_engine(const char *fio, const char *file)
{
	const char *const folders[] = { own_folder(), SYSTEM_FOLDER };
	const char *version = NULL;

	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		char *path;

		/* Ask fio only if something was built. */
		if (access(folder_in(folders[i], ""), X_OK))
			continue;
		version = version ? version : version_of(fio);
		path = version ? tw_format("%s/%s", folder_in(folders[i], version),
					   file) : NULL;
		if (path && access(path, R_OK) == 0)
			return path;
	}
	return NULL;
}
