/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The helper's log on standard output. A user who is let in can connect again and again, so
 * the log has a limit.
 */
#ifndef TW_PLUGIN_KERNEL_HELPER_LOG_H
#define TW_PLUGIN_KERNEL_HELPER_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* At most this many lines are printed in this time. */
#define TW_HELPER_LOG_LINES	20
#define TW_HELPER_LOG_S		60

struct tw_helper_lines {
	uint64_t begin_s;	/* of the current time */
	unsigned printed, left_out;
};

/* Return true if a line may be printed at @now_s. @left_out: how many lines before it were
 * not. */
bool tw_helper_may_print(struct tw_helper_lines *lines, uint64_t now_s,
			 unsigned *left_out);

/* Print a line. It is dropped if there were too many, or if it would have to wait, as for a
 * full pipe or a stopped terminal. */
void tw_helper_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
