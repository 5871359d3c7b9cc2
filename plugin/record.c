/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Put the stamps of I/Os into histograms: see record.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "record.h"
#include "timespec.h"

#define READINGS	5	/* of both clocks */

/* Read the engine's clock before and after CLOCK_MONOTONIC a few times. Keep the
 * narrowest reading. */
static void read_clocks(struct tw_job *job)
{
	struct tw_reading best = { .error_ns = INT64_MAX };
	unsigned i;

	for (i = 0; i < READINGS; i++) {
		uint64_t before = tw_job_stamp(job);
		uint64_t monotonic_ns = tw_clock_id_ns(CLOCK_MONOTONIC);
		uint64_t after = tw_job_stamp(job);
		int64_t width_ns = tw_job_ns(job, before, after);

		if (width_ns < 0 || width_ns / 2 + 1 >= best.error_ns)
			continue;
		best = (struct tw_reading) {
			.own_ns = tw_job_ns(job, job->start.ticks, before) +
				  width_ns / 2,
			.monotonic_ns = (int64_t) monotonic_ns,
			.error_ns = width_ns / 2 + 1,
		};
	}
	if (best.error_ns != INT64_MAX)
		tw_join_read(&job->join, best);
}

/* Choose the lat from which on an I/O is settled at once, since it may be among the
 * slowest. The events of the job's thread, which tell the cause, are overwritten after
 * a while. */
static void settle_slow_at_once(struct tw_job *job)
{
	const double ticks = (double) job->slowest.least *
			     tw_job_ticks_per_ns(job);

	job->settle_ticks = job->follow.turns && ticks < (double) INT64_MAX ?
			    (int64_t) ticks : INT64_MAX;
}

int tw_record_start(struct tw_job *job)
{
	settle_slow_at_once(job);
	if (job->kernel.slots)
		read_clocks(job);
	job->finished = aligned_alloc(_Alignof(struct tw_finished),
				      TW_FINISHED_MAX *
				      sizeof(*job->finished));
	job->min_lat_ns = job->timing->step_ns <= 1;
	return job->finished ? 0 : -ENOMEM;
}

static void record_slow(struct tw_job *job, const struct tw_finished *finished,
			const struct tw_io_times *times,
			const struct tw_clocks *clocks)
{
	struct tw_slow_io slow = {
		.slow.value = times->lat_ns,
		.times = *times,
		.io = finished->io,
		.offset = finished->offset,
		.size = finished->size,
		.direction = finished->direction,
	};

	if (job->follow.turns)
		tw_why_find(job, clocks, &finished->io, times, &slow.why);
	tw_slowest_add(&job->slowest, &slow.slow);
	settle_slow_at_once(job);
}

static void record_inside(struct tw_job *job, const struct tw_finished *finished,
			  enum tw_inside inside)
{
	job->inside[inside][finished->direction]++;
	if (inside != TW_INSIDE_SPLIT)
		return;
	job->requests += finished->io.kernel.requests;
	job->retries += finished->io.kernel.retries;
}

static bool has_unaccounted(const struct tw_job *job)
{
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (job->counts[direction].unaccounted)
			return true;
	return false;
}

static void record(struct tw_job *job, const struct tw_finished *finished,
		   const struct tw_clocks *clocks)
{
	const enum tw_direction direction = finished->direction;
	struct tw_contradictions wrong = { 0 };
	const struct tw_io_times times =
		(job->stages ? tw_io_times : tw_io_lat)(clocks, &finished->io,
			finished->returned_ticks, &wrong);
	enum tw_stage stage;

	if (tw__unlikely(times.lat_ns < job->min_lat_ns)) {
		job->counts[direction].backwards++;
		return;
	}
	job->wrong.negative += wrong.negative;
	job->wrong.inside.within += wrong.inside.within;
	job->wrong.inside.beyond += wrong.inside.beyond;
	if (!job->first_ticks) {
		job->first_ticks = finished->io.prepared_ticks;
		job->ramped = has_unaccounted(job);
	}
	job->last_ticks = finished->returned_ticks;
	job->counts[direction].recorded++;
	if (direction != TW_SYNC)
		job->counts[direction].bytes += finished->size - finished->missing;
	tw_histogram_add(&job->lat[direction], times.lat_ns);
	tw_windows_add(&job->over_time, finished->returned_ticks, direction,
		       times.lat_ns);
	if (job->devices)
		tw_devices_add(job->devices, finished->device, direction,
			       finished->returned_ticks, &times);
	/* The sum of the stages was not yet known when the trigger fired. */
	if (tw__unlikely(finished->io.prepared_ticks ==
			job->trigger.prepared_ticks))
		job->trigger.lat_ns = times.lat_ns;
	if (tw_slowest_wants(&job->slowest, times.lat_ns))
		record_slow(job, finished, &times, clocks);
	if (!job->stages)
		return;
	for (stage = 0; stage < TW_STAGES; stage++)
		if (times.stages & TW_STAGE_BIT(stage))
			tw_histogram_add(&job->stage[stage][direction],
					 times.stage_ns[stage]);
	tw_by_lat_add(&job->by_lat[direction], times.lat_ns, times.stage_ns);
	if (finished->io.entered_ticks)
		tw_histogram_add(&job->call[direction], times.call_ns);
	if (clocks->join)
		record_inside(job, finished, times.inside);
}

void tw_record_settle(struct tw_job *job)
{
	const struct tw_clocks clocks = {
		.scale = &job->timing->clock.scale,
		.system = job->system,
		.zero_ticks = job->start.ticks,
		.join = job->kernel.slots ? &job->join : NULL,
	};
	unsigned i;

	if (clocks.join && job->finished_count)
		read_clocks(job);
	for (i = 0; i < job->finished_count; i++)
		record(job, &job->finished[i], &clocks);
	job->finished_count = 0;
}
