/* SPDX-License-Identifier: MIT */
/*
 * lat and errors over time: see windows.h. windows_json.c writes and reads a series.
 *
 * Window i is in slot order[i]; the other slots are empty. When all are in use, the width
 * doubles, and each window that is opened merges one pair of the old windows. Pair p has
 * the old windows 2p and 2p + 1 or, if the number of the first is odd, 2p - 1 and 2p. The
 * sum stays in the slot of 2p. The other slot becomes free for the p-th window opened
 * since then. So the last pair is merged when the slots run out again. Then the slots
 * are put in order for the next round.
 *
 * If the number of the first is odd, this one is alone: it is the second half of a wider
 * window. The last one stays open: it is the first half of a wider window.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "latency/histogram.h"
#include "report/windows.h"

/* Of Linux 5.14. Some headers are older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

/* ---- memory --------------------------------------------------------------- */

static size_t bytes_of_direction(const struct tw_windows *windows)
{
	const struct tw_histogram *model = windows->slots->lat;

	return (size_t)windows->most * model->bin_count * sizeof(*model->bins);
}

/* Map the bins. All bins of a direction are adjacent, so the memory of an unused one
 * stays untouched; see histogram.c. */
static int map_bins(struct tw_windows *windows, const struct tw_histogram *model)
{
	const size_t count = (size_t)windows->most * model->bin_count;
	const size_t bytes = count * TW_DIRECTIONS * sizeof(*model->bins);
	void *bins = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bins == MAP_FAILED)
		return -ENOMEM;
	(void)madvise(bins, bytes, MADV_NOHUGEPAGE);
	windows->bins = bins;
	for (size_t slot = 0; slot < windows->most; slot++)
		for (size_t i = 0; i < TW_DIRECTIONS; i++) {
			struct tw_histogram *lat = &windows->slots[slot].lat[i];

			*lat = *model;
			lat->bins = windows->bins + i * count + slot * model->bin_count;
		}
	return 0;
}

int tw_windows_init(struct tw_windows *windows, uint32_t most)
{
	struct tw_windows made = { .most = most };
	struct tw_histogram model;
	int error;

	if (most < 2 || most % 2 || most > TW_WINDOWS_MOST)
		return -EINVAL;
	error = tw_histogram_init(&model, TW_WINDOWS_DIGITS);
	if (error)
		return error;
	made.slots = calloc(most, sizeof(*made.slots));
	made.order = calloc(most, sizeof(*made.order));
	made.spare = calloc(most, sizeof(*made.spare));
	error = made.slots && made.order && made.spare ?
		map_bins(&made, &model) : -ENOMEM;
	tw_histogram_free(&model);
	if (error) {
		tw_windows_free(&made);
		return error;
	}
	for (uint32_t i = 0; i < most; i++)
		made.order[i] = (uint16_t)i;
	*windows = made;
	return 0;
}

void tw_windows_free(struct tw_windows *windows)
{
	if (windows->bins)
		munmap(windows->bins, TW_DIRECTIONS * bytes_of_direction(windows));
	free(windows->slots);
	free(windows->order);
	free(windows->spare);
	*windows = (struct tw_windows) { 0 };
}

void tw_windows_touch(struct tw_windows *windows, enum tw_direction direction)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)windows->slots->lat[direction].bins;
	uintptr_t end = begin + bytes_of_direction(windows);

	begin &= ~(page - 1);
	/* An older kernel refuses; the memory is then touched when it is used. */
	(void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
}

/* ---- windows ---------------------------------------------------------------- */

static void clear(struct tw_window *window)
{
	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		window->errors[i] = 0;
		tw_histogram_clear_used(&window->lat[i]);
	}
}

static int add(struct tw_window *into, const struct tw_window *from)
{
	int error = 0;

	for (unsigned i = 0; i < TW_DIRECTIONS && !error; i++)
		if (__builtin_add_overflow(into->errors[i], from->errors[i],
					   &into->errors[i]))
			error = -EOVERFLOW;
		else if (from->lat[i].count)
			error = tw_histogram_merge(&into->lat[i], &from->lat[i]);
	return error;
}

/* Move what is in @from. */
static int join(struct tw_window *into, struct tw_window *from)
{
	const int error = add(into, from);

	clear(from);
	return error;
}

int tw_window_is_empty(const struct tw_window *window)
{
	for (unsigned i = 0; i < TW_DIRECTIONS; i++)
		if (window->lat[i].count || window->errors[i])
			return 0;
	return 1;
}

/* Let all windows begin with the one at place @by, those before it at the end. */
static void rotate(struct tw_windows *windows, uint32_t by)
{
	for (uint32_t i = 0; i < windows->most; i++)
		windows->spare[i] = windows->order[(i + by) % windows->most];
	memcpy(windows->order, windows->spare, windows->most * sizeof(*windows->order));
}

void tw_windows_reset(struct tw_windows *windows)
{
	for (uint32_t i = 0; i < windows->most; i++)
		clear(&windows->slots[i]);
	windows->width_ns = windows->first = windows->edge_ns = 0;
	windows->count = windows->merging = 0;
	windows->open = NULL;
}

/* ---- filling ---------------------------------------------------------------- */

/* Return the old place of the window of pair @p whose slot becomes free. The other one is
 * 2p. Pair 0 has none if the first window is alone; then it is the last one, which
 * comes after all pairs. */
static uint32_t freed(const struct tw_windows *windows, uint32_t p)
{
	return (2 * p + (windows->merging == 2 ? windows->most - 1 : 1)) % windows->most;
}

/* A sum that needs more than 64 bits takes centuries of I/O. So errors are ignored. */
static void merge_pair(struct tw_windows *windows, uint32_t p)
{
	(void)join(tw_windows_get(windows, 2 * p), tw_windows_get(windows, freed(windows, p)));
}

/* Order the slots after all pairs are merged: first the merged windows, then those
 * opened since. */
static void put_in_order(struct tw_windows *windows)
{
	uint16_t *order = windows->spare;
	const uint32_t half = windows->most / 2;

	for (uint32_t p = 0; p < half; p++) {
		order[p] = windows->order[2 * p];
		order[half + p] = windows->order[freed(windows, p)];
	}
	windows->spare = windows->order;
	windows->order = order;
	windows->merging = 0;
}

static void double_width(struct tw_windows *windows)
{
	const uint32_t parity = windows->first & 1;

	if (windows->merging)
		put_in_order(windows);
	windows->merging = 1 + parity;
	windows->width_ns *= 2;
	windows->first /= 2;
	windows->count = windows->most / 2 + parity;
}

static void open_next(struct tw_windows *windows)
{
	const uint32_t pair = windows->count - windows->most / 2;

	if (windows->merging)
		merge_pair(windows, pair);
	windows->open = tw_windows_get(windows, windows->merging ? freed(windows, pair) :
								   windows->count);
	windows->count++;
}

/* However far @at_ns is ahead, the width doubles 43 times at most. */
void tw_windows_advance(struct tw_windows *windows, uint64_t at_ns)
{
	if (at_ns > TW_WINDOWS_END_NS)
		at_ns = TW_WINDOWS_END_NS;
	if (windows->count == 0) {
		windows->width_ns = TW_WINDOWS_NS;
		windows->first = at_ns / TW_WINDOWS_NS;
	}
	while (windows->edge_ns <= at_ns) {
		if (windows->count == windows->most)
			double_width(windows);
		else
			open_next(windows);
		windows->edge_ns = tw_windows_from_ns(windows, windows->count);
	}
}

void tw_windows_add_errors(struct tw_windows *windows, uint64_t at_ns,
			   enum tw_direction direction, uint64_t errors)
{
	if (at_ns >= windows->edge_ns)
		tw_windows_advance(windows, at_ns);
	windows->open->errors[direction] += errors;
}

static void trim(struct tw_windows *windows)
{
	uint32_t lead = 0;

	while (lead < windows->count && tw_window_is_empty(tw_windows_get(windows, lead)))
		lead++;
	if (lead == windows->count) {
		windows->width_ns = windows->first = windows->count = 0;
		return;
	}
	rotate(windows, lead);
	windows->first += lead;
	windows->count -= lead;
	while (tw_window_is_empty(tw_windows_get(windows, windows->count - 1)))
		windows->count--;
}

void tw_windows_close(struct tw_windows *windows)
{
	const uint32_t half = windows->most / 2;

	if (windows->merging) {
		for (uint32_t pair = windows->count - half; pair < half; pair++)
			merge_pair(windows, pair);
		put_in_order(windows);
	}
	trim(windows);
}

/* ---- merging ---------------------------------------------------------------- */

/* Double the width of a closed series. Slots that become empty come after the windows. */
static int widen(struct tw_windows *windows)
{
	uint16_t *order = windows->order;
	uint32_t last = 0;
	int error = 0;

	for (uint32_t i = 1; i < windows->count; i++) {
		const uint16_t slot = order[i];

		if ((windows->first + i) % 2) {
			error |= join(tw_windows_get(windows, last), &windows->slots[slot]);
			continue;
		}
		order[i] = order[++last];
		order[last] = slot;
	}
	windows->width_ns *= 2;
	windows->first /= 2;
	windows->count = last + 1;
	return error;
}

/* Let the windows of @into be on the grid of @from or a wider one, and cover both. */
static int cover(struct tw_windows *into, const struct tw_windows *from)
{
	const struct tw_windows *widest = into->width_ns > from->width_ns ? into : from;
	const uint64_t a_ns = tw_windows_from_ns(into, 0);
	const uint64_t b_ns = tw_windows_from_ns(from, 0);
	const uint64_t a_end_ns = tw_windows_from_ns(into, into->count - 1);
	const uint64_t b_end_ns = tw_windows_from_ns(from, from->count - 1);
	const uint64_t begin_ns = a_ns < b_ns ? a_ns : b_ns;
	const uint64_t end_ns = a_end_ns > b_end_ns ? a_end_ns : b_end_ns;
	uint64_t width_ns = widest->width_ns;
	int error = 0;

	while (end_ns / width_ns - begin_ns / width_ns >= into->most)
		width_ns *= 2;
	while (into->width_ns < width_ns)
		error |= widen(into);
	rotate(into, into->most - (uint32_t)(into->first - begin_ns / width_ns));
	into->first = begin_ns / width_ns;
	into->count = (uint32_t)(end_ns / width_ns - into->first) + 1;
	return error;
}

int tw_windows_merge(struct tw_windows *into, const struct tw_windows *from)
{
	int error = 0;

	if (from->count == 0)
		return 0;
	if (!into->slots)
		error = tw_windows_init(into, TW_WINDOWS_MOST);
	if (error)
		return error;
	if (into->count == 0) {
		into->width_ns = from->width_ns;
		into->first = from->first;
		into->count = 1;	/* of those that cover() takes */
	}
	error = cover(into, from);
	for (uint32_t i = 0; i < from->count && !error; i++)
		error = add(tw_windows_get(into, (uint32_t)(tw_windows_from_ns(from, i) /
				into->width_ns - into->first)), tw_windows_get(from, i));
	return error;
}
