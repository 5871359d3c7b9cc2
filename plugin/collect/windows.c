/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values over time: see windows.h.
 *
 * Window i is in slot order[i] until all slots are in use. Then the width doubles, and
 * each window that is opened merges one pair of the old windows. Pair p is in
 * order[2p] and order[2p + 1]. Its sum stays in the first slot; the second slot becomes
 * free for the p-th window opened since the width doubled. So the last pair is merged
 * when the slots run out again. Then the slots are put in order for the next round.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "latency/histogram.h"
#include "collect/windows.h"

/* Of Linux 5.14. Some headers are older. */
#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE	23
#endif

static size_t bytes_of_lane(const struct tw_windows *windows,
			    const struct tw_histogram *model)
{
	return (size_t)windows->most * model->bin_count * sizeof(*model->bins);
}

static size_t bytes_of_bins(const struct tw_windows *windows,
			    const struct tw_histogram *model)
{
	return windows->lanes * bytes_of_lane(windows, model);
}

/* Map the bins. All bins of a lane are adjacent, so the memory of an unused lane stays
 * untouched; see histogram.c. */
static int map_bins(struct tw_windows *windows,
		    const struct tw_histogram *model)
{
	size_t bytes = bytes_of_bins(windows, model);
	void *bins = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bins == MAP_FAILED)
		return -ENOMEM;
	(void)madvise(bins, bytes, MADV_NOHUGEPAGE);
	windows->bins = bins;
	for (size_t i = 0; i < (size_t)windows->most * windows->lanes; i++) {
		size_t lane = i % windows->lanes, slot = i / windows->lanes;

		windows->slots[i] = *model;
		windows->slots[i].bins = windows->bins +
			(lane * windows->most + slot) * model->bin_count;
	}
	return 0;
}

static void open_slot(struct tw_windows *windows, uint32_t slot)
{
	windows->current = &windows->slots[(size_t)slot * windows->lanes];
	windows->count++;
	windows->edge = windows->start +
			(uint64_t)((double)windows->count *
				   (double)windows->width_ns *
				   windows->units_per_ns);
}

int tw_windows_init(struct tw_windows *windows, uint32_t most, uint32_t lanes,
		    uint64_t width_ns, uint64_t start, double units_per_ns)
{
	struct tw_windows made = {
		.most = most, .lanes = lanes, .width_ns = width_ns,
		.start = start, .units_per_ns = units_per_ns,
	};
	struct tw_histogram model;
	int error;

	if (most < 2 || most % 2 || most > TW_WINDOWS_MAX || lanes == 0 ||
	    width_ns == 0 || !(units_per_ns > 0))
		return -EINVAL;
	error = tw_histogram_init(&model, TW_WINDOWS_DIGITS);
	if (error)
		return error;
	made.slots = calloc((size_t)most * lanes, sizeof(*made.slots));
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
	open_slot(&made, 0);
	*windows = made;
	return 0;
}

void tw_windows_touch(struct tw_windows *windows, uint32_t lane)
{
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t begin = (uintptr_t)windows->slots[lane].bins;
	uintptr_t end = begin + bytes_of_lane(windows, windows->slots);

	begin &= ~(page - 1);
	/* An older kernel refuses; the memory is then touched when it is used. */
	(void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
}

void tw_windows_free(struct tw_windows *windows)
{
	if (windows->bins)
		munmap(windows->bins, bytes_of_bins(windows, windows->slots));
	free(windows->slots);
	free(windows->order);
	free(windows->spare);
	*windows = (struct tw_windows) { 0 };
}

/* Clear a histogram. Only the bins between its minimum and maximum hold counts. The
 * others are left alone, since their memory may never have been touched. */
static void empty(struct tw_histogram *histogram)
{
	uint32_t bin = tw__histogram_bin(histogram, histogram->min_ns);
	uint32_t last = tw__histogram_bin(histogram, histogram->max_ns);

	for (; bin <= last; bin++)
		histogram->bins[bin] = 0;
	tw_histogram_forget_sums(histogram);
}

/* Add the second histogram of pair @p to the first and clear the second. The merge is
 * not checked: it exceeds 64 bits only if the sum over all windows does. */
static void merge_pair(struct tw_windows *windows, uint32_t p)
{
	struct tw_histogram *into =
		&windows->slots[(size_t)windows->order[2 * p] * windows->lanes];
	struct tw_histogram *from = &windows->slots[
		(size_t)windows->order[2 * p + 1] * windows->lanes];

	for (uint32_t lane = 0; lane < windows->lanes; lane++) {
		if (from[lane].count == 0)
			continue;
		(void)tw_histogram_merge(&into[lane], &from[lane]);
		empty(&from[lane]);
	}
}

/* Order the slots after all pairs are merged: first the merged windows, then those
 * opened since. */
static void put_in_order(struct tw_windows *windows)
{
	uint16_t *order = windows->spare;
	uint32_t half = windows->most / 2;

	for (uint32_t i = 0; i < half; i++) {
		order[i] = windows->order[2 * i];
		order[half + i] = windows->order[2 * i + 1];
	}
	windows->spare = windows->order;
	windows->order = order;
	windows->merging = 0;
}

static void open_next(struct tw_windows *windows)
{
	uint32_t half = windows->most / 2;
	uint32_t pair;

	if (windows->count == windows->most) {
		if (windows->merging)
			put_in_order(windows);
		windows->merging = 1;
		windows->count = half;
		windows->width_ns *= 2;
	}
	if (!windows->merging) {
		open_slot(windows, windows->order[windows->count]);
		return;
	}
	pair = windows->count - half;
	merge_pair(windows, pair);
	open_slot(windows, windows->order[2 * pair + 1]);
}

void tw_windows_advance(struct tw_windows *windows, uint64_t at)
{
	while ((int64_t)(at - windows->edge) >= 0)
		open_next(windows);
}

void tw_windows_close(struct tw_windows *windows)
{
	uint32_t half = windows->most / 2;

	if (!windows->merging)
		return;
	for (uint32_t pair = windows->count - half; pair < half; pair++)
		merge_pair(windows, pair);
	put_in_order(windows);
}

const struct tw_histogram *tw_windows_get(const struct tw_windows *windows,
					  uint32_t i)
{
	return &windows->slots[(size_t)windows->order[i] * windows->lanes];
}
