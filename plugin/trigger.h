/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_trigger: the first I/O of a job whose lat is above this time stops a ring of the
 * kernel's own trace events (kernel/tracefs.h). The events around the I/O go into the
 * job's report. Then the ring is free for the next job.
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
	int64_t above_ticks;		/* the limit of lat; INT64_MAX: none */
	uint64_t above_ns;		/* the same limit; 0: not asked for */
	const char *why;		/* why there are no events, or NULL */
	uint64_t slower;		/* number of I/Os above the limit */
	bool alone;			/* one I/O at a time */
	uint32_t job;			/* the job's number */
	uint32_t stopped_for;		/* job for which the ring was stopped, or 0 */
	bool fired;			/* the ring is stopped for this job's I/O */
	/* That I/O: */
	uint64_t prepared_ticks;	/* 0: none */
	uint64_t key;			/* its user_data */
	uint32_t thread;		/* that submitted it */
	uint64_t lat_ns;		/* set when it is recorded */
	uint64_t offset;
	uint64_t size;
	unsigned direction;
};

/* Make the ring if a job wants it. Call this in the process that starts the jobs. */
void tw_trigger_make_for_jobs(void);

/* Set the limit at the beginning of a job. Its clock is known. */
void tw_trigger_begin(const struct thread_data *td, struct tw_job *job);

/* Count an I/O with a lat above above_ticks. The first one stops the ring. */
void tw_trigger_slow(struct tw_job *job, const struct io_u *io_u,
		     const struct tw_io *io);

/* Return the report's "trigger"; NULL without memory. @end: the moment of the job's
 * end. */
json_t *tw_trigger_to_json(const struct tw_job *job,
			   const struct tw_moment *end);

/* Free the ring for the next job. This job is over, and its report is written. */
void tw_trigger_end(const struct tw_job *job);

#endif
