/* SPDX-License-Identifier: MIT */
/*
 * Files that are built and installed together with this program, be that `tickwise` or
 * one of lib/tickwise/.
 */
#ifndef TW_OWN_FILES_H
#define TW_OWN_FILES_H

/**
 * tw_own_file - find a file that belongs to this program
 * @file: its name, without a folder
 * @mode: as for access(): R_OK, X_OK
 *
 * Searches next to the program as it is built, where `make install` puts such files, and
 * in ../lib/tickwise and ../../bin, for a tree that was moved as a whole.
 *
 * Return: its path without symbolic links, to be freed; NULL with errno.
 */
char *tw_own_file(const char *file, int mode);

/* The message of subcommand @name that there is no such file, and @what to do, a clause
 * or "". Returns TW_EXIT_NO_INPUT. */
int tw_own_file_missing(const char *name, const char *file, const char *what);

#endif
