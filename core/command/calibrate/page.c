/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the results of tickwise calibrate. It shows the rate and its
 * source, the bounds that the samples give, the rates that other sources state,
 * and what no source can tell.
 */
#include "command/calibrate/calibrate.h"
#include "command/command.h"
#include "command/output/page.h"

static void add_refusals(struct tw_page *page, const struct tw_rate *rate)
{
	for (unsigned bit = 1; bit && bit <= rate->refusal; bit <<= 1)
		if (rate->refusal & bit)
			tw_page_fact(page, "", "kernel's own rate not used: %s",
				     tw_text(TW_ENUM_RATE_REFUSAL, bit));
}

static void add_source(struct tw_page *page, const struct tw_rate *rate)
{
	switch (rate->source) {
	case TW_RATE_REGRESSION:
		tw_page_fact(page, "source", "regression over the samples");
		add_refusals(page, rate);
		return;
	case TW_RATE_KERNEL:
	case TW_RATE_KERNEL_PROVISIONAL:
		tw_page_fact(page, "source", "the kernel's own multiplier, %u / 2^%u ns "
			     "per tick", rate->kernel_mult, rate->kernel_shift);
		break;
	case TW_RATE_KERNEL_STEERED:
		tw_page_fact(page, "source", "the kernel's own rate, %.3f Hz of "
			     "CLOCK_MONOTONIC_RAW, and what steers this clock, by "
			     "adjtimex: %+.4f ppb",
			     rate->hz * (1 + rate->steering_ppb / 1e9),
			     rate->steering_ppb);
		break;
	}
	if (rate->source == TW_RATE_KERNEL_PROVISIONAL)
		tw_page_fact(page, "", "provisional: no other source confirms this "
			     "rate yet; try a longer --window");
	else
		tw_page_fact(page, "", "confirmed by %s",
			     tw_name(TW_ENUM_WITNESS, rate->witness));
}

static void add_uncertainty(struct tw_page *page, const struct tw_rate *rate)
{
	const char *clock = tw_name(TW_ENUM_AGAINST, rate->against);

	if (rate->uncertainty_ppb > 0)
		tw_page_fact(page, "uncertainty", "%.3g ppb of %s (1 sigma)%s",
			     rate->uncertainty_ppb, clock,
			     rate->source == TW_RATE_KERNEL_STEERED ?
			     ", until NTP steers it anew" : "");
	else
		tw_page_fact(page, "uncertainty", "none against %s, as the kernel computes "
			     "it by this multiplication", clock);
	if (rate->source != TW_RATE_REGRESSION)
		tw_page_fact(page, "samples say", "%.3f, %+.3g ppb off the "
			     "rate; 1 sigma %.3g ppb", rate->measured_hz,
			     (rate->measured_hz / rate->hz - 1) * 1e9,
			     rate->measured_uncertainty_ppb);
	tw_page_fact(page, "hard bound", "+-%.4g ppb: no rate outside fits every sample",
		     rate->bound_ppb);
}

static void add_contradictions(struct tw_page *page, const struct tw_hint *hints,
			       unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		if (hints[i].contradicts)
			tw_page_warning(page, "%s contradicts the rate: it is %+.1f ppb "
					"off, of which its resolution and the rate's "
					"explain %.1f.", hints[i].name,
					hints[i].difference_ppb, hints[i].explained_ppb);
}

static void add_hints(struct tw_page *page, const struct tw_rate *rate,
		      const struct tw_machine *machine)
{
	static const struct tw_column columns[] = {
		{ .heading = "", .width = 18, .flags = TW_COLUMN_LEFT },
		{ .heading = "Hz", .width = 14 },
		{ .heading = "off, ppb", .width = 12 },
		{ .heading = "explained", .flags = TW_COLUMN_LEFT },
	};
	struct tw_hint hints[TW_HINTS];
	unsigned count = tw_hints_compare(machine, rate, hints);
	struct tw_table *table;

	if (!count) {
		tw_page_gap(page);
		tw_page_note(page, "No other source names a rate here.");
		return;
	}
	tw_page_heading(page, 3, "other sources of the rate (none is used by itself)");
	table = tw_page_table(page, columns, 4);
	for (unsigned i = 0; i < count; i++) {
		tw_table_row(table);
		tw_cell_text(table, hints[i].name);
		tw_cell_fixed(table, hints[i].hz, 0);
		tw_cell_printf(table, "%+.1f", hints[i].difference_ppb);
		tw_cell_printf(table, "+-%.1f", hints[i].explained_ppb);
	}
	add_contradictions(page, hints, count);
}

/* Add what is known about the difference between this rate and SI seconds. */
static void add_seconds(struct tw_page *page, const struct tw_rate *rate,
			const struct tw_machine *machine)
{
	const char *how_far = machine->vmclock_hz > 0 ?
		"The host's clock (vmclock) says how far, above." :
		"The samples can't show how far.";

	tw_page_gap(page);
	tw_page_note(page, "This is a rate per second of %s, not of SI.",
		     tw_name(TW_ENUM_AGAINST, rate->against));
	if (rate->against == TW_AGAINST_RAW)
		tw_page_note(page, "The kernel found the rate of this clock, or "
			     "was told it, at boot; it is often some ppm (1 ppm is "
			     "1000 ppb) off. %s",
			     how_far);
	else
		tw_page_note(page, "NTP steers that clock towards UTC; without NTP it "
			     "is CLOCK_MONOTONIC_RAW, often some ppm (1000 ppb) off. %s",
			     how_far);
	if (machine->ntp_synchronized > 0)
		tw_page_note(page, "NTP reports its clock as synchronized and "
			     "steers it by %+.1f ppb: this is how far it takes "
			     "CLOCK_MONOTONIC_RAW to be off SI.",
			     machine->ntp_steering_ppb);
	else if (machine->ntp_synchronized == 0)
		tw_page_note(page, "NTP does not keep this machine's clock (adjtimex: "
			     "not synchronized).");
}

struct tw_page *tw_calibrate_page(const struct tw_rate *rate,
				  const struct tw_machine *machine,
				  const struct tw_counter_facts *counter)
{
	struct tw_page *page = tw_page_new("Rate of the counter");

	tw_page_fact(page, "rate", "%.3f ticks per second of %s", rate->hz,
		     tw_name(TW_ENUM_AGAINST, rate->against));
	add_source(page, rate);
	add_uncertainty(page, rate);
	tw_page_fact(page, "window", "%.3f ms, %u samples, %u narrow enough; the narrowest "
		     "%llu ticks", (double)rate->window_ns / 1e6, rate->samples,
		     rate->used, (unsigned long long)rate->bracket_ticks);
	add_hints(page, rate, machine);
	tw_command_counter_warnings(page, counter);
	add_seconds(page, rate, machine);
	return page;
}
