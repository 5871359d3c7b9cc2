// SPDX-License-Identifier: GPL-2.0
/*
 * The live table: see attach.h. What each row of the tally has gained since the last table is
 * merged by the file's name. Terminfo tells how to write over the last table.
 */
#include "attach/attach.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/allocate.h"
#include "base/plain_text.h"
#include "command/output/page.h"

/* The last ones, since they define words such as lines and columns. */
#include <curses.h>
#include <term.h>

#define MAX_HEIGHT	24	/* of a table, where the height is not known */
#define MAX_NAME	60	/* bytes of a name, where the width is not known */
#define MIN_NAME	3
#define WIDE		120	/* columns of a terminal that has room for all */
#define NARROW		70	/* for all but blockq and complete */

/* ---- what is new ----------------------------------------------------------- */

enum { EVENTS, TIMED, TIME_NS, PARTS_NS };	/* of sums */

_Static_assert(PARTS_NS + TW_WAIT_PARTS == TW_ATTACH_SUMS, "the sums of a row");

/* Waits and I/Os of a file: those of one call and reason, or all. */
struct shown {
	const char *name, *call, *reason;
	uint64_t most_ns;			/* by this call and reason */
	uint64_t sums[TW_ATTACH_SUMS];
};

/* I/Os that have failed have no time, nor have those that were only counted. */
static struct shown shown_ios(const struct tw_attach_tally *tally,
			      const struct tw_attach_row *row)
{
	const char *name = row->rest ? "-" : tw_attach_file_name(tally, &row->inode);
	const struct tw_counts *counts = &row->counts;

	return (struct shown) {
		.name = strcmp(name, "?") ? name : "-", .reason = "io_uring",
		.call = row->rest ? "others" : tw_attach_operation(row->opcode),
		.sums = {
			counts->ios + counts->errors + counts->cancelled + row->only_counted.ios,
			row->times[TW_LAT].count, row->times[TW_LAT].sum_ns,
			row->times[TW_BLOCKQ].sum_ns, row->times[TW_DEVICE].sum_ns,
			row->times[TW_COMPLETE].sum_ns,
		},
	};
}

static struct shown shown_waits(const struct tw_wait_row *row)
{
	struct shown shown = {
		.name = row->text[TW_WAIT_FILE], .call = row->text[TW_WAIT_CALL],
		.reason = row->text[TW_WAIT_REASON],
		.sums = { row->time.count, row->time.count, row->time.sum_ns },
	};

	memcpy(&shown.sums[PARTS_NS], row->part_ns, sizeof(row->part_ns));
	return shown;
}

/* Leave the sums since the last table. Return whether there was anything. */
static bool is_new(struct shown *shown, uint64_t before[TW_ATTACH_SUMS])
{
	for (int i = 0; i < TW_ATTACH_SUMS; i++) {
		const uint64_t now = shown->sums[i];

		shown->sums[i] -= before[i];
		before[i] = now;
	}
	return shown->sums[EVENTS] != 0;
}

/* Set @all to what is new. Return how many. */
static size_t collect(struct shown *all, const struct tw_attach_tally *tally,
		      uint64_t (*before)[TW_ATTACH_SUMS])
{
	size_t count = 0;

	for (uint32_t i = 0; i < tally->row_count; i++) {
		const struct tw_attach_row *row = &tally->rows[i];

		/* Calls are waits, too. */
		all[count] = shown_ios(tally, row);
		count += (row->ring || row->rest) && is_new(&all[count], before[i]);
	}
	for (size_t i = 0; i < tally->waits.all.count; i++) {
		all[count] = shown_waits(tally->waits.all.rows[i]);
		count += is_new(&all[count], before[TW_ATTACH_MAX_ROWS + 1 + i]);
	}
	return count;
}

/* ---- one row a name ---------------------------------------------------------- */

static int by_name(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;

	return strcmp(a->name, b->name);
}

static int by_text(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;

	return by_name(a, b) ?: strcmp(a->call, b->call) ?: strcmp(a->reason, b->reason);
}

static int by_time(const void *left, const void *right)
{
	const struct shown *a = left, *b = right;
	const uint64_t *of_a = a->sums, *of_b = b->sums;

	return (of_a[TIME_NS] < of_b[TIME_NS]) - (of_a[TIME_NS] > of_b[TIME_NS]) ?:
	       (of_a[EVENTS] < of_b[EVENTS]) - (of_a[EVENTS] > of_b[EVENTS]) ?: by_name(a, b);
}

/* Merge neighbours that are equal in this order. Return how many are left. */
static size_t merge(struct shown *all, size_t count, int (*order)(const void *, const void *))
{
	struct shown *last = all;

	for (size_t i = 1; i < count; i++) {
		if (order(last, &all[i])) {
			*++last = all[i];
			continue;
		}
		for (int j = 0; j < TW_ATTACH_SUMS; j++)
			last->sums[j] += all[i].sums[j];
		if (all[i].most_ns > last->most_ns) {
			last->call = all[i].call;
			last->reason = all[i].reason;
			last->most_ns = all[i].most_ns;
		}
	}
	return count ? (size_t)(last - all) + 1 : 0;
}

static size_t merge_by_name(struct shown *all, size_t count)
{
	qsort(all, count, sizeof(*all), by_text);
	count = merge(all, count, by_text);
	for (size_t i = 0; i < count; i++)
		all[i].most_ns = all[i].sums[TIME_NS];
	count = merge(all, count, by_name);
	qsort(all, count, sizeof(*all), by_time);
	return count;
}

/* ---- the page -------------------------------------------------------------- */

/* Add a name, of which the end is shown if it is too long. The end fits, because no
 * character has more columns than bytes. */
static void add_name(struct tw_table *table, const char *name, int room)
{
	const int length = (int)strlen(name);

	if (length <= room) {
		tw_cell_text(table, strcmp(name, "-") ? name : "(file not known)");
		return;
	}
	name += length - room + 2;
	while (!tw_character_length(name))
		name++;
	tw_cell_printf(table, "..%s", name);
}

static void add_mean(struct tw_table *table, bool is_known, uint64_t ns, uint64_t count)
{
	if (is_known)
		tw_cell_ns(table, (double)ns / (double)count);
	else
		tw_cell_none(table);
}

static void add_row(struct tw_table *table, const struct shown *row, uint64_t over_ns,
		    int most_room, int name_room)
{
	const uint64_t *ns = &row->sums[PARTS_NS], timed = row->sums[TIMED];
	const double waited = 100 * (double)row->sums[TIME_NS] / (double)over_ns;
	char most[128] = "-";

	tw_table_row(table);
	tw_cell_number(table, (double)row->sums[EVENTS] * 1e9 / (double)over_ns);
	tw_cell_percent(table, waited, waited < 10);
	add_mean(table, timed, row->sums[TIME_NS], timed);
	for (int i = 0; i < TW_WAIT_PARTS; i++)
		add_mean(table, timed && ns[TW_WAIT_DEVICE], ns[i], timed);
	if (row->most_ns)
		snprintf(most, sizeof(most), "%3.0f %% %s, %s", 100 * (double)row->most_ns /
			 (double)row->sums[TIME_NS], row->call, row->reason);
	tw_cell_printf(table, "%.*s", most_room, most);
	add_name(table, row->name, name_room);
}

/* @width: of the terminal; 0: of a file, which has no edge. */
static void add_rows(struct tw_page *page, const struct shown *rows, size_t count,
		     uint64_t over_ns, int width)
{
	const bool is_wide = !width || width >= WIDE;
	const unsigned media = is_wide ? 0 : TW_IN_HTML;
	const int most_room = is_wide ? 32 : width >= NARROW ? 24 : 0;
	int name_room = width ? width - 1 - (is_wide ? 50 : 33) - most_room : MAX_NAME;
	const struct tw_column all[] = {
		{ "rate/s", .width = 6 }, { "waited", .width = 7 },
		{ "mean", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "blockq", .width = 7, .flags = TW_COLUMN_NARROW, .media = media },
		{ "device", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "complete", .width = 8, .flags = TW_COLUMN_NARROW, .media = media },
		{ "mostly", .flags = TW_COLUMN_LEFT, .media = most_room ? 0 : TW_IN_HTML },
		{ "file", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table = tw_page_table(page, all, sizeof(all) / sizeof(*all));

	if (name_room < MIN_NAME)
		name_room = MIN_NAME;
	/* A character in the last column makes a line of its own on some terminals. */
	tw_table_cut(table, width ? width - 1 : 0);
	for (size_t i = 0; i < count; i++)
		add_row(table, &rows[i], over_ns, most_room, name_room);
}

/* Write the first line, about all rows, to @head. */
static void put_head(char *head, size_t size, const struct shown *rows, size_t count,
		     const struct tw_attach_tally *tally, uint64_t at_ns, uint64_t over_ns,
		     uint64_t lost)
{
	const uint64_t rings = tally->ring_count + tally->all.scalars.more_rings;
	uint64_t events = 0, ns = 0;
	int length;

	for (size_t i = 0; i < count; i++) {
		events += rows[i].sums[EVENTS];
		ns += rows[i].sums[TIME_NS];
	}
	length = snprintf(head, size, "%.1f s%s%s%s%s", (double)at_ns / 1e9, rings ? ", " : "",
			  rings ? TW_SAY_COUNT(rings, "ring[s]") : "", lost ? ", " : "",
			  lost ? TW_SAY_COUNT(lost, "record[s] lost") : "");
	if (count)
		snprintf(head + length, size - (size_t)length, ". In %.1f s: %s, %s in all",
			 (double)over_ns / 1e9, TW_SAY_COUNT(events, "wait[s] or I/O[s]"),
			 TW_SAY_NS(ns));
	else
		strcpy(head + length, ", no wait, no I/O");
}

/* ---- the terminal -------------------------------------------------------------- */

static FILE *to;	/* of put_byte(), to which tputs() passes nothing else */

static int put_byte(int byte)
{
	return putc(byte, to);
}

void tw_attach_table_begin(struct tw_attach_table *table, FILE *out)
{
	int error;

	table->out = out;
	if (isatty(fileno(out)) && setupterm(NULL, fileno(out), &error) == OK) {
		table->up = tigetstr("cuu");
		table->erase = tigetstr("ed");
	}
}

void tw_attach_table_end(struct tw_attach_table *table)
{
	if (table->up && table->erase && table->printed) {
		to = table->out;
		putc('\r', to);
		tputs(tparm(table->up, (long)table->printed), 1, put_byte);
		tputs(table->erase, 1, put_byte);
	}
	table->printed = 0;
}

void tw_attach_table_put(struct tw_attach_table *table, const struct tw_attach_tally *tally,
			 uint64_t at_ns, uint64_t over_ns, uint64_t lost)
{
	struct shown *rows = tw_zalloc(TW_ATTACH_SOURCES, sizeof(*rows));
	const size_t count = merge_by_name(rows, collect(rows, tally, table->before));
	struct tw_page *page = tw_page_new("");
	struct winsize size = { .ws_row = 0 };
	const bool is_terminal = !ioctl(fileno(table->out), TIOCGWINSZ, &size);
	/* A serial line has no size, and a file has no edge: 0. */
	const int width = is_terminal && !size.ws_col ? 80 : size.ws_col;
	const size_t height = size.ws_row ? size.ws_row : MAX_HEIGHT;
	/* Not of the table: the head, the titles, "and N more", and the cursor. */
	const size_t most = height > 5 ? height - 4 : 1, shown = count < most ? count : most;
	char head[160];

	tw_attach_table_end(table);
	put_head(head, sizeof(head), rows, count, tally, at_ns, over_ns, lost);
	fprintf(table->out, "%.*s\n", width ? width - 1 : (int)sizeof(head), head);
	if (count)
		add_rows(page, rows, shown, over_ns, width);
	if (shown < count)
		tw_page_remark(page, "and %zu more", count - shown);
	tw_output_text(page, table->out);
	table->printed = 1 + (count != 0) + (int)shown + (shown < count);
	fflush(table->out);
	tw_page_free(page);
	free(rows);
}
