/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an I/O leaves: the ticks of its stages in short lists, one for each
 * histogram, and from there, many at a time, the histograms, the windows over
 * time and the counts. (The histograms' bins are kept small: see tally.h.)
 *
 * Recording I/O by I/O costs more than the arithmetic: each time its code and
 * its histograms have to be brought back into the caches from behind fio's and
 * the kernel's. So lists are settled when they are full, and when they have become
 * long and the job is about to wait for a device anyway.
 */
#ifndef TW_PLUGIN_RECORD_H
#define TW_PLUGIN_RECORD_H

#include "accounting.h"
#include "engine.h"
#include "response.h"

/* Before the first one; the job's clock is known. */
void tw_record_start(struct tw_job *job);

/* Settle the lists; the bins of job->record wait for tw_record_end(). */
void tw_record_settle(struct tw_job *job);

/* The job is about to wait, so that it costs nothing now; but with a device that
 * is as fast as the call each I/O waits, and to settle one costs five times as
 * much as one of many. How many there are is told by how many were submitted: about
 * right, and no more hangs on it than when that is. */
static inline void tw_record_waits(struct tw_job *job)
{
	if (job->pending_head - job->settled_head < TW_BATCH / 4)
		return;
	job->settled_head = job->pending_head;
	tw_record_settle(job);
}

/* Nothing more will come: all of job->record is right. */
void tw_record_end(struct tw_job *job);

/*
 * An I/O did what it was asked to. @with_return: it was not handed to fio as soon
 * as it was seen. What fio does not count we don't either.
 */
void tw_record(struct thread_data *td, struct tw_job *job,
	       const struct io_u *io_u, const struct tw_io *io,
	       uint64_t seen_ticks, bool with_return);

/*
 * Of tw_record_path(), what is seldom reached: a list is full; the I/O is past the
 * end of the window over time; its total is more than usual, less than can be, or
 * the first one: false where it does not count.
 */
void tw_record_settle_list(struct tw_job *job, struct tw_batch *batch,
			   enum tw_record kind);
void tw_record_window(struct tw_job *job, uint64_t seen_ticks);
bool tw_record_odd(struct tw_job *job, const struct io_u *io_u,
		   const struct tw_io *io, uint64_t seen_ticks,
		   uint64_t returned_ticks);

static inline __attribute__((always_inline))
void tw_record_add(struct tw_job *job, struct tw_batch *batch,
		   enum tw_record kind, uint64_t ticks)
{
	uint64_t *end = batch->ends[kind];

	*end++ = ticks;
	batch->ends[kind] = end;
	if (tw_unlikely(end == batch->ticks[kind] + TW_BATCH))
		tw_record_settle_list(job, batch, kind);
}

static inline __attribute__((always_inline))
void tw_record_stages(struct tw_job *job, struct tw_batch *batch,
		      const struct tw_io *io, uint64_t seen_ticks)
{
	uint64_t total_ticks = seen_ticks - io->queued_ticks;
	struct tw_stage_times times;

	if (seen_ticks == io->entered_ticks &&
	    io->queued_ticks == io->enter_ticks) {
		tw_record_add(job, batch, TW_RECORD_INSIDE, total_ticks);
		return;
	}
	times = tw_stage_times(io, seen_ticks, &job->negative_stages);
	if (times.entered)
		tw_record_add(job, batch, TW_RECORD_ENTER, times.enter_ticks);
	if (!times.waited) {
		tw_record_add(job, batch, TW_RECORD_AT_ONCE, total_ticks);
		return;
	}
	tw_record_add(job, batch, TW_RECORD_QUEUE, times.queue_ticks);
	tw_record_add(job, batch, TW_RECORD_INFLIGHT, times.inflight_ticks);
	/* Not the sum of the two: that would add their roundings. */
	tw_record_add(job, batch, TW_RECORD_TOTAL, total_ticks);
}

/* tw_record(), as a part of what calls it; @usual: see struct tw_job. */
static inline __attribute__((always_inline))
void tw_record_path(struct thread_data *td, struct tw_job *job,
		    const struct io_u *io_u, const struct tw_io *io,
		    uint64_t seen_ticks, bool with_return, const bool usual)
{
	enum tw_direction direction = tw_direction_of(io_u->ddir);
	struct tw_batch *batch = &job->batch[direction];
	uint64_t total_ticks = seen_ticks - io->queued_ticks;
	uint64_t returned_ticks;

	if (!tw_is_accounted(td)) {
		job->counts[direction].unaccounted++;
		return;
	}
	returned_ticks = with_return ? tw_path_stamp(job, usual) : 0;
	if (tw_unlikely(total_ticks - job->least_total_ticks >=
			job->odd_ticks) &&
	    !tw_record_odd(job, io_u, io, seen_ticks, returned_ticks))
		return;
	if (tw_unlikely((int64_t) (seen_ticks - job->over_time.edge) >= 0))
		tw_record_window(job, seen_ticks);
	job->last_ticks = seen_ticks;
	if (!usual && job->response)
		tw_response_record(job->response, io_u, (uint64_t)
				   tw_job_ns(job, io->queued_ticks, seen_ticks));
	if (with_return)
		tw_record_add(job, batch, TW_RECORD_RETURN,
			      tw_stage_ticks(seen_ticks, returned_ticks,
					     &job->negative_stages));
	if (job->stages)
		tw_record_stages(job, batch, io, seen_ticks);
	else
		tw_record_add(job, batch, TW_RECORD_TOTAL, total_ticks);
}

#endif
