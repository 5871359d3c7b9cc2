/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the results of tickwise check: the verdict and its reasons,
 * the measured figures, what kernel and processor report, and what such a check
 * can't see.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "command/check/output.h"
#include "command/command.h"
#include "command/output/page.h"

#define MAX_PAIRS	16
#define MAX_TEXT	2048

#define WARNINGS	(TW_REASON_CLOCKSOURCE | TW_REASON_NOT_INVARIANT)

static double to_ns(const struct tw_reliability *result, double ticks)
{
	return result->hz > 0 ? ticks / result->hz * 1e9 : NAN;
}

double tw_check_reach_ns(const struct tw_reliability *result)
{
	double ticks = fmax(-(double)result->offset_low_ticks,
			    (double)result->offset_high_ticks);

	return ticks < (double)INT64_MAX && result->hz > 0 ?
	       ceil(ticks / result->hz * 1e9) : INFINITY;
}

static int is_bounded(int64_t low_ticks, int64_t high_ticks)
{
	return low_ticks != -INT64_MAX && high_ticks != INT64_MAX;
}

/* Add the verdict and its reasons, as "UNDECIDED: one; another." */
static void add_reasons(struct tw_page *page, const char *verdict, unsigned reasons)
{
	char text[MAX_TEXT] = "";
	size_t length = 0;

	for (unsigned bit = 1; bit && bit <= reasons && length < sizeof(text); bit <<= 1)
		if (reasons & bit)
			length += (size_t)snprintf(text + length,
				sizeof(text) - length, "%s%s",
				length ? "; " : "",
				tw_text(TW_ENUM_REASON, bit));
	tw_page_paragraph(page, "%s: %s.", verdict, text);
}

static void add_reliable(struct tw_page *page, const struct tw_reliability *result)
{
	if (result->reasons & TW_REASON_ONE_CPU)
		tw_page_paragraph(page, "RELIABLE: the counter moves and never ran "
				  "backwards; there is only one CPU to judge, and "
				  "nothing to compare it with.");
	else
		tw_page_paragraph(page, "RELIABLE: the counters of %u CPUs are at "
				  "most %.0f ns apart, and none of %" PRIu64
				  " readings ran backwards.", result->cpus,
				  tw_check_reach_ns(result), result->probes);
}

static enum tw_mark mark_of(enum tw_verdict verdict)
{
	switch (verdict) {
	case TW_RELIABLE:
		return TW_MARK_GOOD;
	case TW_UNRELIABLE:
		return TW_MARK_BAD;
	default:
		return TW_MARK_UNDECIDED;
	}
}

static void add_verdict(struct tw_page *page, const struct tw_check *check,
			const struct tw_check_arguments *arguments)
{
	const struct tw_reliability *result = &check->result;
	unsigned warnings = result->reasons & WARNINGS;
	unsigned reasons = result->reasons & ~(unsigned)WARNINGS;

	switch (result->verdict) {
	case TW_RELIABLE:
		add_reliable(page, result);
		break;
	case TW_UNRELIABLE:
		add_reasons(page, "UNRELIABLE", reasons);
		break;
	case TW_UNDECIDED:
		add_reasons(page, "UNDECIDED", reasons);
		break;
	}
	tw_page_indent(page, 0, 4);
	tw_page_mark(page, mark_of(result->verdict));
	if (result->verdict == TW_UNDECIDED)
		tw_check_add_advice(page, check, arguments);
	for (unsigned bit = 1; bit && bit <= warnings; bit <<= 1)
		if (warnings & bit)
			tw_page_warning(page, "%s.", tw_text(TW_ENUM_REASON, bit));
}

static void add_contradictions(struct tw_page *page, unsigned contradictions)
{
	for (unsigned bit = 1; bit && bit <= contradictions; bit <<= 1) {
		if (!(contradictions & bit))
			continue;
		tw_page_paragraph(page, "CONTRADICTION: %s.",
				  tw_text(TW_ENUM_CONTRADICTION, bit));
		tw_page_indent(page, 0, 4);
	}
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

static void add_pairs(struct tw_page *page, const struct tw_reliability *result)
{
	char text[128];

	for (unsigned i = 0; i < result->pairs && i < MAX_PAIRS; i++) {
		const struct tw_cpu_offset *pair = &result->offsets[i];

		tw_page_fact(page, "", "CPU %u - CPU %u: %s", pair->cpu,
			     pair->base_cpu,
			     put_interval(text, sizeof(text), result,
					  pair->low_ticks, pair->high_ticks));
	}
	if (result->pairs > MAX_PAIRS)
		tw_page_fact(page, "", "and %u pairs more; --json has all",
			     result->pairs - MAX_PAIRS);
}

static void add_offsets(struct tw_page *page, const struct tw_reliability *result,
			const struct tw_reliability_options *options)
{
	char text[128];

	tw_page_fact(page, "Offset", "of any two CPUs: %s",
		     put_interval(text, sizeof(text), result,
				  result->offset_low_ticks,
				  result->offset_high_ticks));
	add_pairs(page, result);
	tw_page_fact(page, "", "wanted: less than %" PRIu64 " ns",
		     options->tolerance_ns);
	if (result->method == TW_METHOD_SWITCH)
		tw_page_fact(page, "", "(moving a thread can't prove 500, "
			     "--method=cas can)");
	if (isfinite(result->pace_low_ppb) && isfinite(result->pace_high_ppb))
		tw_page_fact(page, "Pace", "the rates of any two CPUs differ by "
			     "%+.2f to %+.2f ppm", result->pace_low_ppb / 1e3,
			     result->pace_high_ppb / 1e3);
	else
		tw_page_fact(page, "Pace", "not bounded");
}

static void add_order(struct tw_page *page, const struct tw_reliability *result)
{
	if (result->pairs)
		tw_page_fact(page, "Order", "%" PRIu64 " readings, %" PRIu64
			     " backwards; %" PRIu64 " switches of CPU, %" PRIu64
			     " round%s over all CPUs", result->probes,
			     result->backwards, result->switches,
			     result->full_loops,
			     tw_format_plural(result->full_loops));
	else
		tw_page_fact(page, "Order", "%" PRIu64 " readings, %" PRIu64
			     " backwards", result->probes, result->backwards);
}

static void add_measured(struct tw_page *page, const struct tw_reliability *result,
			 const struct tw_reliability_options *options)
{
	tw_page_fact(page, "Method", "%s", result->method == TW_METHOD_SWITCH ?
		     "switch: one thread moved from CPU to CPU" :
		     "cas: threads on all CPUs take turns");
	if (result->pairs)
		add_offsets(page, result, options);
	add_order(page, result);
	if (tw_check_step_ticks(result) > 0)
		tw_page_fact(page, "Step", "the counters move by %.1f ticks (%.1f ns) "
			     "at a time", result->step_ticks,
			     to_ns(result, result->step_ticks));
	tw_page_fact(page, "Read cost", "%.1f ns", result->read_cost_ns);
	tw_page_fact(page, "Took", "%.1f ms on %u CPU%s",
		     (double)result->elapsed_ns / 1e6, result->cpus,
		     tw_format_plural(result->cpus));
}

static void add_limits(struct tw_page *page, const struct tw_reliability *result)
{
	tw_page_heading(page, 2, "What this check can't see:");
	if (result->pairs && isfinite(tw_check_reach_ns(result)))
		tw_page_item(page, "offsets inside the intervals above: up to %.0f ns "
			     "can remain between two CPUs;",
			     tw_check_reach_ns(result));
	if (result->pairs && isfinite(result->pace_low_ppb) &&
	    isfinite(result->pace_high_ppb))
		tw_page_item(page, "differences of pace inside the interval above, "
			     "which comes from a short measurement;");
	tw_page_item(page, "what comes later: suspend, a virtual machine that is moved "
		     "or paused, a write to the counter, a CPU that goes away and "
		     "comes back;");
	tw_page_item(page, "CPUs that this process may not run on;");
	tw_page_item(page, "how long a second is: whether all CPUs together run fast "
		     "or slow.");
}

struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_check_arguments *arguments)
{
	struct tw_page *page = tw_page_new("Can the counter be trusted?");

	add_verdict(page, check, arguments);
	add_contradictions(page, check->contradictions);
	tw_command_counter_warnings(page, &check->counter);
	tw_page_gap(page);
	add_measured(page, &check->result, &arguments->options);
	tw_page_gap(page);
	tw_check_add_machine(page, check);
	add_limits(page, &check->result);
	return page;
}
