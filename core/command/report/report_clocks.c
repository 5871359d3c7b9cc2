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

/* A clock's error in a run: positive = it ran fast of @against. The JSON of a report has
 * it, and was checked when the report was read. */
struct clock {
	const json_t *json;		/* NULL: not in the report */
	const char *against;
	double error_ns, error_ppb;
	double uncertainty_ns, uncertainty_ppb;
};

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

/* Read the error of a clock. @key: of another error of it; NULL: its own. */
static struct clock clock_of(const struct tw_report *report, int which, const char *key)
{
	const json_t *json = json_object_get(report->clocks, tw_report_clock_names[which]);
	const json_t *error = key ? json_object_get(json, key) : json;

	return (struct clock) {
		.json = error ? json : NULL,
		.against = key ? "CLOCK_MONOTONIC" : tw_report_string(error, "against"),
		.error_ns = number(error, "error_ns"),
		.error_ppb = number(error, "error_ppb"),
		.uncertainty_ns = number(error, "uncertainty_ns"),
		.uncertainty_ppb = number(error, "uncertainty_ppb"),
	};
}

/* Is the error within its uncertainty? This includes a measurement where both
 * are 0. */
static int within_uncertainty(const struct clock *clock)
{
	return fabs(clock->error_ns) <= clock->uncertainty_ns ||
	       fabs(clock->error_ppb) <= clock->uncertainty_ppb;
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
	static const char *const errors[] = { NULL, "off_monotonic" };
	struct tw_table *table = tw_page_table(page, columns,
					       sizeof(columns) / sizeof(*columns));

	for (int i = 0; i < 2 * TW_REPORT_CLOCKS; i++) {
		const int which = i % TW_REPORT_CLOCKS;
		const struct clock clock = clock_of(report, which, errors[i / TW_REPORT_CLOCKS]);

		if (!clock.json)
			continue;
		tw_table_row(table);
		if (which == TW_REPORT_FIO)
			tw_cell_printf(table, "fio (%s)",
				       tw_report_string(clock.json, "clocksource"));
		else
			tw_cell_text(table, which == TW_REPORT_TICKWISE ? "tickwise" :
									  "MONOTONIC");
		tw_cell_text(table, short_name(clock.against));
		tw_cell_signed(table, clock.error_ns);
		tw_cell_signed(table, clock.error_ppb);
		tw_cell_number(table, clock.uncertainty_ns);
		tw_cell_number(table, clock.uncertainty_ppb);
		tw_cell_ns(table, (double)tw_report_u64(clock.json, "over_ns"));
		tw_cell_text(table, within_uncertainty(&clock) ? "within" : "");
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

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(sources[i][0], source) == 0)
			words = sources[i][1];
	tw_page_remark(page, "tickwise's clock: ");
	if (number(own, "hz") > 0)
		tw_page_more(page, "%.3f Hz, ", number(own, "hz"));
	tw_page_more(page, "%s", words);
	if (number(own, "rate_bound_ppb") > 0)
		tw_page_more(page, " (the samples alone bound it to +-%s ppb)",
			     TW_SAY_NUMBER(number(own, "rate_bound_ppb")));
	if (number(own, "rate_window_ns") > 0)
		tw_page_more(page, " (calibrated in %s)",
			     TW_SAY_NS(number(own, "rate_window_ns")));
}

/* ---- does it matter? ------------------------------------------------------ */

/* Half of the last digit: times have four digits on the page. */
#define VISIBLE_PPB	50000

static int matters(const struct tw_report_group *group, const struct clock *own,
		   const struct clock *fio)
{
	if (group->all.verdict == TW_REPORT_UNRELIABLE || group->fallbacks || !own->json)
		return 1;
	if (fio->json && (fabs(fio->error_ppb) > VISIBLE_PPB ||
			  strcmp(fio->against, own->against)))
		return 1;
	/* Or did a rate that was taken as the kernel's own differ from the measured one? */
	return fabs(own->error_ppb) > VISIBLE_PPB ||
	       (strncmp(tw_report_string(own->json, "source"), "kernel", 6) == 0 &&
		!within_uncertainty(own));
}

/* ---- the part ------------------------------------------------------------- */

void tw_report_add_clocks(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with)
{
	const struct clock own = clock_of(&group->all, TW_REPORT_TICKWISE, NULL);
	const struct clock fio = clock_of(&group->all, TW_REPORT_FIO, NULL);
	const char *of = group->all.job_count == 1 ? "" :
			 ": of all its jobs, for each clock the one farthest off";

	if (json_object_size(group->all.clocks) == 0) {
		tw_page_gap(page);
		tw_page_paragraph(page, "clocks in this run: none was measured");
		tw_page_only(page, tw_report_rest(with));
		return;
	}
	if (!matters(group, &own, &fio))
		tw_page_begin_only(page, tw_report_rest(with));
	tw_page_heading(page, 3, "clocks in this run%s", of);
	add_table(page, &group->all);
	if (own.json)
		add_rate(page, own.json);
	tw_page_note(page, "Plus is fast. CLOCK_MONOTONIC_RAW is the kernel's calibration of a "
		     "crystal, not SI; NTP may steer CLOCK_MONOTONIC.");
	tw_page_begin_only(page, TW_IN_ALL);
}
