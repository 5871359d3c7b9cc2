/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Setup and report of the run over time: see over_time.h. record.c adds the I/Os.
 */
#include "histogram_json.h"
#include "over_time.h"

/* Number of windows. At the end of the run, between half of them and all are in use. */
#define TW_OVER_TIME_WINDOWS	128

/* Width of a window at first. It doubles whenever all windows are in use. */
#define TW_OVER_TIME_WIDTH_NS	1000000

/* With fewer I/Os in a window, none of them lies above the 99th percentile. */
#define TW_OVER_TIME_P99_COUNT	100

int tw_over_time_start(const struct thread_data *td, struct tw_job *job)
{
	struct tw_windows *windows = &job->over_time;
	int error = tw_windows_init(windows, TW_OVER_TIME_WINDOWS,
				    TW_DIRECTIONS, TW_OVER_TIME_WIDTH_NS,
				    job->start.ticks, tw_job_ticks_per_ns(job));

	if (error)
		return error;
	if (td_read(td) || td->o.verify)
		tw_windows_touch(windows, TW_READ);
	if (td_write(td))
		tw_windows_touch(windows, TW_WRITE);
	if (td_trim(td))
		tw_windows_touch(windows, TW_TRIM);
	if (td->o.fsync_blocks || td->o.fdatasync_blocks)
		tw_windows_touch(windows, TW_SYNC);
	return 0;
}

static json_t *part_to_json(const struct tw_histogram *part)
{
	json_t *json = json_pack("{so, so, so, so}",
				 "count", tw_json_of_u64(part->count),
				 "sum_ns", tw_json_of_u64(part->sum_ns),
				 "min_ns", tw_json_of_u64(part->min_ns),
				 "max_ns", tw_json_of_u64(part->max_ns));

	if (json && part->count >= TW_OVER_TIME_P99_COUNT)
		json_object_set_new(json, "percentiles", json_pack("{so}",
			"99.000000", tw_json_of_u64(
				tw_histogram_percentile(part, 99))));
	return json;
}

static uint64_t since_start_ns(const struct tw_job *job, uint64_t ticks)
{
	int64_t ns = tw_job_ns(job, job->start.ticks, ticks);

	return ns > 0 ? (uint64_t) ns : 0;
}

/* Return where window @i begins. After a ramp time the first window begins with the first
 * recorded I/O, as the I/Os before it are not in its counts. */
static uint64_t from_ns(const struct tw_job *job, uint32_t i, bool is_first)
{
	const uint64_t edge_ns = i * job->over_time.width_ns;
	const uint64_t first_ns = since_start_ns(job, job->first_ticks);

	return is_first && job->ramped && first_ns > edge_ns ? first_ns : edge_ns;
}

/* Return where window @i ends. The last window ends with the last I/O. */
static uint64_t to_ns(const struct tw_job *job, uint32_t i)
{
	const struct tw_windows *windows = &job->over_time;
	const uint64_t edge_ns = (i + 1) * windows->width_ns;
	const uint64_t last_ns = since_start_ns(job, job->last_ticks);

	return i + 1 == windows->count && last_ns < edge_ns ? last_ns : edge_ns;
}

static bool is_empty(const struct tw_histogram *lanes)
{
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (lanes[direction].count)
			return false;
	return true;
}

static json_t *window_to_json(const struct tw_job *job, uint32_t i, bool is_first)
{
	const struct tw_histogram *lanes = tw_windows_get(&job->over_time, i);
	const uint64_t begin_ns = from_ns(job, i, is_first), end_ns = to_ns(job, i);
	json_t *json = json_pack("{so, so}",
		"from_ns", tw_json_of_u64(begin_ns),
		"over_ns", tw_json_of_u64(end_ns > begin_ns ? end_ns - begin_ns : 1));
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		if (lanes[direction].count)
			json_object_set_new(json, tw_direction_names[direction],
					    part_to_json(&lanes[direction]));
	return json;
}

/* Leave out the windows before the first recorded I/O. The job was not idle during the
 * ramp time, but its I/Os are not recorded. */
json_t *tw_over_time_to_json(struct tw_job *job)
{
	json_t *array = json_array();
	uint32_t i = 0, first;

	tw_windows_close(&job->over_time);
	while (i < job->over_time.count &&
	       is_empty(tw_windows_get(&job->over_time, i)))
		i++;
	for (first = i; i < job->over_time.count; i++)
		json_array_append_new(array, window_to_json(job, i, i == first));
	return array;
}
