/* SPDX-License-Identifier: MIT */
/*
 * The stages of one of the slowest I/Os.
 */
#ifndef TW_REPORT_SLOW_STAGES_H
#define TW_REPORT_SLOW_STAGES_H

#include "command/reports/report.h"

/* A stage of one of the slowest I/Os. */
struct tw_report_slow_stage {
	char name[48];			/* or several: "device+complete" */
	uint64_t ns;
};

/* The stages of one of the slowest, in the order of time, of which @stages is the
 * JSON. Returns how many. */
int tw_report_slow_stages(const json_t *stages,
			  struct tw_report_slow_stage list[TW_REPORT_STAGES]);

#endif
