/* SPDX-License-Identifier: MIT */
/*
 * A group over the time of its run, in cells: see cells.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/reports/cells.h"
#include "latency/histogram.h"

/* These histograms are most of a group's memory. With 3 digits they would take
 * 27 MB, eight times as much as with 2, and a table over time does not need
 * more than 2. */
#define MAX_DIGITS	2U

struct tw_report_cells *tw_report_cells_new(uint64_t origin_ns, uint64_t width_ns)
{
	struct tw_report_cells *cells = calloc(1, sizeof(*cells));

	if (!cells)
		return NULL;
	cells->origin_ns = origin_ns;
	cells->width_ns = width_ns ? width_ns : 1;
	return cells;
}

void tw_report_cell_free(struct tw_report_cell *cell)
{
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		tw_histogram_free(&cell->lat[i]);
	*cell = (struct tw_report_cell) { .to_ns = 0 };
}

void tw_report_cells_free(struct tw_report_cells *cells)
{
	if (!cells)
		return;
	for (size_t i = 0; i < cells->count; i++)
		tw_report_cell_free(&cells->cells[i]);
	free(cells);
}

void tw_report_cells_next_job(struct tw_report_cells *cells)
{
	for (size_t i = 0; i < TW_REPORT_CELLS; i++)
		cells->cells[i].own_ns = 0;
}

static void cover(struct tw_report_cell *cell, uint64_t from_ns, uint64_t to_ns)
{
	const int is_new = cell->from_ns == 0 && cell->to_ns == 0;

	if (is_new || from_ns < cell->from_ns)
		cell->from_ns = from_ns;
	if (to_ns > cell->to_ns)
		cell->to_ns = to_ns;
}

static int add_lat(struct tw_histogram *into, const struct tw_histogram *growth)
{
	int error = 0;

	if (!growth->bins || growth->digits <= MAX_DIGITS)
		return tw_intervals_add(into, growth);
	if (!into->bins)
		error = tw_histogram_init(into, MAX_DIGITS);
	if (error)
		return error;
	return growth->count ? tw_histogram_add_finer(into, growth) :
			       tw_intervals_add(into, growth);
}

int tw_report_cell_add(struct tw_report_cell *into, const struct tw_report_cell *from)
{
	int over = __builtin_add_overflow(into->backwards, from->backwards,
					  &into->backwards);
	int error = 0;

	if (from->to_ns || from->from_ns)
		cover(into, from->from_ns, from->to_ns);
	into->own_ns += from->own_ns;
	into->run_ns += from->run_ns;
	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++) {
		over |= __builtin_add_overflow(into->errors[i], from->errors[i],
					       &into->errors[i]);
		error = tw_intervals_add(&into->lat[i], &from->lat[i]);
	}
	return over ? -EOVERFLOW : error;
}

/* Join each two cells, so that half of them become free. */
static int widen(struct tw_report_cells *cells)
{
	const size_t count = cells->count;

	cells->count = (count + 1) / 2;
	cells->width_ns *= 2;
	for (size_t i = 1; i < count; i++) {
		struct tw_report_cell from = cells->cells[i];
		int error;

		cells->cells[i] = (struct tw_report_cell) { .to_ns = 0 };
		error = tw_report_cell_add(&cells->cells[i / 2], &from);
		tw_report_cell_free(&from);
		if (error) {
			/* Keep the count, so that all cells are freed. */
			cells->count = count;
			return error;
		}
	}
	return 0;
}

/* Return the cell that contains the middle of an interval. An interval of a
 * cell's width may begin shortly before or after it. */
static size_t place_of(const struct tw_report_cells *cells, uint64_t from_ns,
		       uint64_t to_ns)
{
	const uint64_t middle_ns = from_ns + (to_ns - from_ns) / 2;
	uint64_t place;

	if (middle_ns <= cells->origin_ns)
		return 0;
	place = (middle_ns - cells->origin_ns) / cells->width_ns;
	return place < TW_REPORT_CELLS ? (size_t)place : TW_REPORT_CELLS;
}

int tw_report_cells_add(struct tw_report_cells *cells, uint64_t from_ns, uint64_t to_ns,
			uint64_t ran_ns, const struct tw_report_tally *tally, uint64_t backwards)
{
	struct tw_report_cell *cell;
	size_t place;
	int error = 0, over;

	while ((place = place_of(cells, from_ns, to_ns)) == TW_REPORT_CELLS) {
		if (cells->width_ns > UINT64_MAX / 2)
			return -EOVERFLOW;
		error = widen(cells);
		if (error)
			return error;
	}
	if (place >= cells->count)
		cells->count = place + 1;
	cell = &cells->cells[place];
	cover(cell, from_ns, to_ns);
	cell->own_ns += ran_ns;
	if (cell->own_ns > cell->run_ns)
		cell->run_ns = cell->own_ns;
	over = __builtin_add_overflow(cell->backwards, backwards, &cell->backwards);
	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++) {
		over |= __builtin_add_overflow(cell->errors[i],
			tally->counts[TW_REPORT_ERRORS][i], &cell->errors[i]);
		error = add_lat(&cell->lat[i], &tally->times[TW_REPORT_LAT][i]);
	}
	return over ? -EOVERFLOW : error;
}

static void take_lat(struct tw_report_interval_of *of, const struct tw_histogram *lat)
{
	*of = (struct tw_report_interval_of) {
		.count = lat->count,
		.sum_ns = lat->sum_ns,
		.min_ns = lat->count ? lat->min_ns : 0,
		.max_ns = lat->max_ns,
		.p50_ns = tw_histogram_percentile(lat, 50),
		.p99_ns = tw_histogram_percentile(lat, 99),
		.p999_ns = tw_histogram_percentile(lat, 99.9),
	};
}

int tw_report_cells_over_time(const struct tw_report_cells *cells,
			      struct tw_report_over_time *over_time)
{
	struct tw_report_interval *into = calloc(cells->count + 1, sizeof(*into));

	if (!into)
		return -ENOMEM;
	*over_time = (struct tw_report_over_time) { .intervals = into };
	for (size_t i = 0; i < cells->count; i++) {
		const struct tw_report_cell *cell = &cells->cells[i];

		if (cell->to_ns <= cell->from_ns)
			continue;
		into->from_ns = cell->from_ns;
		into->over_ns = cell->to_ns - cell->from_ns;
		into->run_ns = cell->run_ns;
		into->backwards = cell->backwards;
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++) {
			take_lat(&into->of[j], &cell->lat[j]);
			into->of[j].errors = cell->errors[j];
		}
		into++;
	}
	over_time->count = (size_t)(into - over_time->intervals);
	return 0;
}
