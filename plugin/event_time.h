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
 *
 * A fio with our patches takes the end of each I/O from the engine. Then nothing
 * is moved, and what is left is the way from our last stamp to our own read of
 * fio's clock.
 */
#ifndef TW_PLUGIN_EVENT_TIME_H
#define TW_PLUGIN_EVENT_TIME_H

#include "engine.h"

/* When ->getevents() returns; fio reads its clock soon after. */
static inline void tw_event_time_taken(struct tw_job *job)
{
	job->taken_ticks = tw_job_stamp(job);
#ifdef TW_FIO_COMPLETE_TIME
	job->taken_fio_ns = fio_gettime_ns();
#endif
}

static inline void tw_event_time_set(struct tw_job *job, struct io_u *io_u,
				     uint64_t seen_ticks)
{
	const struct tw_scale *scale = &job->timing->clock.scale;

#ifdef TW_FIO_COMPLETE_TIME
	io_u->complete_nsec = job->taken_fio_ns -
		tw_earlier_ns(scale, job->system, seen_ticks, job->taken_ticks);
#elif defined TW_FIO_NSEC
	uint64_t earlier_ns = tw_earlier_ns(scale, job->system, seen_ticks,
					    job->taken_ticks);

	io_u->issue_nsec += earlier_ns;
	io_u->start_nsec += earlier_ns;
#else
	tw_shift_to_event(scale, job->system, seen_ticks, job->taken_ticks,
			  &io_u->issue_time, &io_u->start_time);
#endif
}

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
	tw_event_time_set(job, io_u, seen_ticks);
}

#endif
