/* SPDX-License-Identifier: MIT */
/*
 * The answers of a page in a few lines, for groups that differ in their depth. How fast
 * each was comes first. The rest is of the last group, in the words of the whole page.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"

static double percent_of_lat(const struct tw_tally *tally, unsigned stage, int direction)
{
	const uint64_t lat_ns = tally->times[TW_LAT][direction].sum_ns;

	return lat_ns ? 100 * (double)tw_tally_stage_ns(tally, stage, direction) /
			(double)lat_ns : 0;
}

const char *tw_report_where(unsigned stage)
{
	static const char *const places[] = {
		[TW_QUEUE] = "in the program before it submits",
		[TW_SUBMIT] = "in the kernel as it takes the I/O",
		[TW_BLOCKQ] = "in the kernel before the drive (file system, limits, scheduler, "
			      "tags)",
		[TW_DEVICE] = "in the driver and the drive",
		[TW_COMPLETE] = "after the drive until the thread runs",
		[TW_REAP] = "in the program until it reads the ring",
		[TW_KERNEL] = "from the submitting call until the completion is seen",
		[TW_DELIVER] = "in fio, until fio takes the completion",
		[TW_BACKLOG] = "due, but waiting for the I/Os before it",
		[TW_SYNC_WORKER] = "in the kernel waiting for an io-wq thread",
		[TW_SYNC_DATA] = "writing the file's data to the drive",
		[TW_SYNC_JOURNAL] = "in the file system waiting for its journal",
		[TW_SYNC_FLUSH] = "in the drive as it empties its cache",
		[TW_SYNC_WAKE] = "after the drive until the program runs",
	};

	if (stage >= TW_COMPLETE_WORKER && stage <= TW_COMPLETE_WAKE)
		stage -= TW_COMPLETE_WORKER - TW_SYNC_WORKER;
	return places[stage];
}

void tw_report_add_largest(struct tw_page *page, const struct tw_report_group *group,
			   int direction, const char *of)
{
	const struct tw_tally *tally = &group->all.tally;
	/* The sync after a write has the drive in it, and takes the place of complete. */
	const int has_parts = tw_report_has_write_sync(tally, direction);
	unsigned largest = 0;

	if (!tw_report_has_all_stages(tally, direction))
		return;
	for (unsigned i = 1; i < TW_TIMES; i++)
		if ((tw_report_adds_up(tally, i, direction) ? !has_parts || i != TW_COMPLETE :
		     has_parts && tw_time_metrics[i].parent == TW_COMPLETE) &&
		    tw_tally_stage_ns(tally, i, direction) >
		    tw_tally_stage_ns(tally, largest, direction))
			largest = i;
	tw_page_paragraph(page, "%s: largest stage %s, %.0f %%: %s", of,
			  tw_time_metrics[largest].name,
			  percent_of_lat(tally, largest, direction),
			  tw_report_where(largest));
}

/* Add the mean of each stage in each group. */
static void add_stages(struct tw_page *page, const struct tw_report_group *groups, size_t count,
		       int direction)
{
	struct tw_column *columns = tw_malloc((count + 1) * sizeof(*columns));
	struct tw_report_means *means = tw_malloc(count * sizeof(*means));
	struct tw_table *table;

	columns[0] = (struct tw_column) { "stage", .width = 9, .flags = TW_COLUMN_LEFT };
	for (size_t i = 0; i < count; i++) {
		columns[1 + i] = (struct tw_column) {
			tw_format("depth %llu",
				  (unsigned long long)groups[i].all.jobs[0].iodepth),
			.width = 9, .flags = TW_COLUMN_NARROW,
		};
		tw_report_find_means(&means[i], &groups[i].all.tally, TW_LAT, direction);
	}
	table = tw_page_table(page, columns, count + 1);
	for (unsigned stage = 0; stage <= TW_LAT; stage++) {
		uint64_t any = 0;

		for (size_t i = 0; i < count; i++)
			any |= means[i].digits[stage];
		if (!any)
			continue;
		tw_table_row(table);
		tw_cell_text(table, tw_time_metrics[stage].name);
		for (size_t i = 0; i < count; i++)
			tw_report_add_mean(table, &means[i], means[i].digits[stage]);
	}
	free(means);
	free(columns);
}

void tw_report_add_brief(struct tw_page *page, const struct tw_report_group *groups,
			 size_t count, int direction)
{
	const struct tw_report_group *last = &groups[count - 1];
	const unsigned long long depth = last->all.jobs[0].iodepth;
	struct tw_table *figures;
	const char *tail;

	for (size_t i = 0; i < count; i++) {
		const char *who = tw_format("depth %llu: ",
			(unsigned long long)groups[i].all.jobs[0].iodepth);

		tw_report_add_counter(page, &groups[i], 1);
		tw_report_warn_errors(page, &groups[i], who);
		tw_report_warn_inside(page, &groups[i], "");
		tw_report_add_steady(page, &groups[i], who);
	}
	tw_report_warn_holes(page, &last->all, "");
	figures = tw_report_figures(page, "depth", tw_has(&last->all.tally, TW_METRIC_bytes));
	for (size_t i = 0; i < count; i++)
		tw_report_add_figures_row(figures, &groups[i], direction,
			tw_format("%llu", (unsigned long long)groups[i].all.jobs[0].iodepth));
	if (last->all.tally.times[TW_LAT][direction].count == 0)
		return;
	tw_page_gap(page);
	add_stages(page, groups, count, direction);
	tw_report_add_largest(page, last, direction, tw_format("depth %llu", depth));
	tw_report_add_sum(page, last, direction, tw_format("depth %llu, ", depth));
	tw_report_add_not_split(page, last);
	tail = tw_report_say_tail(last, direction);
	if (tail)
		tw_page_paragraph(page, "depth %llu, %s", depth, tail);
	tw_report_add_deliver(page, last);
	if (tw_page_media_with(page, "+-"))
		tw_page_paragraph(page, "+- at 95 %%");
}
