/* SPDX-License-Identifier: MIT */
/*
 * Reads what a report has about a clock in addition to its error against
 * CLOCK_MONOTONIC_RAW: its error against CLOCK_MONOTONIC, and the rate measured
 * again over the whole run.
 */
#include <stdio.h>

#include "command/reports/clock_errors.h"
#include "report/want.h"

static void read_off(struct tw_report_off *off, const json_t *clock,
		     const char *clock_name, struct tw_report_problem *problem)
{
	const json_t *json = json_object_get(clock, "off_monotonic");
	char where[64];

	if (!json)
		return;
	snprintf(where, sizeof(where), "clocks.%s.off_monotonic.", clock_name);
	if (!json_is_object(json))
		tw_report_refuse(problem, "clocks.%s.off_monotonic is not an "
				 "object", clock_name);
	tw_want_string(json, where, "against", problem);
	tw_want_u64(json, where, "over_ns", problem);
	*off = (struct tw_report_off) {
		.known = 1,
		.error_ns = tw_want_real(json, where, "error_ns", problem),
		.error_ppb = tw_want_real(json, where, "error_ppb", problem),
		.uncertainty_ns = tw_want_positive(json, where,
						   "uncertainty_ns", problem),
		.uncertainty_ppb = tw_want_positive(json, where,
						    "uncertainty_ppb", problem),
	};
}

static void read_refit(struct tw_report_refit *refit, const json_t *clock,
		       const char *clock_name,
		       struct tw_report_problem *problem)
{
	const json_t *json = json_object_get(clock, "refit");
	char where[64];

	if (!json)
		return;
	snprintf(where, sizeof(where), "clocks.%s.refit.", clock_name);
	if (!json_is_object(json))
		tw_report_refuse(problem, "clocks.%s.refit is not an object",
				 clock_name);
	tw_want_string(json, where, "against", problem);
	tw_want_u64(json, where, "over_ns", problem);
	*refit = (struct tw_report_refit) {
		.known = 1,
		.hz = tw_want_positive(json, where, "hz", problem),
		.uncertainty_ppb = tw_want_positive(json, where,
						    "uncertainty_ppb", problem),
		.bound_ppb = tw_want_positive(json, where, "bound_ppb",
					      problem),
		.frozen_error_ppb = tw_want_real(json, where,
						 "frozen_error_ppb", problem),
	};
}

void tw_report_read_clock_errors(struct tw_report_clock *clock,
				 const char *name,
				 struct tw_report_problem *problem)
{
	read_off(&clock->off_monotonic, clock->json, name, problem);
	read_refit(&clock->refit, clock->json, name, problem);
}

int tw_report_clock_off_monotonic(const struct tw_report_clock *clock,
				  struct tw_report_clock *off)
{
	if (!clock || !clock->off_monotonic.known)
		return 0;
	*off = *clock;
	off->against = "CLOCK_MONOTONIC";
	off->error_ns = clock->off_monotonic.error_ns;
	off->error_ppb = clock->off_monotonic.error_ppb;
	off->uncertainty_ns = clock->off_monotonic.uncertainty_ns;
	off->uncertainty_ppb = clock->off_monotonic.uncertainty_ppb;
	return 1;
}
