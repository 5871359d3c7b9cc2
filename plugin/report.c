/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The report of one job, as JSON. `tickwise report` reads it.
 */
#include <stdio.h>
#include <string.h>

#include "clocks.h"
#include "engine.h"
#include "message.h"
#include "health.h"
#include "histogram_json.h"
#include "over_time.h"
#include "report_file.h"
#include "response.h"
#include "run_end.h"

#define OF(record)	(1U << TW_RECORD_##record)

/* A stage and what is added up for it; an I/O that never waited in the ring
 * counts as inflight and as total alike, one that was over inside of the call
 * also as enter. */
static const struct {
	const char *name;
	unsigned records;
} stages[] = {
	{ "queue", OF(QUEUE) },
	{ "enter", OF(INSIDE) | OF(ENTER) },
	{ "inflight", OF(INSIDE) | OF(AT_ONCE) | OF(INFLIGHT) },
	{ "return", OF(RETURN) },
	{ "total", OF(INSIDE) | OF(AT_ONCE) | OF(TOTAL) },
};

const char *const tw_direction_names[TW_DIRECTIONS] = {
	[TW_READ] = "read",
	[TW_WRITE] = "write",
	[TW_TRIM] = "trim",
	[TW_SYNC] = "sync",
};

static json_t *job_to_json(struct thread_data *td, const struct tw_job *job)
{
	json_t *object = tw_report_job(td, job->timing,
				       job->start_realtime_ns);
	int64_t run_ns = tw_job_ns(job, job->first_ticks, job->last_ticks);

	/* Two CPUs' counters, and nothing in between. */
	if (run_ns < 0)
		run_ns = 0;
	json_object_set_new(object, "iodepth",
			    json_integer((json_int_t) td->o.iodepth));
	json_object_set_new(object, "run_ns",
			    json_integer((json_int_t) run_ns));
	if (job->test_nop)
		json_object_set_new(object, "test_nop", json_true());
	return object;
}

static json_t *counts_to_json(const struct tw_job *job, size_t member)
{
	json_t *object = json_object();
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++) {
		const char *counts = (const char *) &job->counts[direction];
		uint64_t value;

		memcpy(&value, counts + member, sizeof(value));
		json_object_set_new(object, tw_direction_names[direction],
				    json_integer((json_int_t) value));
	}
	return object;
}

/* The lists of a stage that have something; how many. */
static unsigned parts_of(const struct tw_job *job, unsigned stage,
			 unsigned direction,
			 const struct tw_histogram *parts[TW_RECORDS])
{
	unsigned kind, count = 0;

	for (kind = 0; kind < TW_RECORDS; kind++)
		if (stages[stage].records & 1U << kind &&
		    job->record[kind][direction].count)
			parts[count++] = &job->record[kind][direction];
	return count;
}

static json_t *sum_to_json(const struct tw_histogram *const *parts,
			   unsigned count)
{
	struct tw_histogram sum;
	json_t *json = NULL;
	unsigned i;
	int error = tw_histogram_init(&sum, parts[0]->digits);

	if (error)
		return NULL;
	for (i = 0; i < count && !error; i++)
		error = tw_histogram_merge(&sum, parts[i]);
	if (!error)
		json = tw_histogram_to_json(&sum);
	tw_histogram_free(&sum);
	return json;
}

/* 0; -ENOMEM. */
static int set_direction(const struct tw_job *job, json_t *object,
			 unsigned stage, unsigned direction)
{
	const struct tw_histogram *parts[TW_RECORDS];
	unsigned count = parts_of(job, stage, direction, parts);

	if (!count)
		return 0;
	return json_object_set_new(object, tw_direction_names[direction],
				   count == 1 ? tw_histogram_to_json(parts[0]) :
						sum_to_json(parts, count)) ?
	       -ENOMEM : 0;
}

/* NULL without memory. */
static json_t *stages_to_json(const struct tw_job *job)
{
	json_t *all = json_object();
	unsigned stage, direction;
	int error = 0;

	for (stage = 0; stage < FIO_ARRAY_SIZE(stages); stage++) {
		json_t *object = json_object();

		for (direction = 0; direction < TW_DIRECTIONS; direction++)
			error |= set_direction(job, object, stage, direction);
		if (json_object_size(object))
			json_object_set(all, stages[stage].name, object);
		json_decref(object);
	}
	if (!error)
		return all;
	json_decref(all);
	return NULL;
}

/* Where a clock that drifts evenly from @from to @to was at @ticks, in ns. */
static uint64_t clock_at(const struct tw_job *job, const struct tw_moment *end,
			 uint64_t ticks, struct tw_offset from,
			 struct tw_offset to)
{
	double since_ns = (double) tw_job_ns(job, job->start.ticks, ticks);
	double all_ns = (double) tw_job_ns(job, job->start.ticks, end->ticks);
	double part = all_ns > 0 ? since_ns / all_ns : 0;
	double drift_ns = tw_offset_middle_ns(to) - tw_offset_middle_ns(from);

	/* The offset itself is of 1e18 ns: not through a double. */
	return (uint64_t) (from.low_ns + (from.high_ns - from.low_ns) / 2 +
			   tw_job_ns(job, job->start.ticks, ticks) +
			   (int64_t) (drift_ns * part));
}

static void set_stage(const struct tw_job *job, json_t *object,
		      const char *name, uint64_t from, uint64_t to)
{
	int64_t ns = from && to ? tw_job_ns(job, from, to) : -1;

	if (ns >= 0)
		json_object_set_new(object, name, json_integer(ns));
}

static json_t *slow_to_json(const struct tw_job *job,
			    const struct tw_moment *end,
			    const struct tw_slow_io *slow)
{
	const struct tw_io *io = &slow->io;
	json_t *object = json_object();

	/* Without tw_stages only the two ends were stamped. */
	if (job->stages) {
		set_stage(job, object, "queue", io->queued_ticks,
			  io->enter_ticks);
		set_stage(job, object, "enter", io->enter_ticks,
			  io->entered_ticks);
		set_stage(job, object, "inflight", io->enter_ticks,
			  slow->seen_ticks);
		set_stage(job, object, "return", slow->seen_ticks,
			  slow->returned_ticks);
	}
	json_object_set_new(object, "total",
			    json_integer((json_int_t) slow->slow.value));
	return json_pack("{sI, sI, ss, so, so, so, so}",
			 "offset", (json_int_t) slow->offset,
			 "size", (json_int_t) slow->size,
			 "ddir", tw_direction_names[slow->direction],
			 "ticks", tw_u64_string(io->queued_ticks),
			 "raw_ns", tw_u64_string(clock_at(job, end,
				io->queued_ticks, job->start.raw, end->raw)),
			 "monotonic_ns", tw_u64_string(clock_at(job, end,
				io->queued_ticks, job->start.monotonic,
				end->monotonic)),
			 "stages", object);
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

/* What the job was asked to do to fio's own numbers, and how well. */
static json_t *fio_times_to_json(const struct tw_job *job)
{
	json_t *object = json_pack("{sb, sb}", "event_time", job->event_time,
				   "event_wait", job->event_wait);

	if (job->event_time)
		json_object_set_new(object, "residual",
				    tw_histogram_to_json(&job->residual));
	return object;
}

/* Of an I/O as a whole, or of one stage of it. */
static uint64_t backwards_of(const struct tw_job *job)
{
	uint64_t sum = job->negative_stages;
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++)
		sum += job->counts[direction].backwards;
	return sum;
}

static uint64_t empty_of(const struct tw_job *job)
{
	return job->counts[TW_READ].empty + job->counts[TW_WRITE].empty;
}

/* fio counts them as if they had done what they were asked to, and has no word
 * for them. */
static void tell_empty(const struct thread_data *td, const struct tw_job *job)
{
	uint64_t count = empty_of(job);

	if (count)
		tw_message("tickwise: %s: %llu of its reads and writes "
			"moved nothing (the device is gone, or the file ends "
			"before): fio counts them, and their latencies are not "
			"those of transfers\n", td->o.name,
			(unsigned long long) count);
}

static json_t *report_to_json(struct thread_data *td, struct tw_job *job)
{
	struct tw_moment end;
	json_t *report;

	tw_moment_take(job, &end);
	report = json_pack("{ss, si, ss, so, so, so, so, so, so, so, so, s{sI, sI, sI}, "
			 "so, so, so, so, so}",
			 "schema", TW_REPORT_SCHEMA,
			 "version", TW_REPORT_VERSION,
			 "tickwise_version", TW_VERSION,
			 "job", job_to_json(td, job),
			 "ios", counts_to_json(job,
				offsetof(struct tw_counts, recorded)),
			 "errors", counts_to_json(job,
				offsetof(struct tw_counts, errors)),
			 "short", counts_to_json(job,
				offsetof(struct tw_counts, shorts)),
			 "empty", counts_to_json(job,
				offsetof(struct tw_counts, empty)),
			 "requeued", counts_to_json(job,
				offsetof(struct tw_counts, requeues)),
			 "unaccounted", counts_to_json(job,
				offsetof(struct tw_counts, unaccounted)),
			 "backwards", counts_to_json(job,
				offsetof(struct tw_counts, backwards)),
			 "batches",
				"enters", (json_int_t) job->enters,
				"tails", (json_int_t) job->tails,
				"largest_tail", (json_int_t) job->largest_tail,
			 "stages", stages_to_json(job),
			 "clocks", tw_clocks_to_json(job, &end),
			 "fio_times", fio_times_to_json(job),
			 "slowest", slowest_to_json(job, &end),
			 "over_time", tw_over_time_to_json(job));
	if (job->response && report &&
	    json_object_set_new(report, "response",
				tw_response_to_json(job->response))) {
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
		.backwards = backwards_of(job),
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
