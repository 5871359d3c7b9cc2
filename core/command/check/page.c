/* SPDX-License-Identifier: MIT */
/*
 * What tickwise check found, as a page: the verdict and why, what was measured,
 * what kernel and processor say, and what such a check can't see.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/check/check.h"
#include "command/check/fold.h"
#include "command/command.h"
#include "command/output/page.h"
#include "command/output/text.h"

#define MOST_PAIRS	16
#define MOST_TEXT	2048

#define WARNINGS	(TW_REASON_CLOCKSOURCE | TW_REASON_NOT_INVARIANT)

static double to_ns(const struct tw_reliability *result, double ticks)
{
	return result->hz > 0 ? ticks / result->hz * 1e9 : NAN;
}

static double reach_ticks(const struct tw_reliability *result)
{
	return fmax(-(double)result->offset_low_ticks,
		    (double)result->offset_high_ticks);
}

static int is_bounded(int64_t low_ticks, int64_t high_ticks)
{
	return low_ticks != -INT64_MAX && high_ticks != INT64_MAX;
}

/* "UNDECIDED: one; another." */
static void print_reasons(const char *verdict, unsigned reasons)
{
	char text[MOST_TEXT] = "";
	size_t length = 0;
	unsigned bit;

	for (bit = 1; bit && bit <= reasons && length < sizeof(text); bit <<= 1)
		if (reasons & bit)
			length += (size_t)snprintf(text + length,
				sizeof(text) - length, "%s%s",
				length ? "; " : "",
				tw_text(TW_ENUM_REASON, bit));
	tw_check_fold(4, "%s: %s.", verdict, text);
}

static void print_reliable(const struct tw_reliability *result)
{
	if (result->reasons & TW_REASON_ONE_CPU)
		tw_check_fold(4, "RELIABLE: the counter moves and never ran "
			      "backwards; there is only one CPU to judge, and "
			      "nothing to compare it with.");
	else
		tw_check_fold(4, "RELIABLE: the counters of %u CPUs are at "
			      "most %.0f ns apart, and none of %" PRIu64
			      " readings ran backwards.", result->cpus,
			      ceil(to_ns(result, reach_ticks(result))),
			      result->probes);
}

static void print_verdict(const struct tw_check *check,
			  const struct tw_check_arguments *arguments)
{
	const struct tw_reliability *result = &check->result;
	unsigned warnings = result->reasons & WARNINGS;
	unsigned bit;

	switch (result->verdict) {
	case TW_RELIABLE:
		print_reliable(result);
		break;
	case TW_UNRELIABLE:
		print_reasons("UNRELIABLE",
			      result->reasons & ~(unsigned)WARNINGS);
		break;
	case TW_UNDECIDED:
		print_reasons("UNDECIDED",
			      result->reasons & ~(unsigned)WARNINGS);
		tw_check_advise(check, arguments);
		break;
	}
	for (bit = 1; bit && bit <= warnings; bit <<= 1)
		if (warnings & bit)
			tw_check_fold(4, "WARNING: %s.",
				      tw_text(TW_ENUM_REASON, bit));
}

static void print_contradictions(unsigned contradictions)
{
	unsigned bit;

	for (bit = 1; bit && bit <= contradictions; bit <<= 1)
		if (contradictions & bit)
			tw_check_fold(4, "CONTRADICTION: %s.",
				      tw_text(TW_ENUM_CONTRADICTION, bit));
}

static const char *put_interval(char *text, size_t size,
				const struct tw_reliability *result,
				int64_t low_ticks, int64_t high_ticks)
{
	double low_ns = to_ns(result, (double)low_ticks);
	double high_ns = to_ns(result, (double)high_ticks);

	if (is_bounded(low_ticks, high_ticks))
		snprintf(text, size, "%+" PRId64 " to %+" PRId64 " ticks "
			 "(%+.1f to %+.1f ns)", low_ticks, high_ticks, low_ns,
			 high_ns);
	else if (low_ticks != -INT64_MAX)
		snprintf(text, size, "%+" PRId64 " ticks (%+.1f ns) or more",
			 low_ticks, low_ns);
	else if (high_ticks != INT64_MAX)
		snprintf(text, size, "%+" PRId64 " ticks (%+.1f ns) or less",
			 high_ticks, high_ns);
	else
		snprintf(text, size, "not bounded");
	return text;
}

static void print_pairs(const struct tw_reliability *result)
{
	char text[128];
	unsigned i;

	for (i = 0; i < result->pairs && i < MOST_PAIRS; i++) {
		const struct tw_cpu_offset *pair = &result->offsets[i];

		tw_check_fold(14, "            CPU %u - CPU %u: %s", pair->cpu,
			      pair->base_cpu,
			      put_interval(text, sizeof(text), result,
					   pair->low_ticks, pair->high_ticks));
	}
	if (result->pairs > MOST_PAIRS)
		printf("            and %u pairs more; --json has all\n",
		       result->pairs - MOST_PAIRS);
}

static void print_pace(const struct tw_reliability *result)
{
	printf("Pace        ");
	if (isfinite(result->pace_low_ppb) && isfinite(result->pace_high_ppb))
		printf("the rates of any two CPUs differ by %+.2f to "
		       "%+.2f ppm\n", result->pace_low_ppb / 1e3,
		       result->pace_high_ppb / 1e3);
	else
		printf("not bounded\n");
}

static void print_order(const struct tw_reliability *result)
{
	if (result->pairs)
		tw_check_fold(12, "Order       %" PRIu64 " readings, %" PRIu64
			      " backwards; %" PRIu64 " switches of CPU, %"
			      PRIu64 " rounds over all CPUs", result->probes,
			      result->backwards, result->switches,
			      result->full_loops);
	else
		printf("Order       %" PRIu64 " readings, %" PRIu64
		       " backwards\n", result->probes, result->backwards);
}

static void print_measured(const struct tw_reliability *result,
			   const struct tw_reliability_options *options)
{
	char text[128];

	printf("Method      %s\n", result->method == TW_METHOD_SWITCH ?
	       "switch: one thread moved from CPU to CPU" :
	       "cas: threads on all CPUs take turns");
	if (result->pairs) {
		tw_check_fold(14, "Offset      of any two CPUs: %s",
			      put_interval(text, sizeof(text), result,
					   result->offset_low_ticks,
					   result->offset_high_ticks));
		print_pairs(result);
		printf("            wanted: less than %" PRIu64 " ns\n",
		       options->tolerance_ns);
		if (result->method == TW_METHOD_SWITCH)
			puts("            (moving a thread can't prove 500, "
			     "--method=cas can)");
		print_pace(result);
	}
	print_order(result);
	if (tw_check_step_ticks(result) > 0)
		printf("Step        the counters move by %.1f tick%s (%.1f ns) "
		       "at a time\n", result->step_ticks,
		       result->step_ticks == 1 ? "" : "s",
		       result->step_ticks / result->hz * 1e9);
	printf("Read cost   %.1f ns\n", result->read_cost_ns);
	printf("Took        %.1f ms on %u CPU%s\n",
	       (double)result->elapsed_ns / 1e6, result->cpus,
	       result->cpus == 1 ? "" : "s");
}

static void print_limits(const struct tw_reliability *result)
{
	printf("What this check can't see:\n");
	if (result->pairs && is_bounded(result->offset_low_ticks,
					result->offset_high_ticks))
		tw_check_fold(4, "  - offsets inside the intervals above: up "
			      "to %.0f ns can remain between two CPUs;",
			      ceil(to_ns(result, reach_ticks(result))));
	if (result->pairs && isfinite(result->pace_low_ppb) &&
	    isfinite(result->pace_high_ppb))
		tw_check_fold(4, "  - differences of pace inside the interval "
			      "above, which has only this moment to show "
			      "them;");
	tw_check_fold(4, "  - what comes later: suspend, a virtual machine "
		      "that is moved or paused, a write to the counter, a CPU "
		      "that goes away and comes back;");
	tw_check_fold(4, "  - CPUs that this process may not run on;");
	tw_check_fold(4, "  - how long a second is: whether all CPUs together "
		      "run fast or slow.");
}

void tw_check_print_page(const struct tw_check *check,
			 const struct tw_check_arguments *arguments)
{
	const struct tw_reliability *result = &check->result;
	struct tw_page *page = tw_page_new("counter check");

	print_verdict(check, arguments);
	print_contradictions(check->contradictions);
	tw_command_counter_warnings(page, &check->counter);
	tw_output_print(page);
	printf("\n");
	print_measured(result, &arguments->options);
	printf("\n");
	tw_check_print_machine(check);
	printf("\n");
	print_limits(result);
}
