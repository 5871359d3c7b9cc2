/* SPDX-License-Identifier: MIT */
/*
 * How many I/Os had which lat at which time, of the cells of a group (cells.h): what a
 * heat map shows.
 */
#ifndef TW_REPORT_HEAT_H
#define TW_REPORT_HEAT_H

#include "command/reports/cells.h"

#define TW_REPORT_HEAT_ROWS	60

struct tw_report_heat {
	size_t columns, rows;
	/* Edges, one more than columns: since the group's start. Columns have the same
	 * width, but for the last, which ends where the run does. */
	uint64_t time_ns[TW_REPORT_CELLS + 1];
	/* Edges, one more than rows: each as many times the one before. */
	double lat_ns[TW_REPORT_HEAT_ROWS + 1];
	uint64_t counts[TW_REPORT_CELLS][TW_REPORT_HEAT_ROWS];
	uint64_t most;			/* the largest of them */
};

/* Of a direction. False: it has no I/Os, or @cells is NULL. */
int tw_report_heat(struct tw_report_heat *heat, const struct tw_report_cells *cells,
		   int direction);

#endif
