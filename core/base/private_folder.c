/* SPDX-License-Identifier: MIT */
/*
 * Folders in which no other user can change names; see private_folder.h.
 */
#include "base/private_folder.h"

#include <dirent.h>
#include <errno.h>
#include <libgen.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/open_file.h"

/* True if another user can replace files in the folder @of, or replace the link @of: its owner,
 * or a user who may write to it. */
static int others_can_change(const struct stat *of, int is_for_others)
{
	return tw_is_anothers(of) ||
	       (!S_ISLNK(of->st_mode) && (of->st_mode & (S_IWGRP | S_IWOTH)) &&
		(is_for_others || !(of->st_mode & S_ISVTX)));
}

const char *tw_unsafe_folder(char *way, int is_for_others)
{
	const char *at = way;
	struct stat of;

	for (;; at = dirname((char *)(uintptr_t)at)) {
		if (lstat(at, &of))
			return at;
		if (others_can_change(&of, is_for_others)) {
			errno = EPERM;
			return at;
		}
		if (!strcmp(at, "/") || !strcmp(at, "."))
			return NULL;
		is_for_others = 0;
	}
}

char *tw_private_folder(const char *name, char at[PATH_MAX])
{
	const char *parent = getenv("TMPDIR"), *unsafe;
	char *path = NULL, way[PATH_MAX];

	parent = parent && *parent ? parent : "/tmp";
	/* Without links: each folder of this path is checked. */
	if (!realpath(parent, way)) {
		snprintf(at, PATH_MAX, "%s", parent);
		return NULL;
	}
	strcpy(at, way);
	unsafe = tw_unsafe_folder(way, 0);
	if (unsafe)
		strcpy(at, unsafe);
	else if (asprintf(&path, "%s/%s.XXXXXX", at, name) < 0)
		path = NULL;
	else if (mkdtemp(path))
		return path;
	free(path);
	return NULL;
}

void tw_private_folder_remove(char *path)
{
	DIR *files = opendir(path);
	const struct dirent *entry;

	while (files && (entry = readdir(files)))
		unlinkat(dirfd(files), entry->d_name, 0);
	if (files)
		closedir(files);
	rmdir(path);
	free(path);
}
