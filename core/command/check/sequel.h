/* SPDX-License-Identifier: MIT */
/*
 * Finds what changed from one check of a watch to the next. facts.c compares
 * verdict and reasons, the CPUs, what kernel and processor report, and how the
 * counter is read; moved.c compares offsets.
 */
#ifndef TW_CHECK_SEQUEL_H
#define TW_CHECK_SEQUEL_H

#include <stdio.h>

#include "command/check/check.h"

/* Print a line on @out for each change; nothing if nothing changed. */
void tw_check_compare_verdicts(FILE *out, const struct tw_check *before,
			       const struct tw_check *now);
void tw_check_compare_cpus(FILE *out, const struct tw_check *before,
			   const struct tw_check *now);
void tw_check_compare_facts(FILE *out, const struct tw_check *before,
			    const struct tw_check *now);

/* What is known of each pair's offset: the interval that all checks so far have
 * in common. */
struct tw_check_offsets {
	struct tw_cpu_offset *within;
	unsigned pairs;
};

/**
 * tw_check_compare_offsets - find out whether an offset moved
 * @seen: starts as 0; this check is added to it; release with
 *	tw_check_forget_offsets()
 *
 * A constant offset lies in the interval of every check, so it lies in their
 * intersection. If a new interval does not meet the intersection, the offset
 * was not constant. Then a line is printed, and the intersection starts again
 * with this interval. New pairs are added; pairs that are gone are removed.
 */
void tw_check_compare_offsets(FILE *out, struct tw_check_offsets *seen,
			      const struct tw_reliability *result);
void tw_check_forget_offsets(struct tw_check_offsets *seen);

#endif
