/* SPDX-License-Identifier: MIT */
/*
 * Prints the results of tickwise compare: how far off each clock is, what reading it
 * costs, and how to read the figures; and JSON.
 */
#include <math.h>

#include "base/allocate.h"
#include "command/compare/compare_parts.h"
#include "command/output/page.h"

#define NAME_WIDTH	19

static const char *const load_names[TW_COMPARE_LOADS] = { "idle", "busy" };

/* Return the decimals that a number with three digits has. */
static int decimals_of(double ppb)
{
	return ppb < 10 ? 2 : ppb < 1000;
}

static void add_errors(struct tw_page *page, const struct tw_compare_result *result,
		       int load)
{
	static const char raw[] = "off RAW, ppb";
	static const char monotonic[] = "off MONOTONIC, ppb";
	static const struct tw_column columns[] = {
		{ .heading = "clock", .width = NAME_WIDTH, .flags = TW_COLUMN_LEFT },
		{ .heading = "starts" },
		{ .heading = "median", .group = raw, .width = 6 },
		{ .heading = "worst", .group = raw, .width = 6 },
		{ .heading = "+-", .group = raw, .width = 6 },
		{ .heading = "median", .group = monotonic, .width = 6 },
		{ .heading = "worst", .group = monotonic, .width = 6 },
		{ .heading = "+-", .group = monotonic, .width = 6 },
		{ .heading = "ms", .group = "start-up" },
	};
	struct tw_table *table = tw_page_table(page, columns, TW_LENGTH(columns));

	for (unsigned i = 0; i < result->clocks; i++) {
		const struct tw_compare_sum *sum = &result->sum[i][load];

		tw_table_row(table);
		tw_cell_text(table, result->clock[i].name);
		tw_cell_u64(table, sum->starts);
		for (int j = 0; j < TW_COMPARE_AGAINST && sum->starts; j++) {
			const struct tw_compare_off *off = &sum->off[j];

			tw_cell_fixed(table, off->median_ppb, decimals_of(off->median_ppb));
			tw_cell_fixed(table, off->worst_ppb, decimals_of(off->worst_ppb));
			tw_cell_fixed(table, off->error_ppb, decimals_of(off->error_ppb));
		}
		if (sum->starts)
			tw_cell_fixed(table, sum->startup_ns / 1e6, 1);
		/* Below the table. */
		if (sum->failed)
			tw_page_paragraph(page, "%s: %u of %u starts failed.",
					  result->clock[i].name, sum->failed,
					  sum->starts + sum->failed);
	}
}

static void add_loads(struct tw_page *page, const struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments)
{
	for (int load = 0; load < TW_COMPARE_LOADS; load++) {
		if (!(arguments->loads >> load & 1))
			continue;
		if (load == TW_COMPARE_BUSY)
			tw_page_heading(page, 2, "Under load, %u busy loops",
					result->busy_loops);
		else
			tw_page_heading(page, 2, "Idle, as far as this machine is");
		add_errors(page, result, load);
	}
}

/* ---- the verdict --------------------------------------------------------- */

/* Return how far a clock is off the nearer of the kernel's two clocks in its worst start,
 * under any load: a clock that follows either of them is right. Negative: there was no
 * start. */
static struct tw_compare_off off_of(const struct tw_compare_sum sums[TW_COMPARE_LOADS])
{
	struct tw_compare_off worst[TW_COMPARE_AGAINST] = {
		{ .worst_ppb = -1 }, { .worst_ppb = -1 },
	};

	for (int load = 0; load < TW_COMPARE_LOADS; load++)
		for (int i = 0; i < TW_COMPARE_AGAINST; i++)
			if (sums[load].starts &&
			    sums[load].off[i].worst_ppb > worst[i].worst_ppb)
				worst[i] = sums[load].off[i];
	return worst[TW_AGAINST_MONOTONIC].worst_ppb < worst[TW_AGAINST_RAW].worst_ppb ?
	       worst[TW_AGAINST_MONOTONIC] : worst[TW_AGAINST_RAW];
}

static void add_verdict(struct tw_page *page, const struct tw_compare_result *result)
{
	struct tw_compare_off worst = { .worst_ppb = -1 };
	const char *farthest = NULL, *within = "";
	double error_ppb = 0;

	for (unsigned i = 0; i < result->clocks; i++) {
		struct tw_compare_off off = off_of(result->sum[i]);

		if (off.worst_ppb > worst.worst_ppb) {
			worst = off;
			farthest = result->clock[i].name;
		}
		if (off.worst_ppb < 0 || off.worst_ppb > off.error_ppb)
			continue;
		within = tw_format("%s%s%s", within, *within ? ", " : "", result->clock[i].name);
		error_ppb = fmax(error_ppb, off.error_ppb);
	}
	if (!farthest)
		tw_page_paragraph(page, "No clock could be measured.");
	else if (worst.worst_ppb <= worst.error_ppb)
		tw_page_paragraph(page, "No measured clock is off by more than the error "
				  "of this comparison.");
	else
		tw_page_paragraph(page, "%s is the farthest off: by %.*f +-%.*f ppb in its "
				  "worst start.", farthest, decimals_of(worst.worst_ppb),
				  worst.worst_ppb, decimals_of(worst.error_ppb),
				  worst.error_ppb);
	if (*within)
		tw_page_remark(page, "Within the error of the comparison, at most +-%.*f "
			       "ppb: %s.", decimals_of(error_ppb), error_ppb, within);
	tw_page_remark(page, "Each clock is judged by the nearer of CLOCK_MONOTONIC_RAW "
		       "and CLOCK_MONOTONIC.");
}

/* ---- cost and notes ------------------------------------------------------ */

static void add_costs(struct tw_page *page, const struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments)
{
	static const struct tw_column columns[] = {
		{ .heading = "clock", .width = NAME_WIDTH, .flags = TW_COLUMN_LEFT },
		{ .heading = "read, ns" },
		{ .heading = "null, IOPS" },
	};
	int load = arguments->loads >> TW_COMPARE_IDLE & 1 ? TW_COMPARE_IDLE :
							     TW_COMPARE_BUSY;
	struct tw_table *table;

	tw_page_heading(page, 2, "Cost");
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (unsigned i = 0; i < result->clocks; i++) {
		tw_table_row(table);
		tw_cell_text(table, result->clock[i].name);
		tw_cell_known(table, result->sum[i][load].read_ns, 1);
		tw_cell_known(table, result->null_iops[i], 0);
	}
}

static void add_notes(struct tw_page *page, const struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments)
{
	tw_page_gap(page);
	tw_page_note(page, "Each start was compared over %g s. Errors are of the rate: 1 "
		     "ppb is 1 ns per second. +- is what the comparison itself can be "
		     "off.", (double)arguments->window_ns / 1e9);
	tw_page_note(page, "adjtimex(2) reports that CLOCK_MONOTONIC runs %+.1f ppb off "
		     "CLOCK_MONOTONIC_RAW. The kernel keeps time by %s. Neither clock "
		     "is SI. At some frequencies fio's clock is exact by chance; that "
		     "hides how far off it is at others.", result->steering_ppb,
		     result->clocksource[0] ? result->clocksource :
					      "an unknown clocksource");
	tw_page_note(page, "Such an error hardly shows in one I/O: 1000 ppb of 100 us "
		     "are 0.1 ns. It matters for run times, rates, and comparisons "
		     "with results of other tools.");
}

static void add_clocks(struct tw_page *page, const struct tw_compare_result *result)
{
	tw_page_heading(page, 2, "Clocks");
	for (unsigned i = 0; i < result->clocks; i++) {
		const struct tw_compare_clock *clock = &result->clock[i];

		tw_page_fact(page, clock->name, "%s", clock->what);
		if (clock->version)
			tw_page_more(page, " (%s)", clock->version);
	}
}

struct tw_page *tw_compare_page(const struct tw_compare_result *result,
				const struct tw_compare_arguments *arguments)
{
	struct tw_page *page = tw_page_new("fio's clocks and Tickwise's");

	add_verdict(page, result);
	add_loads(page, result, arguments);
	add_costs(page, result, arguments);
	add_notes(page, result, arguments);
	add_clocks(page, result);
	return page;
}

/* ---- JSON ---- */

static json_t *json_list(const struct tw_compare_start *starts, unsigned count)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(array, json_pack(
			"{sf, sf, sf, sf, sf, sf, sf}",
			"raw_ppb", starts[i].ppb[TW_AGAINST_RAW],
			"raw_uncertainty_ppb", starts[i].error_ppb[TW_AGAINST_RAW],
			"monotonic_ppb", starts[i].ppb[TW_AGAINST_MONOTONIC],
			"monotonic_uncertainty_ppb",
			starts[i].error_ppb[TW_AGAINST_MONOTONIC],
			"over_ns", starts[i].over_ns,
			"startup_ns", starts[i].startup_ns,
			"read_ns", starts[i].read_ns));
	return array;
}

/* Return null if no start could be measured. */
static json_t *json_error(const struct tw_compare_sum *sum, enum tw_against against)
{
	const struct tw_compare_off *off = &sum->off[against];

	return sum->starts ? json_pack("{sf, sf, sf, ss}", "median", off->median_ppb,
				       "worst", off->worst_ppb, "uncertainty", off->error_ppb,
				       "against", tw_name(TW_ENUM_AGAINST, against)) :
			     json_null();
}

static json_t *json_clock(const struct tw_compare_result *result,
			  unsigned which, int load)
{
	const struct tw_compare_clock *clock = &result->clock[which];
	const struct tw_compare_sum *sum = &result->sum[which][load];

	return json_pack("{ss, ss?, ss, sI, sI, so, so, so, so, so, so, so}",
		"name", clock->name,
		"fio_version", clock->version,
		"load", load_names[load],
		"starts", (json_int_t)sum->starts,
		"failed", (json_int_t)sum->failed,
		"error_ppb", json_error(sum, TW_AGAINST_RAW),
		"error_monotonic_ppb", json_error(sum, TW_AGAINST_MONOTONIC),
		"uncertainty_ppb", sum->starts ?
			json_real(fmax(sum->off[TW_AGAINST_RAW].error_ppb,
				       sum->off[TW_AGAINST_MONOTONIC].error_ppb)) :
			json_null(),
		"startup_ns", tw_json_known(sum->startup_ns),
		"read_ns", tw_json_known(sum->read_ns),
		"null_iops", tw_json_known(result->null_iops[which]),
		"list", json_list(result->start[which][load], sum->starts));
}

json_t *tw_compare_json(const struct tw_compare_result *result)
{
	json_t *clocks = json_array();

	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (result->sum[i][load].starts ||
			    result->sum[i][load].failed)
				json_array_append_new(clocks,
					json_clock(result, i, load));
	return json_pack("{ss, si, ss, sf, sI, so}",
		"schema", "tickwise-compare",
		"version", 1,
		"clocksource", result->clocksource,
		"steering_ppb", result->steering_ppb,
		"busy_loops", (json_int_t)result->busy_loops,
		"clocks", clocks);
}
