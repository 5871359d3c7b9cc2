/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's own trace events: their ring, and what its text tells of an I/O. */
#ifndef TW_PLUGIN_TRACE_TRACE_H
#define TW_PLUGIN_TRACE_TRACE_H

#include <stdbool.h>
#include <stdint.h>

/* ---- trace_events.c: parse the text of tracefs ----
 *
 * Keep the events around one I/O, and find which of them belong to it: those of its way through
 * the ring, of the times of its thread on a CPU, and, if it was alone, of its block requests. No
 * function of it reads a file or a clock: tests/unit/plugin/trace/trace_events.c passes any
 * lines. */

/* One event. Its texts have passed tw_plain_text(). */
struct tw_trace_event {
	uint64_t monotonic_ns;		/* in whole microseconds, rounded down */
	uint32_t cpu;
	uint32_t pid;			/* of the task that ran on the CPU */
	char task[16];			/* name of the task */
	char name[32];
	char args[192];			/* longer texts are cut off */
};

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

/* Take the next line of `trace_pipe`, without its newline. Lines come in the order of time.
 * False: the event is so much later than the window that the ring can't be stopped any more. */
#define TW_TRACE_LATER_NS	UINT64_C(10000000000)
bool tw_trace_take(struct tw_trace_window *window, const char *line);

/* Return the number of events that are kept, and the one at @i, in the order of time. */
unsigned tw_trace_kept(const struct tw_trace_window *window);
const struct tw_trace_event *tw_trace_at(const struct tw_trace_window *window,
					 unsigned i);

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

enum tw_trace_mark {
	TW_TRACE_LEFT_OUT,
	TW_TRACE_OTHER,
	TW_TRACE_OWN,
};

#define TW_TRACE_CHOSEN	1000U		/* the most that are shown */

/* Find the I/O's own events, from its submission at @begin_ns or later on, and choose
 * which events to show. key, thread and alone of @own are set. Up to 1000 events are
 * all shown. Of more events these are shown: the first and the last 250 of all,
 * and the I/O's own events, but of more than 500 own events only the first and
 * the last 250. @marks: one for each event that is kept. */
void tw_trace_choose(struct tw_trace_own *own,
		     const struct tw_trace_window *window, uint64_t begin_ns,
		     enum tw_trace_mark *marks);

/* ---- tracefs.c: a ring of the events ----
 *
 * It is an instance of tracefs that belongs to one fio. It is made before the jobs begin. They
 * inherit its open files, so a job may drop its privileges. Any job can stop the ring with one
 * write. The instance is removed when fio ends, however it ends. */

/* Make the instance, unless there is one. Return NULL, or a line that says why not. */
const char *tw_tracefs_make(void);

/* Stop recording events for @job, a number other than 0. Return false if nobody
 * can stop the ring, or if it is stopped for another job: @other is set then.
 * If that job was killed, events are recorded again from now on. */
bool tw_tracefs_stop(uint32_t job, uint32_t *other);

/* Read what is in the ring into @window. Only the job that has stopped the ring
 * calls this. */
void tw_tracefs_read(struct tw_trace_window *window);

/* Record events again. Only the job that has stopped the ring calls this. */
void tw_tracefs_go_on(void);

#endif
