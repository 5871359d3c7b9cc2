/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel stages in a job's life: whether they are wanted, loaded, and the job's own
 * (tw_kernel=).
 */
#ifndef TW_PLUGIN_KERNEL_JOB_H
#define TW_PLUGIN_KERNEL_JOB_H

struct thread_data;
struct tw_job;
struct json_t;

/* In the process that starts the jobs, before the first: load the program for all
 * jobs of this engine that want it. Takes some tenths of a second. */
void tw_kernel_load_for_jobs(void);

/* Before the ring of this job is made, and after. The second is 0, or -EPERM with a
 * message if the job requires its stages and has none. */
void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job);
int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job);

/* The report's "kernel_stages"; NULL without memory. */
struct json_t *tw_kernel_to_json(const struct tw_job *job);

#endif
