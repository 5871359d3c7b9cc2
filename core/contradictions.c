/* SPDX-License-Identifier: MIT */
/*
 * Compares what kernel, processor and measurement say about the counter, and names
 * two statements that can't both be right. Which one is wrong, people have to find
 * out. A measurement that is undecided contradicts nothing.
 */
#include <math.h>

#include "machine/machine.h"
#include "sized.h"
#include "text_file.h"
#include "trust.h"

static unsigned with_kernel(const struct tw_reliability *result,
			    const struct tw_machine *machine)
{
	/* An emulated counter sets this reason, too, since nothing is known of
	 * it. */
	int is_other = (result->reasons & TW_REASON_CLOCKSOURCE) != 0;
	int trusted = tw_clocksource_is_counter(machine->clocksource, is_other);
	unsigned found = 0;

	if (trusted && result->verdict == TW_UNRELIABLE)
		found |= TW_CONTRADICTION_KERNEL_TRUSTS;
	if (trusted && machine->invariant == 0)
		found |= TW_CONTRADICTION_NOT_INVARIANT;
	/* A counter that the kernel offers and does not prefer was not rejected. */
	if (machine->clocksources[0] && result->verdict == TW_RELIABLE &&
	    !(result->reasons & TW_REASON_ONE_CPU) &&
	    !tw_text_has_word(machine->clocksources, TW_COUNTER_CLOCKSOURCE, " ", " "))
		found |= TW_CONTRADICTION_KERNEL_REJECTS;
	return found;
}

static unsigned with_rates(const struct tw_reliability *result,
			   const struct tw_machine *machine)
{
	const struct {
		uint64_t hz;
		unsigned bit;
	} named[] = {
		{ machine->cpuid_khz * 1000, TW_CONTRADICTION_CPUID_RATE },
		{ machine->hypervisor_khz * 1000, TW_CONTRADICTION_HYPERVISOR_RATE },
		{ machine->cpuinfo_khz * 1000, TW_CONTRADICTION_CPUINFO_RATE },
		{ machine->kernel_log_khz * 1000, TW_CONTRADICTION_LOG_RATE },
		{ machine->declared_hz, TW_CONTRADICTION_DECLARED_RATE },
	};
	unsigned found = 0;

	/* The rate is from two moments, perhaps on CPUs that are apart. */
	if (result->reasons & (TW_REASON_OFFSET | TW_REASON_BACKWARDS |
			       TW_REASON_PACE))
		return 0;
	/* A rate that the caller gave was not measured, but serves as well for
	 * this comparison. */
	if (!(result->hz > 0))
		return 0;
	for (unsigned i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (named[i].hz && fabs((double)named[i].hz / result->hz - 1) * 1e6 >
				   TW_TRUST_RATE_APART_PPM)
			found |= named[i].bit;
	return found;
}

int tw_contradictions(const struct tw_reliability *result,
		      const struct tw_machine *machine)
{
	struct tw_reliability measured;
	struct tw_machine facts;
	unsigned found;
	int ret = tw_sized_take(&measured, sizeof(measured), result,
				TW_FIRST_RELIABILITY);

	if (!ret)
		ret = tw_sized_take(&facts, sizeof(facts), machine,
				    TW_FIRST_MACHINE);
	if (ret)
		return ret;
	found = with_kernel(&measured, &facts) | with_rates(&measured, &facts);
	if (facts.invariant == 1 &&
	    (measured.reasons & (TW_REASON_PACE | TW_REASON_STANDS_STILL)))
		found |= TW_CONTRADICTION_INVARIANT;
	return (int)found;
}
