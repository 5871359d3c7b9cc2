/* SPDX-License-Identifier: MIT */
/*
 * One check of `tickwise check`: what it is asked for, and its result.
 */
#ifndef TW_CHECK_RUN_H
#define TW_CHECK_RUN_H

#include "command/check/check_cpus.h"
#include "command/show.h"
#include "tickwise.h"

#define TW_CHECK	"check"		/* the name in messages */

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
