/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel tells of a job: by programs that are loaded into it, and by its own trace.
 */
#ifndef TW_PLUGIN_RECORD_KERNEL_JOB_H
#define TW_PLUGIN_RECORD_KERNEL_JOB_H

#include "job_state.h"

/* ---- kernel_job.c ----
 *
 * The stages inside the kernel (tw_kernel=) and the causes of slow I/Os (tw_causes=1): whether a
 * job wants them, whether their programs are loaded, and what these saw. */

/* Load the programs for all jobs that want them. Call this in the process that starts the
 * jobs, before the first job, or in the process of which the jobs are threads. It takes
 * some tenths of a second. Only one thread at a time may call it. */
void tw_kernel_load_for_jobs(void);

/* True if the limit of descriptors leaves some next to the files of the jobs, which fio opens
 * later. If need be, the soft limit is raised. */
bool tw_jobs_have_descriptors(void);

/* Return why the kernel's programs and traces are not for this process; NULL: they are. */
const char *tw_kernel_refusal(void);

/* True if the job syncs through its ring; if it syncs each write (fio: sync=dsync). */
bool tw_job_syncs(const struct thread_data *td);
bool tw_job_syncs_writes(const struct thread_data *td);

/* Prepare the programs for the ring and the thread of this job, before the ring is made;
 * take the job's entries after it is made. The second function returns 0, or -EPERM or
 * -EINVAL after a message if the job can't have what it requires. */
void tw_kernel_ring_begins(struct thread_data *td, struct tw_job *job);
int tw_kernel_ring_made(struct thread_data *td, struct tw_job *job);

/* Set why an I/O was slow: what happened to the job's thread in the longest stage, and to the
 * I/O itself: @throttled, or NULL. Call this soon after the I/O is over. */
void tw_why_find(struct tw_job *job, const struct tw_clocks *clocks,
		 const struct tw_throttled *throttled, struct tw_slow_io *slow);

/* Return "kernel" and "causes" of the job in a report: if it has them, and why not. NULL without
 * memory. */
json_t *tw_kernel_to_json(const struct tw_job *job);
json_t *tw_why_state_to_json(const struct tw_job *job);

/* ---- trigger.c ----
 *
 * tw_trigger: the first I/O of a job whose lat is above this time stops a ring of the kernel's
 * own trace events (trace/trace.h). The events around the I/O go into the job's report. Then
 * the ring is free for the next job. */

/* Make the ring if a job wants it. Call this in the process that starts the jobs. */
void tw_trigger_make_for_jobs(void);

/* Set the limit at the beginning of a job. Its clock is known. */
void tw_trigger_begin(const struct thread_data *td, struct tw_job *job);

/* Count an I/O with a lat above above_ticks. The first one stops the ring. */
void tw_trigger_slow(struct tw_job *job, const struct io_u *io_u);

/* Return the report's "trigger"; NULL without memory. @end: the offsets at the
 * job's end. */
json_t *tw_trigger_to_json(const struct tw_job *job, const struct tw_clock_offsets *end);

/* Free the ring for the next job. This job is over, and its report is written. */
void tw_trigger_end(const struct tw_job *job);

#endif
