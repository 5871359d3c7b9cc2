/* SPDX-License-Identifier: MIT */
/*
 * What a watch remembers of its checks.
 */
#ifndef TW_CHECK_HISTORY_H
#define TW_CHECK_HISTORY_H

#include "command/check/check.h"

/*
 * The offset intervals of the first check are kept: an offset that was within
 * one interval then and is within another now gives bounds on the pace over all
 * the time between.
 */
struct tw_check_history {
	struct tw_cpu_offset *first;	/* of the check between these times */
	unsigned pairs;
	uint64_t first_begin_ns;
	uint64_t first_end_ns;
	uint64_t begin_ns;		/* of all */
	uint64_t last_ns;
	double pace_low_ppb;		/* since then; INFINITY: none */
	double pace_high_ppb;
	struct tw_check last;		/* without its offsets */
	unsigned checks;
	unsigned verdicts[3];		/* how many, by verdict */
	unsigned changes;		/* checks at which something changed */
	unsigned reasons;		/* of all */
};

/**
 * tw_check_remember - take a check into the history
 * @begin_ns: when it began, in ns of CLOCK_MONOTONIC
 * @end_ns: when it was over; the next one's @begin_ns is no smaller
 *
 * Return: 0; -ENOMEM.
 */
int tw_check_remember(struct tw_check_history *history,
		      const struct tw_check *check, uint64_t begin_ns,
		      uint64_t end_ns);
void tw_check_forget(struct tw_check_history *history);

/* The worst of all. */
enum tw_verdict tw_check_worst(const struct tw_check_history *history);

#endif
