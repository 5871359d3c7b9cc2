/* SPDX-License-Identifier: MIT */
/*
 * What tickwise check prints: a page for people (page.c, and parts of it in machine.c
 * and advice.c) and JSON (json.c).
 */
#ifndef TW_CHECK_OUTPUT_H
#define TW_CHECK_OUTPUT_H

#include <jansson.h>

#include "command/check/check.h"
#include "command/check/history.h"

struct tw_page;

/* @arguments says what was asked for: its tolerance is shown. */
struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_check_arguments *arguments);

/* By how many ticks the counters move at a time; 0: not known, since a CPU alone,
 * or few turns, give too few differences. */
static inline double tw_check_step_ticks(const struct tw_reliability *result)
{
	return result->pairs && result->switches >= 32 ? result->step_ticks : 0;
}

/* The counters of two CPUs are at most this far apart, in whole ns; INFINITY: not
 * known, since a bound is missing. */
double tw_check_reach_ns(const struct tw_reliability *result);

/* Of the page: what kernel and processor say, and which CPUs were judged (machine.c). */
void tw_check_add_machine(struct tw_page *page, const struct tw_check *check);

/* Of an undecided check: what would help, by its reasons (advice.c). */
void tw_check_add_advice(struct tw_page *page, const struct tw_check *check,
			 const struct tw_check_arguments *arguments);

/* Trees of JSON; NULL: no memory. One object, schema tickwise-check; the options are
 * in it. */
json_t *tw_check_json(const struct tw_check *check,
		      const struct tw_check_arguments *arguments);

/* The same with what a watch adds. @changes: lines. */
json_t *tw_check_json_line(const struct tw_check *check,
			   const struct tw_check_arguments *arguments,
			   const struct tw_check_history *history,
			   const char *changes);

/* Schema tickwise-check-summary. */
json_t *tw_check_json_summary(const struct tw_check_history *history);

#endif
