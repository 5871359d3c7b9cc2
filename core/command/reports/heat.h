/* SPDX-License-Identifier: MIT */
/*
 * Counts the I/Os of a group's cells (cells.h) by lat and time, for a heat map.
 */
#ifndef TW_REPORT_HEAT_H
#define TW_REPORT_HEAT_H

#include "command/reports/cells.h"

#define TW_REPORT_HEAT_ROWS	60

struct tw_report_heat {
	size_t columns, rows;
	/* Edges, one more than columns, since the group's start. Columns have
	 * the same width, except for the last, which ends with the run. */
	uint64_t time_ns[TW_REPORT_CELLS + 1];
	/* Edges, one more than rows. Each is the same multiple of the one
	 * before. */
	double lat_ns[TW_REPORT_HEAT_ROWS + 1];
	uint64_t counts[TW_REPORT_CELLS][TW_REPORT_HEAT_ROWS];
	uint64_t most;			/* largest count */
};

/* Count the I/Os of a direction. Return: 0: it has none, or @cells is NULL. */
int tw_report_heat(struct tw_report_heat *heat, const struct tw_report_cells *cells,
		   int direction);

#endif
