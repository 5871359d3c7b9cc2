/* SPDX-License-Identifier: MIT */
/*
 * lat and errors over time: windows of 1 ms x 2^k of CLOCK_REALTIME. Each has a coarse
 * histogram by direction. All series of all jobs and hosts lie on the same windows, so
 * they can be added: the wider windows of two series consist of whole windows of the
 * narrower ones.
 *
 * One writer fills a series while a job runs. When all windows are in use, they are
 * merged in pairs and the width doubles. Opening a window merges one pair, never all
 * pairs at once, so the job's thread does not stop for it.
 */
#ifndef TW_REPORT_WINDOWS_H
#define TW_REPORT_WINDOWS_H

#include <jansson.h>

#include "report/metrics.h"
#include "tickwise.h"

#define TW_WINDOWS_NS		1000000ULL	/* the narrowest window */
#define TW_WINDOWS_MOST		128U		/* windows of a series */
#define TW_WINDOWS_DIGITS	1		/* a bin is at most 1/16 of its value wide */
#define TW_WINDOWS_END_NS	INT64_MAX	/* no window begins later: in the year 2262 */

struct tw_window {
	struct tw_histogram lat[TW_DIRECTIONS];	/* count 0: no I/O */
	uint64_t errors[TW_DIRECTIONS];
};

struct tw_windows {
	uint64_t width_ns;		/* TW_WINDOWS_NS << k; 0: nothing was added */
	uint64_t first;			/* number of the first window: its time / width */
	uint32_t count;			/* windows */
	uint32_t most;
	struct tw_window *slots;	/* see tw_windows_get() */
	uint16_t *order;		/* places of the windows in @slots */
	/* While it is filled: */
	struct tw_window *open;		/* the last window */
	uint64_t edge_ns;		/* where the open window ends, CLOCK_REALTIME */
	uint32_t merging;		/* 1 + parity: pairs are left from the last doubling */
	uint64_t *bins;			/* of all windows, in one mapping */
	uint16_t *spare;
};

/**
 * tw_windows_init - get ready to fill a series
 * @windows: release it with tw_windows_free()
 * @most: number of windows, even, 2 to TW_WINDOWS_MOST
 *
 * Memory of a direction is not touched before it is used.
 * Return: 0; -EINVAL; -ENOMEM.
 */
int tw_windows_init(struct tw_windows *windows, uint32_t most);
void tw_windows_free(struct tw_windows *windows);

/* Take the memory of a direction before it is used. Otherwise the first value of each
 * window waits until the kernel has found and cleared memory. Does nothing before
 * Linux 5.14. */
void tw_windows_touch(struct tw_windows *windows, enum tw_direction direction);

/* Forget all values, keep the memory. Only bins that hold counts are touched. */
void tw_windows_reset(struct tw_windows *windows);

/* Open the window that contains @at_ns, and those before it. */
void tw_windows_advance(struct tw_windows *windows, uint64_t at_ns);

/* Add an I/O @times times that ended at @at_ns of CLOCK_REALTIME. A time before the open
 * window counts as in the open window. */
static inline void tw_windows_add_times(struct tw_windows *windows, uint64_t at_ns,
					enum tw_direction direction, uint64_t lat_ns,
					uint64_t times)
{
	if (tw__unlikely(at_ns >= windows->edge_ns))
		tw_windows_advance(windows, at_ns);
	tw__histogram_add_times(&windows->open->lat[direction], lat_ns, times);
}

static inline void tw_windows_add(struct tw_windows *windows, uint64_t at_ns,
				 enum tw_direction direction, uint64_t lat_ns)
{
	tw_windows_add_times(windows, at_ns, direction, lat_ns, 1);
}

/* The same for failed I/Os. */
void tw_windows_add_errors(struct tw_windows *windows, uint64_t at_ns,
			  enum tw_direction direction, uint64_t errors);

/* End the filling: merge the remaining pairs, so that all windows have one width.
 * tw_windows_reset() begins anew. Empty windows at both ends are left out. */
void tw_windows_close(struct tw_windows *windows);

/* Return the window at place @i, which is below count in a series that is closed, merged or
 * read. */
static inline struct tw_window *tw_windows_get(const struct tw_windows *windows, uint32_t i)
{
	return &windows->slots[windows->order[i]];
}

/* True if a window has no I/O and no error. */
int tw_window_is_empty(const struct tw_window *window);

/* Return when window @i begins, CLOCK_REALTIME. */
static inline uint64_t tw_windows_from_ns(const struct tw_windows *windows, uint32_t i)
{
	return (windows->first + i) * windows->width_ns;
}

/**
 * tw_windows_merge - add a closed series
 * @into: zeroed, for TW_WINDOWS_MOST windows; of tw_windows_init(), for fewer; read; or a series
 * to which series were added
 *
 * The width becomes the least that is not below that of @from or @into and gives no more windows
 * than these. So the order of merging changes nothing.
 *
 * Return: 0; -ENOMEM; -EOVERFLOW: a sum needs more than 64 bits, and @into can only be
 * freed.
 */
int tw_windows_merge(struct tw_windows *into, const struct tw_windows *from);

/* Return {"width_ns", "windows": [{"start", DIRECTION: histogram, "errors": counts}]},
 * windows without I/Os and errors left out; NULL without memory. */
json_t *tw_windows_to_json(const struct tw_windows *windows);

struct tw_report_problem;

/* Read what the function above wrote, and check it. Sets @problem if it is wrong. Return: 0;
 * -ENOMEM. */
int tw_windows_from_json(struct tw_windows *windows, const json_t *json, const char *where,
			 struct tw_report_problem *problem);

#endif
