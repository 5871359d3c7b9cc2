/* SPDX-License-Identifier: MIT */
/*
 * What a start of some clock has to say, as a line of text: from the probe in
 * fio, or from a child of `tickwise compare`, to that.
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

/* "ready STARTUP", once the first moment is taken; then "done ..." */
int tw_probe_print_ready(int fd, double startup_ns);
int tw_probe_print(int fd, const struct tw_probe_report *report);
/* 0; -1: it is not such a line. */
int tw_probe_scan(const char *line, struct tw_probe_report *report);

#endif
