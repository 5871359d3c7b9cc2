/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread on a CPU of its own that looks at a ring all the time and notes when
 * something was done. It knows of the ring just three words of shared memory,
 * and nothing of fio. It never sleeps and never yields between its start and
 * its end: its CPU is busy all that time.
 */
#ifndef TW_PLUGIN_WATCHER_H
#define TW_PLUGIN_WATCHER_H

#include "watch_notes.h"

struct tw_watcher;

struct tw_watcher_options {
	enum tw_watch_mode mode;
	unsigned cpu;
	uint32_t entries;	/* notes are kept for so many, at least */
	uint64_t away_ticks;	/* between two looks: it was away; 0: not asked */
	/* The ring's own words; they stay until the watcher has stopped. */
	const unsigned *sq_flags;
	const unsigned *sq_head;	/* submissions the kernel has taken */
	const unsigned *cq_tail;
};

/**
 * tw_watcher_start - watch a ring from now on
 * @watcher: out; ended and freed by tw_watcher_stop()
 *
 * The thread has all signals blocked, and has looked once before this returns,
 * if its CPU lets it run within 100 ms.
 *
 * Return: 0; -EINVAL: the CPU is not online, or not for this process; -ENOMEM;
 * -EAGAIN: no thread to be had.
 */
int tw_watcher_start(struct tw_watcher **watcher,
		     const struct tw_watcher_options *options);

/* Returns when the thread has ended. NULL: nothing. */
void tw_watcher_stop(struct tw_watcher *watcher);

/* How long it was away, all in all; at any time. */
uint64_t tw_watcher_away_ticks(const struct tw_watcher *watcher);

/* For the one thread that reads them. */
struct tw_watch_notes *tw_watcher_notes(struct tw_watcher *watcher);

#endif
