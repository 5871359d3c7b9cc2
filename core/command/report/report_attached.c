/* SPDX-License-Identifier: MIT */
/*
 * Reports of `tickwise attach`. They are of the rings of any program, seen by the kernel
 * alone: which processes were watched, tables of the I/Os by ring, file and operation, and
 * what is not in these.
 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"

#define MAX_IN_TEXT	20

/* ---- for the other parts of a page -------------------------------------------- */

/* In these reports no engine sees the completion. */
const char *tw_report_time_is(const struct tw_report_group *groups, size_t count,
			      int time)
{
	int all_attached = 1, has_calls = 0;

	for (size_t i = 0; i < count; i++) {
		all_attached &= groups[i].all.attached != NULL;
		has_calls |= groups[i].all.tally.times[TW_SYNC_WAKE][TW_SYNC].count != 0;
	}
	if (all_attached && time == TW_LAT && has_calls)
		return "from acceptance until the completion is in the ring; of fsync(2) and "
		       "fdatasync(2) from the first wait until the last one is over";
	if (all_attached && time == TW_SYNC_DATA)
		return "from the first wait until the file's dirty pages are written out";
	if (all_attached && time == TW_SYNC_WAKE)
		return "from when the last wait of the sync ends until the thread runs again";
	if (all_attached && time == TW_LAT)
		return "from acceptance until the completion is in the ring: not what the "
		       "program does before and after";
	if (all_attached && time == TW_KERNEL)
		return "not split: blockq to complete, or the stages around a missing stamp";
	return tw_time_metrics[time].label;
}

/* Return how many rings there were, with those that could not be followed. */
static uint64_t rings_of(const struct tw_report *report)
{
	return json_array_size(json_object_get(report->attached, "rings")) +
	       report->tally.scalars.more_rings + report->tally.scalars.lost_rings;
}

void tw_report_add_attached_head(struct tw_page *page,
				 const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];
	const uint64_t processes = tw_report_u64(group->all.attached, "processes");

	tw_page_more(page, "%s, seen from inside the kernel: ", TW_SAY_ROUND(group->run_ns));
	if (job->pid && processes > 1)
		tw_page_more(page, "process %llu, %llu more, and those they started",
			     (unsigned long long)job->pid, (unsigned long long)processes - 1);
	else if (job->pid)
		tw_page_more(page, "process %llu and those it started",
			     (unsigned long long)job->pid);
	else
		tw_page_more(page, "the processes of a cgroup and those they started");
	if (rings_of(&group->all))
		tw_page_more(page, ", %s", TW_SAY_COUNT(rings_of(&group->all), "ring[s]"));
}

/* ---- the table ------------------------------------------------------------------ */

static int by_ios(const void *left, const void *right)
{
	const json_t *a = *(const json_t *const *)left;
	const json_t *b = *(const json_t *const *)right;

	return tw_compare(tw_report_u64(b, "ios"), tw_report_u64(a, "ios")) ?:
	       tw_compare(tw_report_u64(a, "ring"), tw_report_u64(b, "ring")) ?:
	       strcmp(tw_report_string(a, "operation"), tw_report_string(b, "operation"));
}

/* Return what a time adds to the mean of the row's lat; 0: none. */
static double mean_of(const json_t *row, unsigned time)
{
	const json_t *stages = json_object_get(row, "stages");
	const json_t *lat = json_object_get(stages, tw_time_metrics[TW_LAT].name);
	const json_t *weight = json_object_get(lat, "weight");
	const uint64_t ios = tw_report_u64(lat, weight ? "weight" : "count");

	return ios ? (double)tw_report_u64(json_object_get(stages, tw_time_metrics[time].name),
					   "sum_ns") / (double)ios : 0;
}

/* Add the mean of a time; with @all p99 and the maximum, too. */
static void add_time(struct tw_table *table, const json_t *row, unsigned time, int all)
{
	const json_t *of = json_object_get(json_object_get(row, "stages"),
					   tw_time_metrics[time].name);
	struct tw_histogram histogram = { .count = 0 };
	const char *wrong;
	const int is_known = !tw_must(tw_histogram_from_json(&histogram, of, &wrong));

	tw_report_add_ns(table, is_known, mean_of(row, time));
	if (all) {
		tw_report_add_percentile(table, &histogram, (double)tw_histogram_values(&histogram),
					 99);
		tw_report_add_ns(table, is_known, (double)histogram.max_ns);
	}
	if (is_known)
		tw_histogram_free(&histogram);
}

/* Write the means of the parts of calls. Return what comes before the next text. */
static const char *put_parts(struct tw_growing_text *text, const json_t *row)
{
	const char *before = "";

	for (unsigned time = TW_SYNC_DATA; time <= TW_SYNC_WAKE; time++) {
		if (!(mean_of(row, time) > 0))
			continue;
		tw_append_format(text, "%s%s %s", *before ? " + " : "",
				 tw_time_metrics[time].name, TW_SAY_NS(mean_of(row, time)));
		before = "; ";
	}
	return before;
}

/* Add the parts of calls, and counts that need words: they are of I/Os that some or all of the row's numbers
 * leave out, or whose lat has a wait. */
static void add_apart(struct tw_table *table, const json_t *row)
{
	struct tw_growing_text text = { .length = 0 };
	const char *before = put_parts(&text, row);

	for (unsigned i = 0; i < TW_COUNTS; i++) {
		const uint64_t count = tw_report_u64(row, tw_metric_key(tw_count_metrics[i].path));

		if (!count || i == TW_METRIC_ios || i == TW_METRIC_bytes || i == TW_METRIC_split ||
		    i == TW_METRIC_waited || i == TW_METRIC_not_chosen ||
		    (i == TW_METRIC_no_request && !tw_report_u64(row, "split")))
			continue;
		tw_append_format(&text, "%s%s", before,
				 TW_SAY_COUNT(count, tw_count_metrics[i].label));
		before = ", ";
	}
	tw_cell_text(table, text.length ? text.bytes : "");
}

static void add_table(struct tw_page *page, const json_t *all)
{
	const struct tw_column columns[] = {
		{ "ring", .width = 5 },
		{ "operation", .width = 14, .flags = TW_COLUMN_LEFT },
		{ "I/Os", .width = 8 },
		{ "mean", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "p99", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "max", .width = 7, .flags = TW_COLUMN_NARROW },
		{ tw_time_metrics[TW_BLOCKQ].name, .width = 7, .flags = TW_COLUMN_NARROW },
		{ tw_time_metrics[TW_DEVICE].name, .width = 7, .flags = TW_COLUMN_NARROW },
		{ tw_time_metrics[TW_COMPLETE].name, .width = 7,
		  .flags = TW_COLUMN_NARROW },
		{ "file", .width = 7, .flags = TW_COLUMN_BELOW },
		{ "apart", .width = 7, .flags = TW_COLUMN_BELOW },
	};
	const size_t count = json_array_size(all);
	const json_t **rows = tw_malloc(count * sizeof(*rows));
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	/* The busiest first. */
	for (size_t i = 0; i < count; i++)
		rows[i] = json_array_get(all, i);
	qsort(rows, count, sizeof(*rows), by_ios);
	tw_table_limit(table, MAX_IN_TEXT, "--json, --html");
	for (size_t i = 0; i < count; i++) {
		const char *file = tw_report_string(rows[i], "file");

		tw_table_row(table);
		if (tw_report_u64(rows[i], "ring"))
			tw_cell_u64(table, tw_report_u64(rows[i], "ring"));
		else
			tw_cell_none(table);	/* a call */
		tw_cell_text(table, tw_report_string(rows[i], "operation"));
		tw_cell_u64(table, tw_report_u64(rows[i], "ios"));
		add_time(table, rows[i], TW_LAT, 1);
		add_time(table, rows[i], TW_BLOCKQ, 0);
		add_time(table, rows[i], TW_DEVICE, 0);
		add_time(table, rows[i], TW_COMPLETE, 0);
		tw_cell_text(table, strcmp(file, "-") == 0 ? "" : file);
		add_apart(table, rows[i]);
	}
	free(rows);
}

/* ---- below the table ------------------------------------------------------------ */

static void add_rings(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t *rings = json_object_get(group->all.attached, "rings");
	size_t count = json_array_size(rings), shown = 0;

	tw_page_remark(page, "%s", "");
	for (; shown < count && shown < MAX_IN_TEXT; shown++) {
		const json_t *ring = json_array_get(rings, shown);

		tw_page_more(page, "%sring %llu: %s %llu, %llu entr%s",
			     shown ? "; " : "",
			     (unsigned long long)tw_report_u64(ring, "ring"),
			     tw_report_string(ring, "program"),
			     (unsigned long long)tw_report_u64(ring, "pid"),
			     (unsigned long long)tw_report_u64(ring, "sq_entries"),
			     tw_report_u64(ring, "sq_entries") == 1 ? "y" : "ies");
	}
	if (shown < count)
		tw_page_more(page, "; and %zu more", count - shown);
}

/* Add what was only counted. */
static void add_others(struct tw_page *page, const struct tw_report_group *group)
{
	json_t *others = json_object_get(group->all.attached, "others");
	const char *key, *before = "not followed (no I/O on files or block devices): ";
	json_t *value;

	tw_page_remark(page, "%s", "");
	json_object_foreach(others, key, value) {
		tw_page_more(page, "%s%llu %s", before,
			     (unsigned long long)tw_report_u64(others, key), key);
		before = ", ";
	}
}

/* Add what was lost or left out. */
static void add_lost(struct tw_page *page, const struct tw_scalars *scalars)
{
	const char *before = "not in these tables: ";

	tw_page_remark(page, "%s", "");
	for (unsigned i = TW_METRIC_lost_records; i <= TW_METRIC_more_cqes + 1; i++) {
		const unsigned metric = i <= TW_METRIC_more_cqes ? i : TW_METRIC_missed_runs;
		const uint64_t value = scalars->at[metric - TW_COUNTS];

		if (!value)
			continue;
		tw_page_more(page, "%s%s", before, TW_SAY_COUNT(value,
			     metric == TW_METRIC_missed_runs ?
			     "event[s] for which the kernel skipped the program" :
			     tw_scalar_metrics[metric - TW_COUNTS].label));
		before = ", ";
	}
}

void tw_report_add_attached(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t *operations = json_object_get(group->all.attached, "operations");

	if (!group->all.attached)
		return;
	if (json_array_size(operations) || rings_of(&group->all))
		tw_page_heading(page, 3, "I/Os by ring, file and operation");
	if (json_array_size(operations))
		add_table(page, operations);
	else if (rings_of(&group->all))
		tw_page_remark(page, "no I/O was seen");
	add_rings(page, group);
	add_others(page, group);
	add_lost(page, &group->all.tally.scalars);
}
