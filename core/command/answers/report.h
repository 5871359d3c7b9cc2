/* SPDX-License-Identifier: MIT */
/*
 * The reports that belong together, for `tickwise report`, `diff` and `run`. load.c
 * reads files (core/report/ checks them), and merge.c groups and merges what they hold.
 * The other files derive answers from a group. tickwise-report(5) describes a report.
 */
#ifndef TW_REPORTS_H
#define TW_REPORTS_H

#include "command/answers/clock_errors.h"
#include "report/report.h"
#include "report/want.h"

/* Times that tables and plots of stages show: the stages, lat, slip, response. */
#define TW_REPORT_ROWS	TW_CALL

#define TW_REPORT_STALL_JOBS	16	/* number of jobs that are named */

/* Some of the slowest I/Os that were held up at the same time and in the same
 * stage. */
struct tw_report_stall {
	const struct tw_report_slow *slowest;
	char stage[48];
	uint64_t from_ns;		/* of the slowest I/O; CLOCK_MONOTONIC */
	uint64_t ns;
	size_t ios;
	uint64_t offset_from;		/* of all these I/Os, in bytes */
	uint64_t offset_to;
	size_t jobs[TW_REPORT_STALL_JOBS];	/* their places in the report */
	size_t job_count;
	int more_jobs;
};

/* A part of a group's run, since the start of its first job. */
struct tw_report_span {
	int is_wanted;			/* 0: the whole run */
	uint64_t from_ns, to_ns;
};

/* Jobs that belong together. It does not need the reports that it was made of. */
struct tw_report_group {
	struct tw_report all;		/* the jobs, merged; in the order of their start */
	struct tw_report_clock worst[TW_REPORT_CLOCKS];	/* of all.clocks */
	uint64_t run_ns;		/* of the longest job */
	size_t fallbacks;		/* number of jobs whose times are of the system's
					 * clock */
	size_t event_times;		/* number of jobs with tw_event_time */
	size_t without_report;		/* number of jobs that have only intervals */
	size_t without_end;		/* number of jobs that were killed or still run */
	struct tw_report_stall *stalls;	/* the stall of the slowest I/O first */
	size_t stall_count;
	struct tw_report_span span;	/* the part that is shown */
	struct tw_report_span asked;	/* the part that was asked for */
	int is_empty;			/* 1: none of its lines are in the part
					 * asked for */
	uint64_t end_ns;		/* end of the last line, as in a span */
};

/* Return the job of one of the group's slowest I/Os. */
static inline const struct tw_report_job *tw_report_job_of(const struct tw_report_group *group,
							   const struct tw_report_slow *slow)
{
	return &group->all.jobs[slow->job];
}

/* Room for any sentence about a direction. */
#define TW_REPORT_SENTENCE	512

#endif
