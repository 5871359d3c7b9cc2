/* SPDX-License-Identifier: MIT */
/*
 * What tickwise check found, as a page: the verdict and why, what was measured,
 * what kernel and processor say, and what such a check can't see.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "command.h"

#define MOST_PAIRS	16

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

static void print_reasons(unsigned reasons, const char *between)
{
	const char *before = "";
	unsigned bit;

	for (bit = 1; bit && bit <= reasons; bit <<= 1) {
		if (!(reasons & bit))
			continue;
		printf("%s%s", before, tw_reliability_reason_text(bit));
		before = between;
	}
}

static void print_reliable(const struct tw_reliability *result)
{
	if (result->reasons & TW_REASON_ONE_CPU)
		printf("RELIABLE: the counter moves and never ran backwards; "
		       "there is only one CPU to judge.\n");
	else
		printf("RELIABLE: the counters of %u CPUs are at most %.0f ns "
		       "apart, and none of %" PRIu64 " readings ran "
		       "backwards.\n", result->cpus,
		       ceil(to_ns(result, reach_ticks(result))),
		       result->probes);
}

static void print_verdict(const struct tw_reliability *result)
{
	unsigned warnings = result->reasons & WARNINGS;
	unsigned bit;

	switch (result->verdict) {
	case TW_RELIABLE:
		print_reliable(result);
		break;
	case TW_UNRELIABLE:
		printf("UNRELIABLE: ");
		print_reasons(result->reasons & ~(unsigned)WARNINGS, ";\n    ");
		printf(".\n");
		break;
	case TW_UNDECIDED:
		printf("UNDECIDED: ");
		print_reasons(result->reasons & ~(unsigned)WARNINGS, ";\n    ");
		printf(".\n    No reading speaks against the counter. Try again "
		       "when the CPUs are less busy,\n"
		       "    with a longer --time-limit%s.\n",
		       result->reasons & TW_REASON_TOLERANCE ?
		       " or a larger --tolerance" : "");
		break;
	}
	for (bit = 1; bit && bit <= warnings; bit <<= 1)
		if (warnings & bit)
			printf("WARNING: %s.\n",
			       tw_reliability_reason_text(bit));
}

static void print_contradictions(unsigned contradictions)
{
	unsigned bit;

	for (bit = 1; bit && bit <= contradictions; bit <<= 1)
		if (contradictions & bit)
			printf("CONTRADICTION: %s.\n",
			       tw_contradiction_text(bit));
}

static void print_interval(const struct tw_reliability *result,
			   int64_t low_ticks, int64_t high_ticks)
{
	if (low_ticks == -INT64_MAX)
		printf("no lower bound, ");
	else
		printf("%+" PRId64 " ticks (%+.1f ns) ", low_ticks,
		       to_ns(result, (double)low_ticks));
	if (high_ticks == INT64_MAX)
		printf("to no upper bound\n");
	else
		printf("to %+" PRId64 " ticks (%+.1f ns)\n", high_ticks,
		       to_ns(result, (double)high_ticks));
}

static void print_pairs(const struct tw_reliability *result)
{
	unsigned i;

	for (i = 0; i < result->pairs && i < MOST_PAIRS; i++) {
		const struct tw_cpu_offset *pair = &result->offsets[i];

		printf("  CPU %u ahead of CPU %u by ", pair->cpu,
		       pair->base_cpu);
		print_interval(result, pair->low_ticks, pair->high_ticks);
	}
	if (result->pairs > MOST_PAIRS)
		printf("  ... and %u pairs more; --json has all\n",
		       result->pairs - MOST_PAIRS);
}

static void print_pace(const struct tw_reliability *result)
{
	if (!result->pairs)
		return;
	printf("Pace        ");
	if (isfinite(result->pace_low_ppb) && isfinite(result->pace_high_ppb))
		printf("the rates of any two CPUs differ by %+.2f to "
		       "%+.2f ppm\n", result->pace_low_ppb / 1e3,
		       result->pace_high_ppb / 1e3);
	else
		printf("not bounded\n");
}

static void print_measured(const struct tw_reliability *result,
			   const struct tw_reliability_options *options)
{
	printf("Method      %s\n", result->method == TW_METHOD_SWITCH ?
	       "switch: one thread moved from CPU to CPU" :
	       "cas: threads on all CPUs take turns");
	if (result->pairs) {
		printf("Offset      widest pair, and 0: ");
		print_interval(result, result->offset_low_ticks,
			       result->offset_high_ticks);
		print_pairs(result);
		printf("  wanted: less than %" PRIu64 " ns%s\n",
		       options->tolerance_ns,
		       result->method == TW_METHOD_SWITCH ?
		       "; moving a thread can't prove 500, --method=cas can" :
		       "");
	}
	print_pace(result);
	printf("Order       %" PRIu64 " readings, %" PRIu64 " switches of CPU, "
	       "%" PRIu64 " rounds over all CPUs,\n            %" PRIu64
	       " backwards\n", result->probes, result->switches,
	       result->full_loops, result->backwards);
	printf("Read cost   %.1f ns\n", result->read_cost_ns);
	printf("Took        %.1f ms on %u CPUs", (double)result->elapsed_ns /
	       1e6, result->cpus);
	if (result->cpus_skipped)
		printf("; %u more are allowed and were not judged",
		       result->cpus_skipped);
	printf("\n");
}

static void print_named_rate(const char *who, uint64_t khz)
{
	if (khz)
		printf("            named by %s: %" PRIu64 ".%03" PRIu64
		       " MHz\n", who, khz / 1000, khz % 1000);
}

static void print_machine(const struct tw_reliability *result,
			  const struct tw_machine *machine)
{
	static const char *const invariant[] = { "unknown", "no", "yes" };

	printf("Processor   %s\n", machine->processor[0] ?
	       machine->processor : "not named");
	printf("Hypervisor  %s\n", machine->hypervisor[0] ?
	       machine->hypervisor : "none seen");
	printf("Counter     %s; invariant: %s; read together with the CPU's "
	       "number: %s\n", TW_COUNTER_NAME,
	       invariant[machine->invariant + 1],
	       machine->has_read_with_cpu ? "yes" : "no");
	printf("Rate        about %.3f MHz in this check; `tickwise calibrate` "
	       "measures it\n", result->hz / 1e6);
	if (machine->declared_hz)
		printf("            declared by the firmware: %" PRIu64 " Hz\n",
		       machine->declared_hz);
	print_named_rate("CPUID leaf 0x15", machine->cpuid_khz);
	print_named_rate("the hypervisor", machine->hypervisor_khz);
	print_named_rate("/proc/cpuinfo", machine->cpuinfo_khz);
	print_named_rate("the kernel log", machine->kernel_log_khz);
	printf("Kernel      keeps time by %s (could use: %s)\n",
	       machine->clocksource[0] ? machine->clocksource : "?",
	       machine->clocksources[0] ? machine->clocksources : "?");
	printf("CPUs        %u allowed, %u online, %u configured\n",
	       machine->cpus_allowed, machine->cpus_online,
	       machine->cpus_configured);
}

static void print_limits(const struct tw_reliability *result)
{
	printf("What this check can't see:\n");
	if (result->pairs && is_bounded(result->offset_low_ticks,
					result->offset_high_ticks))
		printf("  - offsets inside the intervals above: up to %.0f ns "
		       "can remain between two CPUs;\n",
		       ceil(to_ns(result, reach_ticks(result))));
	if (result->pairs)
		printf("  - differences of pace inside the interval above, "
		       "which has only this moment to\n"
		       "    show them;\n");
	printf("  - what comes later: suspend, a virtual machine that is moved "
	       "or paused, a write\n    to the counter, a CPU that goes away "
	       "and comes back;\n"
	       "  - CPUs that this process may not run on;\n"
	       "  - how long a second is: whether all CPUs together run fast "
	       "or slow.\n");
}

void tw_check_print_page(const struct tw_check *check,
			 const struct tw_check_arguments *arguments)
{
	const struct tw_reliability *result = &check->result;
	const struct tw_counter_facts *counter = &check->counter;

	print_verdict(result);
	print_contradictions(check->contradictions);
	tw_command_counter_warnings(counter, stdout);
	printf("\n");
	print_measured(result, &arguments->options);
	printf("\n");
	print_machine(result, &check->machine);
	printf("Clock call  clock_gettime() costs %.0f ns, as a system call "
	       "%.0f ns\n", counter->clock_cost_ns, counter->call_cost_ns);
	printf("\n");
	print_limits(result);
}
