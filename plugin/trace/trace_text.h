/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parse the text of tracefs into trace events, and keep the events around one I/O. Nothing
 * here reads a file or a clock: tests/unit/plugin/trace/trace_text.c passes any lines.
 */
#ifndef TW_PLUGIN_KERNEL_TRACE_TEXT_H
#define TW_PLUGIN_KERNEL_TRACE_TEXT_H

#include <stdbool.h>
#include <stdint.h>

/* One event. Its texts have passed tw_plain_text(). */
struct tw_trace_event {
	uint64_t monotonic_ns;		/* in whole microseconds, rounded down */
	uint32_t cpu;
	uint32_t pid;			/* of the task that ran on the CPU */
	char task[16];			/* name of the task */
	char name[32];
	char args[192];			/* longer texts are cut off */
};

#define TW_TRACE_LINE	1024		/* longer lines are cut off */
#define TW_TRACE_MAX	65536U		/* events that are kept */
#define TW_TRACE_CPUS	1024U		/* CPUs whose losses are noted */

/* The events between two times: the first half of TW_TRACE_MAX and the last. */
struct tw_trace_window {
	uint64_t from_ns, to_ns;	/* CLOCK_MONOTONIC */
	uint64_t count;			/* events in it, also those not kept */
	uint64_t whole_from_ns;		/* events before it are missing; 0: none are */
	uint64_t lost[TW_TRACE_CPUS / 64];	/* CPUs that have just lost events */
	struct tw_trace_event *events;	/* room for TW_TRACE_MAX */
};

/* Parse a line of `trace` or `trace_pipe`, without its newline. False: it is no event. */
bool tw_trace_parse(const char *line, struct tw_trace_event *event);

/* Take the next line. Lines come in the order of time. False: the event is so much later
 * than the window that the ring can't be stopped any more. */
#define TW_TRACE_LATER_NS	UINT64_C(10000000000)
bool tw_trace_take(struct tw_trace_window *window, const char *line);

/* Return the number of events that are kept, and the one at @i, in the order of time. */
unsigned tw_trace_kept(const struct tw_trace_window *window);
const struct tw_trace_event *tw_trace_at(const struct tw_trace_window *window,
					 unsigned i);

#endif
