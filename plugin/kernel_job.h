/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel stages in a job's life (tw_kernel=): does the job want them, is the program
 * loaded, and does the job have them?
 */
#ifndef TW_PLUGIN_KERNEL_JOB_H
#define TW_PLUGIN_KERNEL_JOB_H

#include <stdbool.h>

struct thread_data;
struct tw_job;
struct json_t;

/* True if @td is a job of this engine that wants kernel stages. */
bool tw_kernel_is_for(const struct thread_data *td);

/* Load the program for all jobs that want it. Call this in the process that starts the
 * jobs, before the first job, or in the process of which the jobs are threads. It takes
 * some tenths of a second. Only one thread at a time may call it. */
void tw_kernel_load_for_jobs(void);

/* Prepare the program for the ring of this job, before the ring is made; take the job's
 * slots after it is made. The second function returns 0, or -EPERM after a message if
 * the job requires kernel stages and has none. */
void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job);
int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job);

/* Return "kernel" of the job in a report: if it has kernel stages, and why not; NULL
 * without memory. */
struct json_t *tw_kernel_to_json(const struct tw_job *job);

#endif
