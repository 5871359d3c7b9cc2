/* SPDX-License-Identifier: MIT */
/*
 * Prints in a line on stderr how far a long measurement is, and how long it
 * will take. On a terminal the line is overwritten, elsewhere each is a new
 * line.
 */
#ifndef TW_OUTPUT_PROGRESS_H
#define TW_OUTPUT_PROGRESS_H

#include <stdint.h>

#include "command/output/page.h"

struct tw_progress {
	const char *command;
	int is_wanted;
	int is_terminal;
	int is_shown;			/* 1: there is a line to be erased */
	uint64_t begin_ns, shown_ns;	/* CLOCK_MONOTONIC */
};

/* Print no progress from now on, not even if it is forced. */
void tw_progress_forbid(void);

/* Begin to measure progress of @command. It is printed if stderr is a terminal,
 * or if it is @forced. */
struct tw_progress tw_progress_begin(const char *command, int forced);
/* Show progress. @done is a part of the whole, 0 to 1. It may be called often:
 * a line appears only if the whole takes over two seconds, and not more often
 * than can be read. */
void tw_progress_show(struct tw_progress *progress, double done, const char *format, ...)
	TW_PRINTF(3, 4);
/* Erase the line on a terminal. */
void tw_progress_end(struct tw_progress *progress);

#endif
