/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_trigger: the first I/O of a job that is slower than that stops a ring of the
 * kernel's own trace events (kernel/tracefs.h). What was in it goes into the job's
 * report. Then the ring is free for the next job.
 */
#ifndef TW_PLUGIN_TRIGGER_H
#define TW_PLUGIN_TRIGGER_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

struct thread_data;
struct tw_job;
struct tw_io;
struct tw_moment;
struct io_u;

struct tw_trigger {
	int64_t above_ticks;		/* a lat above it; INT64_MAX: none is */
	uint64_t above_ns;		/* the same; 0: not asked for */
	const char *why;		/* there are no events; or NULL */
	uint64_t slower;		/* I/Os above it */
	bool alone;			/* one I/O at a time */
	uint32_t job;			/* its number */
	uint32_t stopped_for;		/* the ring was, at an I/O above it; or 0 */
	bool fired;			/* the ring is stopped, for this one: */
	uint64_t prepared_ticks;	/* 0: none */
	uint64_t key;			/* its user_data, */
	uint32_t thread;		/* and who submitted it */
	uint64_t lat_ns;		/* set when it is recorded */
	uint64_t offset;
	uint64_t size;
	unsigned direction;
};

/* In the process that starts the jobs: make the ring if one of them wants it. */
void tw_trigger_make_for_jobs(void);

/* The job begins; its clock is known. */
void tw_trigger_begin(const struct thread_data *td, struct tw_job *job);

/* A lat above above_ticks. */
void tw_trigger_slow(struct tw_job *job, const struct io_u *io_u,
		     const struct tw_io *io);

/* What the report has of it; NULL: no memory. @end is the second
 * look at the clocks. */
json_t *tw_trigger_to_json(const struct tw_job *job,
			   const struct tw_moment *end);

/* The job is over, and its report is written. */
void tw_trigger_end(const struct tw_job *job);

#endif
