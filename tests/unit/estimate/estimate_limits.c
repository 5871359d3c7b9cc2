/* SPDX-License-Identifier: MIT */
/*
 * Options outside their range are refused, with the result untouched. A measurement
 * that can't come to a verdict ends at its time limit with "undecided".
 *
 * Fails if a goal that can't be met is pursued for ever, or if a rate that is no
 * number gives a tolerance.
 */
#include <errno.h>
#include <math.h>

#include "tap.h"
#include "tickwise.h"

static void try_refused(const struct tw_reliability_options *options,
			const char *what)
{
	struct tw_reliability result = { .size = sizeof(result), .cpus = 4711 };

	tap_ok(tw_reliability_measure(&result, options) == -EINVAL &&
	       result.cpus == 4711, "refused: %s", what);
}

/*
 * Sleeping threads on busy CPUs come late, by some turns of the scheduler. For ever
 * is longer.
 */
#define LATE_NS		(300 * TW_NS_PER_SECOND)

static void try_unreachable(uint64_t tolerance_ns, uint64_t least_switches,
			    unsigned reason)
{
	struct tw_reliability_options options = {
		.size = sizeof(options),
		.time_limit_ns = 30000000,
		.tolerance_ns = tolerance_ns,
		.least_switches = least_switches,
	};
	struct tw_reliability result = TW_SIZED(struct tw_reliability);

	if (!tap_ok(!tw_reliability_measure(&result, &options), "measured"))
		return;
	tap_ok(result.elapsed_ns < options.time_limit_ns + LATE_NS,
	       "ended after %.1f ms of %.1f", (double)result.elapsed_ns / 1e6,
	       (double)options.time_limit_ns / 1e6);
	/*
	 * With one CPU there are no offsets and no switches.
	 * machine/estimate_verdict is about a fault of this machine.
	 */
	tap_ok(result.cpus == 1 || result.verdict == TW_UNRELIABLE ||
	       (result.verdict == TW_UNDECIDED && (result.reasons & reason)),
	       "undecided: %s", tw_text(TW_ENUM_REASON, reason));
	tw_reliability_free(&result);
}

int main(void)
{
	struct tw_reliability_options options = { .size = sizeof(options) };

	options.time_limit_ns = 3601 * TW_NS_PER_SECOND;
	try_refused(&options, "more than an hour");
	options = (struct tw_reliability_options){ .size = sizeof(options),
						   .hz = NAN };
	try_refused(&options, "a rate that is no number");
	options = (struct tw_reliability_options){ .size = sizeof(options),
						   .hz = -1e9 };
	try_refused(&options, "a negative rate");
	options = (struct tw_reliability_options){ .size = sizeof(options),
						   .pace_limit_ppb = -1 };
	try_refused(&options, "a negative limit of pace");
	options = (struct tw_reliability_options){ .size = sizeof(options),
						   .pace_limit_ppb = INFINITY };
	try_refused(&options, "an infinite limit of pace");
	options = (struct tw_reliability_options){ .size = sizeof(options),
						   .method = 99 };
	try_refused(&options, "a method that there is not");
	try_unreachable(1, 0, TW_REASON_TOLERANCE);
	try_unreachable(0, 1000000000, TW_REASON_STATISTICS);
	return tap_done();
}
