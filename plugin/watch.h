/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_watch_cpu: when was an I/O really done? The job's side of it: what a job
 * may ask for, the stamps that the watcher's notes give its I/Os, the report.
 *
 * The watcher needs an instant to see what it sees, and longer where the device
 * interrupts its CPU; so what depends on it waits that long: each getevents()
 * settles what is old enough.
 */
#ifndef TW_PLUGIN_WATCH_H
#define TW_PLUGIN_WATCH_H

#include <jansson.h>
#include <sched.h>

#include "engine.h"
#include "watcher.h"

/* An I/O between event() and the next getevents(). */
struct tw_watched_io {
	uint32_t place;		/* of its entry in the completion ring */
	enum tw_direction direction;
	struct tw_io io;
	uint64_t seen_ticks;
	bool is_slow;
	struct tw_slow_io slow;
};

struct tw_watch {
	enum tw_watch_mode mode;
	unsigned cpu;
	const char *why_not;	/* there are no stamps; NULL: there are */
	bool ring_differs;	/* from what fio's engine sets up */
	struct tw_watcher *watcher;
	bool moved;		/* the job's thread was kept off that CPU */
	cpu_set_t cpus_before;
	uint64_t slack_ticks;	/* two CPUs' counters differ by at most */
	uint64_t late_ticks;

	uint64_t entering_ticks;
	uint32_t mask;
	struct tw_watch_batch *batches;	/* by place & mask */
	struct tw_watched_io *ios;
	unsigned oldest;	/* of ios & mask, not settled yet */
	unsigned next;
	unsigned room;		/* more can come at once */
	uint64_t settle_ticks;
	struct tw_watched_io *now;	/* inside event(), else NULL */

	uint64_t stamped[TW_DIRECTIONS];
	uint64_t of[TW_DIRECTIONS];
	uint64_t unproved;	/* first of a batch, and no proof */
	uint64_t late;
	uint64_t disordered;
	uint64_t away_ns;	/* something else had the watcher's CPU */
	struct tw_histogram look;	/* between the two looks, ns */
};

/* In the process that reads the job file: its CPUs, before any job's. */
void tw_watch_remember_cpus(void);

/* Can it be had? 0, or -EINVAL after a line on stderr. */
int tw_watch_check(struct thread_data *td);

/*
 * What the job asked for, before its ring is set up; then, with the ring, the
 * watcher. 0 or -errno, the second with a line on stderr.
 */
int tw_watch_init(struct thread_data *td, struct tw_job *job);
int tw_watch_start(struct thread_data *td, struct tw_job *job);

/* Settles the last; the ring must still be there. */
void tw_watch_stop(struct tw_job *job);
void tw_watch_free(struct tw_job *job);

/* Is anything to be set up for it? */
static inline bool tw_watch_wants(const struct tw_job *job,
				  enum tw_watch_mode mode)
{
	return job->watch && !job->watch->why_not && job->watch->mode == mode;
}

/* getevents() begins: what it took a while ago gets its stamps. */
void tw_watch_settle(struct tw_job *job);

/* The tail moves on from seen_tail, whose seen_ticks still are there. */
void tw_watch_saw(struct tw_job *job);

/* About to enter the kernel; @ticks: a stamp not later than the submission of
 * what goes in with it. */
void tw_watch_entering(struct tw_job *job, uint64_t ticks);

/* Around what event() records of an I/O that went through the ring. */
void tw_watch_event_begin(struct tw_job *job, int event);
void tw_watch_event_end(struct tw_job *job);

/* True: taken over, to be recorded when it is settled. */
bool tw_watch_defers(struct tw_job *job, enum tw_direction direction,
		     const struct tw_io *io, uint64_t seen_ticks);
bool tw_watch_defers_slow(struct tw_job *job, const struct tw_slow_io *slow);

json_t *tw_watch_to_json(const struct tw_job *job);

#endif
