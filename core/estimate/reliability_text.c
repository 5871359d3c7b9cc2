/* SPDX-License-Identifier: MIT */
/*
 * Names of verdicts and reasons, for messages and JSON.
 */
#include "tickwise.h"

static const struct {
	unsigned bit;
	const char *code;
	const char *text;
} reasons[] = {
	{ TW_REASON_OFFSET, "offset",
	  "the counters of two CPUs are apart: an offset interval excludes 0" },
	{ TW_REASON_PACE, "pace",
	  "the counters of two CPUs run at different rates" },
	{ TW_REASON_STANDS_STILL, "stands_still",
	  "the counter of a CPU does not move" },
	{ TW_REASON_BACKWARDS, "backwards",
	  "a later reading was smaller than an earlier one" },
	{ TW_REASON_TOLERANCE, "tolerance",
	  "an offset between CPUs could not be bounded within the tolerance" },
	{ TW_REASON_STATISTICS, "statistics",
	  "too few switches between CPUs were seen" },
	{ TW_REASON_ONE_CPU, "one_cpu",
	  "only one CPU is allowed: nothing to compare it with" },
	{ TW_REASON_CLOCKSOURCE, "clocksource",
	  "the kernel itself keeps time by another clocksource" },
	{ TW_REASON_NOT_INVARIANT, "not_invariant",
	  "the processor does not promise that the counter's rate is constant" },
	{ TW_REASON_CPUS_SKIPPED, "cpus_skipped",
	  "some of the allowed CPUs could not be judged" },
};

const char *tw_verdict_name(enum tw_verdict verdict)
{
	switch (verdict) {
	case TW_RELIABLE:
		return "reliable";
	case TW_UNRELIABLE:
		return "unreliable";
	case TW_UNDECIDED:
		return "undecided";
	}
	return "unknown";
}

const char *tw_reliability_reason_code(unsigned bit)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].bit == bit)
			return reasons[i].code;
	return "unknown";
}

const char *tw_reliability_reason_text(unsigned bit)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (reasons[i].bit == bit)
			return reasons[i].text;
	return "unknown reason";
}
