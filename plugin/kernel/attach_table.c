// SPDX-License-Identifier: GPL-2.0
/*
 * The live table: see attach_table.h.
 */
#include "kernel/attach_table.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "command/output/format.h"
#include "command/output/plain_text.h"

#define MOST_LINES	20	/* where there is no terminal to be filled */
#define FIXED_COLUMNS	79	/* what comes before the file's name */
#define CELL		9

void tw_attach_table_begin(struct tw_attach_table *table, FILE *out)
{
	*table = (struct tw_attach_table) {
		.out = out, .redraw = isatty(fileno(out)),
	};
}

/* No part of a file's name moves the cursor. No character is wider than its bytes are
 * many, so that the line fits. */
static void put_name(FILE *out, const char *name, int width)
{
	char text[PATH_MAX];
	const char *at = text;
	int length;

	snprintf(text, sizeof(text), "%s", name);
	length = (int)strlen(tw_plain_text(text));
	if (length > width) {
		at += length - width + 2;
		while (!tw_character_length(at))
			at++;
		fputs("..", out);
	}
	fputs(at, out);
}

static void put_cell(FILE *out, const char *text)
{
	fprintf(out, " %*s", CELL, text);
}

static void put_ns(FILE *out, uint64_t count, double ns)
{
	char text[TW_FORMAT_SIZE];

	put_cell(out, count ? tw_format_ns(text, ns) : "-");
}

static void put_row(const struct tw_attach_row *row, const struct tw_attach_table *table,
		    const struct tw_attach_files *files, uint64_t over_ns, int width)
{
	const struct tw_attach_recent *recent = &row->recent;
	const struct tw_histogram *lat = &recent->lat;
	char text[TW_FORMAT_SIZE];
	FILE *out = table->out;

	fprintf(out, "%4u %-11.11s", row->ring,
		row->rest ? "(others)" : tw_attach_operation(row->opcode));
	put_cell(out, tw_format_number(text, (double)lat->count * 1e9 /
				       (double)over_ns));
	put_ns(out, lat->count, tw_histogram_mean_ns(lat));
	put_ns(out, lat->count, (double)tw_histogram_percentile(lat, 99));
	for (int i = 0; i < TW_ATTACH_KERNEL; i++)
		put_ns(out, recent->split, (double)recent->sum_ns[i] /
		       (double)(recent->split ? recent->split : 1));
	fputs("  ", out);
	put_name(out, row->rest ? "" : tw_attach_file_name(files, &row->inode),
		 width - FIXED_COLUMNS);
	putc('\n', out);
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

/* Those that have done something, the busiest first. */
static size_t find_busy(const struct tw_attach_tally *tally,
			const struct tw_attach_row **rows)
{
	size_t count = 0;

	for (uint32_t i = 0; i < tally->row_count; i++)
		if (busy(&tally->rows[i]))
			rows[count++] = &tally->rows[i];
	qsort(rows, count, sizeof(*rows), by_count);
	return count;
}

static void size_of(const struct tw_attach_table *table, size_t *lines, int *width)
{
	struct winsize size;

	*lines = MOST_LINES;
	*width = FIXED_COLUMNS + 60;
	if (!table->redraw || ioctl(fileno(table->out), TIOCGWINSZ, &size))
		return;
	/* Head, titles, what is left out, and the cursor. */
	*lines = size.ws_row > 5 ? size.ws_row - 4U : 1;
	*width = size.ws_col > FIXED_COLUMNS + 8 ? size.ws_col : FIXED_COLUMNS + 8;
}

void tw_attach_table_end(struct tw_attach_table *table)
{
	if (table->redraw && table->lines)
		fprintf(table->out, "\033[%dA\033[J", table->lines);
	table->lines = 0;
}

void tw_attach_table_put(struct tw_attach_table *table,
			 const struct tw_attach_tally *tally,
			 const struct tw_attach_files *files, uint64_t at_ns,
			 uint64_t over_ns, uint64_t lost)
{
	const struct tw_attach_row **rows = calloc(tally->row_count + 1,
						   sizeof(*rows));
	size_t count = rows ? find_busy(tally, rows) : 0, most, i;
	int width;

	tw_attach_table_end(table);
	size_of(table, &most, &width);
	fprintf(table->out, "%.1f s, %u ring%s", (double)at_ns / 1e9,
		tally->ring_count, tally->ring_count == 1 ? "" : "s");
	if (lost)
		fprintf(table->out, ", %llu records lost", (unsigned long long)lost);
	fprintf(table->out, "%s\n", count ? "" : ", no I/O");
	table->lines = 1;
	if (count) {
		fprintf(table->out, "%4s %-11s %9s %9s %9s %9s %9s %9s  %s\n",
			"ring", "operation", "I/Os/s", "lat mean", "p99",
			"blockq", "device", "complete", "file");
		table->lines++;
	}
	for (i = 0; i < count && i < most; i++, table->lines++)
		put_row(rows[i], table, files, over_ns, width);
	if (i < count) {
		fprintf(table->out, "     and %zu more\n", count - i);
		table->lines++;
	}
	fflush(table->out);
	free(rows);
}
