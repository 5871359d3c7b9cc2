/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The live table: the I/Os since the last table, with a row for each ring, file and
 * operation, the busiest first.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_TABLE_H
#define TW_PLUGIN_KERNEL_ATTACH_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "attach/attach_files.h"
#include "attach/attach_tally.h"

struct tw_attach_table {
	FILE *out;
	bool redraw;		/* a terminal: write over the last table */
	int lines;		/* of the last table */
};

void tw_attach_table_begin(struct tw_attach_table *table, FILE *out);

/* Print the table. @at_ns: since the start; @over_ns: since the last table; @lost: records
 * lost so far. */
void tw_attach_table_put(struct tw_attach_table *table,
			 const struct tw_attach_tally *tally,
			 const struct tw_attach_files *files, uint64_t at_ns,
			 uint64_t over_ns, uint64_t lost);

/* Remove a table that is redrawn. Call this before anything else is printed. */
void tw_attach_table_end(struct tw_attach_table *table);

#endif
