/* SPDX-License-Identifier: MIT */
/*
 * Describes how I/Os were split inside the kernel, by the words of the rows.
 */
#include <math.h>
#include <string.h>

#include "command/output/page.h"
#include "command/report/inside_text.h"

#define NOT_SPLIT	"kernel_stages.not_split."

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

/* Does this row count I/Os that were not split for one reason? */
static int is_reason(size_t row)
{
	return strncmp(tw_count_rows[row].path, NOT_SPLIT, strlen(NOT_SPLIT)) == 0;
}

static void add_reasons(struct tw_page *page, const struct tw_counts *counts)
{
	const char *before = ";";
	char words[TW_ROW_TEXT];

	for (size_t i = 0; i < TW_COUNTS; i++) {
		if (!is_reason(i) || !tw_count_of(counts, i))
			continue;
		tw_page_more(page, "%s %llu %s (%s)", before,
			     (unsigned long long)tw_count_of(counts, i),
			     tw_row_words(words, tw_count_rows[i].words,
					  tw_count_of(counts, i)),
			     tw_count_rows[i].more);
		before = ",";
	}
}

static int any_counted(const struct tw_counts *counts)
{
	uint64_t any = counts->split;

	for (size_t i = 0; i < TW_COUNTS; i++)
		if (is_reason(i))
			any |= tw_count_of(counts, i);
	return any != 0;
}

static int any_by_helper(const struct tw_report_group *group)
{
	for (size_t i = 0; i < group->all.job_count; i++)
		if (group->all.jobs[i].by_helper)
			return 1;
	return 0;
}

void tw_report_add_inside(struct tw_page *page, const struct tw_report_group *group,
			  int direction)
{
	const struct tw_counts *counts = &group->all.tally.counts[direction];
	const struct tw_scalars *scalars = &group->all.tally.scalars;
	char error[TW_FORMAT_SIZE];

	if (!any_counted(counts))
		return;
	tw_page_remark(page, "inside the kernel: ");
	add_share(page, counts->split, counts->ios);
	tw_page_more(page, " of %llu I/O%s split into stages",
		     (unsigned long long)counts->ios, tw_format_plural(counts->ios));
	add_reasons(page, counts);
	if (counts->split && scalars->clock_error_ns)
		tw_page_more(page, "; stamps known to +-%s",
			     tw_format_ns(error, (double)scalars->clock_error_ns));
	if (any_by_helper(group))
		tw_page_more(page, "; by tickwise kernel-helper");
	if (scalars->missed_runs)
		tw_page_more(page, "; the kernel skipped %llu run%s of the program, "
			     "so stamps may be missing",
			     (unsigned long long)scalars->missed_runs,
			     tw_format_plural(scalars->missed_runs));
}

void tw_report_add_not_split(struct tw_page *page, const struct tw_report_group *group)
{
	const char *why = NULL;
	size_t off = 0;

	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];

		if (job->has_kernel && !job->kernel_on && !off++)
			why = job->kernel_why;
	}
	if (!off)
		return;
	tw_page_remark(page, "inside the kernel: not split");
	if (group->all.job_count > 1)
		tw_page_more(page, " in %zu of %zu jobs%s", off, group->all.job_count,
			     off > 1 ? "; why in the first" : "");
	tw_page_more(page, ": %s", why);
}

void tw_report_warn_inside(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_scalars *scalars = &group->all.tally.scalars;
	char error[TW_FORMAT_SIZE];

	if (scalars->negative_beyond)
		tw_page_warning(page, "%llu stage%s inside the kernel came out negative "
				"by more than the clocks' error (%s). A negative stage "
				"counts as 0. The stages from submit to reap of their "
				"I/Os are wrong; their sum and lat are not. Please "
				"report this as a bug, with the report's file.",
				(unsigned long long)scalars->negative_beyond,
				tw_format_plural(scalars->negative_beyond),
				tw_format_ns(error, (double)scalars->clock_error_ns));
}
