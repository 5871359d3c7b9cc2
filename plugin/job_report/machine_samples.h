/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happens on the machine while jobs run, so that a report can tell what changed when its
 * IOPS changed: stolen time, CPU time of others, and what the jobs' disks transfer.
 *
 * One thread of a run reads the kernel's sums. It lives in the process that reads the job file,
 * as a thread does not survive fork(). It ends with that process, touches nothing that fio
 * frees, and takes no sample while no job runs. The sums go to the memory that jobs share.
 */
#ifndef TW_PLUGIN_JOB_REPORT_MACHINE_SAMPLES_H
#define TW_PLUGIN_JOB_REPORT_MACHINE_SAMPLES_H

#include "record/job_state.h"

/* Start the thread of the run, unless it has one. Without it, reports have no samples. */
void tw_samples_start(void);

/* A job begins, and its files are known. Call it before the job's time of start is taken. */
void tw_samples_begin(const struct thread_data *td, struct tw_job *job);

/* Return jobs[].machine_over_time of tickwise-report(5); NULL without memory. */
json_t *tw_samples_to_json(const struct tw_job *job, uint64_t start_monotonic_ns);

/* The job has ended. */
void tw_samples_end(void);

#endif
