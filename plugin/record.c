/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an I/O leaves, and when that is worked out: see record.h.
 */
#include "record.h"

/* Which lists are of totals: each I/O is in one of them. */
static bool is_total(enum tw_record kind)
{
	return kind == TW_RECORD_INSIDE || kind == TW_RECORD_AT_ONCE ||
	       kind == TW_RECORD_TOTAL;
}

void tw_record_settle_list(struct tw_job *job, struct tw_batch *batch,
			   enum tw_record kind)
{
	const size_t direction = (size_t) (batch - job->batch);
	const uint64_t *ticks = batch->ticks[kind];
	const size_t count = (size_t) (batch->ends[kind] - ticks);
	const bool total = is_total(kind);

	tw_tally_add_many(&job->tally[kind][direction],
			  &job->record[kind][direction],
			  total ? &job->over_time.current[direction] : NULL,
			  job->system ? NULL : &job->timing->clock.scale,
			  ticks, count);
	if (total)
		job->counts[direction].recorded += count;
	batch->ends[kind] = batch->ticks[kind];
}

void tw_record_settle(struct tw_job *job)
{
	struct tw_batch *batch;
	enum tw_record kind;

	for (batch = job->batch; batch != job->batch + TW_DIRECTIONS; batch++)
		for (kind = 0; kind < TW_RECORDS; kind++)
			if (batch->ends[kind] != batch->ticks[kind])
				tw_record_settle_list(job, batch, kind);
}

void tw_record_end(struct tw_job *job)
{
	enum tw_direction direction;
	enum tw_record kind;

	tw_record_settle(job);
	for (kind = 0; kind < TW_RECORDS; kind++)
		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			tw_tally_settle(&job->tally[kind][direction],
					&job->record[kind][direction]);
}

/* All of a batch belong to the window that is open when it is settled. */
void tw_record_window(struct tw_job *job, uint64_t seen_ticks)
{
	tw_record_settle(job);
	tw_windows_advance(&job->over_time, seen_ticks);
}

/* Half of all that there is, so that what is negative is always above. */
#define NEVER_TICKS	(UINT64_MAX / 2)

/* In ticks, and rather too few: who is told to look closer looks at the ns. */
static uint64_t odd_from_ticks(const struct tw_job *job)
{
	double ticks = (double) job->slowest.least * tw_job_ticks_per_ns(job);

	ticks -= ticks * 1e-6 + 2 * tw_job_ticks_per_ns(job) +
		 (double) job->least_total_ticks;
	return ticks < 0 ? 0 :
	       ticks < (double) NEVER_TICKS ? (uint64_t) ticks : NEVER_TICKS;
}

void tw_record_start(struct tw_job *job)
{
	const int64_t least_ns = job->timing->step_ns <= 1;
	uint64_t least = (uint64_t) ((double) least_ns *
				     tw_job_ticks_per_ns(job));
	enum tw_direction direction;
	enum tw_record kind;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		for (kind = 0; kind < TW_RECORDS; kind++)
			job->batch[direction].ends[kind] =
				job->batch[direction].ticks[kind];
	while (tw_job_ns(job, 0, least) < least_ns)
		least++;
	job->least_total_ticks = least;
	/* The first one is looked at. */
	job->odd_ticks = 0;
}

static void keep_slow(struct tw_job *job, const struct tw_slow_io *slow)
{
	if (!tw_slowest_wants(&job->slowest, slow->slow.value))
		return;
	tw_slowest_add(&job->slowest, &slow->slow);
	job->odd_ticks = odd_from_ticks(job);
}

bool tw_record_odd(struct tw_job *job, const struct io_u *io_u,
		   const struct tw_io *io, uint64_t seen_ticks,
		   uint64_t returned_ticks)
{
	enum tw_direction direction = tw_direction_of(io_u->ddir);
	int64_t total_ns = tw_job_ns(job, io->queued_ticks, seen_ticks);
	const struct tw_slow_io slow = {
		.slow.value = (uint64_t) total_ns,
		.io = *io,
		.seen_ticks = seen_ticks,
		.returned_ticks = returned_ticks ? returned_ticks :
						   tw_job_stamp(job),
		.offset = io_u->offset,
		.size = io_u->xfer_buflen,
		.direction = direction,
	};

	if ((int64_t) (seen_ticks - io->queued_ticks) <
	    (int64_t) job->least_total_ticks) {
		job->counts[direction].backwards++;
		return false;
	}
	if (!job->first_ticks)
		job->first_ticks = io->queued_ticks;
	if (!job->slowest.most)
		job->odd_ticks = NEVER_TICKS;
	keep_slow(job, &slow);
	return true;
}

void tw_record(struct thread_data *td, struct tw_job *job,
	       const struct io_u *io_u, const struct tw_io *io,
	       uint64_t seen_ticks, bool with_return)
{
	tw_record_path(td, job, io_u, io, seen_ticks, with_return, false);
}
