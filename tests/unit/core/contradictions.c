/* SPDX-License-Identifier: MIT */
/*
 * If kernel, processor and measurement can't all be right, they are named. If they
 * are merely unknown, or differ as crystals do, they are not.
 *
 * Fails if only the measurement is checked, or if an unknown rate counts as a rate
 * of 0. Fails also if a name that only begins like the counter's is taken for it.
 */
#include <string.h>

#include "tap.h"
#include "tickwise.h"

#define OURS	TW_COUNTER_CLOCKSOURCE
#define GOOD	.invariant = 1, .clocksource = OURS, .clocksources = OURS " other"
#define TRUSTS	TW_CONTRADICTION_KERNEL_TRUSTS

/* 2.1 GHz were measured. */
static const struct {
	const char *what;
	enum tw_verdict verdict;
	unsigned reasons;
	struct tw_machine machine;
	unsigned should;
} cases[] = {
	{ "all agree", TW_RELIABLE, 0, { GOOD }, 0 },
	{ "undecided", TW_UNDECIDED, TW_REASON_STATISTICS, { GOOD }, 0 },
	{ "an offset", TW_UNRELIABLE, TW_REASON_OFFSET, { GOOD }, TRUSTS },
	{ "an offset of an emulated counter of the same name", TW_UNRELIABLE,
	  TW_REASON_OFFSET | TW_REASON_CLOCKSOURCE, { GOOD }, 0 },
	{ "an offset the kernel knows of", TW_UNRELIABLE, TW_REASON_OFFSET,
	  { .invariant = 1, .clocksource = "other", .clocksources = OURS " other" }, 0 },
	{ "another clocksource preferred", TW_RELIABLE, TW_REASON_CLOCKSOURCE,
	  { .invariant = 1, .clocksource = "other", .clocksources = "other " OURS }, 0 },
	{ "not offered by the kernel", TW_RELIABLE, TW_REASON_CLOCKSOURCE,
	  { .invariant = 1, .clocksource = "other", .clocksources = OURS "-early x" OURS },
	  TW_CONTRADICTION_KERNEL_REJECTS },
	{ "not offered, and nothing compared", TW_RELIABLE, TW_REASON_ONE_CPU,
	  { .invariant = 1, .clocksource = "other", .clocksources = OURS "-early other" }, 0 },
	{ "nothing known of the kernel's", TW_RELIABLE, 0,
	  { .invariant = 1, .clocksource = "other" }, 0 },
	{ "unlike rates where a constant one is promised", TW_UNRELIABLE, TW_REASON_PACE,
	  { GOOD }, TW_CONTRADICTION_INVARIANT | TRUSTS },
	{ "no rate promised", TW_RELIABLE, TW_REASON_NOT_INVARIANT,
	  { .clocksource = OURS, .clocksources = OURS }, TW_CONTRADICTION_NOT_INVARIANT },
	{ "unknown what is promised", TW_RELIABLE, TW_REASON_NOT_INVARIANT,
	  { .invariant = -1, .clocksource = OURS, .clocksources = OURS }, 0 },
	{ "rates within 500 ppm", TW_RELIABLE, 0,
	  { GOOD, .cpuid_khz = 2101000, .hypervisor_khz = 2099000, .cpuinfo_khz = 2100000,
	    .kernel_log_khz = 2100900, .declared_hz = 2100000000 }, 0 },
	{ "one above", TW_RELIABLE, 0, { GOOD, .cpuid_khz = 2102000 },
	  TW_CONTRADICTION_CPUID_RATE },
	{ "one below", TW_RELIABLE, 0, { GOOD, .hypervisor_khz = 2098000 },
	  TW_CONTRADICTION_HYPERVISOR_RATE },
	{ "another processor's, even if undecided", TW_UNDECIDED, 0,
	  { GOOD, .cpuinfo_khz = 3000000 }, TW_CONTRADICTION_CPUINFO_RATE },
	{ "half", TW_RELIABLE, 0, { GOOD, .kernel_log_khz = 1000000 },
	  TW_CONTRADICTION_LOG_RATE },
	{ "another counter's", TW_RELIABLE, 0, { GOOD, .declared_hz = 24000000 },
	  TW_CONTRADICTION_DECLARED_RATE },
	{ "CPUs at unlike rates: no rate to compare with", TW_UNRELIABLE, TW_REASON_PACE,
	  { GOOD, .cpuid_khz = 3000000 }, TW_CONTRADICTION_INVARIANT | TRUSTS },
};

int main(void)
{
	struct tw_machine machine = { .size = sizeof(machine), .cpuid_khz = 2100000 };
	struct tw_reliability result = { .size = sizeof(result), .verdict = TW_RELIABLE };

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_reliability measured = {
			.size = sizeof(measured), .verdict = cases[i].verdict,
			.reasons = cases[i].reasons, .hz = 2.1e9,
		};
		struct tw_machine facts = cases[i].machine;
		unsigned found;

		facts.size = sizeof(facts);
		found = (unsigned)tw_contradictions(&measured, &facts);
		if (!tap_ok(found == cases[i].should, "%s: %#x", cases[i].what,
			    cases[i].should))
			tap_note("is %#x", found);
	}
	tap_ok(tw_contradictions(&result, &machine) == 0, "no rate measured: none");
	return tap_done();
}
