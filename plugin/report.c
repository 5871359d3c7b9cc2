/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of one job, as JSON. `tickwise report` reads it.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "by_lat_json.h"
#include "clocks.h"
#include "devices.h"
#include "engine.h"
#include "facts.h"
#include "health.h"
#include "histogram_json.h"
#include "kernel_job.h"
#include "message.h"
#include "over_time.h"
#include "report_file.h"
#include "response.h"
#include "run_end.h"
#include "report/json_memory.h"

/* The stages in the order of an I/O. Their sum, lat, follows them in a report. */
const char *const tw_stage_names[TW_STAGES] = {
#define AS_NAME(constant, name, is)	[TW_##constant] = #name,
	TW_EACH_STAGE(AS_NAME)
#undef AS_NAME
};

const char *const tw_direction_names[TW_DIRECTIONS] = {
	[TW_READ] = "read",
	[TW_WRITE] = "write",
	[TW_TRIM] = "trim",
	[TW_SYNC] = "sync",
};

json_t *tw_job_to_json(struct thread_data *td, const struct tw_job *job)
{
	json_t *object = tw_report_job(td, job->timing,
				       job->start_realtime_ns);

	json_object_set_new(object, "iodepth",
			    json_integer((json_int_t) td->o.iodepth));
	if (job->test_nop)
		json_object_set_new(object, "test_nop", json_true());
	return object;
}

static json_t *job_to_json(struct thread_data *td, const struct tw_job *job)
{
	json_t *object = tw_job_to_json(td, job);
	int64_t run_ns = tw_job_ns(job, job->first_ticks, job->last_ticks);

	/* The time can be negative if the two stamps are of different CPUs. */
	if (run_ns < 0)
		run_ns = 0;
	json_object_set_new(object, "run_ns",
			    json_integer((json_int_t) run_ns));
	return object;
}

json_t *tw_counts_to_json(const uint64_t counts[TW_DIRECTIONS])
{
	json_t *object = json_object();
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		json_object_set_new(object, tw_direction_names[direction],
				    tw_json_of_u64(counts[direction]));
	return object;
}

json_t *tw_histograms_to_json(const struct tw_histogram *by_direction,
			      unsigned directions)
{
	json_t *object = json_object();
	unsigned direction;
	int error = 0;

	for (direction = 0; direction < directions; direction++)
		if (by_direction[direction].count)
			error |= json_object_set_new(object,
				tw_direction_names[direction],
				tw_histogram_to_json(&by_direction[direction]));
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

/* Return one member of the counts, by direction. */
static json_t *member_to_json(const struct tw_job *job, size_t member)
{
	uint64_t counts[TW_DIRECTIONS];
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		memcpy(&counts[direction],
		       (const char *) &job->counts[direction] + member,
		       sizeof(counts[direction]));
	return tw_counts_to_json(counts);
}

/* Set the histograms that have values. Set nothing if none has. Return 0 or -ENOMEM. */
static int set_histograms(json_t *into, const char *name,
			  const struct tw_histogram *by_direction)
{
	json_t *object = tw_histograms_to_json(by_direction, TW_DIRECTIONS);
	int error = !object;

	if (json_object_size(object))
		error = json_object_set(into, name, object);
	json_decref(object);
	return error ? -ENOMEM : 0;
}

/* Return the stages and lat; NULL without memory. */
static json_t *stages_to_json(const struct tw_job *job)
{
	json_t *object = json_object();
	unsigned stage;
	int error = 0;

	for (stage = 0; stage < TW_STAGES; stage++)
		error |= set_histograms(object, tw_stage_names[stage],
					job->stage[stage]);
	error |= set_histograms(object, "lat", job->lat);
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}

/* Return the time of a clock at @ticks, in ns. Its offset changes evenly from @from to
 * @to. */
static uint64_t clock_at(const struct tw_job *job, const struct tw_moment *end,
			 uint64_t ticks, struct tw_offset from,
			 struct tw_offset to)
{
	double since_ns = (double) tw_job_ns(job, job->start.ticks, ticks);
	double all_ns = (double) tw_job_ns(job, job->start.ticks, end->ticks);
	double part = all_ns > 0 ? since_ns / all_ns : 0;
	double drift_ns = tw_offset_middle_ns(to) - tw_offset_middle_ns(from);

	/* The offset is some 1e18 ns, which a double does not hold exactly. */
	return (uint64_t) (from.low_ns + (from.high_ns - from.low_ns) / 2 +
			   tw_job_ns(job, job->start.ticks, ticks) +
			   (int64_t) (drift_ns * part));
}

uint64_t tw_moment_monotonic_ns(const struct tw_job *job,
				const struct tw_moment *end, uint64_t ticks)
{
	return clock_at(job, end, ticks, job->start.monotonic, end->monotonic);
}

static json_t *slow_stages_to_json(const struct tw_job *job,
				   const struct tw_io_times *times)
{
	json_t *object = json_object();
	unsigned stage;

	for (stage = 0; stage < TW_STAGES; stage++)
		if (times->stages & TW_STAGE_BIT(stage))
			json_object_set_new(object, tw_stage_names[stage], json_integer(
			(json_int_t) times->stage_ns[stage]));
	json_object_set_new(object, "lat",
			    json_integer((json_int_t) times->lat_ns));
	return object;
}

static json_t *slow_to_json(const struct tw_job *job,
			    const struct tw_moment *end,
			    const struct tw_slow_io *slow)
{
	const uint64_t begin = slow->io.prepared_ticks;
	const uint64_t begin_ns = tw_moment_monotonic_ns(job, end, begin);
	json_t *object = json_pack("{sI, sI, ss, so, so, so, so}",
			 "offset", (json_int_t) slow->offset,
			 "size", (json_int_t) slow->size,
			 "ddir", tw_direction_names[slow->direction],
			 "ticks", tw_json_digits(begin),
			 "raw_ns", tw_json_digits(clock_at(job, end, begin,
				job->start.raw, end->raw)),
			 "monotonic_ns", tw_json_digits(begin_ns),
			 "stages", slow_stages_to_json(job, &slow->times));

	if (job->stages && slow->io.entered_ticks)
		json_object_set_new(object, "submitting_call_ns", json_integer(
			(json_int_t) slow->times.call_ns));
	if (job->follow.turns)
		json_object_set_new(object, "causes", tw_why_to_json(&slow->why,
			&slow->times, begin_ns));
	return object;
}

static json_t *slowest_to_json(struct tw_job *job,
			       const struct tw_moment *end)
{
	json_t *array = json_array();
	uint32_t i;

	tw_slowest_sort(&job->slowest);
	for (i = 0; i < job->slowest.count; i++)
		json_array_append_new(array, slow_to_json(job, end,
			(const struct tw_slow_io *)
			tw_slowest_get(&job->slowest, i)));
	return array;
}

/*
 * Return fio's own lat, by fio's clock. fio's numbers are complete when it cleans up a
 * job. NULL if fio measures no lat (disable_lat).
 */
static json_t *fio_lat_to_json(const struct thread_data *td)
{
	json_t *object;
	unsigned direction;

	if (td->o.disable_lat)
		return NULL;
	object = json_object();
	for (direction = TW_READ; direction <= TW_TRIM; direction++) {
		const struct io_stat *lat = &td->ts.lat_stat[direction];

		if (lat->samples)
			json_object_set_new(object, tw_direction_names[direction],
				json_pack("{so, sf}",
					  "count", tw_json_of_u64(lat->samples),
					  "mean_ns", lat->mean.u.f));
	}
	return object;
}

/* Return the options that change fio's own latencies, and the residual that is left. */
static json_t *fio_times_to_json(const struct tw_job *job)
{
	json_t *object = json_pack("{sb, sb}", "event_time", job->event_time,
				   "event_wait", job->event_wait);

	if (job->event_time)
		json_object_set_new(object, "residual",
				    tw_histogram_to_json(&job->residual));
	return object;
}

uint64_t tw_backwards(const struct tw_counts counts[TW_DIRECTIONS],
		      const struct tw_contradictions *wrong)
{
	uint64_t sum = wrong->negative + wrong->inside.beyond;
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		sum += counts[direction].backwards;
	return sum;
}

static uint64_t empty_of(const struct tw_job *job)
{
	return job->counts[TW_READ].empty + job->counts[TW_WRITE].empty;
}

/* Log the number of empty I/Os, because fio counts them as if they were complete. */
static void tell_empty(const struct thread_data *td, const struct tw_job *job)
{
	uint64_t count = empty_of(job);

	if (count)
		tw_message("tickwise: %s: %llu of its reads and writes "
			"moved nothing (the device is gone, or the file ends "
			"before them): fio counts them, but their latencies "
			"are not those of transfers\n", td->o.name,
			(unsigned long long) count);
}

static json_t *report_to_json(struct thread_data *td, struct tw_job *job)
{
	struct tw_moment end;
	json_t *report;

	/* The header of the intervals may have lacked it, which is another file. */
	tw_json_forget_lack();
	tw_moment_take(job, &end);
	report = json_pack("{ss, si, ss, so, so, so, so, so, so, so, so, so, s{sI, sI, sI}, "
			 "so, so, so, so, so}",
			 "schema", TW_REPORT_SCHEMA,
			 "version", TW_REPORT_VERSION,
			 "tickwise_version", TW_VERSION,
			 "job", job_to_json(td, job),
			 "ios", member_to_json(job,
				offsetof(struct tw_counts, recorded)),
			 "bytes", member_to_json(job,
				offsetof(struct tw_counts, bytes)),
			 "errors", member_to_json(job,
				offsetof(struct tw_counts, errors)),
			 "short", member_to_json(job,
				offsetof(struct tw_counts, shorts)),
			 "empty", member_to_json(job,
				offsetof(struct tw_counts, empty)),
			 "requeued", member_to_json(job,
				offsetof(struct tw_counts, requeues)),
			 "unaccounted", member_to_json(job,
				offsetof(struct tw_counts, unaccounted)),
			 "backwards", member_to_json(job,
				offsetof(struct tw_counts, backwards)),
			 "batches",
				"enters", (json_int_t) job->enters,
				"tails", (json_int_t) job->batches,
				"largest_tail", (json_int_t) job->largest_batch,
			 "stages", stages_to_json(job),
			 "clocks", tw_clocks_to_json(job, &end),
			 "fio_times", fio_times_to_json(job),
			 "slowest", slowest_to_json(job, &end),
			 "over_time", tw_over_time_to_json(job));
	json_object_set_new(json_object_get(report, "job"), "start_monotonic_ns",
			    tw_json_digits(tw_moment_monotonic_ns(job, &end,
				job->start.ticks)));
	json_object_set_new(report, "fio_lat", fio_lat_to_json(td));
	if (tw_facts_add(job->facts, report) ||
	    set_histograms(report, "submitting_call", job->call) ||
	    (job->stages &&
	     json_object_set_new(report, "stages_by_lat",
				 tw_by_lat_to_json(job))) ||
	    json_object_set_new(report, "kernel_stages",
				tw_kernel_to_json(job)) ||
	    tw_devices_add_to_report(job->devices, report) ||
	    (job->trigger.above_ns &&
	     json_object_set_new(report, "trigger",
				 tw_trigger_to_json(job, &end))) ||
	    ((job->follow.turns || job->follow.why) &&
	     json_object_set_new(report, "causes", tw_why_state_to_json(job))) ||
	    (job->response &&
	     json_object_set_new(report, "response",
				 tw_response_to_json(job->response))) ||
	    /* A key that got no memory is not there. */
	    tw_json_lacked_memory()) {
		json_decref(report);
		return NULL;
	}
	return report;
}

int tw_report_write(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;
	struct tw_job_end end = {
		.cpus = job->cpus,
		.backwards = tw_backwards(job->counts, &job->wrong),
	};
	json_t *report;

	tell_empty(td, job);
	if (!tw_report_is_wanted(o->report))
		return 0;
	report = report_to_json(td, job);
	tw_job_look(td->o.name, job->timing, &end);
	return tw_run_report(td, o->report, "tickwise", report, job->timing,
			     &end);
}
