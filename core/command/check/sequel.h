/* SPDX-License-Identifier: MIT */
/*
 * What can change from one check of a watch to the next: verdict and reasons, the
 * CPUs, what kernel and processor say and how the counter is read (facts.c), and
 * offsets that moved (moved.c).
 */
#ifndef TW_CHECK_SEQUEL_H
#define TW_CHECK_SEQUEL_H

#include <stdio.h>

#include "command/check/check.h"

/* Lines on @out, each with its newline; none where nothing changed. */
void tw_check_compare_verdicts(FILE *out, const struct tw_check *before,
			       const struct tw_check *now);
void tw_check_compare_cpus(FILE *out, const struct tw_check *before,
			   const struct tw_check *now);
void tw_check_compare_facts(FILE *out, const struct tw_check *before,
			    const struct tw_check *now);

/* What is known of each pair's offset: within all intervals so far. */
struct tw_check_offsets {
	struct tw_cpu_offset *within;
	unsigned pairs;
};

/**
 * tw_check_compare_offsets - did an offset move?
 * @seen: starts as 0; takes this check in; release with
 *        tw_check_forget_offsets()
 *
 * An offset that is constant lies in every interval, so in what they have in
 * common. An interval that has nothing in common with that is a proof that it
 * was not constant; from there on it is known anew. Pairs that were not there
 * before are known from now on, those that are gone are forgotten.
 *
 * Return: 0; -ENOMEM, with @seen as before.
 */
int tw_check_compare_offsets(FILE *out, struct tw_check_offsets *seen,
			     const struct tw_reliability *result);
void tw_check_forget_offsets(struct tw_check_offsets *seen);

#endif
