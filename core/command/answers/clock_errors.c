/* SPDX-License-Identifier: MIT */
/*
 * The error of a clock as numbers: see clock_errors.h.
 */
#include "command/answers/clock_errors.h"

#include "report/want.h"

static double number(const json_t *object, const char *key)
{
	return json_number_value(json_object_get(object, key));
}

static void read_refit(struct tw_report_refit *refit, const json_t *json)
{
	*refit = (struct tw_report_refit) {
		.known = json != NULL,
		.hz = number(json, "hz"),
		.bound_ppb = number(json, "bound_ppb"),
		.frozen_error_ppb = number(json, "frozen_error_ppb"),
	};
}

/* Read what both errors of a clock have. */
static void read_error(struct tw_report_clock *clock, const json_t *json)
{
	clock->error_ns = number(json, "error_ns");
	clock->error_ppb = number(json, "error_ppb");
	clock->uncertainty_ppb = number(json, "uncertainty_ppb");
	/* The same uncertainty, in another unit. */
	clock->uncertainty_ns = json_object_get(json, "uncertainty_ns") ?
		number(json, "uncertainty_ns") :
		clock->uncertainty_ppb * (double)clock->over_ns / 1e9;
}

void tw_report_clock_of(struct tw_report_clock *clock, const struct tw_report *report,
			enum tw_report_clock_name which)
{
	const json_t *json = json_object_get(report->clocks,
					     tw_report_clock_names[which]);
	const char *kind = which == TW_REPORT_TICKWISE ?
		tw_report_string(json, "source") : tw_report_string(json, "clocksource");

	*clock = (struct tw_report_clock) {
		.json = json,
		.against = tw_report_string(json, "against"),
		.kind = kind ? kind : "",
		.over_ns = tw_report_u64(json, "over_ns"),
		/* The other clocks do not have these. */
		.hz = number(json, "hz"),
		.bound_ppb = number(json, "rate_bound_ppb"),
		.window_ns = number(json, "rate_window_ns"),
	};
	read_error(clock, json);
	read_refit(&clock->refit, json_object_get(json, "refit"));
}

int tw_report_clock_off_monotonic(const struct tw_report_clock *clock,
				  struct tw_report_clock *off)
{
	const json_t *json = json_object_get(clock->json, "off_monotonic");

	if (!json)
		return 0;
	*off = *clock;
	off->against = "CLOCK_MONOTONIC";
	read_error(off, json);
	return 1;
}
