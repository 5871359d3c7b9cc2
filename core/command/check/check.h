/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: what it is asked for, its result, which CPUs it has judged and why not
 * the others, and what is printed.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include <jansson.h>

#include "command/command.h"
#include "machine/cpus.h"
#include "tickwise.h"

#define TW_CHECK	"check"		/* the name in messages */

/* Why a CPU was not judged. */
enum tw_check_skip {
	TW_SKIP_OFFLINE,
	TW_SKIP_CPUSET,		/* the control group excludes it */
	TW_SKIP_AFFINITY,	/* the affinity mask excludes it */
	TW_SKIP_NOT_ALLOWED,	/* one of these two; not known which */
	TW_SKIP_PIN,		/* allowed, but no thread can be put there */
	TW_SKIP_LOST,		/* allowed, but no thread was started or kept */
	TW_CHECK_SKIPS
};

struct tw_check_cpus {
	struct tw_machine_cpus machine;
	struct tw_cpu_list judged;	/* unknown: the result does not tell */
	struct tw_cpu_list offline;	/* plugged in, but not online */
	struct tw_cpu_list skipped[TW_CHECK_SKIPS];
};

extern const struct tw_check_skip_words {
	const char *code, *text;
} tw_check_skips[TW_CHECK_SKIPS];

/**
 * tw_check_cpus_find - find who was judged, and why not the others
 * @cpus: @cpus->machine as it was before the measurement; the rest is set
 * @may_pin: can a thread be put on this CPU? Called for CPUs that are allowed
 *	and were not judged
 */
void tw_check_cpus_find(struct tw_check_cpus *cpus,
			const struct tw_reliability *result,
			int (*may_pin)(unsigned cpu));

/* Return a list as the kernel writes it, such as "0-3,8"; NULL: unknown. */
char *tw_check_cpus_text(const struct tw_cpu_list *list);

struct tw_check_arguments {
	/* All are set before the check, since they are printed. */
	struct tw_reliability_options options;
	struct tw_wanted wanted;
};

struct tw_check {
	struct tw_counter_facts counter;
	struct tw_reliability result;	/* release with tw_reliability_free() */
	struct tw_machine machine;
	struct tw_check_cpus cpus;
	unsigned contradictions;
	double seconds_before_wrap;	/* of the counter; 0: not known */
};

/* Set those options that the command line left open. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options);

/* Return the seconds until the first of the judged counters wraps, if one of them is at
 * @ticks now; 0: not known, since an offset has no bound or the rate is missing. */
double tw_check_seconds_before_wrap(const struct tw_reliability *result, uint64_t ticks);

/* ---- what is printed: a page for people, and JSON ---- */

/* Return the page. @options has the tolerance, which the page shows. */
struct tw_page *tw_check_page(const struct tw_check *check,
			      const struct tw_reliability_options *options);

/* Return by how many ticks the counters move at a time; 0: not known, since one
 * CPU alone, or few turns, give too few differences. */
static inline double tw_check_step_ticks(const struct tw_reliability *result)
{
	return result->pairs && result->switches >= 32 ? result->step_ticks : 0;
}

/* Return a tree of JSON, of schema tickwise-check. It contains the options. */
json_t *tw_check_json(const struct tw_check *check,
		      const struct tw_reliability_options *options);

#endif
