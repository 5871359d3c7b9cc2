/* SPDX-License-Identifier: MIT */
/*
 * How I/Os were split inside the kernel (inside.c), in words for the page and the
 * HTML.
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
};

/* Rounded down: it is 100 % only of all. */
static void put_share(FILE *file, uint64_t split, uint64_t ios)
{
	if (split == 0)
		fputs("none", file);
	else if (split == ios)
		fputs("100 %", file);
	else
		fprintf(file, "%.2f %%",
			floor(1e4 * (double)split / (double)ios) / 100);
}

static void put_reasons(FILE *file, const struct tw_report_inside *inside,
			int direction)
{
	const char *before = ";";

	for (int i = 0; i < TW_REPORT_UNSPLIT; i++) {
		uint64_t ios = inside->unsplit[i][direction];

		if (ios == 0)
			continue;
		fprintf(file, "%s %llu %s", before, (unsigned long long)ios,
			words[i]);
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

int tw_report_say_inside(char *text, size_t size,
			 const struct tw_report_tally *tally, int direction)
{
	const struct tw_report_inside *inside = &tally->inside;
	uint64_t ios = tally->counts[TW_REPORT_IOS][direction];
	char error[TW_FORMAT_SIZE];
	FILE *file;

	if (inside->off == inside->jobs || !any_counted(inside, direction))
		return 0;
	file = fmemopen(text, size, "w");
	if (!file)
		return 0;
	fputs("inside the kernel: ", file);
	put_share(file, inside->split[direction], ios);
	fprintf(file, " of %llu I/Os split (device time and others)",
		(unsigned long long)ios);
	put_reasons(file, inside, direction);
	if (inside->split[direction] && inside->clock_error_ns > 0)
		fprintf(file, "; stamps known to +-%s",
			tw_format_ns(error, inside->clock_error_ns));
	if (inside->by_helper)
		fputs("; by tickwise kernel-helper", file);
	fclose(file);
	return 1;
}

char *tw_report_not_split_text(const struct tw_report_group *group)
{
	const struct tw_report_inside *inside = &group->tally.inside;
	char jobs[80] = "";
	char *text;

	if (inside->off == 0)
		return NULL;
	if (group->size > 1)
		snprintf(jobs, sizeof(jobs), " in %zu of %zu jobs%s",
			 inside->off, group->size,
			 inside->off > 1 ? "; why in the first" : "");
	if (asprintf(&text, "inside the kernel: not split%s: %s", jobs,
		     inside->why) < 0)
		return NULL;
	return text;
}

int tw_report_warn_inside(char *text, size_t size,
			  const struct tw_report_group *group)
{
	const struct tw_report_inside *inside = &group->tally.inside;
	char error[TW_FORMAT_SIZE];

	if (inside->negative_beyond == 0)
		return 0;
	snprintf(text, size, "%llu stages inside the kernel came out negative by "
		 "more than the clocks' error (%s), and count as 0. The stages "
		 "from submit to reap of their I/Os are wrong; their sum and lat "
		 "are not. Please report this as a bug, with the report's file.",
		 (unsigned long long)inside->negative_beyond,
		 tw_format_ns(error, inside->clock_error_ns));
	return 1;
}
