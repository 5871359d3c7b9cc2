/* SPDX-License-Identifier: MIT */
/*
 * The names of the values of the public enumerations. Each value has a name for
 * programs and may have a text for people; one table holds all of them.
 *
 * Names are in JSON output: they never change. Texts may.
 */
#include <stddef.h>

#include "tickwise.h"

struct word {
	enum tw_enum which;
	unsigned value;
	const char *name;
	const char *text;		/* NULL: the name is the text */
};

#define STATE(value, name, text)	{ TW_ENUM_COUNTER_STATE, TW_COUNTER_##value, name, text }
#define AGAINST(value, name, text)	{ TW_ENUM_AGAINST, TW_AGAINST_##value, name, text }
#define SOURCE(value, name, text)	{ TW_ENUM_RATE_SOURCE, TW_RATE_##value, name, text }
#define WITNESS(value, name, text)	{ TW_ENUM_WITNESS, TW_WITNESS_##value, name, text }
#define REFUSED(value, name, text)	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_##value, name, text }
#define VERDICT(value, name, text)	{ TW_ENUM_VERDICT, TW_##value, name, text }
#define REASON(value, name, text)	{ TW_ENUM_REASON, TW_REASON_##value, name, text }
#define CONTRADICTION(value, name, text) \
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_##value, name, text }
#define CHECK(value, name, text)	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_##value, name, text }
#define BLIND(value, name, text)	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_##value, name, text }
#define HEALTH(value, name, text)	{ TW_ENUM_HEALTH_STATE, TW_HEALTH_##value, name, text }

static const struct word words[] = {
	STATE(OK, "ok", "this process may read the counter"),
	STATE(ABSENT, "absent", "the processor says it has no counter"),
	STATE(DISABLED, "disabled",
		"this process may not read the counter (prctl PR_SET_TSC): a read would "
		"kill it"),
	STATE(TRAPPED, "trapped",
		"every read of the counter is caught and answered by software"),
	STATE(COARSE, "coarse", "the counter moves in steps of over 100 ns"),

	AGAINST(RAW, "CLOCK_MONOTONIC_RAW", NULL),
	AGAINST(MONOTONIC, "CLOCK_MONOTONIC", NULL),

	SOURCE(REGRESSION, "regression", NULL),
	SOURCE(KERNEL, "kernel", NULL),
	SOURCE(KERNEL_PROVISIONAL, "kernel_provisional", NULL),

	WITNESS(NONE, "none", NULL),
	WITNESS(BOUND, "hard_interval", NULL),
	WITNESS(CPUID, "cpuid", NULL),
	WITNESS(HYPERVISOR, "hypervisor", NULL),
	WITNESS(PERF, "perf_page", NULL),
	WITNESS(CPUINFO, "cpuinfo", NULL),
	WITNESS(KERNEL_LOG, "kernel_log", NULL),
	WITNESS(DECLARED, "declared_frequency", NULL),

	REFUSED(BY_CALLER, "by_caller", "not asked for"),
	REFUSED(CLOCKSOURCE, "clocksource",
		"the kernel keeps time by another clocksource, or does not say"),
	REFUSED(NO_CANDIDATE, "no_candidate",
		"no multiplier the kernel can make fits the samples"),
	REFUSED(AMBIGUOUS, "ambiguous", "more than one multiplier fits the samples"),
	REFUSED(GAPS, "gaps", "the samples leave gaps in the window"),

	VERDICT(RELIABLE, "reliable", NULL),
	VERDICT(UNRELIABLE, "unreliable", NULL),
	VERDICT(UNDECIDED, "undecided", NULL),

	REASON(OFFSET, "offset",
		"the counters of two CPUs are apart: an offset interval excludes 0"),
	REASON(PACE, "pace", "the counters of two CPUs run at different rates"),
	REASON(STANDS_STILL, "stands_still", "the counter of a CPU does not move"),
	REASON(BACKWARDS, "backwards", "a later reading was smaller than an earlier one"),
	REASON(TOLERANCE, "tolerance",
		"an offset between CPUs could not be bounded within the tolerance"),
	REASON(STATISTICS, "statistics", "too few switches between CPUs were seen"),
	REASON(ONE_CPU, "one_cpu", "only one CPU is allowed: nothing to compare it with"),
	REASON(CLOCKSOURCE, "clocksource",
		"the kernel itself keeps time by another clocksource"),
	REASON(NOT_INVARIANT, "not_invariant",
		"the processor does not promise that the counter's rate is constant"),
	REASON(CPUS_SKIPPED, "cpus_skipped",
		"some of the allowed CPUs could not be judged"),

	CONTRADICTION(KERNEL_TRUSTS, "kernel_trusts",
		"the kernel keeps time by this counter, which was measured to be "
		"unreliable"),
	CONTRADICTION(KERNEL_REJECTS, "kernel_rejects",
		"the kernel does not offer this counter as a clocksource, but it was "
		"measured to be reliable"),
	CONTRADICTION(INVARIANT, "invariant",
		"the processor promises a constant rate, but CPUs were measured to count "
		"at different rates or not at all"),
	CONTRADICTION(NOT_INVARIANT, "not_invariant",
		"the kernel keeps time by this counter, but the processor does not "
		"promise that its rate is constant"),
	CONTRADICTION(CPUID_RATE, "cpuid_rate",
		"CPUID names another rate than was measured"),
	CONTRADICTION(HYPERVISOR_RATE, "hypervisor_rate",
		"the hypervisor names another rate than was measured"),
	CONTRADICTION(CPUINFO_RATE, "cpuinfo_rate",
		"/proc/cpuinfo names another rate than was measured"),
	CONTRADICTION(LOG_RATE, "kernel_log_rate",
		"the kernel's log names another rate than was measured"),
	CONTRADICTION(DECLARED_RATE, "declared_rate",
		"the firmware declares another rate than was measured"),

	CHECK(PREDICTION, "prediction",
		"the clock advanced as much as the one it was set by"),
	CHECK(CLOCKSOURCE, "clocksource",
		"the kernel keeps time by this counter, as it did at the start"),
	CHECK(SUSPEND, "suspend",
		"the machine was not suspended: CLOCK_BOOTTIME and CLOCK_MONOTONIC are as "
		"far apart as at the start"),
	CHECK(CPUS, "cpus", "the counters of the allowed CPUs agree"),
	CHECK(HOST, "host",
		"the host says that it has not moved or restored this machine "
		"(/dev/vmclock0)"),
	CHECK(INDEPENDENT, "independent",
		"CLOCK_MONOTONIC_RAW runs at the rate of a PTP device"),

	BLIND(PREDICTION, "prediction",
		"where the system's clock is computed from the same counter, a jump or "
		"another rate of the counter moves both alike"),
	BLIND(CLOCKSOURCE, "clocksource",
		"the kernel checks its clocksource seldom, and in a virtual machine often "
		"not at all"),
	BLIND(SUSPEND, "suspend",
		"a guest does not notice that its host stopped, moved or restored it"),
	BLIND(CPUS, "cpus",
		"offsets smaller than the interval, CPUs not allowed to the caller, and "
		"what happens after this check"),
	BLIND(HOST, "host",
		"a host that does not say so, and a counter that is changed on the same "
		"host"),
	BLIND(INDEPENDENT, "independent",
		"differences under a thousandth, which are usual between crystals and "
		"steered devices; a virtual device (ptp_kvm), which is the host's clock, "
		"made of the same hardware's counter"),

	HEALTH(NOT_RUN, "not_run", NULL),
	HEALTH(GOOD, "good", NULL),
	HEALTH(BAD, "bad", NULL),
	HEALTH(UNDECIDED, "undecided", NULL),
};

static const struct word *find_word(enum tw_enum which, unsigned value)
{
	static const struct word unknown = { .name = "unknown" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].which == which && words[i].value == value)
			return &words[i];
	return &unknown;
}

const char *tw_name(enum tw_enum which, unsigned value)
{
	return find_word(which, value)->name;
}

const char *tw_text(enum tw_enum which, unsigned value)
{
	const struct word *word = find_word(which, value);

	return word->text ? word->text : word->name;
}
