/* SPDX-License-Identifier: MIT */
/*
 * How far a long measurement is, and how long it will take, in one line on stderr: on a
 * terminal it is written over, elsewhere each has its own line.
 */
#ifndef TW_OUTPUT_PROGRESS_H
#define TW_OUTPUT_PROGRESS_H

#include <stdint.h>

#include "command/output/page.h"

struct tw_progress {
	const char *command;
	int is_wanted;
	int is_terminal;
	int is_shown;			/* there is a line to be removed */
	uint64_t begin_ns, shown_ns;	/* CLOCK_MONOTONIC */
};

/* From now on no progress is wanted, not even a forced one. */
void tw_progress_forbid(void);

/* What @command does begins. Wanted if stderr is a terminal, or if it is @forced. */
struct tw_progress tw_progress_begin(const char *command, int forced);
/* @done: what part of the whole, 0 to 1. May be called often: it shows only what takes
 * over two seconds, and not faster than can be read. */
void tw_progress_show(struct tw_progress *progress, double done, const char *format, ...)
	TW_PRINTF(3, 4);
/* Remove the line from a terminal. */
void tw_progress_end(struct tw_progress *progress);

#endif
