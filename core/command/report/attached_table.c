/* SPDX-License-Identifier: MIT */
/*
 * Tables of a report of `tickwise attach`: its I/Os by ring, file and
 * operation.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/report/page.h"
#include "command/answers/attached.h"
#include "latency/histogram_json.h"
#include "report/want.h"

#define MAX_IN_TEXT	20

/* ---- which ------------------------------------------------------------------- */

static int by_ios(const void *left, const void *right)
{
	const json_t *a = *(const json_t *const *)left;
	const json_t *b = *(const json_t *const *)right;

	if (tw_report_u64(a, "ios") != tw_report_u64(b, "ios"))
		return tw_report_u64(a, "ios") > tw_report_u64(b, "ios") ? -1 : 1;
	if (tw_report_u64(a, "ring") != tw_report_u64(b, "ring"))
		return tw_report_u64(a, "ring") < tw_report_u64(b, "ring") ? -1 : 1;
	return strcmp(tw_report_string(a, "operation"), tw_report_string(b, "operation"));
}

/* Return the rows, busiest first, to be freed; NULL: there are none. */
static const json_t **sorted(const struct tw_report_group *group, size_t *count)
{
	const json_t *all = json_object_get(group->all.attached, "operations");
	const json_t **rows;

	*count = json_array_size(all);
	if (!*count)
		return NULL;
	rows = tw_malloc(*count * sizeof(*rows));
	for (size_t i = 0; i < *count; i++)
		rows[i] = json_array_get(all, i);
	qsort(rows, *count, sizeof(*rows), by_ios);
	return rows;
}

/* ---- of one of them -------------------------------------------------------------- */

/* Read a histogram, to be freed. Return 0 if the row has none. */
static int read_time(struct tw_histogram *histogram, const json_t *row, unsigned time)
{
	const json_t *of = json_object_get(row, "stages");
	const char *wrong;

	return !tw_must(tw_histogram_from_json(histogram, json_object_get(
				of, tw_time_rows[time].name), &wrong));
}

/* Add mean, p99 and maximum. */
static void add_lat(struct tw_table *table, const json_t *row)
{
	struct tw_histogram histogram;

	if (!read_time(&histogram, row, TW_LAT)) {
		for (int i = 0; i < 3; i++)
			tw_cell_none(table);
		return;
	}
	tw_cell_ns(table, tw_histogram_mean_ns(&histogram));
	if (histogram.count >= 100)
		tw_cell_ns(table, (double)tw_histogram_percentile(&histogram, 99));
	else
		tw_cell_none(table);
	tw_cell_ns(table, (double)histogram.max_ns);
	tw_histogram_free(&histogram);
}

/* Add the means of the stages. */
static void add_stages(struct tw_table *table, const json_t *row)
{
	static const unsigned stages[] = { TW_BLOCKQ, TW_DEVICE, TW_COMPLETE };
	struct tw_histogram histogram;

	for (size_t i = 0; i < sizeof(stages) / sizeof(*stages); i++) {
		if (!read_time(&histogram, row, stages[i])) {
			tw_cell_none(table);
			continue;
		}
		tw_cell_ns(table, tw_histogram_mean_ns(&histogram));
		tw_histogram_free(&histogram);
	}
}

/* Return a count that needs words: it is of I/Os that some or all of the row's numbers
 * leave out, or whose lat has a wait. */
static uint64_t apart(const json_t *row, unsigned count)
{
	if (count == TW_ROW_ios || count == TW_ROW_split || count == TW_ROW_waited)
		return 0;
	if (count == TW_ROW_no_request && !tw_report_u64(row, "split"))
		return 0;
	return tw_report_u64(row, tw_row_key(tw_count_rows[count].path));
}

/* Describe these I/Os. Return 0 if there are none. */
static int say_apart(char *text, size_t size, const json_t *row)
{
	FILE *file = fmemopen(text, size, "w");
	char words[TW_ROW_TEXT];
	int any = 0;

	if (!file)
		return 0;
	for (unsigned i = 0; i < TW_COUNTS; i++)
		if (apart(row, i))
			fprintf(file, "%s%llu %s", any++ ? ", " : "",
				(unsigned long long)apart(row, i),
				tw_row_words(words, tw_count_rows[i].words,
					     apart(row, i)));
	fclose(file);
	return any;
}

/* ---- the page ---------------------------------------------------------------- */

static void add_row(struct tw_table *table, const json_t *row)
{
	const char *file = tw_report_string(row, "file");
	char text[TW_REPORT_SENTENCE];

	tw_table_row(table);
	tw_cell_u64(table, tw_report_u64(row, "ring"));
	tw_cell_text(table, tw_report_string(row, "operation"));
	tw_cell_u64(table, tw_report_u64(row, "ios"));
	add_lat(table, row);
	add_stages(table, row);
	tw_cell_text(table, strcmp(file, "-") == 0 ? "" : file);
	tw_cell_text(table, say_apart(text, sizeof(text), row) ? text : "");
}

static void add_table(struct tw_page *page, const json_t **rows, size_t count)
{
	const struct tw_column columns[] = {
		{ "ring", .width = 5 },
		{ "operation", .width = 14, .flags = TW_COLUMN_LEFT },
		{ "I/Os", .width = 8 },
		{ "mean", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "p99", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "max", .width = 7, .flags = TW_COLUMN_NARROW },
		{ tw_time_rows[TW_BLOCKQ].name, .width = 7, .flags = TW_COLUMN_NARROW },
		{ tw_time_rows[TW_DEVICE].name, .width = 7, .flags = TW_COLUMN_NARROW },
		{ tw_time_rows[TW_COMPLETE].name, .width = 7,
		  .flags = TW_COLUMN_NARROW },
		{ "file", .width = 7, .flags = TW_COLUMN_BELOW },
		{ "apart", .width = 7, .flags = TW_COLUMN_BELOW },
	};
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	tw_table_limit(table, MAX_IN_TEXT, "--json, --html");
	for (size_t i = 0; i < count; i++)
		add_row(table, rows[i]);
}

static void add_rings(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t *rings = json_object_get(group->all.attached, "rings");
	size_t count = json_array_size(rings), shown = 0;

	if (count)
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

void tw_report_add_attached(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t **rows;
	size_t count;

	if (!tw_report_is_attached(group))
		return;
	rows = sorted(group, &count);
	tw_page_heading(page, 3, "by ring, file and operation");
	if (rows)
		add_table(page, rows, count);
	else if (tw_report_attached_rings(group))
		tw_page_remark(page, "no I/O was seen");
	else
		tw_page_remark(page, "no ring was seen: these processes did no I/O "
			       "through io_uring, and other I/O is not seen");
	add_rings(page, group);
	tw_report_add_others(page, group);
	tw_report_add_lost(page, group);
	free(rows);
}
