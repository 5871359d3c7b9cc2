/* SPDX-License-Identifier: MIT */
/*
 * What a watch remembers of its checks, and what changed from one to the next. Reads no
 * clock and prints nothing.
 */
#ifndef TW_CHECK_HISTORY_H
#define TW_CHECK_HISTORY_H

#include "command/check/check_run.h"

/*
 * The offset intervals of the first check are kept. An interval of a later check and the
 * one of the first check together bound the pace over all the time between.
 */
struct tw_check_history {
	struct tw_cpu_offset *first;	/* of the check between the times below */
	unsigned pairs;
	uint64_t first_begin_ns;
	uint64_t first_end_ns;
	double pace_low_ppb;		/* since @first; INFINITY: no bound */
	double pace_high_ppb;
	/* The interval that all checks so far have in common, of each pair. */
	struct tw_cpu_offset *within;
	unsigned within_pairs;
	uint64_t begin_ns;		/* end of the first check of all */
	uint64_t last_ns;
	struct tw_reliability last;	/* without its offsets */
	unsigned last_contradictions;
	char *facts;			/* of the last check: a line for each */
	unsigned checks;
	unsigned verdicts[3];		/* number of checks, by verdict */
	unsigned changes;		/* checks at which something changed */
	unsigned reasons;		/* of all checks */
};

/**
 * tw_check_remember - add a check to the history
 * @begin_ns: when the check began, in ns of CLOCK_MONOTONIC
 * @end_ns: when the check ended; no larger than the next check's @begin_ns
 *
 * Return: a line for each change since the check before, to be freed; "": nothing
 * changed.
 */
char *tw_check_remember(struct tw_check_history *history, const struct tw_check *check,
			uint64_t begin_ns, uint64_t end_ns);
void tw_check_forget(struct tw_check_history *history);

/* Return the worst verdict of all checks. */
enum tw_verdict tw_check_worst(const struct tw_check_history *history);

#endif
