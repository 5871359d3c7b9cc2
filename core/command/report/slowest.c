/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os on a report's page: each with its operation, its time, and
 * its stages. Text has a few of them, with their longest stages, as there is no
 * room for more.
 */
#include <stdio.h>
#include <string.h>

#include "command/output/page.h"
#include "command/answers/attached.h"
#include "command/answers/causes.h"
#include "command/report/page.h"
#include "command/answers/slow_stages.h"
#include "command/answers/stalls.h"
#include "command/answers/when.h"
#include "command/answers/why.h"
#include "latency/histogram_json.h"
#include "report/want.h"

#define MAX_IN_TEXT	5
#define MAX_IN_HTML	100	/* the JSON has all */
#define MAX_STALLS	3	/* in text */

/* ---- where and when ------------------------------------------------------- */

static int since_start(double *s, const struct tw_report_group *group,
		       const struct tw_report_slow *slow)
{
	return tw_report_since_start(s, tw_report_job_of(group, slow),
				     tw_report_u64(slow->json, "monotonic_ns"));
}

static int any_since_start(const struct tw_report_group *group, size_t count)
{
	double s;

	for (size_t i = 0; i < count; i++)
		if (since_start(&s, group, &group->all.slowest[i]))
			return 1;
	return 0;
}

static void add_since_start(struct tw_table *table, const struct tw_report_group *group,
			    const struct tw_report_slow *slow)
{
	double s;

	if (since_start(&s, group, slow))
		tw_cell_fixed(table, s, 6);
	else
		tw_cell_none(table);
}

/* Return the file of an I/O in a report of `tickwise attach`; NULL in other
 * reports. */
static const char *file_of(const struct tw_report_group *group,
			   const struct tw_report_slow *slow)
{
	const char *file = json_string_value(json_object_get(slow->json, "file"));

	return tw_report_is_attached(group) ? (file ? file : "?") : NULL;
}

/* Add the offset or the size. A sync of a whole file has neither: its offset is that of
 * the write before. */
static void add_bytes(struct tw_table *table, const struct tw_report_slow *slow,
		      const char *key)
{
	const char *direction = json_string_value(json_object_get(slow->json, "ddir"));

	if (strcmp(direction, tw_direction_names[TW_SYNC]) == 0 &&
	    !tw_report_u64(slow->json, "size"))
		tw_cell_none(table);
	else
		tw_cell_u64(table, tw_report_u64(slow->json, key));
}

/* Add the number of the ring in a report of `tickwise attach`, else of the job. */
static void add_number(struct tw_table *table, const struct tw_report_group *group,
		       const struct tw_report_slow *slow)
{
	tw_cell_u64(table, tw_report_is_attached(group) ?
		    tw_report_u64(slow->json, "ring") :
		    tw_report_job_of(group, slow)->thread_number);
}

static const char *number_heading(const struct tw_report_group *group)
{
	return tw_report_is_attached(group) ? "ring" : "job";
}

/* ---- text ---------------------------------------------------------------- */

/* In percent of lat; shorter stages are not named. */
#define MIN_PERCENT	5
#define MAX_STAGES	34	/* columns of text */

/* Return the first of the longest stages; NULL: none has MIN_PERCENT of lat. */
static struct tw_report_slow_stage *longest(struct tw_report_slow_stage *list, int count,
					    uint64_t lat_ns)
{
	struct tw_report_slow_stage *most = list;

	for (int i = 1; i < count; i++)
		if (list[i].ns > most->ns)
			most = &list[i];
	return count && (double)most->ns * 100 >= MIN_PERCENT * (double)lat_ns ? most :
										   NULL;
}

/* Write the two longest stages with their parts of lat, or the longest alone if
 * a line has no room for both. */
static void longest_stages(char *text, size_t size, const struct tw_report_slow *slow)
{
	struct tw_report_slow_stage list[TW_STAGES], *stage;
	int count = tw_report_slow_stages(json_object_get(slow->json, "stages"), list);

	text[0] = '\0';
	for (int i = 0; i < 2; i++) {
		char one[64];

		stage = slow->lat_ns ? longest(list, count, slow->lat_ns) : NULL;
		if (!stage)
			return;
		snprintf(one, sizeof(one), "%s%s %.0f %%", i ? ", " : "", stage->name,
			 100 * (double)stage->ns / (double)slow->lat_ns);
		if (i && strlen(text) + strlen(one) > MAX_STAGES)
			return;
		snprintf(text + strlen(text), size - strlen(text), "%s", one);
		stage->ns = 0;
	}
}

static void add_slow(struct tw_table *table, const struct tw_report_group *group,
		     const struct tw_report_slow *slow, int has_times)
{
	char text[TW_REPORT_SENTENCE];
	const char *file = file_of(group, slow);

	tw_table_row(table);
	tw_cell_ns(table, (double)slow->lat_ns);
	if (has_times)
		add_since_start(table, group, slow);
	add_number(table, group, slow);
	tw_cell_text(table, json_string_value(json_object_get(slow->json, "ddir")));
	add_bytes(table, slow, "size");
	add_bytes(table, slow, "offset");
	longest_stages(text, sizeof(text), slow);
	tw_cell_text(table, text);
	tw_cell_text(table, file ? file : "");
	tw_cell_text(table, tw_report_say_cause(text, sizeof(text), slow->json) ?
		     text : "");
}

static void add_few(struct tw_page *page, const struct tw_report_group *group,
		    size_t shown)
{
	const int has_times = any_since_start(group, shown);
	const struct tw_column columns[] = {
		{ "lat", .width = 8 }, { "at, s", .width = 9 },
		{ number_heading(group), .width = 3 },
		{ "rw", .flags = TW_COLUMN_LEFT }, { .heading = "bytes" },
		{ "at offset", .width = 10 },
		{ "longest stages", .flags = TW_COLUMN_LEFT },
		{ "file", .width = 10, .flags = TW_COLUMN_BELOW },
		{ "why", .width = 10, .flags = TW_COLUMN_BELOW },
	};
	const size_t count = sizeof(columns) / sizeof(*columns);
	struct tw_column own[sizeof(columns) / sizeof(*columns)];
	struct tw_table *table;

	memcpy(own, columns, sizeof(columns));
	if (!has_times)
		memmove(own + 1, columns + 2, (count - 2) * sizeof(*columns));
	table = tw_page_table(page, own, count - !has_times);
	tw_page_only(page, TW_IN_TEXT);
	for (size_t i = 0; i < shown; i++)
		add_slow(table, group, &group->all.slowest[i], has_times);
}

/* ---- HTML ---------------------------------------------------------------- */

#define MAX_COLUMNS	(TW_STAGES + 11)

struct columns {
	struct tw_column list[MAX_COLUMNS];
	size_t count;
	int stages[TW_STAGES];	/* stages that any of the I/Os has */
	int call, cause, times;
};

static int any_has(const struct tw_report_group *group, const char *object,
		   const char *key)
{
	for (size_t i = 0; i < group->all.slow_count; i++) {
		const json_t *json = group->all.slowest[i].json;

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

/* Find the columns. A stage that none of the I/Os has is left out. */
static void find_columns(struct columns *columns, const struct tw_report_group *group)
{
	*columns = (struct columns) {
		.call = any_has(group, NULL, "submitting_call_ns"),
		.cause = any_has(group, NULL, "causes"),
		.times = any_since_start(group, group->all.slow_count),
	};
	add_column(columns, "lat", 0);
	add_column(columns, "what", TW_COLUMN_LEFT);
	if (columns->times)
		add_column(columns, "at, s", 0);
	add_column(columns, "offset", 0);
	add_column(columns, "size", 0);
	for (int i = 0; i < TW_STAGES; i++) {
		columns->stages[i] = any_has(group, "stages", tw_time_rows[i].name);
		if (columns->stages[i])
			add_column(columns, tw_time_rows[i].name, 0);
	}
	if (columns->call)
		add_column(columns, "submitting call", 0);
	if (columns->cause)
		add_column(columns, "why", TW_COLUMN_LEFT);
	add_column(columns, number_heading(group), 0);
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

/* Add a string of the file, such as ticks. */
static void add_string(struct tw_table *table, const json_t *slow, const char *key)
{
	const char *string = json_string_value(json_object_get(slow, key));

	if (string)
		tw_cell_text(table, string);
	else
		tw_cell_none(table);
}

static void add_what(struct tw_table *table, const struct tw_report_group *group,
		     const struct tw_report_slow *slow)
{
	const char *direction = json_string_value(json_object_get(slow->json, "ddir"));

	if (file_of(group, slow))
		tw_cell_printf(table, "%s of %s", direction, file_of(group, slow));
	else
		tw_cell_text(table, direction);
}

static void add_row(struct tw_table *table, const struct columns *columns,
		    const struct tw_report_group *group, const struct tw_report_slow *slow)
{
	const json_t *stages = json_object_get(slow->json, "stages");
	char cause[TW_REPORT_SENTENCE] = "-";

	tw_table_row(table);
	tw_cell_ns(table, (double)slow->lat_ns);
	add_what(table, group, slow);
	if (columns->times)
		add_since_start(table, group, slow);
	add_bytes(table, slow, "offset");
	add_bytes(table, slow, "size");
	for (int i = 0; i < TW_STAGES; i++)
		if (columns->stages[i])
			add_ns(table, stages, tw_time_rows[i].name);
	if (columns->call)
		add_ns(table, slow->json, "submitting_call_ns");
	if (columns->cause) {
		tw_report_say_cause(cause, sizeof(cause), slow->json);
		tw_cell_text(table, cause);
	}
	add_number(table, group, slow);
	add_string(table, slow->json, "monotonic_ns");
	add_string(table, slow->json, "raw_ns");
	add_string(table, slow->json, "ticks");
}

static void add_many(struct tw_page *page, const struct tw_report_group *group,
		     size_t shown)
{
	struct columns columns;
	struct tw_table *table;

	find_columns(&columns, group);
	table = tw_page_table(page, columns.list, columns.count);
	tw_page_only(page, TW_IN_HTML);
	for (size_t i = 0; i < shown; i++)
		add_row(table, &columns, group, &group->all.slowest[i]);
}

/* ---- both ---------------------------------------------------------------- */

static void add_stalls(struct tw_page *page, const struct tw_report_group *group)
{
	const char *why_not = tw_report_why_not(group);
	int shown = 0;

	for (size_t i = 0; i < group->stall_count; i++)
		if (tw_report_add_stall(page, group, &group->stalls[i]) &&
		    shown++ >= MAX_STALLS)
			tw_page_only(page, TW_IN_HTML);
	if (why_not)
		tw_page_remark(page, "causes: not known: %s", why_not);
}

static size_t at_most(size_t count, size_t most)
{
	return count < most ? count : most;
}

static void add_in_html(struct tw_page *page, const struct tw_report_group *group)
{
	const size_t count = at_most(group->all.slow_count, MAX_IN_HTML);

	tw_page_heading(page, 3, "slowest I/Os by their lat");
	tw_page_only(page, TW_IN_HTML);
	tw_page_details(page, "%zu of %zu", count, group->all.slow_count);
	tw_page_note(page, "Offsets and sizes in bytes; CLOCK_MONOTONIC, "
		     "CLOCK_MONOTONIC_RAW and the counter's ticks where lat begins.");
	add_many(page, group, count);
	tw_page_end_details(page);
}

void tw_report_add_slowest(struct tw_page *page, const struct tw_report_group *group,
			   int with_html)
{
	const size_t in_text = at_most(group->all.slow_count, MAX_IN_TEXT);

	if (group->all.slow_count == 0)
		return;
	tw_page_heading(page, 3, "slowest I/Os by their lat (%zu of %zu; all with --json, "
			"--html)", in_text, group->all.slow_count);
	tw_page_only(page, TW_IN_TEXT);
	add_few(page, group, in_text);
	if (with_html)
		add_in_html(page, group);
	add_stalls(page, group);
}
