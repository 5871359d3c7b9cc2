/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of slow waits and I/Os, as they end: `tickwise attach --slow`. No more are printed than a
 * person reads; the report has all.
 */
#ifndef TW_PLUGIN_ATTACH_ATTACH_LINES_H
#define TW_PLUGIN_ATTACH_ATTACH_LINES_H

#include <stdint.h>
#include <stdio.h>

#define TW_ATTACH_LINES_BURST		20	/* that are printed at once */
#define TW_ATTACH_LINES_A_SECOND	5	/* after them */

#define TW_ATTACH_NOT_KNOWN		UINT64_MAX

struct tw_attach_line {
	uint64_t began_ns, ended_ns;	/* CLOCK_MONOTONIC */
	const char *program;		/* foreign text, also the next two */
	const char *file;
	const char *who;		/* whom the reason names; "" */
	const char *call, *reason;
	uint32_t process, thread;	/* 0: not known */
	uint64_t offset, bytes;		/* or TW_ATTACH_NOT_KNOWN */
};

/* Zeroed, and with @out, it has printed nothing. */
struct tw_attach_lines {
	FILE *out;
	uint64_t realtime_ns;		/* what CLOCK_REALTIME is ahead of CLOCK_MONOTONIC */
	uint64_t paid_to_ns;		/* until then the lines so far use up the rate */
	uint64_t put, left_out;		/* since the last line */
};

/* Print a line, or count it as left out. Lines come in the order of their ends. */
void tw_attach_lines_put(struct tw_attach_lines *lines, const struct tw_attach_line *line);

/* Say how many were left out since the last line. */
void tw_attach_lines_end(struct tw_attach_lines *lines);

#endif
