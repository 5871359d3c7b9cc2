/* SPDX-License-Identifier: MIT */
/*
 * What happened to the job's thread in a slow I/O. The JSON of a report has it, and was
 * checked when the report was read.
 */
#ifndef TW_REPORT_CAUSES_H
#define TW_REPORT_CAUSES_H

#include "command/answers/report.h"

/* The pieces of a slow I/O's longest stage: what the job's thread did. */
enum tw_report_piece {
	TW_REPORT_RAN,
	TW_REPORT_WAITED,		/* for a CPU, ready to run */
	TW_REPORT_INTERRUPTS,
	TW_REPORT_WOKEN_LATE,
	TW_REPORT_ASLEEP,
	TW_REPORT_UNEXPLAINED,
	TW_REPORT_PIECES,
};

struct tw_report_cause {
	const char *stage;		/* the longest stage */
	uint64_t stage_ns;
	int followed;			/* 0: the next five are not known */
	int lost;			/* records that there was no room for */
	uint64_t ns[TW_REPORT_PIECES];	/* their sum is at most stage_ns */
	uint64_t since_interrupt_ns;	/* part of TW_REPORT_WOKEN_LATE */
	uint64_t stolen_ns;		/* an upper bound */
	const json_t *had_cpu;		/* or NULL */
	uint64_t stall_from_ns;		/* CLOCK_MONOTONIC */
	uint64_t stall_ns;
};

/* Read the causes of a slow I/O. Return: 0 if they are not in the report. */
int tw_report_cause_of(struct tw_report_cause *cause, const json_t *slow);

/* The first tells whether the longest stage is this enum tw_stage. The second
 * describes the causes in words. The third describes an element of had_cpu: a
 * task that had the CPU. */
int tw_report_cause_is_in(const struct tw_report_cause *cause, int stage);
int tw_report_say_cause(char *text, size_t size, const json_t *slow);
void tw_report_had_cpu(char *text, size_t size, const json_t *had);

#endif
