/* SPDX-License-Identifier: MIT */
/*
 * What tickwise check prints: a page for people, and JSON.
 */
#ifndef TW_CHECK_OUTPUT_H
#define TW_CHECK_OUTPUT_H

#include <jansson.h>

#include "command/check/check_history.h"
#include "command/check/check_run.h"

/* Return the page. @options has the tolerance, which the page shows. */
struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_reliability_options *options);

/* Return by how many ticks the counters move at a time; 0: not known, since one
 * CPU alone, or few turns, give too few differences. */
static inline double tw_check_step_ticks(const struct tw_reliability *result)
{
	return result->pairs && result->switches >= 32 ? result->step_ticks : 0;
}

/* Return a tree of JSON, of schema tickwise-check. It contains the options. */
json_t *tw_check_json(const struct tw_check *check,
		      const struct tw_reliability_options *options);

/* Add what a watch knows, to the object of its last check. @changes: lines of text. */
void tw_check_json_add(json_t *root, const struct tw_check_history *history,
		       const char *changes);

/* Return a tree of schema tickwise-check-summary. */
json_t *tw_check_json_summary(const struct tw_check_history *history);

#endif
