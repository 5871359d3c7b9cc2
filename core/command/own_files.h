/* SPDX-License-Identifier: MIT */
/*
 * Finds files that are built and installed together with this program: `tickwise`, or a
 * program of lib/tickwise/. Has the options of those that are separate programs, which
 * use them; `tickwise` completes them and prints their manuals.
 */
#ifndef TW_OWN_FILES_H
#define TW_OWN_FILES_H

#include <stdint.h>

#include "command/options.h"

/**
 * tw_own_file - find a file that belongs to this program
 * @file: its name, without a folder
 * @mode: as for access(): R_OK; X_OK: a program, no folder
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

/* Return the program of --fio, which may be NULL or "": that of FIO, or "fio". */
const char *tw_fio_program(const char *given);

/* ---- separate programs ---- */

struct tw_attach_values {
	const char *json, *html, *output;	/* files; NULL: none, "-": stdout */
	uint64_t interval_ns;			/* 0: print no tables */
	uint64_t duration_ns;			/* 0: until the end of the programs */
	uint64_t slow_ns;			/* 0: print no lines */
	const char *name;			/* of processes; NULL: not given */
	const char *cgroup;			/* a path; NULL: not given */
	int causes;
	int every;				/* 0: auto; else 1 in 2^(every - 1) I/Os */
};

/* The default of the socket where the helper listens and the engine
 * connects. */
#define TW_KERNEL_HELPER_SOCKET	"/run/tickwise/kernel.sock"

struct tw_kernel_helper_values {
	const char *user, *group;		/* name or number; NULL: not given */
	const char *socket;
	int only_checks;
};

#endif
