// SPDX-License-Identifier: GPL-2.0
/*
 * The report of a run: see attach.h.
 */
#include "attach/attach.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "collect/sys_facts.h"
#include "command/output/page.h"
#include "kernel/causes/find_causes.h"
#include "latency/histogram_json.h"
#include "machine/cpus.h"
#include "report/report_json.h"
#include "report/report.h"

/* ---- the report: facts, as in a report of fio's engine ------------------------- */

/* Return if causes are known, and why not. */
static json_t *causes_to_json(const struct tw_attach_result *result)
{
	if (result->tally->offcpu)
		return json_pack("{ss, so, so*}", "state", "on", "not_followed",
				 tw_json_of_u64(result->program->lost->threads),
				 "cost", result->cost);
	return result->no_causes ?
	       json_pack("{ss, ss}", "state", "off", "why", result->no_causes) : NULL;
}

/* Return the one job. All of its times are of the system's clock. */
static json_t *job_to_json(const struct tw_attach_result *result)
{
	const struct tw_attach_tally *tally = result->tally;

	return json_pack("{ss, so, so, si, si, si, si, so, so, si, so, ss, ss, ss, si,"
			 " sb, sb, sb, s{ss}, so*, s{ss}}",
			 "run", "", "name", tw_json_text(result->target->program),
			 "host", tw_host_to_json(), "groupid", 0, "thread_number", 1,
			 "subjob_number", 0,
			 "pid", (int)(result->target->count ? result->target->all->pid : 0),
			 "start", tw_json_digits(tally->start_realtime_ns),
			 "start_monotonic_ns", tw_json_digits(tally->start_ns),
			 "first_ns", 0, "run_ns", tw_json_of_u64(result->run_ns),
			 "fio_version", "", "engine", "attach",
			 "tickwise_version", TW_VERSION, "iodepth", 0,
			 "event_time", 0, "event_wait", 0, "fallback", 1,
			 "kernel", "state", "on", "causes", causes_to_json(result),
			 "syncs", "state", "on");
}

/* ---- the slowest I/Os ---------------------------------------------------------- */

static json_t *slow_to_json(const struct tw_attach_result *result,
			    const struct tw_attach_slow *slow)
{
	const struct tw_attach_io *io = &slow->io;
	const struct tw_attach_why *why = &slow->why;
	json_t *json = json_pack("{so, so, ss, so, so, ss, so}",
		"offset", tw_json_of_u64(io->offset == UINT64_MAX ? 0 : io->offset),
		"size", tw_json_of_u64(io->result > 0 ? (uint64_t)io->result : 0),
		"ddir", tw_direction_names[tw_attach_direction(io->opcode)],
		"monotonic_ns", tw_json_digits(io->accepted_ns),
		"ring", tw_json_of_u64(io->ring),
		"operation", tw_attach_operation(io->opcode),
		"file", tw_json_text(tw_attach_file_name(result->tally, &io->inode)));

	tw_io_times_to_json(json, &slow->times);
	if (tw_io_has(&slow->times, TW_SYNC_WAKE))
		json_object_update_new(json, json_pack("{sI, so*}",
			"written_bytes", (json_int_t)slow->synced.written_bytes,
			"commit", tw_commit_to_json(&slow->synced)));
	if (result->tally->offcpu)
		json_object_set_new(json, "causes", tw_causes_to_json(
			tw_time_metrics[why->stage].name, why->from_ns, why->ns,
			&why->causes, why->followed));
	return json;
}

static void add_slowest(struct tw_report *report, const struct tw_attach_result *result)
{
	struct tw_slowest *slowest = &result->tally->slowest;

	tw_slowest_sort(slowest);
	report->slowest = tw_zalloc(slowest->count, sizeof(*report->slowest));
	for (uint32_t i = 0; i < slowest->count; i++) {
		const struct tw_attach_slow *slow =
			(const void *)tw_slowest_get(slowest, i);

		report->slowest[report->slow_count++] = (struct tw_report_slow) {
			.json = slow_to_json(result, slow),
			.lat_ns = slow->lat_ns.value,
		};
	}
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

/* Return what a time adds to the mean of lat. */
static double mean_of(const struct tw_histogram *time, const struct tw_histogram *lat)
{
	return lat->count ? (double)time->sum_ns / (double)lat->count : 0;
}

static json_t *operation_to_json(const struct tw_attach_result *result,
				 const struct tw_attach_row *row)
{
	json_t *json = json_pack("{so, ss, so}",
		"ring", tw_json_of_u64(row->ring),
		"operation", row->rest ? "others" : tw_attach_operation(row->opcode),
		"file", tw_json_text(row->rest ? "-" :
			tw_attach_file_name(result->tally, &row->inode)));
	const struct tw_histogram *lat = &row->times[TW_LAT];
	json_t *stages = json_object();

	tw_counts_to_json(json, &result->tally->all.has, &row->counts);
	for (unsigned i = 0; i < TW_TIMES; i++)
		if (row->times[i].count)
			json_object_set_new(stages, tw_time_metrics[i].name,
			    tw_histogram_to_json(&row->times[i], mean_of(&row->times[i], lat)));
	json_object_set_new(json, "stages", stages);
	return json;
}

/* Return how many completions there were of each operation that is not followed. */
static json_t *others_to_json(const struct tw_attach_lost *lost)
{
	json_t *others = json_object();

	for (unsigned i = 0; i < TW_ATTACH_OPCODES; i++)
		if (lost->others[i])
			json_object_set_new(others, tw_attach_operation((uint8_t)i),
			    tw_json_of_u64(lost->others[i]));
	return others;
}

static json_t *attached_to_json(const struct tw_attach_result *result)
{
	json_t *operations = json_array();

	for (uint32_t i = 0; i < result->tally->row_count; i++)
		json_array_append_new(operations, operation_to_json(result,
						&result->tally->rows[i]));
	return json_pack("{so, so, so, so}", "rings", rings_to_json(result),
			 "operations", operations,
			 "others", others_to_json(result->program->lost),
			 "processes", tw_json_of_u64(result->target->count));
}

/* ---- the report -------------------------------------------------------------- */

/* Add what the threads did, as the kernel counts it. */
static void add_ran(struct tw_tally *all, const struct tw_attach_ran *ran)
{
	static const enum tw_metric_number rows[] = {
		TW_METRIC_read_calls, TW_METRIC_write_calls, TW_METRIC_read_bytes,
		TW_METRIC_written_bytes, TW_METRIC_storage_bytes, TW_METRIC_run_ns,
		TW_METRIC_ready_ns,
	};
	struct tw_scalars *scalars = &all->scalars;

	for (size_t i = 0; ran->is_known && i < sizeof(rows) / sizeof(*rows); i++)
		tw_metric_put(&all->has, rows[i]);
	scalars->read_calls = ran->read_calls;
	scalars->write_calls = ran->write_calls;
	scalars->read_bytes = ran->read_bytes;
	scalars->written_bytes = ran->written_bytes;
	scalars->storage_bytes = ran->storage_bytes;
	scalars->run_ns = ran->run_ns;
	scalars->ready_ns = ran->ready_ns;
}

/* Add what is known only at the end. */
static void add_scalars(struct tw_tally *all, const struct tw_attach_result *result)
{
	const struct tw_attach_program *program = result->program;
	const struct tw_attach_lost *lost = program->lost;
	struct tw_scalars *scalars = &all->scalars;

	scalars->in_flight += program->in_flight;
	scalars->more_cqes = lost->more_cqes;
	scalars->lost_records = lost->records;
	scalars->lost_ios = lost->ios;
	scalars->lost_rings = lost->rings;
	scalars->lost_names = lost->names;
	scalars->lost_processes = lost->processes;
	scalars->lost_waits = lost->waits;
	scalars->of_32_bits = lost->of_32_bits;
	scalars->calls_that_waited = result->tally->waits.calls;
	scalars->ready_in_waits_ns = result->tally->waits.ready_ns;
	add_ran(all, program->ran);
	if (program->missed_runs >= 0) {
		scalars->missed_runs = (uint64_t)program->missed_runs;
		tw_metric_put(&all->has, TW_METRIC_missed_runs);
	}
}

json_t *tw_attach_to_json(struct tw_attach_result *result)
{
	struct tw_tally *all = &result->tally->all;
	struct tw_report report = {
		.jobs = tw_zalloc(1, sizeof(*report.jobs)), .job_count = 1,
		.files = json_array(),
		.clocks = json_object(), .verdict = TW_REPORT_UNCHECKED,
		.counter = json_pack("{ss, s[]}", "verdict",
				     tw_report_verdicts[TW_REPORT_UNCHECKED], "reasons"),
		.attached = attached_to_json(result),
		.waits = tw_zalloc(1, sizeof(*report.waits)),
		.commits = result->tally->commits.count ?
			tw_commits_to_json(&result->tally->commits) : NULL,
	};
	struct tw_machine_cpus cpus;
	json_t *json;

	/* The governors are those of all CPUs, since it is not known where the program ran. */
	tw_machine_cpus_read(&cpus, "");
	report.machines = json_pack("[o]", tw_machine_to_json("", &cpus.online));
	report.jobs[0].json = job_to_json(result);
	result->tally->waits.all.slowest = tw_attach_slowest_waits(&result->tally->waits);
	*report.waits = result->tally->waits.all;
	result->tally->waits.all = (struct tw_waits) { .count = 0 };
	add_slowest(&report, result);
	add_scalars(all, result);
	tw_windows_close(&all->over_time);
	report.tally = *all;
	*all = (struct tw_tally) { 0 };
	json = tw_report_to_json(&report);
	tw_report_free(&report);
	return json;
}
