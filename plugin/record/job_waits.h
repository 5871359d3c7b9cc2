/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wait table of a job with tw_causes=1 (report/waits.h): each sleep of its thread in a call
 * that no signal ends, and each one of io_uring's workers with an I/O of the job. Between two
 * flushes they are in memory that the kernel's program writes (kernel/causes/offcpu.h).
 */
#ifndef TW_PLUGIN_RECORD_JOB_WAITS_H
#define TW_PLUGIN_RECORD_JOB_WAITS_H

#include "job_devices.h"
#include "job_state.h"
#include "report/report.h"

/* Begin without sleeps. Return NULL without memory. */
struct tw_job_waits *tw_job_waits_begin(const struct tw_sleeps *sleeps);

/* Take the sleeps of the run so far, at a flush: those from @from_ns, when the first I/O was
 * prepared, to @to_ns, when the newest one was returned, in own time (clock_map.h). */
void tw_job_waits_take(struct tw_job_waits *waits, const struct tw_clock_map *map,
		       int64_t from_ns, int64_t to_ns);

/* Forget those so far, since fio has reset its statistics. The next call has the first I/O. */
void tw_job_waits_forget(struct tw_job_waits *waits);

/* Set the table of @report, which lists @files. The sleeps that were lost are a metric. Return 0 or
 * -ENOMEM. */
int tw_job_waits_put(const struct tw_job_waits *waits, struct tw_files *files,
		     struct tw_report *report);

void tw_job_waits_free(struct tw_job_waits *waits);

#endif
