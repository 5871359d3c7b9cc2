/* SPDX-License-Identifier: MIT */
/*
 * Every value of every public enumeration has a name of its own, and no other value
 * has one. The explained values have a text of their own.
 *
 * Fails if a value is added without its words, if two share a name, or if a name
 * that JSON readers know is changed.
 */
#include <string.h>

#include "tap.h"
#include "tickwise.h"

/* An enumeration and all its names, in the order of its values. */
struct words {
	enum tw_enum which;
	const char *label;
	int is_bits;
	int has_texts;
	const char *names;
};

static const struct words all[] = {
	{ TW_ENUM_COUNTER_STATE, "counter state", 0, 1,
	  "ok absent disabled trapped coarse" },
	{ TW_ENUM_AGAINST, "against", 0, 0,
	  "CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC" },
	{ TW_ENUM_RATE_SOURCE, "rate source", 0, 0,
	  "regression kernel kernel_provisional" },
	{ TW_ENUM_WITNESS, "witness", 0, 0,
	  "none hard_interval cpuid hypervisor perf_page cpuinfo kernel_log "
	  "declared_frequency" },
	{ TW_ENUM_RATE_REFUSAL, "rate refusal", 1, 1,
	  "by_caller clocksource no_candidate ambiguous gaps" },
	{ TW_ENUM_VERDICT, "verdict", 0, 0, "reliable unreliable undecided" },
	{ TW_ENUM_REASON, "reason", 1, 1,
	  "offset pace stands_still backwards tolerance statistics one_cpu "
	  "clocksource not_invariant cpus_skipped" },
	{ TW_ENUM_CONTRADICTION, "contradiction", 1, 1,
	  "kernel_trusts kernel_rejects invariant not_invariant cpuid_rate "
	  "hypervisor_rate cpuinfo_rate kernel_log_rate declared_rate" },
	{ TW_ENUM_HEALTH_CHECK, "health check", 0, 1,
	  "prediction clocksource suspend cpus host independent" },
	{ TW_ENUM_HEALTH_BLIND, "what a health check can't see", 0, 1,
	  "prediction clocksource suspend cpus host independent" },
	{ TW_ENUM_HEALTH_STATE, "health state", 0, 0,
	  "not_run good bad undecided" },
};

#define ALL	(sizeof(all) / sizeof(all[0]))

static unsigned nth_value(const struct words *words, unsigned n)
{
	return words->is_bits ? 1u << n : n;
}

static int is_known(enum tw_enum which, unsigned value)
{
	return strcmp(tw_name(which, value), "unknown") != 0;
}

static void try_enumeration(const struct words *words)
{
	unsigned count, other, good = 0, more = 0;
	char names[512] = "";

	for (count = 0; count < 31 && is_known(words->which, nth_value(words, count)); count++) {
		const char *name = tw_name(words->which, nth_value(words, count));
		const char *text = tw_text(words->which, nth_value(words, count));
		int is_good = words->has_texts ? strlen(text) > 10 : !strcmp(text, name);

		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s%s",
			 count ? " " : "", name);
		for (other = 0; other < count && words->has_texts; other++)
			is_good &= strcmp(text, tw_text(words->which,
							nth_value(words, other))) != 0;
		good += (unsigned)is_good;
	}
	tap_ok(!strcmp(names, words->names), "%s: %s", words->label, names);
	tap_ok(good == count, "%s: texts of %u of %u", words->label, good, count);
	for (other = words->is_bits ? 0 : count; other < 1024; other++)
		more += (unsigned)is_known(words->which, other);
	tap_ok(more == (words->is_bits ? count : 0), "%s: nothing else has a name",
	       words->label);
}

int main(void)
{
	enum tw_enum none = (enum tw_enum)ALL;

	for (size_t i = 0; i < ALL; i++)
		try_enumeration(&all[i]);
	tap_ok(!strcmp(tw_name(none, 0), "unknown") &&
	       !strcmp(tw_text(none, 0), "unknown"),
	       "there is no other enumeration");
	tap_ok(!strcmp(tw_text(TW_ENUM_REASON, 0), "unknown"),
	       "nor a text for what there is not");
	return tap_done();
}
