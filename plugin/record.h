/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamps of finished I/Os go into the job's tally and the list of the slowest. The hot
 * path only appends an I/O to a short list. Settling the list takes many I/Os at once: the
 * histograms are spread over much memory, which is then brought into the caches once for
 * all of them. Only a settle changes the tally, so an I/O is in it with all its times or
 * not at all.
 */
#ifndef TW_PLUGIN_RECORD_H
#define TW_PLUGIN_RECORD_H

#include "accounting.h"
#include "devices.h"
#include "engine.h"
#include "response.h"

#define TW_FINISHED_MAX	64

/* A finished I/O that is not yet in the histograms. */
struct tw_finished {
	struct tw_io io;
	uint64_t returned_ticks;
	uint64_t offset;
	uint64_t size;
	/* Bytes that were not moved. It is below 4 GB, since a ring moves less. */
	uint32_t missing;
	enum tw_direction direction : 8;
	unsigned device : 23;	/* index, if the job has several devices */
	unsigned failed : 1;	/* an error: it has no times */
} __attribute__((aligned(64)));

/* What only a job with a rate or with tw_event_time=1 has of a finished I/O. A time may be
 * TW_NO_TIME. */
struct tw_extra {
	uint64_t slip_ns;
	uint64_t residual_ns;
};

/* Get ready to record, before the first I/O. The job's clock and its ring are known.
 * Return 0 or -ENOMEM. */
int tw_record_start(const struct thread_data *td, struct tw_job *job);

/* Get the second tally ready, for tw_interval. Return 0 or -ENOMEM. */
int tw_record_second(const struct thread_data *td, struct tw_job *job);

/* Put the finished I/Os, and what else was counted, into the tally. */
void tw_record_settle(struct tw_job *job);

/* Record an I/O that failed. */
void tw_record_error(struct tw_job *job, const struct io_u *io_u,
		     uint64_t returned_ticks);

/* Settle while the job has to wait for a device anyway. Few finished I/Os are left for
 * later: on a fast device, settling one I/O takes longer than the wait. */
static inline void tw_record_before_wait(struct tw_job *job)
{
	if (job->finished_count >= TW_FINISHED_MAX / 2 ||
	    tw__unlikely(tw_fill_is_asked(&job->filling)))
		tw_record_settle(job);
}

/* True if the finished I/Os are to be settled: the list is full, or an I/O comes so late
 * that its line of intervals would lack it. */
static inline bool tw_record_is_due(const struct tw_job *job, uint64_t returned_ticks)
{
	return job->finished_count == TW_FINISHED_MAX ||
	       tw__unlikely(returned_ticks - job->settled_ticks >
			    job->settle_after_ticks);
}

/* Keep the times of an I/O that struct tw_finished lacks. */
static inline void tw_record_extra(struct tw_job *job, const struct io_u *io_u)
{
	job->extra[job->finished_count] = (struct tw_extra) {
		.slip_ns = job->response ?
			   tw_response_slip_ns(job->response, io_u) : TW_NO_TIME,
		.residual_ns = job->residual_ns,
	};
	job->residual_ns = TW_NO_TIME;
}

/* Record a successful I/O that was returned to fio at @returned_ticks, if fio counts it,
 * too. */
static inline void tw_record(struct thread_data *td, struct tw_job *job,
			     const struct io_u *io_u, uint64_t returned_ticks)
{
	const enum tw_direction direction = tw_direction_of(io_u->ddir);
	const struct tw_io *io = &job->io[io_u->index];

	if (!tw_is_accounted(td)) {
		tw_pending(job, io_u)->unaccounted++;
		return;
	}
	if (job->extra)
		tw_record_extra(job, io_u);
	if (tw__unlikely((int64_t) (returned_ticks - io->prepared_ticks) >
			job->trigger.above_ticks))
		tw_trigger_slow(job, io_u, io);
	job->finished[job->finished_count++] = (struct tw_finished) {
		.io = *io,
		.returned_ticks = returned_ticks,
		.offset = io_u->offset,
		.size = io_u->xfer_buflen,
		.missing = (uint32_t) io_u->resid,
		.direction = direction,
		.device = job->devices ?
			  tw_device_of(job->devices, io_u->file) : 0,
	};
	if (tw_record_is_due(job, returned_ticks) ||
	    tw__unlikely((int64_t) (returned_ticks - io->prepared_ticks) >=
			job->settle_ticks))
		tw_record_settle(job);
}

#endif
