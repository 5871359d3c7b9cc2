/* SPDX-License-Identifier: MIT */
/*
 * What the files of tickwise check share: what was asked for, and what one check
 * found.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include <stddef.h>

#include "command/check/cpus.h"
#include "command/show.h"
#include "tickwise.h"

#define TW_CHECK	"check"		/* its name in messages */

struct tw_check_arguments {
	/* None is left to the library: what is used is printed. */
	struct tw_reliability_options options;
	uint64_t watch_ns;	/* distance of the checks; 0: only one */
	struct tw_wanted wanted;
	int progress;		/* also where stderr is no terminal */
};

/* What one check found. */
struct tw_check {
	struct tw_counter_facts counter;
	struct tw_reliability result;
	struct tw_machine machine;
	struct tw_check_cpus cpus;
	unsigned contradictions;
};

/* Of what the command line leaves open. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options);

/* What the options use: "cas" or "switch". */
const char *tw_check_method_name(enum tw_reliability_method method);

/**
 * tw_check_run - check once
 * @check: the result; release with tw_check_free()
 * @stop: asked some four times a second; TW_ENOUGH or another number ends it
 *
 * Shows on stderr how far it is, where it takes long and that was asked for or
 * is a terminal. Return: TW_EXIT_GOOD, whatever the verdict; -ECANCELED when it
 * was stopped; another enum tw_exit after a message.
 */
int tw_check_run(struct tw_check *check,
		 const struct tw_check_arguments *arguments, int (*stop)(void));
void tw_check_free(struct tw_check *check);

/* The exit code of a verdict. */
int tw_check_exit_code(enum tw_verdict verdict);

/* Check again and again until SIGINT or SIGTERM. Returns an enum tw_exit: that
 * of the worst verdict. */
int tw_check_watch(const struct tw_check_arguments *arguments);

#endif
