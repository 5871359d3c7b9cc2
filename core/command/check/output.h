/* SPDX-License-Identifier: MIT */
/*
 * What tickwise check prints: a page for people (page.c; parts of it in
 * machine.c and advice.c) and JSON (json.c).
 */
#ifndef TW_CHECK_OUTPUT_H
#define TW_CHECK_OUTPUT_H

#include <jansson.h>

#include "command/check/check.h"
#include "command/check/history.h"

struct tw_page;

/* Return the page. @arguments has the tolerance, which the page shows. */
struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_check_arguments *arguments);

/* Return by how many ticks the counters move at a time; 0: not known, since one
 * CPU alone, or few turns, give too few differences. */
static inline double tw_check_step_ticks(const struct tw_reliability *result)
{
	return result->pairs && result->switches >= 32 ? result->step_ticks : 0;
}

/* Return how far the counters of two CPUs can be apart, in whole ns; INFINITY:
 * not known, since a bound is missing. */
double tw_check_reach_ns(const struct tw_reliability *result);

/* Add to the page what kernel and processor report, and which CPUs were judged
 * (machine.c). */
void tw_check_add_machine(struct tw_page *page, const struct tw_check *check);

/* Add what helps an undecided check, by its reasons (advice.c). */
void tw_check_add_advice(struct tw_page *page, const struct tw_check *check,
			 const struct tw_check_arguments *arguments);

/* The next three return trees of JSON. This one is of schema tickwise-check and
 * contains the options. */
json_t *tw_check_json(const struct tw_check *check,
		      const struct tw_check_arguments *arguments);

/* The same object with what a watch adds. @changes: lines of text. */
json_t *tw_check_json_line(const struct tw_check *check,
			   const struct tw_check_arguments *arguments,
			   const struct tw_check_history *history,
			   const char *changes);

/* Of schema tickwise-check-summary. */
json_t *tw_check_json_summary(const struct tw_check_history *history);

#endif
