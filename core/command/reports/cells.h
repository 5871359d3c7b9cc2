/* SPDX-License-Identifier: MIT */
/*
 * A group over the time of its run, of files of intervals of any length: a few cells of
 * the same width, each with the histograms of lat of its intervals. Where the cells are
 * too few, two become one, and the width doubles; so the order of what is added does not
 * matter.
 */
#ifndef TW_REPORT_CELLS_H
#define TW_REPORT_CELLS_H

#include "command/reports/intervals.h"
#include "command/reports/report.h"

#define TW_REPORT_CELLS		120

struct tw_report_cell {
	/* Since the group's start: what its intervals cover. 0 and 0: nothing. */
	uint64_t from_ns, to_ns;
	/* For how long jobs ran in it: the longest of them, as several that run at the
	 * same time do not begin an interval at the same time. */
	uint64_t run_ns;
	uint64_t own_ns;		/* the job that is being added */
	struct tw_histogram lat[TW_REPORT_DIRECTIONS];	/* without bins: empty */
	uint64_t errors[TW_REPORT_DIRECTIONS];
	uint64_t backwards;		/* stamps that contradict each other */
};

struct tw_report_cells {
	uint64_t origin_ns;		/* where the first begins */
	uint64_t width_ns;
	size_t count;			/* up to the last that has anything */
	struct tw_report_cell cells[TW_REPORT_CELLS];
};

/* Begin with cells of the length of an interval. NULL without memory. */
struct tw_report_cells *tw_report_cells_new(uint64_t origin_ns, uint64_t width_ns);
void tw_report_cells_free(struct tw_report_cells *cells);

/* What is added from here on is of another job. */
void tw_report_cells_next_job(struct tw_report_cells *cells);

/* An interval, from and to since the group's start, in which the job ran for @ran_ns, with
 * the number of new contradictions.
 * 0; -ENOMEM; -EINVAL: other digits; -EOVERFLOW. */
int tw_report_cells_add(struct tw_report_cells *cells, uint64_t from_ns, uint64_t to_ns,
			uint64_t ran_ns, const struct tw_report_tally *tally, uint64_t backwards);

/* Add a cell to one that is zeroed, or has been added to. The same. */
int tw_report_cell_add(struct tw_report_cell *into, const struct tw_report_cell *from);
void tw_report_cell_free(struct tw_report_cell *cell);

/* As the intervals of a report, with percentiles. 0; -ENOMEM. */
int tw_report_cells_over_time(const struct tw_report_cells *cells,
			      struct tw_report_over_time *over_time);

#endif
