/* SPDX-License-Identifier: MIT */
/*
 * How long the rest of tickwise compare takes: what it does comes in steps of a few
 * kinds, and the steps of a kind take as long as those before. Pure arithmetic.
 */
#ifndef TW_COMPARE_STEPS_H
#define TW_COMPARE_STEPS_H

#include <stdint.h>

enum tw_compare_kind {
	TW_COMPARE_START_IDLE,		/* a start of a clock, until it is ready */
	TW_COMPARE_START_BUSY,		/* under load */
	TW_COMPARE_WINDOW,		/* the rest of a comparison, of all starts */
	TW_COMPARE_NULL,		/* a run of fio's null engine */
	TW_COMPARE_KINDS
};

struct tw_compare_steps {
	struct tw_compare_step {
		unsigned planned, done;
		double guess_s;		/* what one takes, until one is done */
		double took_s;		/* all that are done, together */
	} of[TW_COMPARE_KINDS];
	int is_begun;
	enum tw_compare_kind now;	/* what was begun last, at @since_ns */
	uint64_t begin_ns, since_ns;
};

/**
 * tw_compare_steps_plan - nothing is done yet
 * @starts: of all clocks, for each load
 * @loads: which of enum tw_compare_load
 * @runs: of fio's null engine
 */
void tw_compare_steps_plan(struct tw_compare_steps *steps, unsigned starts,
			   const int *loads, double window_s, unsigned runs,
			   uint64_t now_ns);

/* A step of this kind begins. What was begun before it is done. */
void tw_compare_steps_begin(struct tw_compare_steps *steps, enum tw_compare_kind kind,
			    uint64_t now_ns);

/* The part of the time that is over, 0 to 1. */
double tw_compare_steps_part(const struct tw_compare_steps *steps, uint64_t now_ns);

#endif
