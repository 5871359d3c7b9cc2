/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why an I/O was slow (tw_causes=1): what happened to the job's thread in the longest
 * stage of each of the slowest I/Os.
 */
#ifndef TW_PLUGIN_KERNEL_WHY_H
#define TW_PLUGIN_KERNEL_WHY_H

#include "kernel/explain.h"

struct thread_data;
struct tw_clocks;
struct tw_io;
struct tw_io_times;
struct tw_job;
struct json_t;

/* Why one I/O was slow. */
struct tw_why {
	unsigned stage;			/* the longest stage */
	bool followed;			/* the thread takes part in the stage */
	uint64_t followed_ns;		/* in so much of it, from its beginning */
	int64_t from_ns;		/* since the I/O was prepared */
	struct tw_explained explained;	/* stall: since the stage began */
};

/* Follow the threads of jobs. Call these where the functions of kernel_job.h are called:
 * before the first job, and before and after a job's ring is made. */
void tw_why_load_for_jobs(void);
void tw_why_ring_begins(struct thread_data *td, struct tw_job *job);
void tw_why_ring_made(struct tw_job *job);

/* Find why an I/O was slow. Call this soon after the I/O is over. */
void tw_why_find(const struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_io *io, const struct tw_io_times *times,
		 struct tw_why *why);

/* Return "causes" of a job that asked for them, and of a slow I/O that began at @begin_ns
 * of CLOCK_MONOTONIC. NULL without memory. */
struct json_t *tw_why_state_to_json(const struct tw_job *job);
struct json_t *tw_why_to_json(const struct tw_why *why,
			      const struct tw_io_times *times,
			      uint64_t begin_ns);

#endif
