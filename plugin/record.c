/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What an I/O leaves, and when that is worked out: see record.h.
 */
#include "accounting.h"
#include "record.h"
#include "response.h"
#include "watch.h"

static void settle_stages(struct tw_job *job, const struct tw_mark *mark,
			  uint64_t total_ns)
{
	enum tw_direction direction = (enum tw_direction) mark->direction;
	const struct tw_stage_times times =
		tw_stage_times(&job->timing->clock.scale, job->system,
			       &mark->io, mark->seen_ticks,
			       &job->negative_stages);
	bool deferred = tw_unlikely(job->watch) &&
		tw_watch_defers(job, direction, &mark->io, mark->seen_ticks);

	if (mark->returned_ticks)
		tw_histogram_add(&job->record[TW_RECORD_RETURN][direction],
				 tw_job_stage_ns(job, mark->seen_ticks,
						 mark->returned_ticks));
	if (times.entered)
		tw_histogram_add(&job->record[TW_RECORD_ENTER][direction],
				 times.enter_ns);
	if (!times.waited && !deferred) {
		tw_histogram_add(&job->record[TW_RECORD_AT_ONCE][direction],
				 total_ns);
		return;
	}
	if (times.waited)
		tw_histogram_add(&job->record[TW_RECORD_QUEUE][direction],
				 times.queue_ns);
	if (times.waited && !deferred)
		tw_histogram_add(&job->record[TW_RECORD_INFLIGHT][direction],
				 times.inflight_ns);
	/* Not the sum of the two: that would add their roundings. */
	tw_histogram_add(&job->record[TW_RECORD_TOTAL][direction], total_ns);
}

static void settle(struct tw_job *job, const struct tw_mark *mark)
{
	enum tw_direction direction = (enum tw_direction) mark->direction;
	int64_t total_ns = tw_job_ns(job, mark->io.queued_ticks,
				     mark->seen_ticks);

	if (tw_unlikely(total_ns < job->least_total_ns)) {
		job->counts[direction].backwards++;
		return;
	}
	if (tw_unlikely(!job->first_ticks))
		job->first_ticks = mark->io.queued_ticks;
	job->last_ticks = mark->seen_ticks;
	job->counts[direction].recorded++;
	tw_windows_add(&job->over_time, mark->seen_ticks, direction,
		       (uint64_t) total_ns);
	if (job->stages)
		settle_stages(job, mark, (uint64_t) total_ns);
	else
		tw_histogram_add(&job->record[TW_RECORD_TOTAL][direction],
				 (uint64_t) total_ns);
}

void tw_record_settle(struct tw_job *job)
{
	unsigned i;

	for (i = 0; i < job->marked; i++)
		settle(job, &job->marks[i]);
	job->marked = 0;
}

/* In ticks, and rather too few: who is told to look closer looks at the ns. */
static uint64_t slow_from_ticks(const struct tw_job *job)
{
	double ticks_per_ns = job->system ? 1 :
		job->timing->clock.rate.hz / (double) TW_NS_PER_SECOND;
	double ticks = (double) job->slowest.least * ticks_per_ns;

	ticks -= ticks * 1e-6 + 2 * ticks_per_ns;
	return ticks < 0 ? 0 : ticks < 0x1p63 ? (uint64_t) ticks : UINT64_MAX;
}

static __attribute__((noinline))
void keep_slow(struct tw_job *job, const struct io_u *io_u,
	       const struct tw_mark *mark)
{
	int64_t total_ns = tw_job_ns(job, mark->io.queued_ticks,
				     mark->seen_ticks);
	const struct tw_slow_io slow = {
		.slow.value = (uint64_t) total_ns,
		.io = mark->io,
		.seen_ticks = mark->seen_ticks,
		.returned_ticks = mark->returned_ticks ?
			mark->returned_ticks : tw_job_stamp(job),
		.offset = io_u->offset,
		.size = io_u->xfer_buflen,
		.direction = mark->direction,
	};

	if (total_ns < job->least_total_ns ||
	    !tw_slowest_wants(&job->slowest, slow.slow.value))
		return;
	if (tw_unlikely(job->watch) && tw_watch_defers_slow(job, &slow))
		return;
	tw_slowest_add(&job->slowest, &slow.slow);
	job->slow_ticks = slow_from_ticks(job);
}

/* What only some jobs do, and what needs the io_u while it is this I/O's. */
static __attribute__((noinline))
void record_rest(struct tw_job *job, const struct io_u *io_u,
		 const struct tw_mark *mark)
{
	int64_t total_ns = tw_job_ns(job, mark->io.queued_ticks,
				     mark->seen_ticks);

	if (job->response && total_ns >= job->least_total_ns)
		tw_response_record(job->response, io_u, (uint64_t) total_ns);
	tw_record_settle(job);
}

void tw_record(struct thread_data *td, struct tw_job *job,
	       const struct io_u *io_u, const struct tw_io *io,
	       uint64_t seen_ticks, bool with_return)
{
	enum tw_direction direction = tw_direction_of(io_u->ddir);
	struct tw_mark *mark;

	if (!tw_is_accounted(td)) {
		job->counts[direction].unaccounted++;
		return;
	}
	mark = &job->marks[job->marked++];
	*mark = (struct tw_mark) {
		.io = *io,
		.seen_ticks = seen_ticks,
		.returned_ticks = with_return ? tw_job_stamp(job) : 0,
		.direction = direction,
	};
	if (tw_unlikely(seen_ticks - io->queued_ticks >= job->slow_ticks))
		keep_slow(job, io_u, mark);
	if (tw_unlikely(job->marked == TW_MARKS || job->watch ||
			job->response))
		record_rest(job, io_u, mark);
}
