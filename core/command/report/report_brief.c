/* SPDX-License-Identifier: MIT */
/*
 * The answers of a page in a few lines, for groups that differ in their depth. How fast
 * each was comes first. The rest is of the last group, in the words of the whole page.
 */
#include "base/allocate.h"
#include "command/report/report_parts.h"

static double share_of(const struct tw_tally *tally, unsigned stage, int direction)
{
	const uint64_t lat_ns = tally->times[TW_LAT][direction].sum_ns;

	return lat_ns ? 100 * (double)tw_tally_stage_ns(tally, stage, direction) /
			(double)lat_ns : 0;
}

/* Where the time of a stage is spent, for those who know no stages, and what it is. */
static const struct {
	const char *where, *what;
} places[] = {
	[TW_QUEUE] = { "in the program before it submits", "" },
	[TW_SUBMIT] = { "in the kernel as it takes the I/O", " from the ring" },
	[TW_BLOCKQ] = { "in the kernel before the drive", ": file system, scheduler, tags" },
	[TW_DEVICE] = { "in the driver and the drive", "" },
	[TW_COMPLETE] = { "in the kernel after the drive",
			  ", until the job's thread takes up the completion" },
	[TW_REAP] = { "in the program after the drive", ", until it reads the ring" },
	[TW_KERNEL] = { "in the kernel and the drive", ", not split" },
	[TW_DELIVER] = { "in fio after the drive", ", until it takes the completion" },
	[TW_SYNC_WORKER] = { "in the kernel", ", waiting for a thread of io-wq" },
	[TW_SYNC_DATA] = { "in the kernel and the drive", ": the file's written data" },
	[TW_SYNC_JOURNAL] = { "in the file system", ", waiting for its journal" },
	[TW_SYNC_FLUSH] = { "in the drive", ", which empties its cache" },
	[TW_SYNC_WAKE] = { "in the kernel after the drive", "" },
};

const char *tw_report_where(unsigned stage)
{
	return places[stage].where;
}

void tw_report_add_largest(struct tw_page *page, const struct tw_report_group *groups,
			   size_t count, int direction)
{
	const struct tw_report_group *last = &groups[count - 1];
	unsigned largest = 0;

	if (!tw_report_has_all_stages(&last->all.tally, direction))
		return;
	for (unsigned i = 1; i <= TW_SYNC_WAKE; i++)
		if (tw_report_adds_up(&last->all.tally, i, direction) &&
		    tw_tally_stage_ns(&last->all.tally, i, direction) >
		    tw_tally_stage_ns(&last->all.tally, largest, direction))
			largest = i;
	tw_page_paragraph(page, "largest stage: %s (%.0f %% of lat",
			  tw_time_metrics[largest].name,
			  share_of(&last->all.tally, largest, direction));
	for (size_t i = 0; i + 1 < count; i++)
		if (tw_report_has_all_stages(&groups[i].all.tally, direction))
			tw_page_more(page, ", %.0f %% at depth %llu",
				     share_of(&groups[i].all.tally, largest, direction),
				     (unsigned long long)groups[i].all.jobs[0].iodepth);
	tw_page_more(page, "), %s%s", places[largest].where, places[largest].what);
}

void tw_report_add_brief(struct tw_page *page, const struct tw_report_group *groups,
			 size_t count, int direction)
{
	const struct tw_report_group *last = &groups[count - 1];
	const unsigned long long depth = last->all.jobs[0].iodepth;
	struct tw_table *tiles = tw_report_tiles(page, "depth",
						 tw_has(&last->all.tally, TW_METRIC_bytes));
	char text[TW_REPORT_SENTENCE];

	for (size_t i = 0; i < count; i++)
		tw_report_add_tiles_row(tiles, &groups[i], direction,
			tw_format("%llu", (unsigned long long)groups[i].all.jobs[0].iodepth));
	if (last->all.tally.times[TW_LAT][direction].count == 0)
		return;
	tw_page_gap(page);
	for (size_t i = 0; i < count; i++) {
		tw_report_add_counter(page, &groups[i], 1);
		tw_report_warn_inside(page, &groups[i]);
	}
	tw_report_warn_holes(page, &last->all);
	tw_page_paragraph(page, "Depth %llu: ", depth);
	tw_report_more_sum(page, last, direction);
	tw_report_add_not_split(page, last);
	tw_report_add_largest(page, groups, count, direction);
	if (tw_report_say_tail(text, sizeof(text), last, direction))
		tw_page_paragraph(page, "Depth %llu, %s", depth, text);
	tw_report_add_deliver(page, last);
}
