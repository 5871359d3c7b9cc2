/* SPDX-License-Identifier: MIT */
/*
 * What tasks waited for (report/waits.h): a table by call, reason and file, what share of the
 * calls and of the time it is, and the slowest waits.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"
#include "latency/sleep_words.h"
#include "report/waits.h"

#define MAX_IN_TEXT	6
/* Waits of jobs are shown from this part of the run on: a job without them says more by its
 * stages. */
#define WORTH_PART	100
/* Rows are shown until they have all of the time but this part. */
#define REST_PART	20
#define MAX_SLOWEST	2
/* With more rows than fit, those below this part of the time are put together. From this part on,
 * time without parts is told. */
#define SMALL_PART	10

static const char *file_of(const char *file)
{
	return strcmp(file, "-") ? file : "(file not known)";
}

/* ---- many files, each with a small part of the time ---- */

static int is_small(const struct tw_wait_row *row, uint64_t sum_ns)
{
	const char *file = row->text[TW_WAIT_FILE];

	return row->time.sum_ns < sum_ns / SMALL_PART && strcmp(file, "-") &&
	       strncmp(file, TW_WAIT_FILES_BELOW, strlen(TW_WAIT_FILES_BELOW));
}

/* Cut @folder to the part that it shares with a file, up to a slash. */
static void share_folder(char *folder, const char *file)
{
	size_t shared = 0;

	while (folder[shared] && folder[shared] == file[shared])
		shared++;
	while (shared && folder[shared - 1] != '/')
		shared--;
	folder[shared] = '\0';
}

/* Name a row that stands for small ones: by how many files there are, and where. One that also
 * stands for files without rows of their own, which may be a large part, keeps its name. */
static void name_folded(struct tw_wait_row *row, const struct tw_waits *from, uint64_t sum_ns)
{
	char *folder = NULL;
	size_t files = 0;

	for (size_t i = 0; i < from->count; i++) {
		const struct tw_wait_row *of = from->rows[i];
		const char *file = of->text[TW_WAIT_FILE];

		int differs = 0;

		for (int j = 0; j < TW_WAIT_TEXTS; j++)
			differs |= j != TW_WAIT_FILE && strcmp(of->text[j], row->text[j]);
		if (differs)
			continue;
		if (!strcmp(file, TW_WAIT_OTHER_FILES))
			return;
		if (!is_small(of, sum_ns))
			continue;
		files++;
		if (!folder)
			folder = tw_copy_text(file);
		else
			share_folder(folder, file);
	}
	free(row->text[TW_WAIT_FILE]);
	row->text[TW_WAIT_FILE] = strdup(files == 1 ? folder :
		tw_format(*folder ? "%zu files below %s" : "%zu files", files, folder));
	tw_must(row->text[TW_WAIT_FILE] ? 0 : -ENOMEM);
}

/* Make the small rows of one call and reason one. */
static void fold(struct tw_waits *waits, uint64_t sum_ns)
{
	struct tw_waits folded = { .count = 0 };

	for (size_t i = 0; i < waits->count; i++) {
		const struct tw_wait_row *row = waits->rows[i];

		tw_must(tw_waits_add(&folded, (const char *const[]) {
			row->text[TW_WAIT_CALL],
			is_small(row, sum_ns) ? TW_WAIT_OTHER_FILES : row->text[TW_WAIT_FILE],
			row->text[TW_WAIT_REASON], row->text[TW_WAIT_FUNCTION],
			row->text[TW_WAIT_LIMIT], row->text[TW_WAIT_CGROUP],
		}, row));
	}
	for (size_t i = 0; i < folded.count; i++)
		if (!strcmp(folded.rows[i]->text[TW_WAIT_FILE], TW_WAIT_OTHER_FILES))
			name_folded(folded.rows[i], waits, sum_ns);
	tw_waits_free(waits);
	*waits = folded;
}

/* Return the time that was waited in all; @unknown_ns: in waits for no known file. */
static uint64_t sum_of(const struct tw_waits *waits, uint64_t *unknown_ns)
{
	uint64_t ns = 0;

	*unknown_ns = 0;
	for (size_t i = 0; i < waits->count; i++) {
		ns += waits->rows[i]->time.sum_ns;
		if (strcmp(waits->rows[i]->text[TW_WAIT_FILE], "-") == 0)
			*unknown_ns += waits->rows[i]->time.sum_ns;
	}
	return ns;
}

/* Set @waits to the rows of a page: those that differ in the function alone are one, unless the
 * function is the reason. The sums are as in sum_of(). */
static uint64_t take_waits(struct tw_waits *waits, const struct tw_report_group *group,
			   unsigned with, uint64_t *unknown_ns)
{
	const struct tw_waits *all = group->all.waits;
	uint64_t sum_ns;

	*waits = (struct tw_waits) { .count = 0 };
	for (size_t i = 0; i < all->count; i++) {
		char *const *text = all->rows[i]->text;

		tw_must(tw_waits_add(waits, (const char *const[]) {
			text[TW_WAIT_CALL], text[TW_WAIT_FILE], text[TW_WAIT_REASON],
			tw_wait_needs_function(text[TW_WAIT_REASON]) ? text[TW_WAIT_FUNCTION] : "",
			text[TW_WAIT_LIMIT], text[TW_WAIT_CGROUP],
		}, all->rows[i]));
	}
	sum_ns = sum_of(waits, unknown_ns);
	if (waits->count > MAX_IN_TEXT && !(with & TW_REPORT_WITH_ALL))
		fold(waits, sum_ns);
	tw_waits_sort(waits);
	return sum_ns;
}

static double percent_of(uint64_t part, uint64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

/* Add what the threads did in all, of which the waits are a part. */
static void add_sums(struct tw_page *page, const struct tw_report_group *group,
		     const struct tw_waits *waits, uint64_t sum_ns, unsigned with)
{
	const struct tw_tally *tally = &group->all.tally;
	const struct tw_scalars *scalars = &tally->scalars;
	const uint64_t calls = scalars->read_calls + scalars->write_calls;
	uint64_t count = 0;

	for (size_t i = 0; i < waits->count; i++)
		count += waits->rows[i]->time.count;
	tw_page_remark(page, "all threads together waited %s for files, in %s",
		       TW_SAY_NS(sum_ns), TW_SAY_COUNT(count, "wait[s]"));
	if (tw_has(tally, TW_METRIC_run_ns)) {
		tw_page_more(page, ", and ran for %s", TW_SAY_NS(scalars->run_ns));
		/* The kernel's time without a CPU begins a little after the wake-up. */
		tw_page_remark(page, "time for a CPU: %s of the waits, and %s outside of them",
			       TW_SAY_NS(scalars->ready_in_waits_ns),
			       TW_SAY_NS(scalars->ready_ns > scalars->ready_in_waits_ns ?
					 scalars->ready_ns - scalars->ready_in_waits_ns : 0));
		tw_page_only(page, tw_report_rest(with));
	}
	if (!tw_has(tally, TW_METRIC_read_calls))
		return;
	tw_page_remark(page, "%llu of %llu read and write calls waited for a file (%s)",
		       (unsigned long long)scalars->calls_that_waited, (unsigned long long)calls,
		       TW_SAY_PERCENT(percent_of(scalars->calls_that_waited, calls)));
	tw_page_remark(page, "%s came from storage, counting metadata and readahead",
		       TW_SAY_BYTES(scalars->storage_bytes));
}

static size_t rows_in_text(const struct tw_waits *waits, uint64_t sum_ns)
{
	uint64_t left_ns = sum_ns;
	size_t shown = 0;

	while (shown < waits->count && shown < MAX_IN_TEXT && left_ns > sum_ns / REST_PART)
		left_ns -= waits->rows[shown++]->time.sum_ns;
	return shown;
}

static void add_table(struct tw_page *page, const struct tw_waits *waits, uint64_t sum_ns,
		      unsigned with)
{
	const struct tw_column columns[] = {
		{ "call", .width = 12, .flags = TW_COLUMN_LEFT },
		{ "waits", .width = 7 },
		{ "time", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "share", .width = 5 },
		{ "mean", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "p99", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "max", .width = 7, .flags = TW_COLUMN_NARROW, .media = TW_IN_HTML | TW_IN_CSV },
		{ "blockq", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "device", .width = 7, .flags = TW_COLUMN_NARROW },
		{ "complete", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "reason and file", .width = 4, .flags = TW_COLUMN_BELOW },
	};
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	if (!(with & TW_REPORT_WITH_ALL))
		tw_table_limit(table, rows_in_text(waits, sum_ns), "report --all, --html");
	for (size_t i = 0; i < waits->count; i++) {
		const struct tw_wait_row *row = waits->rows[i];
		const double count = (double)row->time.count;

		tw_table_row(table);
		tw_cell_text(table, row->text[TW_WAIT_CALL]);
		tw_cell_u64(table, row->time.count);
		tw_cell_ns(table, (double)row->time.sum_ns);
		tw_cell_percent(table, percent_of(row->time.sum_ns, sum_ns), 0);
		tw_cell_ns(table, tw_histogram_mean_ns(&row->time));
		tw_report_add_percentile(table, &row->time, count, 99);
		tw_cell_ns(table, (double)row->time.max_ns);
		for (int part = 0; part < TW_WAIT_PARTS; part++)
			tw_report_add_ns(table, row->part_ns[TW_WAIT_DEVICE] != 0,
					 (double)row->part_ns[part] / count);
		tw_cell_printf(table, "%s: %s", tw_report_say_reason(
			row->text[TW_WAIT_REASON], row->text[TW_WAIT_FUNCTION],
			row->text[TW_WAIT_LIMIT], row->text[TW_WAIT_CGROUP]),
			file_of(row->text[TW_WAIT_FILE]));
	}
}

/* Add whose requests the device had when it got those of the waits. */
static void add_others(struct tw_page *page, const struct tw_waits *waits)
{
	uint64_t counted;
	const char *text = tw_report_say_others_of_waits(waits, &counted);

	if (text)
		tw_page_remark(page, "time in the device: %s (by what it had in flight when it got "
			       "the I/O, of %s)", text, TW_SAY_COUNT(counted, "wait[s]"));
}

/* Add what the table does not have. */
static void add_lacks(struct tw_page *page, const struct tw_report_group *group,
		      uint64_t sum_ns, uint64_t unknown_ns)
{
	static const enum tw_metric_number counts[] = {
		TW_METRIC_not_over, TW_METRIC_lost_waits, TW_METRIC_of_32_bits,
	};

	tw_page_remark(page, "%s", "");
	if (unknown_ns > sum_ns / 100)
		tw_page_more(page, "file not known: %s of the time",
			     TW_SAY_PERCENT(percent_of(unknown_ns, sum_ns)));
	for (size_t i = 0; i < TW_LENGTH(counts); i++) {
		const unsigned metric = (unsigned)counts[i] - (unsigned)TW_COUNTS;
		const uint64_t count = group->all.tally.scalars.at[metric];

		if (count)
			tw_page_also(page, "%s",
				     TW_SAY_COUNT(count, tw_scalar_metrics[metric].label));
	}
}

static void add_slowest(struct tw_page *page, const struct tw_report_group *group)
{
	const json_t *all = group->all.waits->slowest;

	if (json_array_size(all))
		tw_page_remark(page, "the slowest waits:");
	for (size_t i = 0; i < json_array_size(all) && i < MAX_SLOWEST; i++) {
		const json_t *wait = json_array_get(all, i), *who = json_object_get(wait, "who");
		const char *others = tw_report_say_others(wait, 1);

		tw_page_item(page, "%s: %s, %s%s%s: %s",
			     TW_SAY_NS(tw_report_u64(wait, "ns")), tw_report_string(wait, "call"),
			     tw_report_say_reason(tw_report_string(wait, "reason"),
						  tw_report_string(wait, "function"),
						  tw_report_string(wait, "limit"),
						  tw_report_string(wait, "cgroup")),
			     who ? " of " : "", who ? tw_report_say_holder(who, 1) : "",
			     file_of(tw_report_string(wait, "file")));
		if (tw_report_u64(wait, "pid"))
			tw_page_more(page, ", %s %llu", tw_report_string(wait, "program"),
				     (unsigned long long)tw_report_u64(wait, "pid"));
		if (others)
			tw_page_more(page, ", %s", others);
	}
}

void tw_report_add_waits(struct tw_page *page, const struct tw_report_group *group,
			 unsigned with)
{
	struct tw_waits waits;
	uint64_t sum_ns, unknown_ns;

	if (!group->all.waits)
		return;
	sum_ns = take_waits(&waits, group, with, &unknown_ns);
	if (!group->all.attached && !(with & TW_REPORT_WITH_ALL) &&
	    sum_ns < group->run_ns / WORTH_PART && !group->all.tally.scalars.lost_waits) {
		tw_waits_free(&waits);
		return;
	}
	tw_page_heading(page, 3, "waits, by call, reason and file");
	add_sums(page, group, &waits, sum_ns, with);
	if (waits.count)
		add_table(page, &waits, sum_ns, with);
	add_others(page, &waits);
	add_lacks(page, group, sum_ns, unknown_ns);
	add_slowest(page, group);
	tw_waits_free(&waits);
}

void tw_report_add_waited(struct tw_page *page, const struct tw_report_group *group,
			  const char *who)
{
	const struct tw_waits *waits = group->all.waits;
	uint64_t sum_ns = 0, count = 0;

	/* The waits of jobs are part of their stages. */
	if (!waits || !group->all.attached)
		return;
	for (size_t i = 0; i < waits->count; i++) {
		sum_ns += waits->rows[i]->time.sum_ns;
		count += waits->rows[i]->time.count;
	}
	tw_page_paragraph(page, "%s: all threads together waited %s for files, in %s", who,
			  TW_SAY_NS(sum_ns), TW_SAY_COUNT(count, "wait[s]"));
}

/* Add what the waits of a row were for, after @beginning. */
static void add_reason(struct tw_page *page, const struct tw_wait_row *row, const char *beginning)
{
	tw_page_more(page, "%s%s", beginning,
		     tw_report_say_wait(row->text[TW_WAIT_REASON], row->text[TW_WAIT_LIMIT],
					row->text[TW_WAIT_CGROUP]));
}

void tw_report_add_most_waited(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_wait_row *undivided = NULL;	/* the longest of them */
	uint64_t sum_ns, unknown_ns, part_ns[TW_WAIT_PARTS] = { 0 }, rest_ns;
	struct tw_waits waits;

	/* The waits of jobs are part of their stages. */
	if (!group->all.waits || !group->all.attached)
		return;
	rest_ns = sum_ns = take_waits(&waits, group, 0, &unknown_ns);
	for (size_t i = 0; i < waits.count; i++) {
		const struct tw_wait_row *row = waits.rows[i];

		for (int j = 0; j < TW_WAIT_PARTS; j++) {
			part_ns[j] += row->part_ns[j];
			rest_ns -= row->part_ns[j];
		}
		if (!undivided && !row->part_ns[TW_WAIT_DEVICE])
			undivided = row;
	}
	if (!waits.count)
		tw_page_paragraph(page, "no thread waited for a file or a block device");
	if (part_ns[TW_WAIT_DEVICE]) {
		tw_page_paragraph(page, "time of all waits: %s%.0f %% in the device, %.0f %% after "
				  "it, until the thread ran",
				  part_ns[TW_WAIT_BLOCKQ] < sum_ns / SMALL_PART ? "" :
				  tw_format("%.0f %% before the device, ",
					    percent_of(part_ns[TW_WAIT_BLOCKQ], sum_ns)),
				  percent_of(part_ns[TW_WAIT_DEVICE], sum_ns),
				  percent_of(part_ns[TW_WAIT_COMPLETE], sum_ns));
		if (rest_ns >= sum_ns / SMALL_PART) {
			tw_page_more(page, "; not known for %.0f %%", percent_of(rest_ns, sum_ns));
			if (undivided && undivided->time.sum_ns > rest_ns / 2)
				add_reason(page, undivided, ", most of it waits for ");
		}
	} else if (waits.count) {
		tw_page_paragraph(page, "%s", "");
		add_reason(page, waits.rows[0], "the waits of the largest row were for ");
	}
	tw_waits_free(&waits);
}
