/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel stages in a job's life: whether they are wanted, loaded, and the job's own
 * (tw_kernel=).
 */
#ifndef TW_PLUGIN_KERNEL_JOB_H
#define TW_PLUGIN_KERNEL_JOB_H

#include <stdbool.h>

struct thread_data;
struct tw_job;
struct json_t;

/* Is @td a job of this engine that wants its stages? */
bool tw_kernel_is_for(const struct thread_data *td);

/* In the process that starts the jobs, before the first, or of which they are threads:
 * load the program for all jobs that want it. Takes some tenths of a second. One thread
 * at a time. */
void tw_kernel_load_for_jobs(void);

/* Before the ring of this job is made, and after. The second is 0, or -EPERM with a
 * message if the job requires its stages and has none. */
void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job);
int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job);

/* Why an I/O has no stages of the kernel: its key, by enum tw_inside; NULL: it has. */
extern const char *const tw_not_split_names[];

/* The report's "kernel_stages"; NULL without memory. */
struct json_t *tw_kernel_to_json(const struct tw_job *job);

#endif
