/* SPDX-License-Identifier: MIT */
/*
 * The run over time as a table with a few rows for each direction. Also describes the
 * files of intervals of a group.
 */
#include <math.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"

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

static void add_rows(struct tw_page *page, const struct tw_report_group *group,
		     int direction)
{
	static const struct tw_column columns[] = {
		{ "from, s", .width = 9 }, { "over, s", .width = 8 },
		{ "IOPS", .width = 7 }, { "mean", .width = 7 },
		{ "p50", .width = 7 }, { "p99", .width = 7 }, { "p99.9", .width = 7 },
		{ "max", .width = 7 }, { "", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));
	const int decimals = group->all.tally.over_time.width_ns < 1000000 ? 6 : 3;
	uint32_t end;

	for (uint32_t first = 0; first < tw_report_windows(group); first = end) {
		const uint64_t from_ns = tw_report_window_ns(group, first);
		struct tw_histogram lat = { .count = 0 };
		uint64_t over_ns, errors = 0;

		end = end_of_row(group, first);
		over_ns = tw_report_window_ns(group, end) - from_ns;
		for (uint32_t i = first; i < end; i++) {
			const struct tw_window *window =
				tw_windows_get(&group->all.tally.over_time, i);

			errors += window->errors[direction];
			/* The sums fit, as those of the group do. */
			tw_must(tw_histogram_merge_into_empty(&lat, &window->lat[direction]));
		}
		tw_table_row(table);
		tw_cell_fixed(table, (double)from_ns / 1e9, decimals);
		tw_cell_fixed(table, (double)over_ns / 1e9, decimals);
		/* No engine has windows before the job's start. */
		if (over_ns)
			tw_cell_number(table, (double)lat.count * 1e9 / (double)over_ns);
		else
			tw_cell_none(table);
		tw_report_add_lat(table, &lat, (double)lat.count);
		tw_histogram_free(&lat);
		if (errors)
			tw_cell_text(table, TW_SAY_COUNT(errors, "error[s]"));
	}
	tw_page_remark(page, "percentiles are at most %g %% above here",
		       100 / ldexp(1, 3 + TW_WINDOWS_DIGITS));
}

void tw_report_add_over_time(struct tw_page *page, const struct tw_report_group *group)
{
	if (tw_report_windows(group) < 2)
		return;
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		if (!tw_report_has_windows(group, i))
			continue;
		/* HTML has plots of it. */
		tw_page_begin_only(page, TW_IN_TEXT);
		tw_page_heading(page, 3, "%s over time, from the start of the first job",
				tw_direction_names[i]);
		add_rows(page, group, i);
	}
}

/* ---- what the page is of -------------------------------------------------- */

void tw_report_add_empty(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];

	tw_page_paragraph(page, "%s, group %llu of %s: no interval is in the part of the "
			  "run that was asked for: ", job->name,
			  (unsigned long long)job->groupid, job->host);
	tw_page_more(page, "there are %s of the job", TW_SAY_NS(group->end_ns));
}

/* Tell what was asked for, and what is known of that. */
static void put_asked(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_span *asked = &group->asked;

	if (asked->from_ns)
		tw_page_more(page, "--from=%s", TW_SAY_ROUND(asked->from_ns));
	if (asked->to_ns != UINT64_MAX)
		tw_page_more(page, "%s--to=%s", asked->from_ns ? " " : "",
			     TW_SAY_ROUND(asked->to_ns));
	tw_page_more(page, group->is_of_windows ?
		     ", rounded outward to whole windows); only I/Os, errors and lat are known of it" :
		     ", rounded outward to whole intervals); the slowest I/Os of it are not known");
}

int tw_report_add_part(struct tw_page *page, const struct tw_report_group *groups, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (!groups[i].span.is_wanted || groups[i].is_empty)
			continue;
		tw_page_remark(page, "a part of each run only, by the start of its first job (");
		put_asked(page, &groups[i]);
		return groups[i].is_of_windows;
	}
	return 0;
}

void tw_report_add_intervals(struct tw_page *page, const struct tw_report_group *group)
{
	if (group->span.is_wanted) {
		tw_page_remark(page, "a part of the run only: from %s to %s after the start of "
			       "the %sjob (", TW_SAY_ROUND(group->span.from_ns),
			       TW_SAY_ROUND(group->span.to_ns),
			       group->all.job_count > 1 ? "first " : "");
		put_asked(page, group);
	} else if (tw_report_is_of_intervals(group)) {
		tw_page_remark(page, group->without_end ?
			       "the sum of the intervals of the run; they have no slowest "
			       "I/Os, clock errors or verdict on the counter" :
			       "the sum of the intervals of the run; the slowest I/Os, "
			       "the clocks and the verdict on the counter are in the "
			       "job's report");
	} else if (group->without_report) {
		tw_page_remark(page, "of %zu of %zu jobs there are intervals only",
			       group->without_report, group->all.job_count);
	}
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
