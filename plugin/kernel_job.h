/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stages inside the kernel (tw_kernel=), and why an I/O was slow (tw_causes=1), in a
 * job's life: does the job want them, are the programs loaded, what did they see?
 */
#ifndef TW_PLUGIN_KERNEL_JOB_H
#define TW_PLUGIN_KERNEL_JOB_H

#include "job_state.h"

struct json_t;

/* Load the programs for all jobs that want them. Call this in the process that starts the
 * jobs, before the first job, or in the process of which the jobs are threads. It takes
 * some tenths of a second. Only one thread at a time may call it. */
void tw_kernel_load_for_jobs(void);

/* Prepare the programs for the ring and the thread of this job, before the ring is made;
 * take the job's slots after it is made. The second function returns 0, or -EPERM or
 * -EINVAL after a message if the job can't have what it requires. */
void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job);
int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job);

/* Find what happened to the job's thread in the longest stage of an I/O. Call this soon
 * after the I/O is over. */
void tw_why_find(const struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_io *io, const struct tw_io_times *times,
		 struct tw_why *why);

/* Return "kernel" and "causes" of the job in a report: if it has them, and why not. Return
 * "causes" of a slow I/O that began at @begin_ns of CLOCK_MONOTONIC. NULL without memory. */
struct json_t *tw_kernel_to_json(const struct tw_job *job);
struct json_t *tw_why_state_to_json(const struct tw_job *job);
struct json_t *tw_why_to_json(const struct tw_slow_io *slow, uint64_t begin_ns);

#endif
