/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From stamps to histograms: see record.h.
 */
#include <errno.h>
#include <stdlib.h>

#include "record.h"

int tw_record_start(struct tw_job *job)
{
	job->finished = aligned_alloc(_Alignof(struct tw_finished),
				      TW_FINISHED_MAX *
				      sizeof(*job->finished));
	job->least_lat_ns = job->timing->step_ns <= 1;
	return job->finished ? 0 : -ENOMEM;
}

static void record_slow(struct tw_job *job, const struct tw_finished *finished,
			const struct tw_io_times *times)
{
	const struct tw_slow_io slow = {
		.slow.value = times->lat_ns,
		.times = *times,
		.io = finished->io,
		.offset = finished->offset,
		.size = finished->size,
		.direction = finished->direction,
	};

	tw_slowest_add(&job->slowest, &slow.slow);
}

static void record(struct tw_job *job, const struct tw_finished *finished)
{
	const enum tw_direction direction = finished->direction;
	uint64_t negative = 0;
	const struct tw_io_times times =
		tw_io_times(&job->timing->clock.scale, job->system, job->stages,
			    &finished->io, finished->returned_ticks, &negative);
	enum tw_stage stage;

	if (tw_unlikely(times.lat_ns < job->least_lat_ns)) {
		job->counts[direction].backwards++;
		return;
	}
	job->negative_stages += negative;
	if (!job->first_ticks)
		job->first_ticks = finished->io.prepared_ticks;
	job->last_ticks = finished->returned_ticks;
	job->counts[direction].recorded++;
	tw_histogram_add(&job->lat[direction], times.lat_ns);
	tw_windows_add(&job->over_time, finished->returned_ticks, direction,
		       times.lat_ns);
	if (tw_slowest_wants(&job->slowest, times.lat_ns))
		record_slow(job, finished, &times);
	if (!job->stages)
		return;
	for (stage = 0; stage < TW_STAGES; stage++)
		tw_histogram_add(&job->stage[stage][direction],
				 times.stage_ns[stage]);
	if (finished->io.entered_ticks)
		tw_histogram_add(&job->call[direction], times.call_ns);
}

void tw_record_settle(struct tw_job *job)
{
	unsigned i;

	for (i = 0; i < job->finished_count; i++)
		record(job, &job->finished[i]);
	job->finished_count = 0;
}
