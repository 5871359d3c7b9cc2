/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Finds which of the kernel's trace events belong to one I/O: those of its way
 * through the ring, of the turns of its thread on a CPU, and, if it was alone,
 * of its block requests. Arithmetic only: tests/unit/plugin/trace/trace_own.c passes any
 * events.
 */
#ifndef TW_PLUGIN_KERNEL_TRACE_OWN_H
#define TW_PLUGIN_KERNEL_TRACE_OWN_H

#include "trace/trace_text.h"

struct tw_trace_own {
	uint64_t key;			/* the I/O's user_data */
	uint32_t thread;		/* the job's; UINT32_MAX: not known */
	bool alone;			/* no other I/O of the job is in flight */

	/* These are found in the events. */
	uint32_t submitter;		/* by the kernel's number; UINT32_MAX: none */
	char ring[40];			/* the kernel's name of the ring */
	bool in_flight;
	unsigned requests;
	char request[8][40];		/* device and sector */
};

/* Find the I/O's submission in @window, from @begin_ns on. key, thread and
 * alone are set. */
void tw_trace_own_find(struct tw_trace_own *own,
		       const struct tw_trace_window *window, uint64_t begin_ns);

/* Return whether an event is the I/O's own. Pass the events in their order. */
bool tw_trace_own_take(struct tw_trace_own *own,
		       const struct tw_trace_event *event);

enum tw_trace_mark {
	TW_TRACE_LEFT_OUT,
	TW_TRACE_OTHER,
	TW_TRACE_OWN,
};

#define TW_TRACE_CHOSEN	1000U		/* the most that are shown */

/* Choose which events to show, after tw_trace_own_find(). Up to 1000 events are
 * all shown. Of more events these are shown: the first and the last 250 of all,
 * and the I/O's own events, but of more than 500 own events only the first and
 * the last 250. @marks: one for each event that is kept. */
void tw_trace_choose(struct tw_trace_own *own,
		     const struct tw_trace_window *window,
		     enum tw_trace_mark *marks);

#endif
