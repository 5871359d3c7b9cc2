/* SPDX-License-Identifier: MIT */
/*
 * What tw_trigger kept of a job, as numbers.
 */
#ifndef TW_REPORT_TRIGGER_H
#define TW_REPORT_TRIGGER_H

#include "command/answers/report.h"

/* The kernel's trace of a slow I/O: tw_trigger. */
struct tw_report_trigger {
	const struct tw_report_job *job;
	int is_on;
	const char *why;		/* why it is off; NULL: it is on */
	uint64_t above_ns;
	uint64_t slower;		/* number of the job's slower I/Os */
	uint64_t stopped_for;		/* thread number of the job that stopped
					 * the ring; or 0 */
	const json_t *io;		/* the first slower I/O; or NULL */
	uint64_t begin_ns;		/* CLOCK_MONOTONIC */
	uint64_t lat_ns;
	const json_t *events;		/* or NULL */
	uint64_t event_count;		/* with events that are not in the file */
	uint64_t whole_from_ns;		/* from here on all events are there; 0:
					 * all are */
};

/* Read an element of a report's triggers. */
void tw_report_trigger_at(struct tw_report_trigger *trigger,
			  const struct tw_report_group *group, size_t i);

#endif
