// SPDX-License-Identifier: GPL-2.0
/*
 * The result of a run as JSON: see attach_json.h.
 */
#include "kernel/attach_json.h"

#include <unistd.h>

#include "collect/machine_json.h"
#include "command/output/json_text.h"
#include "kernel/explained_json.h"
#include "latency/histogram_json.h"
#include "machine/cpus.h"

#define TRIM	"trim"	/* a direction of the report without an operation of io_uring */

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* ---- all rings together, as in a report of fio's engine --------------------- */

static json_t *job_to_json(const struct tw_attach_result *result)
{
	char host[256] = "";

	gethostname(host, sizeof(host) - 1);
	return json_pack("{so, so, ss, ss, si, si, si, si, so, so, si, so}",
			 "name", tw_json_text(result->target->program),
			 "host", tw_json_text(host),
			 "fio_version", "", "engine", "attach", "groupid", 0,
			 "thread_number", 1, "subjob_number", 0,
			 "pid", (int)result->target->pid,
			 "start", tw_json_digits(result->start_realtime_ns),
			 "start_monotonic_ns", tw_json_digits(result->tally->start_ns),
			 "iodepth", 0,
			 "run_ns", tw_json_of_u64(result->run_ns));
}

/* Return one member of the counts by direction. @offset: in struct tw_attach_counts. */
static json_t *counts_to_json(const struct tw_attach_tally *tally, size_t offset)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_ATTACH_DIRECTIONS; i++)
		set(object, tw_attach_directions[i], tw_json_of_u64(*(const uint64_t *)
			((const char *)&tally->of[i].counts + offset)));
	set(object, TRIM, json_integer(0));
	return object;
}

#define COUNTS(tally, name) \
	counts_to_json(tally, offsetof(struct tw_attach_counts, name))

static json_t *errors_to_json(const struct tw_attach_tally *tally)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_ATTACH_DIRECTIONS; i++)
		set(object, tw_attach_directions[i],
		    tw_json_of_u64(tally->of[i].counts.errors +
				   tally->of[i].counts.cancelled));
	set(object, TRIM, json_integer(0));
	return object;
}

static json_t *stages_to_json(const struct tw_attach_tally *tally)
{
	json_t *stages = json_object();

	for (int i = 0; i < TW_ATTACH_TIMES; i++) {
		json_t *stage = json_object();

		for (int j = 0; j < TW_ATTACH_DIRECTIONS; j++)
			if (tally->of[j].times[i].count)
				set(stage, tw_attach_directions[j],
				    tw_histogram_to_json(&tally->of[j].times[i]));
		set(stages, tw_attach_times[i], stage);
	}
	return stages;
}

static json_t *inside_to_json(const struct tw_attach_tally *tally)
{
	uint64_t requests = 0, retries = 0, negative = 0;

	for (int i = 0; i < TW_ATTACH_DIRECTIONS; i++) {
		requests += tally->of[i].counts.requests;
		retries += tally->of[i].counts.retries;
		negative += tally->of[i].counts.negative;
	}
	return json_pack("{ss, so, s{so, so, so, so}, so, so, so, si}",
			 "state", "on", "split", COUNTS(tally, split), "not_split",
			 "no_request", COUNTS(tally, no_request),
			 "missing_stamp", COUNTS(tally, missing_stamp),
			 "sync_write", COUNTS(tally, sync_write),
			 "waited", COUNTS(tally, waited),
			 "requests", tw_json_of_u64(requests),
			 "retries", tw_json_of_u64(retries),
			 "negative_beyond", tw_json_of_u64(negative),
			 "negative_within", 0);
}

static json_t *slow_to_json(const struct tw_attach_result *result,
			    const struct tw_attach_slow *slow)
{
	const struct tw_attach_io *io = &slow->io;
	uint64_t ns[TW_ATTACH_TIMES];
	unsigned has = tw_attach_split(io, ns);
	const struct tw_attach_why *why = &slow->why;
	json_t *stages = json_object(), *json;

	for (int i = 0; i < TW_ATTACH_TIMES; i++)
		if (has & TW_ATTACH_HAS(i))
			set(stages, tw_attach_times[i], tw_json_of_u64(ns[i]));
	json = json_pack("{so, so, ss, so, so, so, ss, so}",
		"offset", tw_json_of_u64(io->offset == UINT64_MAX ? 0 : io->offset),
		"size", tw_json_of_u64(io->result > 0 ? (uint64_t)io->result : 0),
		"ddir", tw_attach_directions[tw_attach_direction(io->opcode)],
		"monotonic_ns", tw_json_digits(io->accepted_ns), "stages", stages,
		"ring", tw_json_of_u64(io->ring),
		"operation", tw_attach_operation(io->opcode),
		"file", tw_json_text(tw_attach_file_name(result->files, &io->inode)));
	if (result->tally->turns)
		set(json, "causes", tw_explained_to_json(
			tw_attach_times[why->stage], why->from_ns, why->ns,
			why->followed ? &why->explained : NULL));
	return json;
}

/* Return if causes are known, and why not. */
static json_t *followed_to_json(const struct tw_attach_result *result)
{
	if (result->tally->turns)
		return json_pack("{ss, so}", "state", "on", "not_followed",
				 tw_json_of_u64(result->lost.threads));
	return json_pack("{ss, ss}", "state", "off", "why",
			 result->no_causes ? result->no_causes : "not asked for");
}

static json_t *slowest_to_json(struct tw_attach_result *result)
{
	struct tw_slowest *slowest = &result->tally->slowest;
	json_t *array = json_array();

	tw_slowest_sort(slowest);
	for (uint32_t i = 0; i < slowest->count; i++)
		json_array_append_new(array, slow_to_json(result,
			(const void *)tw_slowest_get(slowest, i)));
	return array;
}

static json_t *part_to_json(const struct tw_histogram *of)
{
	json_t *json = json_pack("{so, so, so, so}",
				 "count", tw_json_of_u64(of->count),
				 "sum_ns", tw_json_of_u64(of->sum_ns),
				 "min_ns", tw_json_of_u64(of->min_ns),
				 "max_ns", tw_json_of_u64(of->max_ns));

	/* With fewer I/Os, none lies above the 99th percentile. */
	if (of->count >= 100)
		set(json, "percentiles", json_pack("{so}", "99.000000",
			tw_json_of_u64(tw_histogram_percentile(of, 99))));
	return json;
}

static json_t *over_time_to_json(struct tw_attach_tally *tally)
{
	struct tw_windows *windows = &tally->over_time;
	json_t *array = json_array();

	tw_windows_close(windows);
	for (uint32_t i = 0; i < windows->count; i++) {
		const struct tw_histogram *of = tw_windows_get(windows, i);
		json_t *json = json_pack("{so, so}",
			"from_ns", tw_json_of_u64(i * windows->width_ns),
			"over_ns", tw_json_of_u64(windows->width_ns));

		for (int j = 0; j < TW_ATTACH_DIRECTIONS; j++)
			if (of[j].count)
				set(json, tw_attach_directions[j],
				    part_to_json(&of[j]));
		json_array_append_new(array, json);
	}
	return array;
}

/* Return the facts of the machine. The governors are those of all CPUs, since it is not
 * known where the program ran. */
static json_t *machine_to_json(void)
{
	struct tw_machine_cpus cpus;

	tw_machine_cpus_read(&cpus, "");
	return tw_machine_to_json("", &cpus.online);
}

/* ---- by ring, file and operation --------------------------------------------- */

static json_t *rings_to_json(const struct tw_attach_result *result)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < result->tally->ring_count; i++) {
		const struct tw_attach_ring *ring = &result->tally->rings[i];

		json_array_append_new(array, json_pack(
			"{so, so, so, si, so, so}",
			"ring", tw_json_of_u64(ring->ring),
			"program", tw_json_text(ring->program),
			"pid", tw_json_of_u64(ring->process), "fd", (int)ring->fd,
			"sq_entries", tw_json_of_u64(ring->sq_entries),
			"cq_entries", tw_json_of_u64(ring->cq_entries)));
	}
	return array;
}

static json_t *row_to_json(const struct tw_attach_result *result,
			   const struct tw_attach_row *row)
{
	const struct tw_attach_counts *counts = &row->counts;
	const struct {
		const char *key;
		uint64_t value;
	} all[] = {
		{ "ios", counts->ios }, { "split", counts->split },
		{ "no_request", counts->no_request },
		{ "missing_stamp", counts->missing_stamp },
		{ "sync_write", counts->sync_write }, { "waited", counts->waited },
		{ "linked", counts->linked }, { "drained", counts->drained },
		{ "empty", counts->empty },
		{ "errors", counts->errors }, { "cancelled", counts->cancelled },
		{ "no_cqe", counts->no_cqe }, { "unseen", counts->unseen },
	};
	json_t *json = json_pack("{so, ss, so}",
		"ring", tw_json_of_u64(row->ring),
		"operation", row->rest ? "others" : tw_attach_operation(row->opcode),
		"file", tw_json_text(row->rest ? "-" :
			tw_attach_file_name(result->files, &row->inode)));
	json_t *stages = json_object();

	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
		set(json, all[i].key, tw_json_of_u64(all[i].value));
	for (int i = 0; i < TW_ATTACH_TIMES; i++)
		if (row->times[i].count)
			set(stages, tw_attach_times[i],
			    tw_histogram_to_json(&row->times[i]));
	set(json, "stages", stages);
	return json;
}

/* Return how many completions there were of each operation that is not followed. */
static json_t *others_to_json(const struct tw_attach_lost *lost)
{
	json_t *others = json_object();

	for (unsigned i = 0; i < TW_ATTACH_OPCODES; i++)
		if (lost->others[i])
			set(others, tw_attach_operation((uint8_t)i),
			    tw_json_of_u64(lost->others[i]));
	return others;
}

static json_t *attached_to_json(const struct tw_attach_result *result)
{
	json_t *rows = json_array();

	for (uint32_t i = 0; i < result->tally->row_count; i++)
		json_array_append_new(rows, row_to_json(result,
						&result->tally->rows[i]));
	return json_pack("{so, so, so, so, so, so, so, so, so, so, so, so*}",
		"rings", rings_to_json(result),
		"more_rings", tw_json_of_u64(result->tally->more_rings),
		"operations", rows, "others", others_to_json(&result->lost),
		"in_flight", tw_json_of_u64(result->in_flight),
		"more_cqes", tw_json_of_u64(result->lost.more_cqes),
		"lost_records", tw_json_of_u64(result->lost.records),
		"lost_ios", tw_json_of_u64(result->lost.ios),
		"lost_rings", tw_json_of_u64(result->lost.rings),
		"lost_names", tw_json_of_u64(result->lost.names),
		"lost_processes", tw_json_of_u64(result->lost.processes),
		"missed_runs", result->missed_runs < 0 ? NULL :
			tw_json_of_u64((uint64_t)result->missed_runs));
}

json_t *tw_attach_to_json(struct tw_attach_result *result)
{
	const struct tw_attach_tally *tally = result->tally;

	return json_pack("{ss, si, ss, so, so, so, so, so, so, so, so, so, so,"
			 " so, s{ss, sb, s[]}, s{}, s{sb, sb}}",
			 "schema", TW_REPORT_SCHEMA, "version", TW_REPORT_VERSION,
			 "tickwise_version", TW_VERSION,
			 "job", job_to_json(result),
			 "machine", machine_to_json(),
			 "ios", COUNTS(tally, ios),
			 "errors", errors_to_json(tally),
			 "empty", COUNTS(tally, empty),
			 "stages", stages_to_json(tally),
			 "kernel_stages", inside_to_json(tally),
			 "causes", followed_to_json(result),
			 "slowest", slowest_to_json(result),
			 "over_time", over_time_to_json(result->tally),
			 "attached", attached_to_json(result),
			 /* All times are of the system clock. */
			 "counter", "verdict", "unchecked", "fallback", 1, "reasons",
			 "clocks",
			 "fio_times", "event_time", 0, "event_wait", 0);
}
