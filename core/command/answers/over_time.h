/* SPDX-License-Identifier: MIT */
/*
 * A group over the time of its run: the windows of its tally, at times since the start
 * of its first job.
 */
#ifndef TW_REPORT_OVER_TIME_H
#define TW_REPORT_OVER_TIME_H

#include "command/answers/report.h"

/* Some windows of a group, one after another. */
struct tw_report_part {
	/* Since the group's start. The first and the last window are cut to the run, or
	 * to the part of it that is shown. */
	uint64_t from_ns, to_ns;
	struct tw_window window;	/* their sum; released by tw_report_part_free() */
};

/* Return the number of windows; 0: the run over time was not recorded. */
uint32_t tw_report_windows(const struct tw_report_group *group);

/* Return when window @i begins, since the group's start; for the number of windows,
 * when the last one ends. */
uint64_t tw_report_window_ns(const struct tw_report_group *group, uint32_t i);

/* Sum up the windows from @first up to @end. */
void tw_report_part_of(struct tw_report_part *part, const struct tw_report_group *group,
		       uint32_t first, uint32_t end);
void tw_report_part_free(struct tw_report_part *part);

/* Has any window I/Os of this direction? */
int tw_report_has_windows(const struct tw_report_group *group, int direction);

#endif
