/* SPDX-License-Identifier: MIT */
/*
 * Counts the I/Os of a group by lat and time, for a heat map.
 */
#ifndef TW_REPORT_HEAT_H
#define TW_REPORT_HEAT_H

#include "command/answers/report.h"

#define TW_REPORT_HEAT_ROWS	60

struct tw_report_heat {
	size_t columns, rows;
	/* Edges, one more than columns, since the group's start. A column is a
	 * window. */
	uint64_t time_ns[TW_WINDOWS_MOST + 1];
	/* Edges, one more than rows. Each is the same multiple of the one
	 * before. */
	double lat_ns[TW_REPORT_HEAT_ROWS + 1];
	uint64_t counts[TW_WINDOWS_MOST][TW_REPORT_HEAT_ROWS];
	uint64_t most;			/* largest count */
};

/* Count the I/Os of a direction. Return: 0: there are none in windows. */
int tw_report_heat(struct tw_report_heat *heat, const struct tw_report_group *group,
		   int direction);

#endif
