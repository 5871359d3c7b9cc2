/* SPDX-License-Identifier: MIT */
/*
 * The clocks on a report's page: how far off each was in the run. Text has one
 * line, and HTML folds the table, unless an error matters for the figures
 * shown.
 *
 * Every error has its uncertainty. An error smaller than its uncertainty is
 * marked, so that its digits are not taken for a finding.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/output/page.h"
#include "command/answers/clock_errors.h"
#include "command/report/page.h"

/* Is the error within its uncertainty? This includes a measurement where both
 * are 0. */
static int within_uncertainty(const struct tw_report_clock *clock)
{
	return fabs(clock->error_ns) <= clock->uncertainty_ns ||
	       fabs(clock->error_ppb) <= clock->uncertainty_ppb;
}

static void add_name(struct tw_table *table, int which,
		     const struct tw_report_clock *clock)
{
	if (which == TW_REPORT_TICKWISE)
		tw_cell_text(table, "tickwise");
	else if (which == TW_REPORT_FIO)
		tw_cell_printf(table, "fio (%s)", clock->kind);
	else
		tw_cell_text(table, "MONOTONIC");
}

/* Shorten the name, since text has few columns. */
static const char *short_name(const char *clock)
{
	return strncmp(clock, "CLOCK_", 6) == 0 ? clock + 6 : clock;
}

static void add_clock(struct tw_table *table, int which,
		      const struct tw_report_clock *clock)
{
	tw_table_row(table);
	add_name(table, which, clock);
	tw_cell_text(table, short_name(clock->against));
	tw_cell_signed(table, clock->error_ns);
	tw_cell_signed(table, clock->error_ppb);
	tw_cell_number(table, clock->uncertainty_ns);
	tw_cell_number(table, clock->uncertainty_ppb);
	tw_cell_ns(table, (double)clock->over_ns);
	tw_cell_text(table, within_uncertainty(clock) ? "within" : "");
}

static void add_table(struct tw_page *page, const struct tw_report_group *group)
{
	static const struct tw_column columns[] = {
		{ "clock", .flags = TW_COLUMN_LEFT },
		{ "against", .flags = TW_COLUMN_LEFT },
		{ "ns", "off", .width = 8 },
		{ "ppb", "off", .width = 8 },
		{ "ns", "+-", .width = 5 },
		{ "ppb", "+-", .width = 5 },
		{ "over", .width = 7 },
		{ "", .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));
	struct tw_report_clock off;

	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (group->worst[i].json)
			add_clock(table, i, &group->worst[i]);
	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (tw_report_clock_off_monotonic(&group->worst[i], &off))
			add_clock(table, i, &off);
}

static void add_refit(struct tw_page *page, const struct tw_report_clock *clock)
{
	char bound[TW_FORMAT_SIZE], error[TW_FORMAT_SIZE];

	if (clock->refit.known)
		tw_page_remark(page, "over the whole run it was %.3f Hz, +-%s ppb at "
			       "most: the rate used ran %s ppb off that",
			       clock->refit.hz,
			       tw_format_number(bound, clock->refit.bound_ppb),
			       tw_format_signed(error, clock->refit.frozen_error_ppb));
}

/* Add the source of the rate that turned ticks into nanoseconds. */
static void add_rate(struct tw_page *page, const struct tw_report_clock *clock)
{
	static const char *const sources[][2] = {
		{ "kernel", "the kernel's own rate, verified" },
		{ "kernel_provisional",
		  "the kernel's own rate, without a second witness" },
		{ "regression", "as calibrated at the start of the job" },
		{ "system", "the system clock, not the counter" },
	};
	const char *source = clock->kind;
	char number[TW_FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(sources[i][0], clock->kind) == 0)
			source = sources[i][1];
	tw_page_remark(page, "tickwise's clock: ");
	if (clock->hz > 0)
		tw_page_more(page, "%.3f Hz, ", clock->hz);
	tw_page_more(page, "%s", source);
	if (clock->bound_ppb > 0)
		tw_page_more(page, " (the samples alone bound it to +-%s ppb)",
			     tw_format_number(number, clock->bound_ppb));
	if (clock->window_ns > 0)
		tw_page_more(page, " (calibrated in %s)",
			     tw_format_ns(number, clock->window_ns));
}

/* ---- does it matter? ------------------------------------------------------ */

/* Half of the last digit: times have four digits on the page. */
#define VISIBLE_PPB	50000

/* Did a rate that was taken as the kernel's own differ from the measured
 * one? */
static int is_contradicted(const struct tw_report_clock *own)
{
	return strncmp(own->kind, "kernel", 6) == 0 &&
	       (!within_uncertainty(own) ||
		(own->refit.known &&
		 fabs(own->refit.frozen_error_ppb) > own->refit.bound_ppb));
}

static int matters(const struct tw_report_group *group)
{
	const struct tw_report_clock *own = &group->worst[TW_REPORT_TICKWISE];
	const struct tw_report_clock *fio = &group->worst[TW_REPORT_FIO];

	if (group->all.verdict == TW_REPORT_UNRELIABLE || group->fallbacks || !own->json)
		return 1;
	if (fio->json && (fabs(fio->error_ppb) > VISIBLE_PPB ||
			  strcmp(fio->against, own->against)))
		return 1;
	return fabs(own->error_ppb) > VISIBLE_PPB || is_contradicted(own);
}

/* ---- both forms ----------------------------------------------------------- */

static void add_all(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_clock *own = &group->worst[TW_REPORT_TICKWISE];

	add_table(page, group);
	if (own->json) {
		add_rate(page, own);
		add_refit(page, own);
	}
	tw_page_note(page, "Clock errors: plus is fast. CLOCK_MONOTONIC_RAW is the "
		     "kernel's calibration of a crystal, not SI; how far that is off "
		     "can't be seen from inside. NTP may steer CLOCK_MONOTONIC. Such an "
		     "error hardly shows in one I/O (1000 ppb of 100 us are 0.1 ns): "
		     "it matters for run times, rates, and comparisons with other "
		     "tools.");
}

static void add_error(struct tw_page *page, const struct tw_report_clock *clock)
{
	char error[TW_FORMAT_SIZE], uncertainty[TW_FORMAT_SIZE];

	tw_page_more(page, " %s +-%s ppb", tw_format_signed(error, clock->error_ppb),
		     tw_format_number(uncertainty, clock->uncertainty_ppb));
}

static void add_line(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_clock *own = &group->worst[TW_REPORT_TICKWISE];
	const struct tw_report_clock *fio = &group->worst[TW_REPORT_FIO];

	tw_page_paragraph(page, "clock errors (%s): tickwise",
			  strcmp(own->against, "CLOCK_MONOTONIC_RAW") == 0 ? "RAW" :
			  short_name(own->against));
	add_error(page, own);
	if (!fio->json)
		return;
	tw_page_more(page, ", fio");
	add_error(page, fio);
}

static int has_clocks(const struct tw_report_group *group)
{
	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (group->worst[i].json)
			return 1;
	return 0;
}

void tw_report_add_clocks(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with)
{
	if (!has_clocks(group)) {
		tw_page_gap(page);
		tw_page_paragraph(page, "clocks in this run: none was measured");
		return;
	}
	if (matters(group) || with & TW_REPORT_WITH_CLOCKS) {
		tw_page_heading(page, 3, "clocks in this run%s", group->all.job_count == 1 ? "" :
				": of all its jobs, for each clock the one farthest off");
		add_all(page, group);
		return;
	}
	add_line(page, group);
	tw_page_only(page, TW_IN_TEXT);
	tw_page_details(page, "clocks in this run%s", group->all.job_count == 1 ? "" :
			": of all its jobs, for each clock the one farthest off");
	add_all(page, group);
	tw_page_end_details(page);
}
