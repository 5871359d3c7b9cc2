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

static struct tw_machine good_machine(void)
{
	struct tw_machine machine = { .size = sizeof(machine), .invariant = 1 };

	snprintf(machine.clocksource, sizeof(machine.clocksource), "%s",
		 TW_COUNTER_CLOCKSOURCE);
	snprintf(machine.clocksources, sizeof(machine.clocksources),
		 "%s other", TW_COUNTER_CLOCKSOURCE);
	return machine;
}

static void is(enum tw_verdict verdict, unsigned reasons,
	       const struct tw_machine *machine, unsigned should,
	       const char *what)
{
	struct tw_reliability result = {
		.size = sizeof(result),
		.verdict = verdict, .reasons = reasons, .hz = 2.1e9,
	};
	unsigned found = (unsigned)tw_contradictions(&result, machine);

	if (!tap_ok(found == should, "%s: %s", what,
		    should ? tw_name(TW_ENUM_CONTRADICTION, should) : "none"))
		tap_note("is %#x, should be %#x", found, should);
}

static void try_kernel(void)
{
	struct tw_machine machine = good_machine();

	is(TW_RELIABLE, 0, &machine, 0, "all agree");
	is(TW_UNDECIDED, TW_REASON_STATISTICS, &machine, 0, "undecided");
	is(TW_UNRELIABLE, TW_REASON_OFFSET, &machine,
	   TW_CONTRADICTION_KERNEL_TRUSTS, "an offset");
	is(TW_UNRELIABLE, TW_REASON_OFFSET | TW_REASON_CLOCKSOURCE, &machine, 0,
	   "an offset of an emulated counter of the same name");
	strcpy(machine.clocksource, "other");
	is(TW_UNRELIABLE, TW_REASON_OFFSET, &machine, 0,
	   "an offset the kernel knows of");
	is(TW_RELIABLE, TW_REASON_CLOCKSOURCE, &machine, 0,
	   "another clocksource preferred");
	snprintf(machine.clocksources, sizeof(machine.clocksources),
		 "%s-early other", TW_COUNTER_CLOCKSOURCE);
	is(TW_RELIABLE, TW_REASON_CLOCKSOURCE, &machine,
	   TW_CONTRADICTION_KERNEL_REJECTS, "not offered by the kernel");
	is(TW_RELIABLE, TW_REASON_ONE_CPU, &machine, 0,
	   "not offered, and nothing compared");
	machine.clocksources[0] = '\0';
	is(TW_RELIABLE, 0, &machine, 0, "nothing known of the kernel's");
}

static void try_processor(void)
{
	struct tw_machine machine = good_machine();

	is(TW_UNRELIABLE, TW_REASON_PACE, &machine,
	   TW_CONTRADICTION_INVARIANT | TW_CONTRADICTION_KERNEL_TRUSTS,
	   "unlike rates where a constant one is promised");
	machine.invariant = 0;
	is(TW_RELIABLE, TW_REASON_NOT_INVARIANT, &machine,
	   TW_CONTRADICTION_NOT_INVARIANT, "no rate promised");
	machine.invariant = -1;
	is(TW_RELIABLE, TW_REASON_NOT_INVARIANT, &machine, 0,
	   "unknown what is promised");
}

/* 2.1 GHz were measured. */
static void try_rates(void)
{
	struct tw_machine machine = good_machine();

	machine.cpuid_khz = 2101000;
	machine.hypervisor_khz = 2099000;
	machine.cpuinfo_khz = 2100000;
	machine.kernel_log_khz = 2100900;
	machine.declared_hz = 2100000000;
	is(TW_RELIABLE, 0, &machine, 0, "rates within 500 ppm");
	machine.cpuid_khz = 2102000;
	is(TW_RELIABLE, 0, &machine, TW_CONTRADICTION_CPUID_RATE, "one above");
	machine = good_machine();
	machine.hypervisor_khz = 2098000;
	is(TW_RELIABLE, 0, &machine, TW_CONTRADICTION_HYPERVISOR_RATE,
	   "one below");
	machine = good_machine();
	machine.cpuinfo_khz = 3000000;
	is(TW_UNDECIDED, 0, &machine, TW_CONTRADICTION_CPUINFO_RATE,
	   "another processor's, even if undecided");
	machine = good_machine();
	machine.kernel_log_khz = 1000000;
	is(TW_RELIABLE, 0, &machine, TW_CONTRADICTION_LOG_RATE, "half");
	machine = good_machine();
	machine.declared_hz = 24000000;
	is(TW_RELIABLE, 0, &machine, TW_CONTRADICTION_DECLARED_RATE,
	   "another counter's");
}

static void try_no_rate(void)
{
	struct tw_reliability result = {
		.size = sizeof(result), .verdict = TW_RELIABLE,
	};
	struct tw_machine machine = good_machine();

	machine.cpuid_khz = 2100000;
	tap_ok(tw_contradictions(&result, &machine) == 0,
	       "no rate measured: none");
}

#define CONTRADICTIONS	9

/* The compiler warns if this is not all of them. */
static int is_listed(enum tw_contradiction contradiction)
{
	switch (contradiction) {
	case TW_CONTRADICTION_KERNEL_TRUSTS:
	case TW_CONTRADICTION_KERNEL_REJECTS:
	case TW_CONTRADICTION_INVARIANT:
	case TW_CONTRADICTION_NOT_INVARIANT:
	case TW_CONTRADICTION_CPUID_RATE:
	case TW_CONTRADICTION_HYPERVISOR_RATE:
	case TW_CONTRADICTION_CPUINFO_RATE:
	case TW_CONTRADICTION_LOG_RATE:
	case TW_CONTRADICTION_DECLARED_RATE:
		return 1;
	}
	return 0;
}

static int unlike_others(unsigned bit)
{
	unsigned other;

	for (other = 1; other && other < 1u << CONTRADICTIONS; other <<= 1)
		if (other != bit &&
		    (!strcmp(tw_name(TW_ENUM_CONTRADICTION, bit),
			     tw_name(TW_ENUM_CONTRADICTION, other)) ||
		     !strcmp(tw_text(TW_ENUM_CONTRADICTION, bit),
			     tw_text(TW_ENUM_CONTRADICTION, other))))
			return 0;
	return strlen(tw_text(TW_ENUM_CONTRADICTION, bit)) > 30;
}

/* Every bit in the header has a name, and no other bit has one. */
static void try_names(void)
{
	unsigned listed = 0;
	unsigned i;

	for (i = 0; i < 32; i++) {
		unsigned bit = 1u << i;
		int named = strcmp(tw_name(TW_ENUM_CONTRADICTION, bit),
				   "unknown") != 0;

		if (is_listed((enum tw_contradiction)bit)) {
			listed++;
			tap_ok(named && unlike_others(bit),
			       "bit %u is %s, with a sentence of its own", i,
			       tw_name(TW_ENUM_CONTRADICTION, bit));
		} else if (named) {
			tap_ok(0, "bit %u has a name and is none", i);
		}
	}
	tap_is_u64(listed, CONTRADICTIONS, "contradictions there are");
	tap_ok(!strcmp(tw_name(TW_ENUM_CONTRADICTION, 3), "unknown") &&
	       tw_text(TW_ENUM_CONTRADICTION, 0), "and two at once have none");
}

int main(void)
{
	try_kernel();
	try_processor();
	try_rates();
	try_no_rate();
	try_names();
	return tap_done();
}
