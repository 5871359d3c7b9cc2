/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/Os are split inside the kernel: as many as cost a small share of the job's CPU
 * time; and what this costs, measured in the run. The hot path only counts down to the next
 * chosen I/O (choose.h). The rest is done at flushes.
 */
#ifndef TW_PLUGIN_RECORD_JOB_SAMPLING_H
#define TW_PLUGIN_RECORD_JOB_SAMPLING_H

#include "job_state.h"

/* Begin, when the job's start is known. */
void tw_sampling_start(const struct tw_options *o, struct tw_job *job);

/* End the span, and begin the next one at @now_ticks. */
void tw_sampling_go_on(struct tw_job *job, uint64_t now_ticks);

/* Set the limit from which on I/Os that are not chosen are stamped: that of the list of the
 * slowest. */
void tw_sampling_limit(struct tw_job *job);

/* Move what the report has of the sampling to @scalars. */
void tw_sampling_put(struct tw_sampling *sampling, struct tw_scalars *scalars);

/* Note the lat of an I/O. Those that began before the span do not count. */
static inline void tw_sampling_add_lat(struct tw_sampling *sampling, uint64_t prepared_ticks,
				       uint64_t lat_ns)
{
	if (!sampling->place || prepared_ticks < sampling->from_ticks)
		return;
	sampling->lats++;
	sampling->lat_ns += lat_ns;
}

#endif
