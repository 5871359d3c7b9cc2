/* SPDX-License-Identifier: MIT */
/*
 * The run over time as a table with a few rows for each direction. Also describes the
 * files of intervals of a group.
 */
#include <math.h>

#include "command/output/page.h"
#include "command/report/lat_cells.h"
#include "command/report/page.h"
#include "command/answers/merge.h"
#include "command/answers/over_time.h"

#define MAX_ROWS	20

/* ---- the table ------------------------------------------------------------ */

/* Return where the row ends that begins with window @first. There are at most MAX_ROWS
 * rows. The last row includes a rest that is so short that a few I/Os would give any
 * rate. */
static uint32_t end_of_row(const struct tw_report_group *group, uint32_t first)
{
	const uint32_t count = tw_report_windows(group);
	const uint32_t step = (count + MAX_ROWS - 1) / MAX_ROWS;
	const uint64_t row_ns = group->all.tally.over_time.width_ns * step;
	const uint32_t end = first + step;

	if (end >= count || (end + step >= count &&
			     tw_report_window_ns(group, count) -
			     tw_report_window_ns(group, end) < row_ns / 2))
		return count;
	return end;
}

static void add_row(struct tw_table *table, const struct tw_report_part *part,
		    int direction)
{
	const struct tw_histogram *lat = &part->window.lat[direction];
	const uint64_t over_ns = part->to_ns - part->from_ns;
	const uint64_t errors = part->window.errors[direction];

	tw_table_row(table);
	tw_cell_ns(table, (double)part->from_ns);
	tw_cell_ns(table, (double)over_ns);
	/* No engine has windows before the job's start. */
	if (over_ns)
		tw_cell_number(table, (double)lat->count * 1e9 / (double)over_ns);
	else
		tw_cell_none(table);
	tw_report_add_lat(table, lat);
	if (errors)
		tw_cell_printf(table, "%llu error%s", (unsigned long long)errors,
			       tw_format_plural(errors));
	else
		tw_cell_text(table, "");
}

static void add_rows(struct tw_page *page, const struct tw_report_group *group,
		     int direction, unsigned medium)
{
	static const struct tw_column columns[] = {
		{ "from", .width = 10 }, { "over", .width = 7 },
		{ "IOPS", .width = 7 }, { "mean", .width = 7 },
		{ "p50", .width = 7 }, { "p99", .width = 7 }, { "p99.9", .width = 7 },
		{ "max", .width = 7 }, { "", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));
	struct tw_report_part part;
	uint32_t end;

	tw_page_only(page, medium);
	for (uint32_t i = 0; i < tw_report_windows(group); i = end) {
		end = end_of_row(group, i);
		tw_report_part_of(&part, group, i, end);
		add_row(table, &part, direction);
		tw_report_part_free(&part);
	}
	tw_page_remark(page, "percentiles are at most %g %% above here",
		       100 / ldexp(1, 3 + TW_WINDOWS_DIGITS));
	tw_page_only(page, medium);
}

/* Add the table. HTML folds it, since it also has plots, which some readers
 * can't see. */
static void add_table(struct tw_page *page, const struct tw_report_group *group,
		      int direction)
{
	static const char title[] = "%s over time, from the start of the first job";

	tw_page_heading(page, 3, title, tw_direction_names[direction]);
	tw_page_only(page, TW_IN_TEXT);
	add_rows(page, group, direction, TW_IN_TEXT);
	tw_page_details(page, title, tw_direction_names[direction]);
	add_rows(page, group, direction, TW_IN_HTML);
	tw_page_end_details(page);
}

void tw_report_add_over_time(struct tw_page *page, const struct tw_report_group *group)
{
	if (tw_report_windows(group) < 2)
		return;
	for (int i = 0; i < TW_DIRECTIONS; i++)
		if (tw_report_has_windows(group, i))
			add_table(page, group, i);
}

/* ---- what the page is of -------------------------------------------------- */

void tw_report_add_empty(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];
	char text[TW_FORMAT_SIZE];

	tw_page_paragraph(page, "%s, group %llu of %s: no interval is in the part of the "
			  "run that was asked for: ", job->name,
			  (unsigned long long)job->groupid, job->host);
	tw_page_more(page, "there are %s of the job",
		     tw_format_ns(text, (double)group->end_ns));
}

static void add_asked(struct tw_page *page, const struct tw_report_span *asked)
{
	char text[TW_FORMAT_SIZE];

	if (asked->from_ns)
		tw_page_more(page, "--from=%s",
			     tw_format_ns(text, (double)asked->from_ns));
	if (asked->to_ns != UINT64_MAX)
		tw_page_more(page, "%s--to=%s", asked->from_ns ? " " : "",
			     tw_format_ns(text, (double)asked->to_ns));
}

static void add_span(struct tw_page *page, const struct tw_report_group *group)
{
	char from[TW_FORMAT_SIZE], to[TW_FORMAT_SIZE];

	tw_page_remark(page, "a part of the run only: from %s to %s after the start of the "
		       "%sjob (", tw_format_ns(from, (double)group->span.from_ns),
		       tw_format_ns(to, (double)group->span.to_ns),
		       group->all.job_count > 1 ? "first " : "");
	add_asked(page, &group->asked);
	tw_page_more(page, ", rounded outward to whole intervals); the slowest I/Os of it "
		     "are not known");
}

void tw_report_add_intervals(struct tw_page *page, const struct tw_report_group *group)
{
	if (group->span.is_wanted)
		add_span(page, group);
	else if (tw_report_is_of_intervals(group))
		tw_page_remark(page, group->without_end ?
			       "the sum of the intervals of the run; they have no slowest "
			       "I/Os, clock errors or verdict on the counter" :
			       "the sum of the intervals of the run; the slowest I/Os, "
			       "the clocks and the verdict on the counter are in the "
			       "job's report");
	else if (group->without_report)
		tw_page_remark(page, "of %zu of %zu jobs there are intervals only",
			       group->without_report, group->all.job_count);
	if (!group->without_end)
		return;
	if (group->all.job_count == 1)
		tw_page_warning(page, "the job was killed, or still runs: what it did "
				"after its last interval is missing.");
	else
		tw_page_warning(page, "%zu of %zu jobs were killed, or still run: what they "
				"did after their last interval is missing.",
				group->without_end, group->all.job_count);
}
