/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tw_event_time: fio's own latencies, with the end of each I/O.
 *
 * fio reads its clock once after ->getevents(), and takes that for the end of every
 * I/O of the batch. An engine can't change that. But fio's latencies are
 * differences: issue and start of an I/O are moved later by the time from its
 * completion to the end of ->getevents(). Then fio computes the latency that it
 * would have if it had read its clock when the completion was seen. The rest is
 * what fio takes from our last stamp to its clock, the same for all of a batch, and
 * less than the time to the first ->event(), which is measured.
 *
 * A fio with our patches takes the end of each I/O from the engine. Then nothing
 * is moved, and the rest is the time from our last stamp to our own reading of
 * fio's clock.
 */
#ifndef TW_PLUGIN_EVENT_TIME_H
#define TW_PLUGIN_EVENT_TIME_H

#include "engine.h"

/* ->getevents() returns; fio reads its clock soon after. */
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

	if (event == 0) {
		residual_ns = tw_job_ns(job, job->returned_ticks,
					tw_job_stamp(job));
		tw_histogram_add(&job->residual, residual_ns < 0 ? 0 :
				 (uint64_t) residual_ns);
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
