/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values over time in bounded memory: windows of one width, each with a coarse
 * histogram. When all windows are in use, they are merged in pairs and the width
 * doubles. So between half of the windows and all are in use, however long the run is.
 *
 * There is one writer. A value costs one comparison and one tw_histogram_add(). The
 * first value of a window costs some microseconds at most: opening a window merges one
 * pair, never all pairs at once.
 */
#ifndef TW_COLLECT_WINDOWS_H
#define TW_COLLECT_WINDOWS_H

#include "tickwise.h"

#define TW_WINDOWS_MAX		65534
#define TW_WINDOWS_DIGITS	1	/* a bin is at most 1/16 of its value wide */

struct tw_windows {
	struct tw_histogram *current;	/* [lanes], of the open window */
	uint64_t edge;			/* where the open window ends, in units */
	uint64_t width_ns;
	uint64_t start;			/* in units */
	double units_per_ns;
	uint32_t lanes;
	uint32_t most;
	uint32_t count;			/* windows, as if all pairs were merged */
	int merging;			/* the first half are still pairs */
	uint16_t *order;		/* slots, as in windows.c */
	uint16_t *spare;
	struct tw_histogram *slots;	/* [most][lanes] */
	uint64_t *bins;			/* of all slots, by lane */
};

/**
 * tw_windows_init - open the first window, which is empty
 * @windows: release it with tw_windows_free()
 * @most: number of windows, even, 2 to TW_WINDOWS_MAX
 * @lanes: number of kinds of values, at least 1
 * @width_ns: width of a window at first, more than 0
 * @start: when the first window begins, in any unit of time
 * @units_per_ns: how many of these units are a nanosecond
 *
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_windows_init(struct tw_windows *windows, uint32_t most, uint32_t lanes,
		    uint64_t width_ns, uint64_t start, double units_per_ns);
void tw_windows_free(struct tw_windows *windows);

/*
 * Take the memory of @lane, below lanes, before it is used. Otherwise the first value of
 * each window waits until the kernel has found and cleared memory, which can take longer
 * than everything that is measured. Does nothing before Linux 5.14.
 */
void tw_windows_touch(struct tw_windows *windows, uint32_t lane);

/* Open all windows up to the one that contains @at. */
void tw_windows_advance(struct tw_windows *windows, uint64_t at);

/* Add a value at the time @at, in units. A time before the open window counts as in
 * the open window. */
static inline void tw_windows_add(struct tw_windows *windows, uint64_t at,
				  uint32_t lane, uint64_t value_ns)
{
	if (tw__unlikely((int64_t)(at - windows->edge) >= 0))
		tw_windows_advance(windows, at);
	tw_histogram_add(&windows->current[lane], value_ns);
}

/* End the recording: merge the remaining pairs, so that all windows have the same
 * width. Nothing can be added afterwards. */
void tw_windows_close(struct tw_windows *windows);

/* Return the lanes of window @i, below @count, which begins @i widths after the start.
 * Call it after tw_windows_close(). */
const struct tw_histogram *tw_windows_get(const struct tw_windows *windows,
					  uint32_t i);

#endif
