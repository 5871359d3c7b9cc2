/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of one job.
 */
#ifndef TW_PLUGIN_JOB_REPORT_JOB_REPORT_H
#define TW_PLUGIN_JOB_REPORT_JOB_REPORT_H

#include "record/job_devices.h"

/* Set the facts: the job itself, the machine, its files and devices. @of: what the job has
 * recorded. @devices: the same by device; NULL: nothing. The caller frees @report, also
 * after an error. Return 0 or -ENOMEM; ask tw_json_lacked_memory(), too. */
int tw_report_begin(struct thread_data *td, const struct tw_job *job,
		    const struct tw_filled *of, struct tw_devices *devices,
		    struct tw_report *report);

/* Set from when to when the job did the I/Os, in ns since its start and in ns. Return
 * false if there are none. */
bool tw_report_run(const struct tw_job *job, const struct tw_filled *of,
		   uint64_t *first_ns, uint64_t *run_ns);

/* Write the report of a job that is over. Its tally is complete, unless @error is an
 * errno below 0. Return 0 or -errno, which is logged. */
int tw_report_write(struct thread_data *td, struct tw_job *job, int error);

#endif
