/* SPDX-License-Identifier: MIT */
/*
 * A group over the time of its run, from files of intervals of any length. It
 * has a few cells of the same width, each with the histograms of lat of its
 * intervals. If there are too few cells, each two are joined and the width
 * doubles. So the order in which intervals are added does not matter.
 */
#ifndef TW_REPORT_CELLS_H
#define TW_REPORT_CELLS_H

#include "command/reports/intervals.h"
#include "command/reports/report.h"

#define TW_REPORT_CELLS		120

struct tw_report_cell {
	/* The time that its intervals cover, since the group's start. 0 and 0:
	 * no time. */
	uint64_t from_ns, to_ns;
	/* The longest time for which one job ran in it. Jobs that run at the
	 * same time do not begin their intervals together. */
	uint64_t run_ns;
	uint64_t own_ns;		/* the same, for the job that is being added */
	struct tw_histogram lat[TW_REPORT_DIRECTIONS];	/* no bins: empty */
	uint64_t errors[TW_REPORT_DIRECTIONS];
	uint64_t backwards;		/* number of stamps that contradict each
					 * other */
};

struct tw_report_cells {
	uint64_t origin_ns;		/* where the first cell begins */
	uint64_t width_ns;
	size_t count;			/* up to the last cell that is not empty */
	struct tw_report_cell cells[TW_REPORT_CELLS];
};

/* Begin with cells of the length of an interval. Return: NULL without
 * memory. */
struct tw_report_cells *tw_report_cells_new(uint64_t origin_ns, uint64_t width_ns);
void tw_report_cells_free(struct tw_report_cells *cells);

/* Intervals that are added from here on belong to another job. */
void tw_report_cells_next_job(struct tw_report_cells *cells);

/* Add an interval. @from_ns and @to_ns are since the group's start. @ran_ns is
 * the time in it for which the job ran, @backwards the number of new
 * contradictions. Return: 0; -ENOMEM; -EINVAL: other digits; -EOVERFLOW. */
int tw_report_cells_add(struct tw_report_cells *cells, uint64_t from_ns, uint64_t to_ns,
			uint64_t ran_ns, const struct tw_report_tally *tally, uint64_t backwards);

/* Add a cell to one that is zeroed, or that cells were added to. Return: as
 * tw_report_cells_add(). */
int tw_report_cell_add(struct tw_report_cell *into, const struct tw_report_cell *from);
void tw_report_cell_free(struct tw_report_cell *cell);

/* Return the cells as the intervals of a report, with percentiles. Return: 0;
 * -ENOMEM. */
int tw_report_cells_over_time(const struct tw_report_cells *cells,
			      struct tw_report_over_time *over_time);

#endif
