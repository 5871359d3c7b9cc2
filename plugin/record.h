/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stamps of finished I/Os go into histograms, windows over time and the list of the
 * slowest. The hot path only appends an I/O to a short list. Settling the list takes
 * many I/Os at once: the histograms are spread over much memory, which is then brought
 * into the caches once for all of them.
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
	unsigned device : 24;	/* index, if the job has several devices */
} __attribute__((aligned(64)));

/* Get ready to record, before the first I/O. The job's clock is known. Return 0 or
 * -ENOMEM. */
int tw_record_start(struct tw_job *job);

/* Put the finished I/Os into the histograms. */
void tw_record_settle(struct tw_job *job);

/* Settle while the job has to wait for a device anyway. Few finished I/Os are left for
 * later: on a fast device, settling one I/O takes longer than the wait. */
static inline void tw_record_before_wait(struct tw_job *job)
{
	if (job->finished_count >= TW_FINISHED_MAX / 2)
		tw_record_settle(job);
}

/* Record the response time. A CPU whose counter is behind can make lat negative; then
 * nothing is recorded (see record.c). */
static inline void tw_record_response(const struct tw_job *job,
				      const struct io_u *io_u,
				      uint64_t prepared_ticks,
				      uint64_t returned_ticks)
{
	const int64_t lat_ns = tw_job_ns(job, prepared_ticks, returned_ticks);

	if (lat_ns >= (int64_t) job->min_lat_ns)
		tw_response_record(job->response, io_u, (uint64_t) lat_ns);
}

/* Record a successful I/O that was returned to fio at @returned_ticks, if fio counts it,
 * too. */
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
