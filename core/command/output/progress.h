/* SPDX-License-Identifier: MIT */
/*
 * Tells what a terminal can do. Prints in a line on stderr how far a long measurement
 * is, and how long it will take. The line is overwritten by the next one.
 */
#ifndef TW_OUTPUT_PROGRESS_H
#define TW_OUTPUT_PROGRESS_H

#include <stdint.h>

#include "command/output/page.h"

/* Return the number of columns; 0: this is no terminal, or its width is not
 * known. */
int tw_terminal_columns(FILE *file);

/* Can the output have colours? NO_COLOR and a TERM of "dumb" forbid them. */
int tw_terminal_has_colours(FILE *file);

/* Codes of ECMA-48. */
#define TW_RED		"\033[31m"
#define TW_GREEN	"\033[32m"
#define TW_YELLOW	"\033[33m"
#define TW_NO_COLOUR	"\033[0m"

struct tw_progress {
	const char *command;
	int is_wanted;
	int is_shown;			/* 1: there is a line to be erased */
	uint64_t begin_ns, shown_ns;	/* CLOCK_MONOTONIC */
};

/* Print no progress from now on. */
void tw_progress_forbid(void);

/* Begin to measure progress of @command. It is printed if stderr is a terminal. */
struct tw_progress tw_progress_begin(const char *command);
/* Show progress. @done is a part of the whole, 0 to 1. It may be called often:
 * a line appears only if the whole takes over two seconds, and not more often
 * than can be read. */
void tw_progress_show(struct tw_progress *progress, double done, const char *format, ...)
	TW_PRINTF(3, 4);
/* Erase the line on a terminal. */
void tw_progress_end(struct tw_progress *progress);

#endif
