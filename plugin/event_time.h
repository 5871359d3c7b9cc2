/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_event_time: fio's own numbers, with each I/O's own end.
 *
 * fio reads its clock once after ->getevents(), and what it reads is the end of
 * every I/O of the batch. That can't be changed from here. But its latencies
 * are differences: when an I/O's issue and start are moved later by as much as
 * its end was earlier than the end of ->getevents(), they come out as if fio
 * had read its clock for this one when we saw it. What is left is what fio
 * takes from our last stamp to its clock, the same for all of a batch: less
 * than from there to the first ->event(), which is measured.
 */
#ifndef TW_PLUGIN_EVENT_TIME_H
#define TW_PLUGIN_EVENT_TIME_H

#include "engine.h"

static inline void tw_event_time_shift(struct tw_job *job,
				       struct io_u *io_u, int event,
				       uint64_t seen_ticks)
{
	int64_t residual_ns;

	if (event == 0) {
		residual_ns = tw_job_ns(job, job->taken_ticks,
					tw_job_stamp(job));
		tw_histogram_add(&job->residual, residual_ns < 0 ? 0 :
				 (uint64_t) residual_ns);
	}
	tw_shift_to_event(&job->timing->clock.scale, job->system, seen_ticks,
			  job->taken_ticks, &io_u->issue_time,
			  &io_u->start_time);
}

#endif
