/* SPDX-License-Identifier: MIT */
/*
 * Describes in words the mean latency as the sum of its stages.
 */
#ifndef TW_REPORT_SUM_H
#define TW_REPORT_SUM_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Is all of lat known by stages? All jobs must have recorded them, and this
 * version must know them. */
int tw_report_has_all_stages(const struct tw_tally *tally, int direction);

/* Add the mean of lat with its stages, and the time inside the submitting call,
 * for a direction. They add nothing if there is no such time. */
void tw_report_add_sum(struct tw_page *page, const struct tw_report_group *group,
		       int direction);
void tw_report_add_call(struct tw_page *page, const struct tw_tally *tally,
			int direction);

#endif
