/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_trigger: the first I/O of a job whose lat is above this time stops a ring of the kernel's
 * own trace events (trace/tracefs.h). The events around the I/O go into the job's report. Then
 * the ring is free for the next job.
 */
#ifndef TW_PLUGIN_RECORD_TRIGGER_H
#define TW_PLUGIN_RECORD_TRIGGER_H

#include "job_state.h"

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
