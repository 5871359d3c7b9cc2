/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which of the kernel's trace events are of one I/O: of its way through the ring, of the
 * turns of its thread on a CPU, and, if it was alone, of its block requests. Arithmetic
 * only: tests/unit/trace_own.c passes any events.
 */
#ifndef TW_PLUGIN_KERNEL_TRACE_OWN_H
#define TW_PLUGIN_KERNEL_TRACE_OWN_H

#include "kernel/trace_text.h"

struct tw_trace_own {
	uint64_t key;			/* its user_data */
	uint32_t thread;		/* the job's; UINT32_MAX: not known */
	bool alone;			/* no other I/O of the job is in flight */

	/* Found in the events. */
	uint32_t submitter;		/* by the kernel's number; UINT32_MAX: none */
	char ring[40];			/* the kernel's name of it */
	bool in_flight;
	unsigned requests;
	char request[8][40];		/* device and sector */
};

/* With key, thread and alone set: look for its submission in @window, from @begin_ns. */
void tw_trace_own_find(struct tw_trace_own *own,
		       const struct tw_trace_window *window, uint64_t begin_ns);

/* The events in their order. */
bool tw_trace_own_take(struct tw_trace_own *own,
		       const struct tw_trace_event *event);

enum tw_trace_mark {
	TW_TRACE_LEFT_OUT,
	TW_TRACE_OTHER,
	TW_TRACE_OWN,
};

#define TW_TRACE_CHOSEN	1000U		/* at most */

/* Which events are to be shown: up to 1000 all of them; of more the own ones, or the first
 * and the last 250 of these, and the first and the last 250 of all. After
 * tw_trace_own_find(). @marks: one for each that is kept. */
void tw_trace_choose(struct tw_trace_own *own,
		     const struct tw_trace_window *window,
		     enum tw_trace_mark *marks);

#endif
