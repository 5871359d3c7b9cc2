/* SPDX-License-Identifier: MIT */
/*
 * The stages of one of the slowest I/Os.
 */
#ifndef TW_REPORT_SLOW_STAGES_H
#define TW_REPORT_SLOW_STAGES_H

#include <jansson.h>

#include "report/rows.h"

/* A stage of one of the slowest I/Os. */
struct tw_report_slow_stage {
	char name[48];			/* one or several: "device+complete" */
	uint64_t ns;
};

/* List the stages in the order of time. @stages is the JSON of one of the
 * slowest I/Os. Return: their number. */
int tw_report_slow_stages(const json_t *stages,
			  struct tw_report_slow_stage list[TW_STAGES]);

#endif
