/* SPDX-License-Identifier: MIT */
/*
 * Describes how I/Os were split inside the kernel (inside.c).
 */
#include <math.h>
#include <stdio.h>

#include "command/output/format.h"
#include "command/report/inside_text.h"

static const char *const words[TW_REPORT_UNSPLIT] = {
	[TW_REPORT_NO_REQUEST] = "had no block request (page cache?)",
	[TW_REPORT_MISSING_STAMP] = "lacked a stamp (the stages around it are in "
		"kernel)",
	[TW_REPORT_SYNC_WRITE] = "were O_SYNC or O_DSYNC writes (device and complete are "
		"in kernel)",
	[TW_REPORT_NO_STAMPS] = "had no stamps",
	[TW_REPORT_AFTER_OTHERS] = "waited for I/Os before them (that and blockq are in kernel)",
};

/* Add a share, rounded down, so that only all I/Os are 100 %. */
static void add_share(struct tw_page *page, uint64_t split, uint64_t ios)
{
	if (split == 0)
		tw_page_more(page, "none");
	else if (split == ios)
		tw_page_more(page, "100 %%");
	else
		tw_page_more(page, "%.2f %%",
			     floor(1e4 * (double)split / (double)ios) / 100);
}

/* Return why there was no split. A sync has no request that is its own. */
static const char *words_of(int reason, int direction)
{
	return reason == TW_REPORT_NO_REQUEST && direction == TW_REPORT_SYNC ?
	       "had no block request of their own" : words[reason];
}

static void add_reasons(struct tw_page *page, const struct tw_report_inside *inside,
			int direction)
{
	const char *before = ";";

	for (int i = 0; i < TW_REPORT_UNSPLIT; i++) {
		uint64_t ios = inside->unsplit[i][direction];

		if (ios == 0)
			continue;
		tw_page_more(page, "%s %llu %s", before, (unsigned long long)ios,
			     words_of(i, direction));
		before = ",";
	}
}

static int any_counted(const struct tw_report_inside *inside, int direction)
{
	uint64_t any = inside->split[direction];

	for (int i = 0; i < TW_REPORT_UNSPLIT; i++)
		any |= inside->unsplit[i][direction];
	return any != 0;
}

void tw_report_add_inside(struct tw_page *page, const struct tw_report_tally *tally,
			  int direction)
{
	const struct tw_report_inside *inside = &tally->inside;
	uint64_t ios = tally->counts[TW_REPORT_IOS][direction];
	char error[TW_FORMAT_SIZE];

	if (inside->off == inside->jobs || !any_counted(inside, direction))
		return;
	tw_page_remark(page, "inside the kernel: ");
	add_share(page, inside->split[direction], ios);
	tw_page_more(page, " of %llu I/Os split (device time and others)",
		     (unsigned long long)ios);
	add_reasons(page, inside, direction);
	if (inside->split[direction] && inside->clock_error_ns > 0)
		tw_page_more(page, "; stamps known to +-%s",
			     tw_format_ns(error, inside->clock_error_ns));
	if (inside->by_helper)
		tw_page_more(page, "; by tickwise kernel-helper");
	if (inside->missed_runs)
		tw_page_more(page, "; the kernel skipped %llu runs of the program, "
			     "which can be missing stamps",
			     (unsigned long long)inside->missed_runs);
}

void tw_report_add_not_split(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_inside *inside = &group->tally.inside;

	if (inside->off == 0)
		return;
	tw_page_remark(page, "inside the kernel: not split");
	if (group->size > 1)
		tw_page_more(page, " in %zu of %zu jobs%s", inside->off, group->size,
			     inside->off > 1 ? "; why in the first" : "");
	tw_page_more(page, ": %s", inside->why);
}

void tw_report_warn_inside(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_inside *inside = &group->tally.inside;
	char error[TW_FORMAT_SIZE];

	if (inside->negative_beyond)
		tw_page_warning(page, "%llu stages inside the kernel came out negative "
				"by more than the clocks' error (%s), and count as 0. "
				"The stages from submit to reap of their I/Os are wrong; "
				"their sum and lat are not. Please report this as a bug, "
				"with the report's file.",
				(unsigned long long)inside->negative_beyond,
				tw_format_ns(error, inside->clock_error_ns));
}
