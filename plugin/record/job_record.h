/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamps of finished I/Os go into the job's tally and the list of the slowest. The hot
 * path only appends an I/O to a short list. A flush takes all I/Os of the list at once: the
 * histograms are spread over much memory, which is then brought into the caches once for
 * all of them. Only a flush changes the tally, so an I/O is in it with all its times or
 * not at all.
 */
#ifndef TW_PLUGIN_RECORD_JOB_RECORD_H
#define TW_PLUGIN_RECORD_JOB_RECORD_H

#include "job_devices.h"
#include "job_state.h"

#define TW_FINISHED_MAX	64

/* Get ready to record, before the first I/O. The job's clock, its ring and its devices are known.
 * Return 0 or -ENOMEM. */
int tw_record_start(const struct thread_data *td, struct tw_job *job);

/* Make a tally for the job: its first one, or the second one for tw_interval. Return 0 or
 * -ENOMEM. */
int tw_record_init(const struct thread_data *td, const struct tw_job *job,
		   struct tw_tally *tally);

/* Put the finished I/Os, and what else was counted, into the tally. */
void tw_record_flush(struct tw_job *job);

/* Forget what was recorded before fio last reset its statistics. */
void tw_record_follow_resets(const struct thread_data *td, struct tw_job *job);

/* Call this before each I/O of a job of which tw_may_reset() is true. Return false if fio leaves
 * the I/O out, since the job ramps. */
bool tw_record_is_past_ramp(struct thread_data *td, struct tw_job *job);

/* Flush while the job has to wait for a device anyway, unless few I/Os have finished: on a fast
 * device, flushing one I/O takes longer than the wait. */
static inline void tw_record_before_wait(struct tw_job *job)
{
	if (job->hot.finished_count >= TW_FINISHED_MAX / 2 ||
	    tw__unlikely(tw_fill_is_asked(&job->collected.filling)))
		tw_record_flush(job);
}

/* Flush if the list is full, or if an I/O comes so late that its line of intervals would
 * lack it. */
static inline void tw_record_if_due(struct tw_job *job, uint64_t returned_ticks)
{
	if (job->hot.finished_count == TW_FINISHED_MAX ||
	    tw__unlikely(returned_ticks - job->hot.flushed_ticks >
			 job->hot.flush_after_ticks))
		tw_record_flush(job);
}

/* job_sampling.c, at flushes. tw_sampling_start(): begin, when the job's start is known.
 * tw_sampling_go_on(): end the span, and begin the next one at @now_ticks. tw_sampling_limit(): set
 * the limit from which on I/Os that are not chosen are stamped: that of the list of the slowest.
 * tw_sampling_put(): move what the report has of the sampling to @scalars. */
void tw_sampling_start(const struct tw_options *o, struct tw_job *job);
void tw_sampling_go_on(struct tw_job *job, uint64_t now_ticks);
void tw_sampling_limit(struct tw_job *job);
void tw_sampling_put(struct tw_sampling *sampling, struct tw_scalars *scalars);

/* Note the lat of an I/O. Those that were submitted before the span do not count. */
static inline void tw_sampling_add_lat(struct tw_sampling *sampling, uint64_t enter_ticks,
				       uint64_t lat_ns)
{
	if (!sampling->place || enter_ticks < sampling->from_ticks)
		return;
	sampling->lats++;
	sampling->lat_ns += lat_ns;
}

/* Record an I/O that failed. */
void tw_record_error(struct tw_job *job, const struct io_u *io_u, uint64_t returned_ticks);

/* Take what only some jobs have of an I/O: what its device, the kernel's programs and the
 * schedule tell. @is_slow: it may be among the slowest. */
void tw_record_take(struct tw_job *job, const struct io_u *io_u,
		    struct tw_finished *finished, bool is_slow);

/* Look at an I/O that is slower than a trigger, or may be among the slowest. It is the newest
 * of the list. */
void tw_record_look(struct tw_job *job, const struct io_u *io_u, int64_t lat_ticks);

/* Record a successful I/O that was returned to fio at @returned_ticks, if fio counts it,
 * too. */
static inline void tw_record(struct thread_data *td, struct tw_job *job,
			     const struct io_u *io_u, uint64_t returned_ticks)
{
	struct tw_job_hot *hot = &job->hot;
	const struct tw_io *io = &hot->io[io_u->index];
	const int64_t lat_ticks = (int64_t) (returned_ticks - io->prepared_ticks);
	const bool is_slow = tw__unlikely(lat_ticks >= hot->slow_ticks);
	struct tw_finished *finished;

	if ((tw__unlikely(hot->may_reset) && !tw_record_is_past_ramp(td, job)) ||
	    tw__unlikely(!tw_is_running(td))) {
		tw_pending(job, io_u)->unaccounted++;
		return;
	}
	finished = &hot->finished[hot->finished_count];
	*finished = (struct tw_finished) {
		.io = *io,
		.returned_ticks = returned_ticks,
		.offset = io_u->offset,
		.size = io_u->xfer_buflen,
		.missing = (uint32_t) io_u->resid,
		.direction = tw_direction_of(io_u->ddir),
	};
	if (tw__unlikely(hot->has_more))
		tw_record_take(job, io_u, finished, is_slow);
	hot->finished_count++;
	if (tw__unlikely(is_slow))
		tw_record_look(job, io_u, lat_ticks);
	tw_record_if_due(job, returned_ticks);
}

#endif
