/* SPDX-License-Identifier: MIT */
/*
 * One check of `tickwise check`: what it is asked for, and its result. Which CPUs it has
 * judged, and why not the others.
 */
#ifndef TW_CHECK_RUN_H
#define TW_CHECK_RUN_H

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

/* Return a list as the kernel writes it, such as "0-3,8", to be freed; NULL: unknown. */
char *tw_check_cpus_text(const struct tw_cpu_list *list);

struct tw_check_arguments {
	/* All are set before the check, since they are printed. */
	struct tw_reliability_options options;
	uint64_t watch_ns;	/* from one check to the next; 0: check once */
	struct tw_wanted wanted;
};

struct tw_check {
	struct tw_counter_facts counter;
	struct tw_reliability result;	/* release with tw_reliability_free() */
	struct tw_machine machine;
	struct tw_check_cpus cpus;
	unsigned contradictions;
};

/* Set those options that the command line left open. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options);

/**
 * tw_check_run - check once
 * @stop: called some four times a second; TW_ENOUGH or any other nonzero number
 *	ends the check
 *
 * Shows its progress on stderr if the check takes long. Return: TW_EXIT_GOOD, whatever
 * the verdict; -ECANCELED when @stop ended the check; another enum tw_exit after a
 * message.
 */
int tw_check_run(struct tw_check *check, const struct tw_reliability_options *options,
		 int (*stop)(void));

#endif
