/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: intervals of a run of any length are in at most TW_REPORT_CELLS cells
 * of one width, each interval in one of them, in any order. A heat map of the cells
 * has each I/O once, at its time and its lat. Defect: an interval is lost or
 * counted twice when the cells become wider, the order changes the result, an I/O
 * is in the row of another lat.
 */
#include <stdlib.h>
#include <string.h>

#include "command/reports/cells.h"
#include "command/reports/heat.h"
#include "tap.h"

#define SECOND		1000000000ULL
#define INTERVALS	1000

/* Interval @i: I/Os of 1000 + i ns, and one in ten of 1 ms. */
static int add_interval(struct tw_report_cells *cells, unsigned i, unsigned digits)
{
	static struct tw_report_tally tally;
	struct tw_histogram *lat = &tally.times[TW_REPORT_LAT][0];
	int error;

	if (tw_histogram_init(lat, digits))
		return -1;
	for (unsigned j = 0; j < 10; j++)
		tw_histogram_add(lat, j ? 1000 + i : 1000000);
	tally.counts[TW_REPORT_ERRORS][0] = i == 700;
	error = tw_report_cells_add(cells, i * SECOND, (i + 1) * SECOND, SECOND, &tally,
				    i == 3);
	tw_histogram_free(lat);
	return error;
}

/* A span that begins at 5.5 s: the interval that contains it, and the next. */
static void partly_in(void)
{
	struct tw_report_cells *cells = tw_report_cells_new(5 * SECOND - SECOND / 2, SECOND);
	static struct tw_report_heat heat;

	tap_ok(!add_interval(cells, 5, 1) && !add_interval(cells, 6, 1),
	       "two intervals around where a span begins");
	tap_ok(tw_report_heat(&heat, cells, 0) && heat.columns == 2 &&
	       heat.time_ns[0] == 5 * SECOND && heat.time_ns[2] == 7 * SECOND,
	       "are two columns, and none is empty");
	tw_report_cells_free(cells);
}

/* The second job begins an interval 0.1 s after the first. */
static void two_jobs(void)
{
	struct tw_report_cells *cells = tw_report_cells_new(0, SECOND);
	static struct tw_report_tally none;
	struct tw_report_over_time all = { .count = 0 };
	int error = add_interval(cells, 0, 1);

	tw_report_cells_next_job(cells);
	error |= tw_report_cells_add(cells, SECOND / 10, SECOND + SECOND / 10, SECOND,
				     &none, 0);
	error |= tw_report_cells_over_time(cells, &all);
	tap_ok(!error && all.count == 1 && all.intervals[0].over_ns == 1100000000 &&
	       all.intervals[0].run_ns == SECOND, "a rate is of the time that jobs ran");
	free(all.intervals);
	tw_report_cells_free(cells);
}

static struct tw_report_cells *fill(int backwards, unsigned digits)
{
	struct tw_report_cells *cells = tw_report_cells_new(0, SECOND);
	int error = 0;

	for (unsigned i = 0; i < INTERVALS; i++)
		error |= add_interval(cells, backwards ? INTERVALS - 1 - i : i, digits);
	tap_ok(!error, "%u intervals of %u digits%s", INTERVALS, digits,
	       backwards ? ", the last one first" : "");
	return cells;
}

static void widened(const struct tw_report_cells *cells)
{
	uint64_t count = 0, errors = 0, bad = 0;

	for (size_t i = 0; i < cells->count; i++) {
		const struct tw_report_cell *cell = &cells->cells[i];

		count += cell->lat[0].count;
		errors += cell->errors[0] * (i + 1);
		bad += cell->backwards * (i + 1);
	}
	tap_is_u64(cells->width_ns, 16 * SECOND, "cells are as wide as they must be");
	tap_is_u64(cells->count, 63, "and this many");
	tap_is_u64(count, 10 * INTERVALS, "with all I/Os");
	tap_is_u64(errors, 700 / 16 + 1, "an error is in the cell of its time");
	tap_is_u64(bad, 1, "so is a contradiction");
	tap_is_u64(cells->cells[1].lat[0].min_ns, 1016, "the second begins with 1016");
	tap_ok(cells->cells[1].from_ns == 16 * SECOND &&
	       cells->cells[1].to_ns == 32 * SECOND, "and is from 16 s to 32 s");
}

static int same(const struct tw_report_cells *a, const struct tw_report_cells *b)
{
	int is_same = a->count == b->count && a->width_ns == b->width_ns;

	for (size_t i = 0; i < a->count && is_same; i++) {
		const struct tw_histogram *x = &a->cells[i].lat[0];
		const struct tw_histogram *y = &b->cells[i].lat[0];

		is_same = a->cells[i].from_ns == b->cells[i].from_ns &&
			  a->cells[i].to_ns == b->cells[i].to_ns &&
			  x->count == y->count && x->sum_ns == y->sum_ns &&
			  x->min_ns == y->min_ns && x->max_ns == y->max_ns &&
			  memcmp(x->bins, y->bins, x->bin_count *
				 sizeof(*x->bins)) == 0;
	}
	return is_same;
}

static void over_time(const struct tw_report_cells *cells)
{
	struct tw_report_over_time all;
	const struct tw_report_interval *last;

	if (tw_report_cells_over_time(cells, &all)) {
		tap_ok(0, "over time");
		return;
	}
	last = &all.intervals[all.count - 1];
	tap_ok(all.count == 63 && last->from_ns == 992 * SECOND &&
	       last->over_ns == 8 * SECOND && last->of[0].count == 80 &&
	       last->of[0].max_ns == 1000000 && last->of[0].p50_ns >= 1996 &&
	       last->of[0].p50_ns < 2000 && last->of[0].p99_ns == 1000000,
	       "the last interval over time");
	free(all.intervals);
}

static void heat_map(const struct tw_report_cells *cells)
{
	static struct tw_report_heat heat;
	uint64_t sum = 0, slow = 0, at_start = 0;

	tap_ok(!tw_report_heat(&heat, NULL, 0) && !tw_report_heat(&heat, cells, 1),
	       "no heat map without cells, or without I/Os");
	tap_ok(tw_report_heat(&heat, cells, 0), "a heat map");
	for (size_t i = 0; i < heat.columns; i++)
		for (size_t j = 0; j < heat.rows; j++) {
			sum += heat.counts[i][j];
			if (heat.lat_ns[j] <= 1000000 && heat.lat_ns[j + 1] >= 1000000)
				slow += heat.counts[i][j];
			if (i == 0 && heat.lat_ns[j] < 1016)
				at_start += heat.counts[i][j];
		}
	tap_ok(heat.columns == 63 && heat.rows == TW_REPORT_HEAT_ROWS, "its size");
	tap_is_u64(sum, 10 * INTERVALS, "it has all I/Os");
	tap_is_u64(slow, INTERVALS, "those of 1 ms in their row");
	tap_is_u64(at_start, 16 * 9, "the first of 1 us in theirs");
	tap_ok(heat.time_ns[0] == 0 && heat.time_ns[62] == 992 * SECOND &&
	       heat.time_ns[63] == 1000 * SECOND, "times begin and end as the run");
	tap_ok(heat.most == 16 * 9, "the largest count");
}

/* A row for each bin at most. */
static void one_value(void)
{
	struct tw_report_cells *cells = tw_report_cells_new(5 * SECOND, SECOND);
	static struct tw_report_heat heat;

	/* Before the first cell, as an interval that is only partly in the span. */
	tap_ok(!add_interval(cells, 4, 1) && cells->count == 1, "an interval before all");
	tap_ok(tw_report_heat(&heat, cells, 0) && heat.rows >= 1 && heat.columns == 1,
	       "a heat map of one interval");
	tw_report_cells_free(cells);
}

int main(void)
{
	struct tw_report_cells *up = fill(0, 3), *down = fill(1, 3), *fine = fill(0, 5);

	widened(up);
	tap_ok(same(up, down), "the order does not show");
	tap_ok(same(up, fine), "nor do more digits than a cell has");
	over_time(up);
	heat_map(up);
	one_value();
	partly_in();
	two_jobs();
	tw_report_cells_free(up);
	tw_report_cells_free(down);
	tw_report_cells_free(fine);
	return tap_done();
}
