/* SPDX-License-Identifier: MIT */
/*
 * Merges the intervals of the runs in a group, by the time since the start of
 * their own job. Sums, extremes and counts stay exact. A percentile over
 * several jobs or intervals can't be computed from theirs, but the largest of
 * theirs is an upper bound. A file has no 99th percentile of fewer than 100
 * I/Os; there the largest lat is the bound.
 *
 * The engine doubles its intervals while a job runs, so a longer job can have
 * wider ones. The intervals of the other jobs are put into these.
 */
#include <errno.h>
#include <stdlib.h>

#include "command/reports/over_time.h"

/* More cells do not describe a run over time; a file that needs more is
 * wrong. */
#define MAX_CELLS	65536

static uint64_t end_of(const struct tw_report_interval *interval)
{
	uint64_t end_ns;

	if (__builtin_add_overflow(interval->from_ns, interval->over_ns,
				   &end_ns))
		return UINT64_MAX;
	return end_ns;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t tw_report_p99_bound_ns(const struct tw_report_interval_of *of)
{
	return of->p99_ns ? of->p99_ns : of->max_ns;
}

static int add_interval(struct tw_report_interval *into,
			const struct tw_report_interval *from)
{
	int over = 0;

	/* A job's last interval can be cut short. */
	if (end_of(from) - into->from_ns > into->over_ns)
		into->over_ns = end_of(from) - into->from_ns;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		__typeof__(into->of[0]) *a = &into->of[i];
		const __typeof__(into->of[0]) *b = &from->of[i];

		if (b->count == 0)
			continue;
		if (a->count == 0)
			a->p99_ns = b->p99_ns;
		else
			a->p99_ns = larger(tw_report_p99_bound_ns(a),
					   tw_report_p99_bound_ns(b));
		if (a->count == 0 || b->min_ns < a->min_ns)
			a->min_ns = b->min_ns;
		if (b->max_ns > a->max_ns)
			a->max_ns = b->max_ns;
		over |= __builtin_add_overflow(a->count, b->count, &a->count);
		over |= __builtin_add_overflow(a->sum_ns, b->sum_ns,
					       &a->sum_ns);
	}
	return over ? -EOVERFLOW : 0;
}

/* Are both cut at the same points, up to the end of the shorter one? After a ramp
 * time, their first intervals begin at different times. */
static int same_cuts(const struct tw_report_over_time *a,
		     const struct tw_report_over_time *b)
{
	size_t count = a->count < b->count ? a->count : b->count;
	int alike = count > 1 && end_of(a->intervals) == end_of(b->intervals);

	for (size_t i = (size_t)alike; i < count; i++)
		if (a->intervals[i].from_ns != b->intervals[i].from_ns ||
		    (i + 1 < count &&
		     a->intervals[i].over_ns != b->intervals[i].over_ns))
			return 0;
	return 1;
}

static const struct tw_report_over_time *
longest_over_time(const struct tw_report_group *group)
{
	const struct tw_report_over_time *longest =
		&group->members[0]->over_time;

	for (size_t i = 1; i < group->size; i++)
		if (group->members[i]->over_time.count > longest->count)
			longest = &group->members[i]->over_time;
	return longest;
}

static int all_same_cuts(const struct tw_report_group *group,
			 const struct tw_report_over_time *longest)
{
	for (size_t i = 0; i < group->size; i++)
		if (!same_cuts(longest, &group->members[i]->over_time))
			return 0;
	return 1;
}

/* Cells of one width from 0 on. The width is that of the widest interval. */
struct cells {
	uint64_t width_ns;
	uint64_t first, last;
};

static void widen(struct cells *cells, const struct tw_report_over_time *by)
{
	for (size_t i = 0; i < by->count; i++)
		if (by->intervals[i].over_ns > cells->width_ns)
			cells->width_ns = by->intervals[i].over_ns;
}

/* Is each interval in one cell? Extends the cells to the intervals. */
static int takes(struct cells *cells, const struct tw_report_over_time *all)
{
	for (size_t i = 0; i < all->count; i++) {
		const struct tw_report_interval *one = &all->intervals[i];
		uint64_t cell = one->from_ns / cells->width_ns;

		if ((end_of(one) - 1) / cells->width_ns != cell)
			return 0;
		if (cell < cells->first)
			cells->first = cell;
		if (cell > cells->last)
			cells->last = cell;
	}
	return 1;
}

static int find_cells(const struct tw_report_group *group, struct cells *cells)
{
	*cells = (struct cells) { .first = UINT64_MAX };
	for (size_t i = 0; i < group->size; i++)
		widen(cells, &group->members[i]->over_time);
	for (size_t i = 0; i < group->size; i++)
		if (!takes(cells, &group->members[i]->over_time))
			return 0;
	return cells->last - cells->first < MAX_CELLS;
}

static int allocate(struct tw_report_over_time *into, size_t count)
{
	into->intervals = calloc(count, sizeof(*into->intervals));
	if (!into->intervals)
		return -ENOMEM;
	into->count = count;
	return 0;
}

static int make_like(struct tw_report_over_time *into,
		     const struct tw_report_over_time *model)
{
	if (allocate(into, model->count))
		return -ENOMEM;
	for (size_t i = 0; i < model->count; i++)
		into->intervals[i].from_ns = model->intervals[i].from_ns;
	return 0;
}

static int make_cells(struct tw_report_over_time *into,
		      const struct cells *cells)
{
	if (allocate(into, (size_t)(cells->last - cells->first + 1)))
		return -ENOMEM;
	for (size_t i = 0; i < into->count; i++) {
		into->intervals[i].from_ns =
			(cells->first + i) * cells->width_ns;
		/* Also set cells in which no job has an interval. */
		if (i + 1 < into->count)
			into->intervals[i].over_ns = cells->width_ns;
	}
	return 0;
}

/* Begin with the first interval of a job, which can begin within its cell. */
static void begin_with_first(struct tw_report_group *group)
{
	struct tw_report_interval *first = group->over_time.intervals;
	uint64_t from_ns = UINT64_MAX;

	for (size_t i = 0; i < group->size; i++) {
		const struct tw_report_over_time *own = &group->members[i]->over_time;

		if (own->count && own->intervals[0].from_ns < from_ns)
			from_ns = own->intervals[0].from_ns;
	}
	if (first->over_ns)
		first->over_ns = end_of(first) - from_ns;
	first->from_ns = from_ns;
}

static int add_all(struct tw_report_over_time *into,
		   const struct tw_report_over_time *from)
{
	size_t at = 0;
	int error = 0;

	for (size_t i = 0; i < from->count && !error; i++) {
		while (at + 1 < into->count && into->intervals[at + 1].from_ns <=
		       from->intervals[i].from_ns)
			at++;
		error = add_interval(&into->intervals[at], &from->intervals[i]);
	}
	return error;
}

int tw_report_merge_over_time(struct tw_report_group *group)
{
	const struct tw_report_over_time *longest = longest_over_time(group);
	struct cells cells;
	int error = 0;

	/* If one job lacks them, the others' sum would not be the group's. */
	if (group->tally.missing & TW_REPORT_NO_OVER_TIME || !longest->count)
		return 0;
	if (all_same_cuts(group, longest)) {
		error = make_like(&group->over_time, longest);
	} else if (find_cells(group, &cells)) {
		error = make_cells(&group->over_time, &cells);
	} else {
		group->over_time_differs = 1;
		return 0;
	}
	if (!error)
		begin_with_first(group);
	for (size_t i = 0; i < group->size && !error; i++)
		error = add_all(&group->over_time,
				&group->members[i]->over_time);
	return error;
}
