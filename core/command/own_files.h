/* SPDX-License-Identifier: MIT */
/*
 * Finds files that are built and installed together with this program:
 * `tickwise`, or a program of lib/tickwise/.
 */
#ifndef TW_OWN_FILES_H
#define TW_OWN_FILES_H

#include <limits.h>

/* Write the folder of this program; "" if it is not known. */
void tw_own_folder(char path[PATH_MAX]);

/**
 * tw_own_file - find a file that belongs to this program
 * @file: its name, without a folder
 * @mode: as for access(): R_OK, X_OK
 *
 * Searches next to the program, where the build puts such files, then where
 * `make install` puts them. Then searches ../lib/tickwise and ../../bin, for an
 * installation that was moved as a whole; at last the folders of libraries.
 *
 * Return: the path without symbolic links, to be freed; NULL with errno.
 */
char *tw_own_file(const char *file, int mode);

/* Print the message of subcommand @name that there is no such file. @what tells
 * what to do: a clause, or "". Return: TW_EXIT_NO_INPUT. */
int tw_own_file_missing(const char *name, const char *file, const char *what);

#endif
