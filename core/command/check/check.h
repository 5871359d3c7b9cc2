/* SPDX-License-Identifier: MIT */
/*
 * What the files of tickwise check share: the arguments, and the result of one
 * check.
 */
#ifndef TW_CHECK_H
#define TW_CHECK_H

#include <stddef.h>

#include "command/check/cpus.h"
#include "command/show.h"
#include "tickwise.h"

#define TW_CHECK	"check"		/* the name in messages */

struct tw_check_arguments {
	/* All are set before the check, since they are printed. */
	struct tw_reliability_options options;
	uint64_t watch_ns;	/* from one check to the next; 0: check once */
	struct tw_wanted wanted;
	int progress;		/* 1: show progress also if stderr is no terminal */
};

/* The result of one check. */
struct tw_check {
	struct tw_counter_facts counter;
	struct tw_reliability result;
	struct tw_machine machine;
	struct tw_check_cpus cpus;
	unsigned contradictions;
};

/* Set those options that the command line left open. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options);

/* Return the word of the option: "cas" or "switch". */
const char *tw_check_method_name(enum tw_reliability_method method);

/**
 * tw_check_run - check once
 * @check: the result; release with tw_check_free()
 * @stop: called some four times a second; TW_ENOUGH or any other nonzero number
 *	ends the check
 *
 * Shows its progress on stderr if the check takes long, and stderr is a
 * terminal or the user asked for progress. Return: TW_EXIT_GOOD, whatever the
 * verdict; -ECANCELED when @stop ended the check; another enum tw_exit after a
 * message.
 */
int tw_check_run(struct tw_check *check,
		 const struct tw_check_arguments *arguments, int (*stop)(void));
void tw_check_free(struct tw_check *check);

/* Return the exit code of a verdict. */
int tw_check_exit_code(enum tw_verdict verdict);

/* Check again and again until SIGINT or SIGTERM. Return: the enum tw_exit of
 * the worst verdict. */
int tw_check_watch(const struct tw_check_arguments *arguments);

#endif
