// SPDX-License-Identifier: GPL-2.0
/*
 * The live table, and the report of a run: see attach.h.
 */
#include "attach/attach.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "collect/sys_facts.h"
#include "command/output/page.h"
#include "kernel/causes/find_causes.h"
#include "latency/histogram_json.h"
#include "machine/cpus.h"
#include "report/report_json.h"
#include "report/report.h"

#define MAX_LINES	20	/* if the output is no terminal */
#define FIXED_COLUMNS	79	/* columns before the file's name */
#define CELL		9

/* ---- the live table ---------------------------------------------------------- */

/* Add a name, of which the end is shown if it is too long. The end fits, because no
 * character has more columns than bytes. */
static void add_name(struct tw_table *table, const char *name, int width)
{
	int length = (int)strlen(name);

	if (length <= width) {
		tw_cell_text(table, name);
		return;
	}
	name += length - width + 2;
	while (!tw_character_length(name))
		name++;
	tw_cell_printf(table, "..%s", name);
}

static void add_ns(struct tw_table *table, uint64_t count, double ns)
{
	if (count)
		tw_cell_ns(table, ns);
	else
		tw_cell_none(table);
}

/* Return the I/Os since the last table. */
static uint64_t ios(const struct tw_attach_row *row)
{
	return row->recent.ios + row->only_counted.ios - row->recent.only_counted;
}

/* A row of the live table: I/Os of a ring, or waits, since the last table. */
struct shown {
	const struct tw_attach_row *row;	/* NULL: of waits */
	const struct tw_wait_row *waits;
	struct tw_attach_before since;		/* of waits */
	uint64_t count;
};

static void add_io_cells(struct tw_table *table, const struct tw_attach_row *row,
			 uint64_t over_ns)
{
	const struct tw_attach_recent *recent = &row->recent;
	const struct tw_histogram *lat = &recent->lat;

	if (row->ring)
		tw_cell_u64(table, row->ring);
	else
		tw_cell_none(table);
	tw_cell_printf(table, "%.11s", row->rest ? "(others)" :
		       tw_attach_operation(row->opcode));
	tw_cell_number(table, (double)ios(row) * 1e9 / (double)over_ns);
	add_ns(table, lat->count, tw_histogram_mean_ns(lat));
	add_ns(table, lat->count, (double)tw_histogram_percentile(lat, 99));
	for (unsigned stage = TW_BLOCKQ; stage <= TW_COMPLETE; stage++)
		add_ns(table, recent->split, (double)recent->sum_ns[stage] /
		       (double)(recent->split ? recent->split : 1));
}

static void add_wait_cells(struct tw_table *table, const struct shown *shown, uint64_t over_ns)
{
	const struct tw_attach_before *since = &shown->since;
	const double waits = (double)since->waits;
	const bool split = since->part_ns[TW_WAIT_DEVICE] != 0;

	tw_cell_none(table);
	tw_cell_printf(table, "%.11s", shown->waits->text[TW_WAIT_CALL]);
	tw_cell_number(table, waits * 1e9 / (double)over_ns);
	tw_cell_ns(table, (double)since->ns / waits);
	tw_cell_none(table);
	for (int i = 0; i < TW_WAIT_PARTS; i++)
		add_ns(table, split, (double)since->part_ns[i] / waits);
}

static void add_row(struct tw_table *table, const struct shown *shown,
		    const struct tw_attach_tally *tally, uint64_t over_ns, int width)
{
	char name[PATH_MAX + 64];

	tw_table_row(table);
	if (shown->row) {
		add_io_cells(table, shown->row, over_ns);
		snprintf(name, sizeof(name), "%s", shown->row->rest ? "" :
			 tw_attach_file_name(tally, &shown->row->inode));
	} else {
		add_wait_cells(table, shown, over_ns);
		snprintf(name, sizeof(name), "%s: %s", shown->waits->text[TW_WAIT_REASON],
			 shown->waits->text[TW_WAIT_FILE]);
	}
	add_name(table, tw_plain_text(name), width - FIXED_COLUMNS);
}

static int by_count(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	if (!a->row != !b->row)
		return a->row ? -1 : 1;
	return a->row ? (a->row < b->row ? -1 : 1) : (a->waits < b->waits ? -1 : 1);
}

/* Set @shown to the rows since the last table, the busiest first. Return how many. */
static size_t collect(struct shown *shown, const struct tw_attach_tally *tally)
{
	const struct tw_attach_waits *waits = &tally->waits;
	size_t count = 0;

	for (uint32_t i = 0; i < tally->row_count; i++) {
		const struct tw_attach_row *row = &tally->rows[i];

		/* Calls are waits, too. */
		if (row->ring && ios(row) + row->recent.failed)
			shown[count++] = (struct shown) {
				.row = row, .count = ios(row) + row->recent.failed,
			};
	}
	for (size_t i = 0; i < waits->all.count; i++) {
		const struct tw_wait_row *row = waits->all.rows[i];
		struct tw_attach_before since = { .waits = row->time.count,
						  .ns = row->time.sum_ns };

		memcpy(since.part_ns, row->part_ns, sizeof(since.part_ns));
		if (i < waits->before_count) {
			since.waits -= waits->before[i].waits;
			since.ns -= waits->before[i].ns;
			for (int part = 0; part < TW_WAIT_PARTS; part++)
				since.part_ns[part] -= waits->before[i].part_ns[part];
		}
		if (since.waits)
			shown[count++] = (struct shown) {
				.waits = row, .since = since, .count = since.waits,
			};
	}
	if (count)
		qsort(shown, count, sizeof(*shown), by_count);
	return count;
}

static void size_of(const struct tw_attach_table *table, size_t *lines, int *width)
{
	struct winsize size;

	*lines = MAX_LINES;
	*width = FIXED_COLUMNS + 60;
	if (!table->redraw || ioctl(fileno(table->out), TIOCGWINSZ, &size))
		return;
	/* 4 lines: the head, the titles, "and N more", and the cursor. */
	*lines = size.ws_row > 5 ? size.ws_row - 4U : 1;
	*width = size.ws_col > FIXED_COLUMNS + 8 ? size.ws_col : FIXED_COLUMNS + 8;
}

void tw_attach_table_end(struct tw_attach_table *table)
{
	if (table->redraw && table->lines)
		fprintf(table->out, "\033[%dA\033[J", table->lines);
	table->lines = 0;
}

static void add_rows(struct tw_page *page, const struct shown *rows, size_t count,
		     const struct tw_attach_tally *tally, uint64_t over_ns, int width)
{
	const struct tw_column columns[] = {
		{ "ring", .width = 4 },
		{ "call", .width = 11, .flags = TW_COLUMN_LEFT },
		{ "rate/s", .width = CELL }, { "lat mean", .width = CELL },
		{ "p99", .width = CELL },
		{ tw_time_metrics[TW_BLOCKQ].name, .width = CELL },
		{ tw_time_metrics[TW_DEVICE].name, .width = CELL },
		{ tw_time_metrics[TW_COMPLETE].name, .width = CELL },
		{ "file", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	tw_table_cut(table, width);
	for (size_t i = 0; i < count; i++)
		add_row(table, &rows[i], tally, over_ns, width);
}

void tw_attach_table_put(struct tw_attach_table *table,
			 const struct tw_attach_tally *tally, uint64_t at_ns,
			 uint64_t over_ns, uint64_t lost)
{
	struct shown *rows = tw_zalloc(tally->row_count + tally->waits.all.count, sizeof(*rows));
	const size_t count = collect(rows, tally);
	size_t most, shown;
	const uint64_t rings = tally->ring_count + tally->all.scalars.more_rings;
	struct tw_page *page = tw_page_new("");
	char records[48] = "", of_rings[32] = "";
	int width;

	tw_attach_table_end(table);
	size_of(table, &most, &width);
	shown = count < most ? count : most;
	if (lost)
		snprintf(records, sizeof(records), ", %llu records lost",
			 (unsigned long long)lost);
	if (rings)
		snprintf(of_rings, sizeof(of_rings), ", %llu ring%s",
			 (unsigned long long)rings, tw_format_plural(rings));
	tw_page_paragraph(page, "%.1f s%s%s%s", (double)at_ns / 1e9, of_rings, records,
			  count ? "" : ", no wait, no I/O");
	if (count)
		add_rows(page, rows, shown, tally, over_ns, width);
	if (shown < count)
		tw_page_remark(page, "and %zu more", count - shown);
	tw_output_text(page, table->out);
	table->lines = 1 + (count != 0) + (int)shown + (shown < count);
	fflush(table->out);
	tw_page_free(page);
	free(rows);
}

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
			 "subjob_number", 0, "pid", (int)result->target->all->pid,
			 "start", tw_json_digits(tally->start_realtime_ns),
			 "start_monotonic_ns", tw_json_digits(tally->start_ns),
			 "first_ns", 0, "run_ns", tw_json_of_u64(result->run_ns),
			 "fio_version", "", "engine", "attach",
			 "tickwise_version", TW_VERSION, "iodepth", 0,
			 "event_time", 0, "event_wait", 0, "fallback", 1,
			 "kernel", "state", "on", "causes", causes_to_json(result),
			 "syncs", "state", "on");
}

/* Return the facts of the machine. The governors are those of all CPUs, since it is not
 * known where the program ran. */
static json_t *machines_to_json(void)
{
	struct tw_machine_cpus cpus;

	tw_machine_cpus_read(&cpus, "");
	return json_pack("[o]", tw_machine_to_json("", &cpus.online));
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
			"commit", tw_commit_to_json(&slow->synced, &slow->times)));
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
	return json_pack("{so, so, so}", "rings", rings_to_json(result),
			 "operations", operations,
			 "others", others_to_json(result->program->lost));
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

	scalars->in_flight = program->in_flight;
	scalars->more_cqes = lost->more_cqes;
	scalars->lost_records = lost->records;
	scalars->lost_ios = lost->ios;
	scalars->lost_rings = lost->rings;
	scalars->lost_names = lost->names;
	scalars->lost_processes = lost->processes;
	scalars->lost_waits = lost->waits;
	scalars->of_32_bits = lost->of_32_bits;
	scalars->calls_that_waited = result->tally->waits.calls;
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
		.machines = machines_to_json(), .files = json_array(),
		.clocks = json_object(), .verdict = TW_REPORT_UNCHECKED,
		.counter = json_pack("{ss, s[]}", "verdict",
				     tw_report_verdicts[TW_REPORT_UNCHECKED], "reasons"),
		.attached = attached_to_json(result),
		.waits = tw_attach_waits_to_json(&result->tally->waits),
		.commits = result->tally->commits.count ?
			tw_commits_to_json(&result->tally->commits) : NULL,
	};
	json_t *json;

	report.jobs[0].json = job_to_json(result);
	add_slowest(&report, result);
	add_scalars(all, result);
	tw_windows_close(&all->over_time);
	report.tally = *all;
	*all = (struct tw_tally) { 0 };
	json = tw_report_to_json(&report);
	tw_report_free(&report);
	return json;
}
