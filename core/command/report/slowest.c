/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os on a report's page, each with what it was, when, and where its time
 * went. Text has a few of them, in sentences: a table of all stages has no room there.
 */
#include <stdio.h>
#include <string.h>

#include "command/output/format.h"
#include "command/output/table.h"
#include "command/reports/causes.h"
#include "command/report/page.h"
#include "command/reports/slow_stages.h"
#include "command/reports/stalls.h"
#include "command/reports/want.h"
#include "command/reports/why.h"
#include "latency/histogram_json.h"

#define MOST_IN_TEXT	5
#define MOST_IN_HTML	100	/* all are in the JSON */
#define MOST_STALLS	3	/* in text */

/* ---- text ---------------------------------------------------------------- */

/* From the first line's column on, where lat ends. */
#define INDENT		13
#define LAT_COLUMNS	11

static void add_times(struct tw_page *page, const json_t *slow)
{
	struct tw_report_slow_stage list[TW_REPORT_STAGES];
	int count = tw_report_slow_stages(json_object_get(slow, "stages"), list);
	char text[TW_FORMAT_SIZE];

	for (int i = 0; i < count; i++)
		tw_page_more(page, "%s %s, ", list[i].name,
			     tw_format_ns(text, (double)list[i].ns));
	if (json_object_get(slow, "submitting_call_ns"))
		tw_page_more(page, "submitting call %s, ", tw_format_ns(
			text, (double)tw_report_u64(slow, "submitting_call_ns")));
}

/* Of a report of `tickwise attach`, whose ring and file; else which job. */
static void add_whose(struct tw_page *page, const struct tw_report_slow *slow)
{
	const char *name = json_string_value(json_object_get(slow->json, "file"));

	if (slow->report->attached)
		tw_page_more(page, "ring %llu, %s", (unsigned long long)
			     tw_report_u64(slow->json, "ring"), name ? name : "?");
	else
		tw_page_more(page, "job %llu", (unsigned long long)
			     slow->report->job.thread_number);
}

static void add_slow(struct tw_page *page, const struct tw_report_slow *slow)
{
	const char *monotonic =
		json_string_value(json_object_get(slow->json, "monotonic_ns"));
	char lat[TW_FORMAT_SIZE], cause[TW_REPORT_SENTENCE];

	tw_format_ns(lat, (double)slow->lat_ns);
	tw_page_paragraph(page, "%s %s of %llu bytes at %llu, ", lat,
			  json_string_value(json_object_get(slow->json, "ddir")),
			  (unsigned long long)tw_report_u64(slow->json, "size"),
			  (unsigned long long)tw_report_u64(slow->json, "offset"));
	tw_page_indent(page, LAT_COLUMNS - (int)strlen(lat), INDENT);
	tw_page_only(page, TW_IN_TEXT);
	add_times(page, slow->json);
	add_whose(page, slow);
	if (monotonic)
		tw_page_more(page, ", began at %s ns of CLOCK_MONOTONIC", monotonic);
	if (!tw_report_say_cause(cause, sizeof(cause), slow->json))
		return;
	tw_page_paragraph(page, "%s", cause);
	tw_page_indent(page, INDENT, INDENT + 2);
	tw_page_only(page, TW_IN_TEXT);
}

/* ---- HTML ---------------------------------------------------------------- */

#define MOST_COLUMNS	(TW_REPORT_STAGES + 10)

struct columns {
	struct tw_column list[MOST_COLUMNS];
	size_t count;
	int stages[TW_REPORT_STAGES];	/* those that any of the I/Os has */
	int call, cause;
};

static int any_has(const struct tw_report_group *group, const char *object,
		   const char *key)
{
	for (size_t i = 0; i < group->slow_count; i++) {
		const json_t *json = group->slowest[i].json;

		if (object)
			json = json_object_get(json, object);
		if (json_object_get(json, key))
			return 1;
	}
	return 0;
}

static void add_column(struct columns *columns, const char *heading, unsigned flags)
{
	columns->list[columns->count++] = (struct tw_column) {
		.heading = heading, .flags = flags,
	};
}

/* A column for a stage that none of them has would say nothing. */
static void find_columns(struct columns *columns, const struct tw_report_group *group)
{
	*columns = (struct columns) {
		.call = any_has(group, NULL, "submitting_call_ns"),
		.cause = any_has(group, NULL, "causes"),
	};
	add_column(columns, "lat", 0);
	add_column(columns, "what", TW_COLUMN_LEFT);
	add_column(columns, "offset", 0);
	add_column(columns, "size", 0);
	for (int i = 0; i < TW_REPORT_STAGES; i++) {
		columns->stages[i] = any_has(group, "stages", tw_report_times[i].key);
		if (columns->stages[i])
			add_column(columns, tw_report_times[i].name, 0);
	}
	if (columns->call)
		add_column(columns, "submitting call", 0);
	if (columns->cause)
		add_column(columns, "why", TW_COLUMN_LEFT);
	add_column(columns, "job", 0);
	add_column(columns, "MONOTONIC, ns", 0);
	add_column(columns, "RAW, ns", 0);
	add_column(columns, "ticks", 0);
}

static void add_ns(struct tw_table *table, const json_t *object, const char *key)
{
	uint64_t ns;

	if (tw_json_to_u64(json_object_get(object, key), &ns))
		tw_cell_none(table);
	else
		tw_cell_ns(table, (double)ns);
}

/* Ticks and the like: strings in the file. */
static void add_string(struct tw_table *table, const json_t *slow, const char *key)
{
	const char *string = json_string_value(json_object_get(slow, key));

	if (string)
		tw_cell_text(table, string);
	else
		tw_cell_none(table);
}

static void add_what(struct tw_table *table, const struct tw_report_slow *slow)
{
	const char *direction = json_string_value(json_object_get(slow->json, "ddir"));
	const char *file = json_string_value(json_object_get(slow->json, "file"));

	if (slow->report->attached)
		tw_cell_printf(table, "%s of %s", direction, file ? file : "?");
	else
		tw_cell_text(table, direction);
}

static void add_row(struct tw_table *table, const struct columns *columns,
		    const struct tw_report_slow *slow)
{
	const json_t *stages = json_object_get(slow->json, "stages");
	char cause[TW_REPORT_SENTENCE] = "-";

	tw_table_row(table);
	tw_cell_ns(table, (double)slow->lat_ns);
	add_what(table, slow);
	tw_cell_u64(table, tw_report_u64(slow->json, "offset"));
	tw_cell_u64(table, tw_report_u64(slow->json, "size"));
	for (int i = 0; i < TW_REPORT_STAGES; i++)
		if (columns->stages[i])
			add_ns(table, stages, tw_report_times[i].key);
	if (columns->call)
		add_ns(table, slow->json, "submitting_call_ns");
	if (columns->cause) {
		tw_report_say_cause(cause, sizeof(cause), slow->json);
		tw_cell_text(table, cause);
	}
	tw_cell_u64(table, slow->report->job.thread_number);
	add_string(table, slow->json, "monotonic_ns");
	add_string(table, slow->json, "raw_ns");
	add_string(table, slow->json, "ticks");
}

static void add_table(struct tw_page *page, const struct tw_report_group *group,
		      size_t shown)
{
	struct columns columns;
	struct tw_table *table;

	find_columns(&columns, group);
	table = tw_page_table(page, columns.list, columns.count);
	tw_page_only(page, TW_IN_HTML);
	for (size_t i = 0; i < shown; i++)
		add_row(table, &columns, &group->slowest[i]);
}

/* ---- both ---------------------------------------------------------------- */

static void add_stalls(struct tw_page *page, const struct tw_report_group *group)
{
	const char *why_not = tw_report_why_not(group);
	int shown = 0;

	for (size_t i = 0; i < group->stall_count; i++)
		if (tw_report_add_stall(page, &group->stalls[i]) &&
		    shown++ >= MOST_STALLS)
			tw_page_only(page, TW_IN_HTML);
	if (why_not)
		tw_page_remark(page, "causes: not known: %s", why_not);
}

static size_t at_most(size_t count, size_t most)
{
	return count < most ? count : most;
}

void tw_report_add_slowest(struct tw_page *page, const struct tw_report_group *group)
{
	const size_t count = group->slow_count;
	const size_t in_text = at_most(count, MOST_IN_TEXT);
	const size_t in_html = at_most(count, MOST_IN_HTML);

	if (count == 0)
		return;
	tw_page_heading(page, 3, "slowest I/Os by their lat (%zu of %zu; all with --json, "
			"--html)", in_text, count);
	tw_page_only(page, TW_IN_TEXT);
	tw_page_heading(page, 3, "slowest I/Os by their lat");
	tw_page_only(page, TW_IN_HTML);
	tw_page_note(page, "%zu of %zu. Offsets and sizes in bytes; CLOCK_MONOTONIC, "
		     "CLOCK_MONOTONIC_RAW and the counter's ticks where lat begins.",
		     in_html, count);
	tw_page_only(page, TW_IN_HTML);
	for (size_t i = 0; i < in_text; i++)
		add_slow(page, &group->slowest[i]);
	add_table(page, group, in_html);
	add_stalls(page, group);
}
