/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values over time, in bounded memory: windows of one width, each with a coarse
 * histogram. When there are as many as there may be, they are merged in pairs
 * and the width doubles, so that between half of them and all are in use,
 * however long it goes on. Internal to the library and the engine.
 *
 * One writer. A value costs one comparison and one tw_histogram_add(); the
 * first one of a window some microseconds at most, as one pair is merged for
 * each window that is opened, never all at once.
 */
#ifndef TW_COLLECT_WINDOWS_H
#define TW_COLLECT_WINDOWS_H

#include "tickwise.h"

#define TW_WINDOWS_MAX		65534
#define TW_WINDOWS_DIGITS	1	/* bins of a sixteenth and less */

struct tw_windows {
	struct tw_histogram *current;	/* [lanes], of the open window */
	uint64_t edge;			/* where that ends, in units */
	uint64_t width_ns;
	uint64_t start;			/* in units */
	double units_per_ns;
	uint32_t lanes;
	uint32_t most;
	uint32_t count;			/* of this width, as all were merged */
	int merging;			/* the first half are pairs still */
	uint16_t *order;		/* slots, as in windows.c */
	uint16_t *spare;
	struct tw_histogram *slots;	/* [most][lanes] */
	uint64_t *bins;			/* of all slots, by lane */
};

/**
 * tw_windows_init - the first window, open and empty
 * @windows: release with tw_windows_free()
 * @most: even, 2 to TW_WINDOWS_MAX
 * @lanes: kinds of values kept apart, at least 1
 * @width_ns: of a window at first, more than 0
 * @start: the beginning of the first one, in whatever units time comes in
 * @units_per_ns: how many of them are a nanosecond
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_windows_init(struct tw_windows *windows, uint32_t most, uint32_t lanes,
		    uint64_t width_ns, uint64_t start, double units_per_ns);
void tw_windows_free(struct tw_windows *windows);

/*
 * Have the memory of @lane, below lanes, before it is used: else the first value
 * of each window waits for the kernel to find and clear some, which can take
 * longer than all that is measured. Does nothing before Linux 5.14.
 */
void tw_windows_touch(struct tw_windows *windows, uint32_t lane);

/* Open the window that @at lies in, and all before it. */
void tw_windows_advance(struct tw_windows *windows, uint64_t at);

/* @at is in units; of one before the open window, the open one is taken. */
static inline void tw_windows_add(struct tw_windows *windows, uint64_t at,
				  uint32_t lane, uint64_t value_ns)
{
	if (tw__unlikely((int64_t)(at - windows->edge) >= 0))
		tw_windows_advance(windows, at);
	tw_histogram_add(&windows->current[lane], value_ns);
}

/* No more will be added: all are of the same width and can be had. */
void tw_windows_close(struct tw_windows *windows);

/* The lanes of window @i below @count, which begins @i widths from the start;
 * after tw_windows_close(). */
const struct tw_histogram *tw_windows_get(const struct tw_windows *windows,
					  uint32_t i);

#endif
