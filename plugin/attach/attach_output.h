/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What is shown of a tally. The live table: the I/Os since the last table, with a row for
 * each ring, file and operation, the busiest first. The result of a run: a report for
 * `tickwise report`, see tickwise-report(5).
 */
#ifndef TW_PLUGIN_ATTACH_OUTPUT_H
#define TW_PLUGIN_ATTACH_OUTPUT_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "attach/attach_tally.h"
#include "attach/attach_target.h"

struct tw_attach_table {
	FILE *out;
	bool redraw;		/* a terminal: write over the last table */
	int lines;		/* of the last table */
};

void tw_attach_table_begin(struct tw_attach_table *table, FILE *out);

/* Print the table. @at_ns: since the start; @over_ns: since the last table; @lost: records
 * lost so far. */
void tw_attach_table_put(struct tw_attach_table *table,
			 const struct tw_attach_tally *tally, uint64_t at_ns,
			 uint64_t over_ns, uint64_t lost);

/* Remove a table that is redrawn. Call this before anything else is printed. */
void tw_attach_table_end(struct tw_attach_table *table);

struct tw_attach_result {
	struct tw_attach_tally *tally;	/* complete */
	const struct tw_attach_target *target;
	const char *no_causes;		/* the reason; NULL: known, or not wanted */
	struct tw_attach_lost lost;
	uint64_t in_flight;		/* I/Os at the end */
	int64_t missed_runs;		/* tw_attach_missed() at the end */
	uint64_t run_ns;
};

/* Return the report. The tally can only be freed afterwards. */
json_t *tw_attach_to_json(struct tw_attach_result *result);

#endif
