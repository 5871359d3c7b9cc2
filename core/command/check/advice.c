/* SPDX-License-Identifier: MIT */
/*
 * Advises what to do about a check that could not decide, by its reasons.
 */
#include <inttypes.h>
#include <math.h>

#include "command/check/output.h"
#include "command/output/page.h"

#define NS_PER_MS	1000000

static void advise_statistics(struct tw_page *page,
			      const struct tw_reliability *result,
			      const struct tw_reliability_options *options)
{
	tw_page_remark(page, "%" PRIu64 " switches between CPUs were seen, on each CPU "
		       "%" PRIu64 " are wanted: allow more time with --time-limit "
		       "(now %" PRIu64 " ms), or try again when the CPUs are less "
		       "busy.", result->switches, options->least_switches,
		       options->time_limit_ns / NS_PER_MS);
}

/* Add advice about the tolerance. The offset that was reached is known only if
 * both sides have a bound. */
static void advise_tolerance(struct tw_page *page,
			     const struct tw_reliability *result,
			     const struct tw_reliability_options *options)
{
	double reach_ns = tw_check_reach_ns(result);

	if (!isfinite(reach_ns)) {
		if (!(result->reasons & TW_REASON_STATISTICS))
			tw_page_remark(page, "An offset has no bound: allow more "
				       "time with --time-limit.");
		return;
	}
	tw_page_remark(page, "Bounds of %" PRIu64 " ns were wanted and %.0f ns were "
		       "reached: try again on quieter CPUs or with a longer "
		       "--time-limit (now %" PRIu64 " ms), or accept "
		       "--tolerance=%.0f%s.", options->tolerance_ns, reach_ns,
		       options->time_limit_ns / NS_PER_MS, reach_ns + 1,
		       result->method == TW_METHOD_SWITCH ?
		       "; --method=cas has narrower bounds" : "");
}

static void advise_skipped(struct tw_page *page, const struct tw_check *check)
{
	if (check->result.cpus > 1)
		tw_page_remark(page, "To judge the other CPUs alone, start it with "
			       "taskset -c and their numbers (see CPUs below).");
	else
		tw_page_remark(page, "Only one CPU took part: there was nothing to "
			       "compare it with.");
}

void tw_check_add_advice(struct tw_page *page, const struct tw_check *check,
			 const struct tw_check_arguments *arguments)
{
	const struct tw_reliability *result = &check->result;

	tw_page_remark(page, "No reading shows a fault of the counter.");
	if (result->reasons & TW_REASON_STATISTICS)
		advise_statistics(page, result, &arguments->options);
	if (result->reasons & TW_REASON_TOLERANCE)
		advise_tolerance(page, result, &arguments->options);
	if (result->reasons & TW_REASON_CPUS_SKIPPED)
		advise_skipped(page, check);
}
