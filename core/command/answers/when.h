/* SPDX-License-Identifier: MIT */
/*
 * When something happened in a job's run.
 */
#ifndef TW_REPORT_WHEN_H
#define TW_REPORT_WHEN_H

#include "command/output/page.h"
#include "command/answers/report.h"

/* Find how long after the start of the job's run a moment of CLOCK_MONOTONIC
 * is. Return: 0: not known. */
int tw_report_since_start(double *s, const struct tw_report_job *job,
			  uint64_t monotonic_ns);
/* Add it in words: "0.123456 s of the run"; or the moment itself. */
void tw_report_add_when(struct tw_page *page, const struct tw_report_job *job,
			uint64_t monotonic_ns);

#endif
