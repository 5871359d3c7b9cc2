/* SPDX-License-Identifier: MIT */
/*
 * tickwise calibrate: measures how fast the counter runs, and how well that rate is
 * known. It shows the rate and its source, the bounds that the samples give, the rates
 * that other sources state, and what no source can tell.
 */
#include <errno.h>

#include "command/calibrate/calibrate_hints.h"
#include "command/command.h"
#include "command/output/page.h"
#include "trust.h"

#define NAME	"calibrate"
#define AGAINST	"CLOCK_MONOTONIC_RAW"

struct request {
	struct tw_rate_options options;
	struct tw_wanted wanted;
};

static const struct tw_option option_table[] = {
	{ .name = "window", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 5, .max = 3600000, .preset = "1000",
	  .help = "Calibrate for this time",
	  .more = "A longer calibration is a better one.",
	  TW_OPTION_AT(struct request, options.window_ns) },
	{ .name = "kernel-rate", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("on", "off"),
	  .sets = TW_ON, .preset = "on",
	  .help = "Use the kernel's exact rate if the samples confirm it",
	  .more = "With `off` the rate comes from the samples alone.",
	  TW_OPTION_AT(struct request, options.kernel_rate) },
	TW_OPTION_JSON(struct request, wanted),
	TW_OPTION_HTML(struct request, wanted),
	{ .name = NULL },
};

const struct tw_options tw_calibrate_options = {
	.command = NAME,
	.about =
	"Measure how fast the CPU's counter runs against CLOCK_MONOTONIC_RAW, and how well "
	"that is known. Show what CPUID, the hypervisor and the kernel say about it.",
	.codes =
	"Exit codes: 0 calibrated, 2 interrupted, 64 wrong command line, 70 could not be measured, "
	"74 the output could not be written.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

struct result {
	struct tw_counter_facts counter;
	struct tw_machine machine;
	struct tw_rate rate;
	struct tw_hint hints[TW_HINTS];
	unsigned hint_count;
};

/* ---- the page ---- */

static void add_source(struct tw_page *page, const struct tw_rate *rate)
{
	switch (rate->source) {
	case TW_RATE_REGRESSION:
		tw_page_fact(page, "source", "regression over the samples");
		TW_EACH_BIT(bit, rate->refusal)
			tw_page_fact(page, "", "kernel's own rate not used: %s",
				     tw_text(TW_ENUM_RATE_REFUSAL, bit));
		return;
	case TW_RATE_KERNEL:
	case TW_RATE_KERNEL_PROVISIONAL:
		tw_page_fact(page, "source", "the kernel's own multiplier, %u / 2^%u ns "
			     "per tick", rate->kernel_mult, rate->kernel_shift);
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
	if (rate->uncertainty_ppb > 0)
		tw_page_fact(page, "uncertainty", "%.3g ppb of " AGAINST " (1 sigma)",
			     rate->uncertainty_ppb);
	else
		tw_page_fact(page, "uncertainty", "none against " AGAINST ", as the kernel "
			     "computes it by this multiplication");
	if (rate->source != TW_RATE_REGRESSION)
		tw_page_fact(page, "samples say", "%.3f, %+.3g ppb off the "
			     "rate; 1 sigma %.3g ppb", rate->measured_hz,
			     (rate->measured_hz / rate->hz - 1) * 1e9,
			     rate->measured_uncertainty_ppb);
	tw_page_fact(page, "hard bound", "+-%.4g ppb: no rate outside fits every sample",
		     rate->bound_ppb);
}

static void add_hints(struct tw_page *page, const struct result *result)
{
	static const struct tw_column columns[] = {
		{ .heading = "", .width = 18, .flags = TW_COLUMN_LEFT },
		{ .heading = "Hz", .width = 14 },
		{ .heading = "off, ppb", .width = 12 },
		{ .heading = "explained", .flags = TW_COLUMN_LEFT },
	};
	const struct tw_hint *hints = result->hints, *end = hints + result->hint_count;
	struct tw_table *table;

	if (hints == end) {
		tw_page_gap(page);
		tw_page_note(page, "No other source names a rate here.");
		return;
	}
	tw_page_heading(page, 3, "other sources of the rate (none is used by itself)");
	table = tw_page_table(page, columns, 4);
	for (const struct tw_hint *hint = hints; hint < end; hint++) {
		tw_table_row(table);
		tw_cell_text(table, hint->name);
		tw_cell_fixed(table, hint->hz, 0);
		tw_cell_printf(table, "%+.1f", hint->difference_ppb);
		tw_cell_printf(table, "+-%.1f", hint->explained_ppb);
		/* Below the table. */
		if (hint->contradicts)
			tw_page_warning(page, "%s contradicts the rate: it is %+.1f ppb "
					"off, of which its resolution and the rate's "
					"explain %.1f.", hint->name, hint->difference_ppb,
					hint->explained_ppb);
	}
}

/* Add what is known about the difference between this rate and SI seconds. */
static void add_seconds(struct tw_page *page, const struct tw_machine *machine)
{
	const char *how_far = machine->vmclock_hz > 0 ?
		"The host's clock (vmclock) says how far, above." :
		"The samples can't show how far.";

	tw_page_gap(page);
	tw_page_note(page, "This is a rate per second of " AGAINST ", not of SI.");
	tw_page_note(page, "The kernel found the rate of this clock, or was told it, at "
		     "boot; it is often some ppm (1 ppm is 1000 ppb) off. %s", how_far);
	if (machine->ntp_synchronized > 0)
		tw_page_note(page, "NTP reports its clock as synchronized and "
			     "steers it by %+.1f ppb: this is how far it takes "
			     "CLOCK_MONOTONIC_RAW to be off SI.",
			     machine->ntp_steering_ppb);
	else if (machine->ntp_synchronized == 0)
		tw_page_note(page, "NTP does not keep this machine's clock (adjtimex: "
			     "not synchronized).");
}

static struct tw_page *make_page(const struct result *result)
{
	struct tw_page *page = tw_page_new("Rate of the counter");
	const struct tw_rate *rate = &result->rate;

	tw_page_fact(page, "rate", "%.3f ticks per second of " AGAINST, rate->hz);
	add_source(page, rate);
	add_uncertainty(page, rate);
	tw_page_fact(page, "window", "%.3f ms, %u samples, %u narrow enough; the narrowest "
		     "%llu ticks", (double)rate->window_ns / 1e6, rate->samples,
		     rate->used, (unsigned long long)rate->bracket_ticks);
	add_hints(page, result);
	tw_command_counter_warnings(page, &result->counter);
	add_seconds(page, &result->machine);
	return page;
}

/* ---- JSON ---- */

static json_t *make_json(const struct result *result)
{
	const struct tw_machine *machine = &result->machine;
	const struct tw_rate *rate = &result->rate;
	json_t *refused = json_array(), *hints = json_array();

	for (const struct tw_hint *hint = result->hints;
	     hint < result->hints + result->hint_count; hint++)
		json_array_append_new(hints, json_pack(
			"{ss, sf, sf, sf, sb}",
			"name", hint->name,
			"hz", hint->hz,
			"difference_ppb", hint->difference_ppb,
			"explained_ppb", hint->explained_ppb,
			"contradicts", hint->contradicts));
	TW_EACH_BIT(bit, rate->refusal)
		json_array_append_new(refused, json_string(tw_text(TW_ENUM_RATE_REFUSAL, bit)));
	return json_pack(
		"{ss, si, sf, sf, sf, ss, ss, ss, sI, sI, sI, sI, sI, sI,"
		" sf, sf, sf, sf, so, so, so, ss}",
		"schema", "tickwise-calibrate",
		"version", 1,
		"hz", rate->hz,
		"uncertainty_ppb", rate->uncertainty_ppb,
		"bound_ppb", rate->bound_ppb,
		"source", tw_name(TW_ENUM_RATE_SOURCE, rate->source),
		"against", AGAINST,
		"witness", tw_name(TW_ENUM_WITNESS, rate->witness),
		"kernel_mult", (json_int_t)rate->kernel_mult,
		"kernel_shift", (json_int_t)rate->kernel_shift,
		"window_ns", (json_int_t)rate->window_ns,
		"samples", (json_int_t)rate->samples,
		"used", (json_int_t)rate->used,
		"bracket_ticks", (json_int_t)rate->bracket_ticks,
		"measured_hz", rate->measured_hz,
		"measured_uncertainty_ppb", rate->measured_uncertainty_ppb,
		"low_hz", rate->low_hz,
		"high_hz", rate->high_hz,
		"kernel_rate_refused", refused,
		"hints", hints,
		"ntp", machine->ntp_synchronized < 0 ? json_null() :
			json_pack("{sb, sf}", "synchronized", machine->ntp_synchronized,
				  "steering_ppb", machine->ntp_steering_ppb),
		"counter_state", tw_name(TW_ENUM_COUNTER_STATE, result->counter.state));
}

/* ---- the measurement ---- */

struct waiting {
	struct tw_progress line;
	uint64_t window_ns;
};

static int show_progress(void *context, uint64_t elapsed_ns)
{
	struct waiting *waiting = context;

	tw_progress_show(&waiting->line,
			 (double)elapsed_ns / (double)waiting->window_ns,
			 "reading the counter and the clock");
	return tw_command_has_enough();
}

static int measure(struct tw_rate *rate, struct tw_rate_options *options)
{
	struct waiting waiting = {
		.line = tw_progress_begin(NAME), .window_ns = options->window_ns,
	};
	int error;

	options->progress = show_progress;
	options->context = &waiting;
	tw_command_catch_interrupts();
	error = tw_rate_measure(rate, options);
	tw_progress_end(&waiting.line);
	return error;
}

int tw_command_calibrate(char **argv)
{
	struct request request = { .options = TW_SIZED(struct tw_rate_options) };
	struct result result = {
		.counter = TW_SIZED(struct tw_counter_facts),
		.machine = TW_SIZED(struct tw_machine), .rate = TW_SIZED(struct tw_rate),
	};
	struct tw_trust_seen seen = { 0 };
	struct tw_trust trust;
	int code = tw_command_options(&tw_calibrate_options, &request, argv, NULL);

	if (code != TW_GO_ON)
		return code;
	tw_counter_check(&result.counter);
	seen.state = result.counter.state;
	seen.rate_error = measure(&result.rate, &request.options);
	if (seen.rate_error && tw_command_is_interrupted())
		return tw_command_interrupted(NAME, 0);
	if (seen.rate_error) {
		tw_trust(NULL, &seen, &trust);
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s%s", trust.why_not,
				       seen.rate_error == -EAGAIN ?
				       "; try a longer --window" : "");
	}
	tw_machine_read(&result.machine);
	result.hint_count = tw_hints_compare(&result.machine, &result.rate, result.hints);
	return tw_command_show(NAME, &request.wanted, make_page(&result), NULL,
			       make_json(&result));
}
