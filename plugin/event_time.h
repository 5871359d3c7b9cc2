/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_event_time: make fio's own latencies end where the engine saw each completion.
 *
 * fio reads its clock once after ->getevents(), and uses this time as the end of every
 * I/O of the batch. An engine can't change that. But fio's latencies are differences.
 * So the issue and start times of an I/O are moved later by the time from its
 * completion to the end of ->getevents(). fio then computes the latency that it would
 * have if it had read its clock when the completion was seen.
 *
 * A residual stays: the time from the engine's last stamp to fio's reading of its
 * clock. It is the same for the whole batch. It is less than the time to the first
 * ->event(), which is measured.
 *
 * A fio with the patches of patches/ takes the end of each I/O from the engine. Then
 * no time is moved. The residual is the time from the engine's last stamp to the
 * engine's own reading of fio's clock.
 */
#ifndef TW_PLUGIN_EVENT_TIME_H
#define TW_PLUGIN_EVENT_TIME_H

#include "engine.h"

/* Note the time of a patched fio's clock. ->getevents() calls this as it returns. */
static inline void tw_event_time_returned(struct tw_job *job)
{
#ifdef TW_FIO_COMPLETE_TIME
	job->returned_fio_ns = fio_gettime_ns();
#endif
}

static inline void tw_event_time_set(struct tw_job *job, struct io_u *io_u,
				     int event)
{
	const struct tw_scale *scale = &job->timing->clock.scale;
	const uint64_t seen_ticks = job->io[io_u->index].seen_ticks;
	int64_t residual_ns;

	job->residual_ns = TW_NO_TIME;
	if (event == 0) {
		residual_ns = tw_job_ns(job, job->returned_ticks,
					tw_job_stamp(job));
		job->residual_ns = residual_ns < 0 ? 0 : (uint64_t) residual_ns;
	}
#ifdef TW_FIO_COMPLETE_TIME
	io_u->complete_nsec = job->returned_fio_ns -
		tw_earlier_ns(scale, job->system, seen_ticks,
			      job->returned_ticks);
#elif defined TW_FIO_NSEC
	uint64_t earlier_ns = tw_earlier_ns(scale, job->system, seen_ticks,
					    job->returned_ticks);

	io_u->issue_nsec += earlier_ns;
	io_u->start_nsec += earlier_ns;
#else
	tw_shift_to_event(scale, job->system, seen_ticks, job->returned_ticks,
			  &io_u->issue_time, &io_u->start_time);
#endif
}

#endif
