/* SPDX-License-Identifier: MIT */
/*
 * How far a long measurement is, in one line on stderr: on a terminal it is written
 * over, elsewhere each has its own line.
 */
#ifndef TW_OUTPUT_PROGRESS_H
#define TW_OUTPUT_PROGRESS_H

#include "command/output/page.h"

struct tw_progress {
	int is_wanted;
	int is_terminal;
	int is_shown;		/* there is a line to be removed */
};

/* From now on no progress is wanted, not even a forced one. */
void tw_progress_forbid(void);

/* Wanted if stderr is a terminal, or if it is @forced. */
struct tw_progress tw_progress_begin(int forced);
void tw_progress_show(struct tw_progress *progress, const char *format, ...)
	TW_PRINTF(2, 3);
/* Remove the line from a terminal. */
void tw_progress_end(struct tw_progress *progress);

#endif
