/* SPDX-License-Identifier: MIT */
/*
 * The report of one start of a clock, as a line of text. The probe in fio, or a
 * child of `tickwise compare`, sends it to `tickwise compare`.
 */
#ifndef TW_PROBE_REPORT_H
#define TW_PROBE_REPORT_H

#include <stddef.h>

#include "moment.h"

/* The probe's environment. */
#define TW_PROBE_FD	"TICKWISE_PROBE_FD"	/* where it writes */
#define TW_PROBE_SLOPE	"TICKWISE_PROBE_NS_PER_TICK"
#define TW_PROBE_WINDOW	"TICKWISE_PROBE_WINDOW_NS"
#define TW_PROBE_BEGIN	"TICKWISE_PROBE_BEGIN_NS"	/* when fio was started */

#define TW_PROBE_LINE	1024

struct tw_probe_report {
	double startup_ns;
	double read_ns;
	struct tw_probe_moment moment[2];
};

/* Print "ready STARTUP" once the first moment is taken, and then "done ...". */
int tw_probe_print_ready(int fd, double startup_ns);
int tw_probe_print(int fd, const struct tw_probe_report *report);
/* Read a "done" line. Return 0; -1 if it is no such line. */
int tw_probe_scan(const char *line, struct tw_probe_report *report);

#endif
