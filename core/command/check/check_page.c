/* SPDX-License-Identifier: MIT */
/*
 * Makes a page of the results of tickwise check: the verdict and its reasons, the
 * measured figures, what kernel and processor report, and what such a check can't see.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "command/check/check.h"
#include "command/command.h"
#include "command/output/page.h"
#include "machine/processor.h"

#define MAX_PAIRS	16
#define NS_PER_MS	1000000
#define MAX_LIST	36	/* columns of a list of CPUs; --json prints all of it */

#define WARNINGS	(TW_REASON_CLOCKSOURCE | TW_REASON_NOT_INVARIANT)

static double to_ns(const struct tw_reliability *result, double ticks)
{
	return result->hz > 0 ? ticks / result->hz * 1e9 : NAN;
}

/* Return how far the counters of two CPUs can be apart, in whole ns; INFINITY: not
 * known, since a bound is missing. */
static double reach_ns(const struct tw_reliability *result)
{
	double ticks = fmax(-(double)result->offset_low_ticks,
			    (double)result->offset_high_ticks);

	return ticks < (double)INT64_MAX && result->hz > 0 ?
	       ceil(ticks / result->hz * 1e9) : INFINITY;
}

/* ---- the verdict ---- */

/* Say what to do about a check that could not decide, by its reasons. */
static void add_advice(struct tw_page *page, const struct tw_reliability *result,
		       const struct tw_reliability_options *options)
{
	int is_wide = result->reasons & TW_REASON_TOLERANCE;
	double reached_ns = reach_ns(result);

	tw_page_remark(page, "No reading shows a fault of the counter.");
	if (result->reasons & TW_REASON_STATISTICS)
		tw_page_remark(page, "%" PRIu64 " switches between CPUs were seen, on each "
			       "CPU %" PRIu64 " are wanted: allow more time with "
			       "--time-limit (now %" PRIu64 " ms), or try again when the "
			       "CPUs are less busy.", result->switches,
			       options->least_switches, options->time_limit_ns / NS_PER_MS);
	/* The offset that was reached is known only if both sides have a bound. */
	if (is_wide && isfinite(reached_ns))
		tw_page_remark(page, "Bounds of %" PRIu64 " ns were wanted and %.0f ns were "
			       "reached: try again on quieter CPUs or with a longer "
			       "--time-limit (now %" PRIu64 " ms), or accept "
			       "--tolerance=%.0f%s.", options->tolerance_ns, reached_ns,
			       options->time_limit_ns / NS_PER_MS, reached_ns + 1,
			       result->method == TW_METHOD_SWITCH ?
			       "; --method=cas has narrower bounds" : "");
	else if (is_wide && !(result->reasons & TW_REASON_STATISTICS))
		tw_page_remark(page, "An offset has no bound: allow more time with "
			       "--time-limit.");
	if (result->reasons & TW_REASON_CPUS_SKIPPED)
		tw_page_remark(page, result->cpus > 1 ?
			       "To judge the other CPUs alone, start it with taskset -c and "
			       "their numbers (see CPUs below)." :
			       "Only one CPU took part: there was nothing to compare it "
			       "with.");
}

static void add_verdict(struct tw_page *page, const struct tw_reliability *result,
			const struct tw_reliability_options *options)
{
	static const enum tw_mark marks[] = {
		[TW_RELIABLE] = TW_MARK_GOOD, [TW_UNRELIABLE] = TW_MARK_BAD,
		[TW_UNDECIDED] = TW_MARK_UNDECIDED,
	};
	const char *between = ": ";

	if (result->verdict == TW_RELIABLE && result->reasons & TW_REASON_ONE_CPU)
		tw_page_paragraph(page, "RELIABLE: the counter moves and never ran "
				  "backwards; there is only one CPU to judge, and "
				  "nothing to compare it with.");
	else if (result->verdict == TW_RELIABLE)
		tw_page_paragraph(page, "RELIABLE: the counters of %u CPUs are at "
				  "most %.0f ns apart, and none of %" PRIu64
				  " readings ran backwards.", result->cpus,
				  reach_ns(result), result->probes);
	else
		tw_page_paragraph(page, "%s", result->verdict == TW_UNRELIABLE ?
				  "UNRELIABLE" : "UNDECIDED");
	/* "UNDECIDED: one; another." */
	if (result->verdict != TW_RELIABLE) {
		TW_EACH_BIT(bit, result->reasons & ~(unsigned)WARNINGS) {
			tw_page_more(page, "%s%s", between, tw_text(TW_ENUM_REASON, bit));
			between = "; ";
		}
		tw_page_more(page, ".");
	}
	tw_page_indent(page, 0, 4);
	tw_page_mark(page, marks[result->verdict]);
	if (result->verdict == TW_UNDECIDED)
		add_advice(page, result, options);
	TW_EACH_BIT(bit, result->reasons & WARNINGS)
		tw_page_warning(page, "%s.", tw_text(TW_ENUM_REASON, bit));
}

/* ---- what was measured ---- */

static const char *interval(const struct tw_reliability *result, int64_t low_ticks,
			    int64_t high_ticks)
{
	double low_ns = to_ns(result, (double)low_ticks);
	double high_ns = to_ns(result, (double)high_ticks);
	int has_low = low_ticks != -INT64_MAX, has_high = high_ticks != INT64_MAX;

	if (has_low && has_high)
		return tw_format("%+" PRId64 " to %+" PRId64 " ticks (%+.1f to %+.1f ns)",
				 low_ticks, high_ticks, low_ns, high_ns);
	if (!has_low && !has_high)
		return "not bounded";
	return tw_format("%+" PRId64 " ticks (%+.1f ns) or %s", has_low ? low_ticks : high_ticks,
			 has_low ? low_ns : high_ns, has_low ? "more" : "less");
}

static void add_offsets(struct tw_page *page, const struct tw_reliability *result,
			const struct tw_reliability_options *options)
{
	tw_page_fact(page, "Offset", "of any two CPUs: %s",
		     interval(result, result->offset_low_ticks, result->offset_high_ticks));
	for (unsigned i = 0; i < result->pairs && i < MAX_PAIRS; i++) {
		const struct tw_cpu_offset *pair = &result->offsets[i];

		tw_page_fact(page, "", "CPU %u - CPU %u: %s", pair->cpu, pair->base_cpu,
			     interval(result, pair->low_ticks, pair->high_ticks));
	}
	if (result->pairs > MAX_PAIRS)
		tw_page_fact(page, "", "and %u pairs more; --json has all",
			     result->pairs - MAX_PAIRS);
	tw_page_fact(page, "", "wanted: less than %" PRIu64 " ns", options->tolerance_ns);
	if (result->method == TW_METHOD_SWITCH)
		tw_page_fact(page, "", "(moving a thread can't prove 500, --method=cas can)");
	if (isfinite(result->pace_low_ppb) && isfinite(result->pace_high_ppb))
		tw_page_fact(page, "Pace", "the rates of any two CPUs differ by "
			     "%+.2f to %+.2f ppm", result->pace_low_ppb / 1e3,
			     result->pace_high_ppb / 1e3);
	else
		tw_page_fact(page, "Pace", "not bounded");
}

static void add_measured(struct tw_page *page, const struct tw_reliability *result,
			 const struct tw_reliability_options *options)
{
	tw_page_fact(page, "Method", "%s", result->method == TW_METHOD_SWITCH ?
		     "switch: one thread moved from CPU to CPU" :
		     "cas: threads on all CPUs take turns");
	if (result->pairs)
		add_offsets(page, result, options);
	tw_page_fact(page, "Order", "%" PRIu64 " readings, %" PRIu64 " backwards",
		     result->probes, result->backwards);
	if (result->pairs)
		tw_page_more(page, "; %" PRIu64 " switches of CPU, %" PRIu64 " round%s over "
			     "all CPUs", result->switches, result->full_loops,
			     tw_format_plural(result->full_loops));
	if (tw_check_step_ticks(result) > 0)
		tw_page_fact(page, "Step", "the counters move by %.1f ticks (%.1f ns) "
			     "at a time", result->step_ticks,
			     to_ns(result, result->step_ticks));
	tw_page_fact(page, "Read cost", "%.1f ns", result->read_cost_ns);
	tw_page_fact(page, "Took", "%.1f ms on %u CPU%s", (double)result->elapsed_ns / 1e6,
		     result->cpus, tw_format_plural(result->cpus));
}

/* ---- what kernel and processor report ---- */

/* Add a list of CPUs, cut after a comma. The longest lists have thousands of bytes. */
static void add_list(struct tw_page *page, const char *name, const char *what,
		     const struct tw_cpu_list *list)
{
	char *text = tw_check_cpus_text(list);

	if (!text || strlen(text) <= MAX_LIST) {
		tw_page_fact(page, name, "%s: %s", what, !text ? "not known" :
			     *text ? text : "none");
	} else {
		text[MAX_LIST] = '\0';
		*strrchr(text, ',') = '\0';
		tw_page_fact(page, name, "%s: %s,... (%u of them; --json has all)", what,
			     text, tw_cpu_list_count(list));
	}
}

static void add_named_rate(struct tw_page *page, const char *who, uint64_t khz)
{
	if (khz)
		tw_page_fact(page, "", "named by %s: %" PRIu64 ".%03" PRIu64 " MHz",
			     who, khz / 1000, khz % 1000);
}

static void add_machine(struct tw_page *page, const struct tw_check *check)
{
	static const char *const invariant[] = { "unknown", "no", "yes" };
	const struct tw_machine *machine = &check->machine;
	double days = check->seconds_before_wrap / 86400;

	tw_page_fact(page, "Processor", "%s", machine->processor[0] ? machine->processor :
		     "not named");
	tw_page_fact(page, "Hypervisor", "%s", machine->hypervisor[0] ?
		     tw_hypervisor_name(machine->hypervisor) : "none seen");
	tw_page_fact(page, "Counter", "%s; invariant: %s; read together with the CPU's "
		     "number: %s", TW_COUNTER_NAME, invariant[machine->invariant + 1],
		     machine->has_read_with_cpu ? "yes" : "no");
	tw_page_fact(page, "Rate", "about %.3f MHz in this check; `tickwise calibrate` "
		     "measures it", check->result.hz / 1e6);
	if (machine->declared_hz)
		tw_page_fact(page, "", "declared by the firmware: %" PRIu64 " Hz",
			     machine->declared_hz);
	add_named_rate(page, "CPUID leaf 0x15", machine->cpuid_khz);
	add_named_rate(page, "the hypervisor", machine->hypervisor_khz);
	add_named_rate(page, "/proc/cpuinfo", machine->cpuinfo_khz);
	add_named_rate(page, "the kernel log", machine->kernel_log_khz);
	if (days > 0)
		tw_page_fact(page, "Wrap", "the counter starts again at 0 in %.0f s (%.1f %s)",
			     check->seconds_before_wrap, days < 1000 ? days : days / 365.2425,
			     days < 1000 ? "days" : "years");
	if (!machine->clocksource[0])
		tw_page_fact(page, "Kernel", "/sys does not name the clocksource");
	else
		tw_page_fact(page, "Kernel", "keeps time by %s (could use: %s)",
			     machine->clocksource, machine->clocksources[0] ?
			     machine->clocksources : "not known");
}

static void add_cpus(struct tw_page *page, const struct tw_check *check)
{
	add_list(page, "CPUs", "judged", &check->cpus.judged);
	for (enum tw_check_skip skip = 0; skip < TW_CHECK_SKIPS; skip++) {
		if (!tw_cpu_list_count(&check->cpus.skipped[skip]))
			continue;
		add_list(page, "", "not judged", &check->cpus.skipped[skip]);
		tw_page_more(page, ", %s", tw_check_skips[skip].text);
	}
	tw_page_fact(page, "", "%u allowed, %u online, %u configured",
		     check->machine.cpus_allowed, check->machine.cpus_online,
		     check->machine.cpus_configured);
}

static void add_limits(struct tw_page *page, const struct tw_reliability *result)
{
	tw_page_heading(page, 2, "What this check can't see:");
	if (result->pairs && isfinite(reach_ns(result)))
		tw_page_item(page, "offsets inside the intervals above: up to %.0f ns "
			     "can remain between two CPUs;", reach_ns(result));
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
			      const struct tw_reliability_options *options)
{
	struct tw_page *page = tw_page_new("Can the counter be trusted?");

	add_verdict(page, &check->result, options);
	TW_EACH_BIT(bit, check->contradictions) {
		tw_page_paragraph(page, "CONTRADICTION: %s.",
				  tw_text(TW_ENUM_CONTRADICTION, bit));
		tw_page_indent(page, 0, 4);
	}
	tw_command_counter_warnings(page, &check->counter);
	tw_page_gap(page);
	add_measured(page, &check->result, options);
	tw_page_gap(page);
	add_machine(page, check);
	add_cpus(page, check);
	tw_page_fact(page, "Clock call", "clock_gettime() costs %.0f ns, as a system "
		     "call %.0f ns", check->counter.clock_cost_ns,
		     check->counter.call_cost_ns);
	add_limits(page, &check->result);
	return page;
}
