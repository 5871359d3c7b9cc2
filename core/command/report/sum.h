/* SPDX-License-Identifier: MIT */
/*
 * The mean latency as the sum of its stages, in words.
 */
#ifndef TW_REPORT_SUM_H
#define TW_REPORT_SUM_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Nothing of lat is missing: recorded by all jobs, and known to this version; but for 1 %
 * where some stages of an I/O may be in another interval. */
int tw_report_has_all_stages(const struct tw_report_tally *tally, int direction);

/* Of a direction: the mean of lat and the stages it is the sum of; and the time inside
 * the submitting call. Nothing where there is none. */
void tw_report_add_sum(struct tw_page *page, const struct tw_report_group *group,
		       int direction);
void tw_report_add_call(struct tw_page *page, const struct tw_report_tally *tally,
			int direction);

#endif
