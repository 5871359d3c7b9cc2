/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_interval: while a job runs, another thread appends a line to a file for each interval. The
 * line is the tally that the job has filled since the line before (record/double_buffer.h). The
 * job's tally is the sum of the lines. A job that is killed leaves all intervals except the
 * last. If the file can't be written, the engine logs the reason, and the job goes on.
 */
#ifndef TW_PLUGIN_JOB_REPORT_JOB_INTERVALS_H
#define TW_PLUGIN_JOB_REPORT_JOB_INTERVALS_H

#include "record/job_state.h"

/* Set the job's intervals before the job begins. They stay NULL if the job asks for none,
 * or after an error, which is logged. */
void tw_intervals_begin(struct thread_data *td, struct tw_job *job);

/* Write the last line, and make the sum of the lines the job's tally. The job is over, and
 * all its I/Os are flushed (job_record.h). Return 0; -errno: a line could not be added. */
int tw_intervals_end(struct tw_job *job);

#endif
