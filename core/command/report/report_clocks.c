/* SPDX-License-Identifier: MIT */
/*
 * The clocks on a report's page: how far off each was in the run. Text has them
 * with --all only, unless an error matters for the figures shown.
 *
 * Every error has its uncertainty. An error smaller than its uncertainty is
 * marked, so that its digits are not taken for a finding.
 */
#include <math.h>
#include <string.h>

#include "command/report/report_parts.h"

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Return a clock; NULL: it is not in the report. The JSON was checked when the report was read.
 * Errors are positive if the clock ran fast of the one that it is against. */
static const json_t *clock_of(const struct tw_report *report, int which)
{
	return json_object_get(report->clocks, tw_report_clock_names[which]);
}

/* Is the error within its uncertainty? This includes a measurement where both
 * are 0. */
static int within_uncertainty(const json_t *error)
{
	return fabs(number(error, "error_ns")) <= number(error, "uncertainty_ns") ||
	       fabs(number(error, "error_ppb")) <= number(error, "uncertainty_ppb");
}

/* Shorten the name, since text has few columns. */
static const char *short_name(const char *clock)
{
	return strncmp(clock, "CLOCK_", 6) == 0 ? clock + 6 : clock;
}

static void add_table(struct tw_page *page, const struct tw_report *report)
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
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	for (int i = 0; i < 2 * TW_REPORT_CLOCKS; i++) {
		const int which = i % TW_REPORT_CLOCKS;
		const int is_own = i < TW_REPORT_CLOCKS;
		const json_t *clock = clock_of(report, which);
		const json_t *error = is_own ? clock : json_object_get(clock, "off_monotonic");

		if (!error)
			continue;
		tw_table_row(table);
		if (which == TW_REPORT_FIO)
			tw_cell_printf(table, "fio (%s)",
				       tw_report_string(clock, "clocksource"));
		else
			tw_cell_text(table, which == TW_REPORT_TICKWISE ? "tickwise" :
									  "MONOTONIC");
		tw_cell_text(table, is_own ? short_name(tw_report_string(error, "against")) :
					     "MONOTONIC");
		tw_cell_signed(table, number(error, "error_ns"));
		tw_cell_signed(table, number(error, "error_ppb"));
		tw_cell_number(table, number(error, "uncertainty_ns"));
		tw_cell_number(table, number(error, "uncertainty_ppb"));
		tw_cell_ns(table, (double)tw_report_u64(clock, "over_ns"));
		tw_cell_text(table, within_uncertainty(error) ? "within" : "");
	}
}

/* Add the source of the rate that turned ticks into nanoseconds. */
static void add_rate(struct tw_page *page, const json_t *own)
{
	static const char *const sources[][2] = {
		{ "kernel", "the kernel's own rate, verified" },
		{ "kernel_provisional",
		  "the kernel's own rate, without a second witness" },
		{ "regression", "as calibrated at the start of the job" },
		{ "system", "the system clock, not the counter" },
	};
	const char *source = tw_report_string(own, "source"), *words = source;

	for (size_t i = 0; i < TW_LENGTH(sources); i++)
		if (strcmp(sources[i][0], source) == 0)
			words = sources[i][1];
	tw_page_remark(page, "tickwise's clock: ");
	if (number(own, "hz") > 0)
		tw_page_more(page, "%.3f Hz, ", number(own, "hz"));
	tw_page_more(page, "%s", words);
	if (number(own, "rate_bound_ppb") > 0)
		tw_page_more(page, " (by the samples alone it is at most %s ppb off)",
			     TW_SAY_NUMBER(number(own, "rate_bound_ppb")));
	if (number(own, "rate_window_ns") > 0)
		tw_page_more(page, " (calibrated in %s)",
			     TW_SAY_NS(number(own, "rate_window_ns")));
}

/* ---- does it matter? ------------------------------------------------------ */

/* Half of the last digit: times have four digits on the page. */
#define VISIBLE_PPB	50000

static int matters(const struct tw_report_group *group, const json_t *own, const json_t *fio)
{
	if (group->all.verdict == TW_REPORT_UNRELIABLE || group->fallbacks || !own)
		return 1;
	if (fio && (fabs(number(fio, "error_ppb")) > VISIBLE_PPB ||
		    strcmp(tw_report_string(fio, "against"), tw_report_string(own, "against"))))
		return 1;
	/* Or did a rate that was taken as the kernel's own differ from the measured one? */
	return fabs(number(own, "error_ppb")) > VISIBLE_PPB ||
	       (strncmp(tw_report_string(own, "source"), "kernel", 6) == 0 &&
		!within_uncertainty(own));
}

/* ---- the part ------------------------------------------------------------- */

void tw_report_add_clocks(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with)
{
	const json_t *own = clock_of(&group->all, TW_REPORT_TICKWISE);
	const json_t *fio = clock_of(&group->all, TW_REPORT_FIO);
	const char *of = group->all.job_count == 1 ? "" :
			 ": of all its jobs, for each clock the one farthest off";

	if (json_object_size(group->all.clocks) == 0) {
		tw_page_gap(page);
		tw_page_paragraph(page, "clocks in this run: none was measured");
		tw_page_only(page, tw_report_rest(with));
		return;
	}
	if (!matters(group, own, fio))
		tw_page_begin_only(page, tw_report_rest(with));
	tw_page_heading(page, 3, "clocks in this run%s", of);
	add_table(page, &group->all);
	if (own)
		add_rate(page, own);
	tw_page_note(page, "Plus is fast. CLOCK_MONOTONIC_RAW is the kernel's calibration of a "
		     "crystal, not SI; NTP may steer CLOCK_MONOTONIC.");
	tw_page_begin_only(page, TW_IN_ALL);
}
