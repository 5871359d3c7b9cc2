// SPDX-License-Identifier: GPL-2.0
/*
 * The live table: see attach_output.h.
 */
#include "attach/attach_output.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "base/plain_text.h"

#define MAX_LINES	20	/* if the output is no terminal */
#define FIXED_COLUMNS	79	/* columns before the file's name */
#define CELL		9

void tw_attach_table_begin(struct tw_attach_table *table, FILE *out)
{
	*table = (struct tw_attach_table) {
		.out = out, .redraw = isatty(fileno(out)),
	};
}

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

static void add_row(struct tw_table *table, const struct tw_attach_row *row,
		    const struct tw_attach_tally *tally, uint64_t over_ns, int width)
{
	const struct tw_attach_recent *recent = &row->recent;
	const struct tw_histogram *lat = &recent->lat;
	char name[PATH_MAX];

	tw_table_row(table);
	tw_cell_u64(table, row->ring);
	tw_cell_printf(table, "%.11s", row->rest ? "(others)" :
		       tw_attach_operation(row->opcode));
	tw_cell_number(table, (double)lat->count * 1e9 / (double)over_ns);
	add_ns(table, lat->count, tw_histogram_mean_ns(lat));
	add_ns(table, lat->count, (double)tw_histogram_percentile(lat, 99));
	for (unsigned stage = TW_BLOCKQ; stage <= TW_COMPLETE; stage++)
		add_ns(table, recent->split, (double)recent->sum_ns[stage] /
		       (double)(recent->split ? recent->split : 1));
	snprintf(name, sizeof(name), "%s",
		 row->rest ? "" : tw_attach_file_name(tally, &row->inode));
	add_name(table, tw_plain_text(name), width - FIXED_COLUMNS);
}

static uint64_t busy(const struct tw_attach_row *row)
{
	return row->recent.lat.count + row->recent.failed;
}

static int by_count(const void *left, const void *right)
{
	const struct tw_attach_row *a = *(const struct tw_attach_row *const *)left;
	const struct tw_attach_row *b = *(const struct tw_attach_row *const *)right;

	if (busy(a) != busy(b))
		return busy(a) > busy(b) ? -1 : 1;
	return a < b ? -1 : 1;
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

static void add_rows(struct tw_page *page, const struct tw_attach_row **rows,
		     size_t count, const struct tw_attach_tally *tally,
		     uint64_t over_ns, int width)
{
	const struct tw_column columns[] = {
		{ "ring", .width = 4 },
		{ "operation", .width = 11, .flags = TW_COLUMN_LEFT },
		{ "I/Os/s", .width = CELL }, { "lat mean", .width = CELL },
		{ "p99", .width = CELL },
		{ tw_time_rows[TW_BLOCKQ].name, .width = CELL },
		{ tw_time_rows[TW_DEVICE].name, .width = CELL },
		{ tw_time_rows[TW_COMPLETE].name, .width = CELL },
		{ "file", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	tw_table_cut(table, width);
	for (size_t i = 0; i < count; i++)
		add_row(table, rows[i], tally, over_ns, width);
}

void tw_attach_table_put(struct tw_attach_table *table,
			 const struct tw_attach_tally *tally, uint64_t at_ns,
			 uint64_t over_ns, uint64_t lost)
{
	const struct tw_attach_row **rows = tw_zalloc(tally->row_count, sizeof(*rows));
	size_t count = 0, most, shown;
	const uint64_t rings = tally->ring_count + tally->all.scalars.more_rings;
	struct tw_page *page = tw_page_new("");
	char records[48] = "";
	int width;

	tw_attach_table_end(table);
	for (uint32_t i = 0; i < tally->row_count; i++)
		if (busy(&tally->rows[i]))
			rows[count++] = &tally->rows[i];
	qsort(rows, count, sizeof(*rows), by_count);
	size_of(table, &most, &width);
	shown = count < most ? count : most;
	if (lost)
		snprintf(records, sizeof(records), ", %llu records lost",
			 (unsigned long long)lost);
	tw_page_paragraph(page, "%.1f s, %llu ring%s%s%s", (double)at_ns / 1e9,
			  (unsigned long long)rings, tw_format_plural(rings), records,
			  count ? "" : ", no I/O");
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
