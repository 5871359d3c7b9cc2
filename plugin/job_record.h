/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamps of finished I/Os go into the job's tally and the list of the slowest. The hot
 * path only appends an I/O to a short list. Settling the list takes many I/Os at once: the
 * histograms are spread over much memory, which is then brought into the caches once for
 * all of them. Only a settle changes the tally, so an I/O is in it with all its times or
 * not at all.
 */
#ifndef TW_PLUGIN_JOB_RECORD_H
#define TW_PLUGIN_JOB_RECORD_H

#include "job_parts.h"
#include "response.h"

#define TW_FINISHED_MAX	64

/* Get ready to record, before the first I/O. The job's clock and its ring are known.
 * Return 0 or -ENOMEM. */
int tw_record_start(const struct thread_data *td, struct tw_job *job);

/* Make a tally for the job: its first one, or the second one for tw_interval. Return 0 or
 * -ENOMEM. */
int tw_record_init(const struct thread_data *td, const struct tw_job *job,
		   struct tw_tally *tally);

/* Put the finished I/Os, and what else was counted, into the tally. */
void tw_record_settle(struct tw_job *job);

/* Forget what was recorded before fio last reset its statistics. */
void tw_record_follow_resets(const struct thread_data *td, struct tw_job *job);

/* Ask before each I/O of a job that tw_may_reset(): false if fio leaves it out, since the job
 * ramps. */
bool tw_record_is_past_ramp(struct thread_data *td, struct tw_job *job);

/* Settle while the job has to wait for a device anyway. Few finished I/Os are left for
 * later: on a fast device, settling one I/O takes longer than the wait. */
static inline void tw_record_before_wait(struct tw_job *job)
{
	if (job->hot.finished_count >= TW_FINISHED_MAX / 2 ||
	    tw__unlikely(tw_fill_is_asked(&job->collected.filling)))
		tw_record_settle(job);
}

/* Settle if the list is full, or if an I/O comes so late that its line of intervals would
 * lack it. */
static inline void tw_record_if_due(struct tw_job *job, uint64_t returned_ticks)
{
	if (job->hot.finished_count == TW_FINISHED_MAX ||
	    tw__unlikely(returned_ticks - job->hot.settled_ticks >
			 job->hot.settle_after_ticks))
		tw_record_settle(job);
}

/* Record an I/O that failed. */
void tw_record_error(struct tw_job *job, const struct io_u *io_u, uint64_t returned_ticks);

/* Take the stamps of the sync that the I/O in finished[finished_count] is, or has after its
 * data. */
static inline void tw_record_stamps_of_sync(struct tw_job_hot *hot, unsigned index)
{
	struct tw_slot *stamps = &hot->finished[hot->finished_count].io.kernel;
	struct tw_sync *sync = &hot->synced[hot->finished_count];

	tw_syncs_read(&hot->syncs, index, stamps->key, sync);
	if (tw_sync_is_known(sync))
		stamps->flags |= TW_SLOT_SYNC_SEEN;
}

/* Record a successful I/O that was returned to fio at @returned_ticks, if fio counts it,
 * too. */
static inline void tw_record(struct thread_data *td, struct tw_job *job,
			     const struct io_u *io_u, uint64_t returned_ticks)
{
	struct tw_job_hot *hot = &job->hot;
	const struct tw_io *io = &hot->io[io_u->index];
	const int64_t lat_ticks = (int64_t) (returned_ticks - io->prepared_ticks);

	if ((tw__unlikely(hot->may_reset) && !tw_record_is_past_ramp(td, job)) ||
	    !tw_is_running(td)) {
		tw_pending(job, io_u)->unaccounted++;
		return;
	}
	if (hot->extra) {
		hot->extra[hot->finished_count] = (struct tw_extra) {
			.slip_ns = hot->response ?
				tw_response_slip_ns(hot->response, io_u) : TW_NO_TIME,
			.residual_ns = hot->residual_ns,
		};
		if (hot->kernel.companies)
			tw_company_read(&hot->kernel.companies[io_u->index], io->kernel.key,
					&hot->extra[hot->finished_count].company);
		if (hot->kernel.helds && hot->kernel.helds[io_u->index].key == io->kernel.key)
			hot->extra[hot->finished_count].held =
				*(const struct tw_held *) &hot->kernel.helds[io_u->index];
		hot->residual_ns = TW_NO_TIME;
	}
	if (tw__unlikely(lat_ticks > hot->trigger.above_ticks))
		tw_trigger_slow(job, io_u, io);
	hot->finished[hot->finished_count] = (struct tw_finished) {
		.io = *io,
		.returned_ticks = returned_ticks,
		.offset = io_u->offset,
		.size = io_u->xfer_buflen,
		.missing = (uint32_t) io_u->resid,
		.direction = tw_direction_of(io_u->ddir),
		.device = hot->devices ? tw_device_of(hot->devices, io_u->file) : 0,
	};
	if (hot->synced && (!ddir_rw(io_u->ddir) ||
			    (hot->syncs.of_writes && io_u->ddir == DDIR_WRITE)))
		tw_record_stamps_of_sync(hot, io_u->index);
	hot->finished_count++;
	if (tw__unlikely(lat_ticks >= hot->settle_ticks))
		tw_record_settle(job);
	else
		tw_record_if_due(job, returned_ticks);
}

#endif
