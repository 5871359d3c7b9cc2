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

static const struct word words[] = {
	{ TW_ENUM_COUNTER_STATE, TW_COUNTER_OK, "ok",
	  "this process may read the counter" },
	{ TW_ENUM_COUNTER_STATE, TW_COUNTER_ABSENT, "absent",
	  "the processor says it has no counter" },
	{ TW_ENUM_COUNTER_STATE, TW_COUNTER_DISABLED, "disabled",
	  "this process may not read the counter (prctl PR_SET_TSC): a read "
	  "would kill it" },
	{ TW_ENUM_COUNTER_STATE, TW_COUNTER_TRAPPED, "trapped",
	  "every read of the counter is caught and answered by software" },
	{ TW_ENUM_COUNTER_STATE, TW_COUNTER_COARSE, "coarse",
	  "the counter moves in steps of over 100 ns" },

	{ TW_ENUM_AGAINST, TW_AGAINST_RAW, "CLOCK_MONOTONIC_RAW", NULL },
	{ TW_ENUM_AGAINST, TW_AGAINST_MONOTONIC, "CLOCK_MONOTONIC", NULL },

	{ TW_ENUM_RATE_SOURCE, TW_RATE_REGRESSION, "regression", NULL },
	{ TW_ENUM_RATE_SOURCE, TW_RATE_KERNEL, "kernel", NULL },
	{ TW_ENUM_RATE_SOURCE, TW_RATE_KERNEL_PROVISIONAL,
	  "kernel_provisional", NULL },
	{ TW_ENUM_RATE_SOURCE, TW_RATE_KERNEL_STEERED, "kernel_adjtimex",
	  NULL },

	{ TW_ENUM_WITNESS, TW_WITNESS_NONE, "none", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_BOUND, "hard_interval", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_CPUID, "cpuid", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_HYPERVISOR, "hypervisor", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_PERF, "perf_page", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_CPUINFO, "cpuinfo", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_KERNEL_LOG, "kernel_log", NULL },
	{ TW_ENUM_WITNESS, TW_WITNESS_DECLARED, "declared_frequency", NULL },

	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_BY_CALLER, "by_caller",
	  "not asked for" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_AGAINST, "against",
	  "what steers the reference can't be read" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_CLOCKSOURCE, "clocksource",
	  "the kernel keeps time by another clocksource, or does not say" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_NO_CANDIDATE, "no_candidate",
	  "no multiplier the kernel can make fits the samples" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_AMBIGUOUS, "ambiguous",
	  "more than one multiplier fits the samples" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_GAPS, "gaps",
	  "the samples leave gaps in the window" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_DISPROVED, "disproved",
	  "it was used until later readings disproved it" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_SLEWED, "slewed",
	  "the reference is being slewed: an offset, adjtime(3), or a pulse "
	  "per second" },
	{ TW_ENUM_RATE_REFUSAL, TW_REFUSED_CHANGED, "changed",
	  "the reference was steered anew in the window" },

	{ TW_ENUM_VERDICT, TW_RELIABLE, "reliable", NULL },
	{ TW_ENUM_VERDICT, TW_UNRELIABLE, "unreliable", NULL },
	{ TW_ENUM_VERDICT, TW_UNDECIDED, "undecided", NULL },

	{ TW_ENUM_REASON, TW_REASON_OFFSET, "offset",
	  "the counters of two CPUs are apart: an offset interval excludes 0" },
	{ TW_ENUM_REASON, TW_REASON_PACE, "pace",
	  "the counters of two CPUs run at different rates" },
	{ TW_ENUM_REASON, TW_REASON_STANDS_STILL, "stands_still",
	  "the counter of a CPU does not move" },
	{ TW_ENUM_REASON, TW_REASON_BACKWARDS, "backwards",
	  "a later reading was smaller than an earlier one" },
	{ TW_ENUM_REASON, TW_REASON_TOLERANCE, "tolerance",
	  "an offset between CPUs could not be bounded within the tolerance" },
	{ TW_ENUM_REASON, TW_REASON_STATISTICS, "statistics",
	  "too few switches between CPUs were seen" },
	{ TW_ENUM_REASON, TW_REASON_ONE_CPU, "one_cpu",
	  "only one CPU is allowed: nothing to compare it with" },
	{ TW_ENUM_REASON, TW_REASON_CLOCKSOURCE, "clocksource",
	  "the kernel itself keeps time by another clocksource" },
	{ TW_ENUM_REASON, TW_REASON_NOT_INVARIANT, "not_invariant",
	  "the processor does not promise that the counter's rate is "
	  "constant" },
	{ TW_ENUM_REASON, TW_REASON_CPUS_SKIPPED, "cpus_skipped",
	  "some of the allowed CPUs could not be judged" },

	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_KERNEL_TRUSTS,
	  "kernel_trusts",
	  "the kernel keeps time by this counter, which was measured to be "
	  "unreliable" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_KERNEL_REJECTS,
	  "kernel_rejects",
	  "the kernel does not offer this counter as a clocksource, but it was "
	  "measured to be reliable" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_INVARIANT, "invariant",
	  "the processor promises a constant rate, but CPUs were measured to "
	  "count at different rates or not at all" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_NOT_INVARIANT,
	  "not_invariant",
	  "the kernel keeps time by this counter, but the processor does not "
	  "promise that its rate is constant" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_CPUID_RATE, "cpuid_rate",
	  "CPUID names another rate than was measured" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_HYPERVISOR_RATE,
	  "hypervisor_rate",
	  "the hypervisor names another rate than was measured" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_CPUINFO_RATE, "cpuinfo_rate",
	  "/proc/cpuinfo names another rate than was measured" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_LOG_RATE, "kernel_log_rate",
	  "the kernel's log names another rate than was measured" },
	{ TW_ENUM_CONTRADICTION, TW_CONTRADICTION_DECLARED_RATE,
	  "declared_rate",
	  "the firmware declares another rate than was measured" },

	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_PREDICTION, "prediction",
	  "the clock advanced as much as the one it was set by" },
	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_CLOCKSOURCE, "clocksource",
	  "the kernel keeps time by this counter, as it did at the start" },
	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_SUSPEND, "suspend",
	  "the machine was not suspended: CLOCK_BOOTTIME and CLOCK_MONOTONIC "
	  "are as far apart as at the start" },
	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_CPUS, "cpus",
	  "the counters of the allowed CPUs agree" },
	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_HOST, "host",
	  "the host says that it has not moved or restored this machine "
	  "(/dev/vmclock0)" },
	{ TW_ENUM_HEALTH_CHECK, TW_HEALTH_INDEPENDENT, "independent",
	  "CLOCK_MONOTONIC_RAW runs at the rate of a PTP device" },

	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_PREDICTION, "prediction",
	  "where the system's clock is computed from the same counter, a jump "
	  "or another rate of the counter moves both alike" },
	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_CLOCKSOURCE, "clocksource",
	  "the kernel checks its clocksource seldom, and in a virtual "
	  "machine often not at all" },
	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_SUSPEND, "suspend",
	  "a guest does not notice that its host stopped, moved or restored it" },
	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_CPUS, "cpus",
	  "offsets smaller than the interval, CPUs not allowed to the caller, "
	  "and what happens after this check" },
	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_HOST, "host",
	  "a host that does not say so, and a counter that is changed on the "
	  "same host" },
	{ TW_ENUM_HEALTH_BLIND, TW_HEALTH_INDEPENDENT, "independent",
	  "differences under a thousandth, which are usual between crystals and "
	  "steered devices; a virtual device (ptp_kvm), which is the host's "
	  "clock, made of the same hardware's counter" },

	{ TW_ENUM_HEALTH_STATE, TW_HEALTH_NOT_RUN, "not_run", NULL },
	{ TW_ENUM_HEALTH_STATE, TW_HEALTH_GOOD, "good", NULL },
	{ TW_ENUM_HEALTH_STATE, TW_HEALTH_BAD, "bad", NULL },
	{ TW_ENUM_HEALTH_STATE, TW_HEALTH_UNDECIDED, "undecided", NULL },
};

static const struct word *find_word(enum tw_enum which, unsigned value)
{
	static const struct word unknown = { .name = "unknown" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
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
