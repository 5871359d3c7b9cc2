/* SPDX-License-Identifier: MIT */
/*
 * Files of a test in a folder of its own.
 */
#ifndef TW_TESTS_PUT_FILE_H
#define TW_TESTS_PUT_FILE_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Make the folders above a file. */
static inline void put_folders(char *path)
{
	for (char *at = path + 1; (at = strchr(at, '/')); at++) {
		*at = '\0';
		mkdir(path, 0700);
		*at = '/';
	}
}

/* Write a file, with the folders above it. */
static inline void put_file(const char *folder, const char *name, const char *text)
{
	char path[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	put_folders(path);
	file = fopen(path, "w");
	if (!file || fputs(text, file) < 0 || fclose(file))
		exit(1);
}

#endif
