/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The helper's log: see helper_log.h.
 */
#include "helper_log.h"

#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

bool tw_helper_may_print(struct tw_helper_lines *lines, uint64_t now_s,
			 unsigned *left_out)
{
	*left_out = 0;
	if (now_s - lines->begin_s >= TW_HELPER_LOG_S) {
		*left_out = lines->left_out;
		*lines = (struct tw_helper_lines) { .begin_s = now_s };
	}
	if (lines->printed >= TW_HELPER_LOG_LINES) {
		lines->left_out++;
		return false;
	}
	lines->printed++;
	return true;
}

void tw_helper_log(const char *format, ...)
{
	static struct tw_helper_lines lines;
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
	struct timespec now;
	unsigned left_out;
	va_list args;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!tw_helper_may_print(&lines, (uint64_t)now.tv_sec, &left_out) ||
	    poll(&out, 1, 0) != 1 || !(out.revents & POLLOUT))
		return;
	if (left_out)
		dprintf(STDOUT_FILENO, "%u more lines left out\n", left_out);
	va_start(args, format);
	vdprintf(STDOUT_FILENO, format, args);
	va_end(args);
}
