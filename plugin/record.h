/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamps of I/Os that are over become histograms, windows over time and the list
 * of the slowest. A short list of finished I/Os stands between: the histograms
 * are spread over far more memory than an I/O's way should touch, so they are
 * brought into the caches once for many I/Os.
 */
#ifndef TW_PLUGIN_RECORD_H
#define TW_PLUGIN_RECORD_H

#include "accounting.h"
#include "devices.h"
#include "engine.h"
#include "response.h"

#define TW_FINISHED_MAX	64

/* An I/O that is over and not yet in the histograms. */
struct tw_finished {
	struct tw_io io;
	uint64_t returned_ticks;
	uint64_t offset;
	uint64_t size;
	/* What of size was not moved. Below 4 GB: a ring moves no more. */
	uint32_t missing;
	enum tw_direction direction : 8;
	unsigned device : 24;	/* its place among the job's, if it has several */
} __attribute__((aligned(64)));

/* Before the first I/O; the job's clock is known. 0; -ENOMEM. */
int tw_record_start(struct tw_job *job);

/* Put the finished I/Os into the histograms. */
void tw_record_settle(struct tw_job *job);

/* The job is about to wait for a device, so settling costs no time now. With few
 * finished I/Os it is put off: one I/O costs a fast device more than it waits. */
static inline void tw_record_before_wait(struct tw_job *job)
{
	if (job->finished_count >= TW_FINISHED_MAX / 2)
		tw_record_settle(job);
}

/* A CPU whose counter is behind can make lat negative: see record.c. */
static inline void tw_record_response(const struct tw_job *job,
				      const struct io_u *io_u,
				      uint64_t prepared_ticks,
				      uint64_t returned_ticks)
{
	const int64_t lat_ns = tw_job_ns(job, prepared_ticks, returned_ticks);

	if (lat_ns >= (int64_t) job->min_lat_ns)
		tw_response_record(job->response, io_u, (uint64_t) lat_ns);
}

/* The I/O did what it had to, and was returned to fio at @returned_ticks. It is
 * recorded if fio counts it, too. */
static inline void tw_record(struct thread_data *td, struct tw_job *job,
			     const struct io_u *io_u, uint64_t returned_ticks)
{
	const enum tw_direction direction = tw_direction_of(io_u->ddir);
	const struct tw_io *io = &job->io[io_u->index];

	if (!tw_is_accounted(td)) {
		job->counts[direction].unaccounted++;
		return;
	}
	if (job->response)
		tw_record_response(job, io_u, io->prepared_ticks,
				   returned_ticks);
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
	if (job->finished_count == TW_FINISHED_MAX ||
	    tw__unlikely((int64_t) (returned_ticks - io->prepared_ticks) >=
			job->settle_ticks))
		tw_record_settle(job);
}

#endif
