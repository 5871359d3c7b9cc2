/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs a check has judged, and why not the others.
 */
#ifndef TW_CHECK_CPUS_H
#define TW_CHECK_CPUS_H

#include "machine/cpus.h"
#include "tickwise.h"

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

/* Return a list as the kernel writes it, such as "0-3,8", to be freed; NULL: unknown. */
char *tw_check_cpus_text(const struct tw_cpu_list *list);

/* Try to put a thread on a CPU. Uses a thread of its own. Return: 0 only if the
 * kernel refused. */
int tw_check_may_pin(unsigned cpu);

#endif
