/* SPDX-License-Identifier: MIT */
/*
 * What happened to the job's thread in a slow I/O.
 */
#ifndef TW_REPORT_CAUSES_H
#define TW_REPORT_CAUSES_H

#include "command/reports/report.h"

/* The pieces of a slow I/O's longest stage, by what the job's thread did. */
enum tw_report_piece {
	TW_REPORT_RAN,
	TW_REPORT_WAITED,		/* ready to run */
	TW_REPORT_INTERRUPTS,
	TW_REPORT_WOKEN_LATE,
	TW_REPORT_ASLEEP,
	TW_REPORT_UNEXPLAINED,
	TW_REPORT_PIECES,
};

struct tw_report_cause {
	const char *stage;		/* the longest */
	uint64_t stage_ns;
	int followed;			/* else the next five are not known */
	int lost;			/* records, for lack of room */
	uint64_t ns[TW_REPORT_PIECES];	/* together no more than stage_ns */
	uint64_t since_interrupt_ns;	/* of the woken late */
	uint64_t stolen_ns;		/* at most */
	const json_t *had_cpu;		/* or NULL */
	uint64_t stall_from_ns;		/* of CLOCK_MONOTONIC */
	uint64_t stall_ns;
};

/* The causes of a slow I/O: 0 if they are not in the report. The second is
 * for the reader: -ENOMEM or 0. Then the same in words; and who had a CPU, of an
 * element of had_cpu. */
int tw_report_cause_of(struct tw_report_cause *cause, const json_t *slow);
int tw_report_check_cause(struct tw_report *report, const json_t *slow,
			  struct tw_report_problem *problem);
void tw_report_read_followed(struct tw_report *report,
			     struct tw_report_problem *problem);
/* Of its longest stage, an enum tw_stage. */
int tw_report_cause_is_in(const struct tw_report_cause *cause, int stage);
int tw_report_say_cause(char *text, size_t size, const json_t *slow);
void tw_report_had_cpu(char *text, size_t size, const json_t *had);

#endif
