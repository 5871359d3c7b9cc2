/* SPDX-License-Identifier: MIT */
/*
 * Estimates how long the rest of tickwise compare takes. Its work consists of
 * steps of a few kinds; a step is expected to take as long as the earlier ones
 * of its kind. Pure arithmetic.
 */
#ifndef TW_COMPARE_STEPS_H
#define TW_COMPARE_STEPS_H

#include <stdint.h>

enum tw_compare_kind {
	TW_COMPARE_START_IDLE,		/* a start of a clock, until it is ready */
	TW_COMPARE_START_BUSY,		/* a start under load */
	TW_COMPARE_WINDOW,		/* the rest of a comparison, of all starts */
	TW_COMPARE_NULL,		/* a run of fio's null engine */
	TW_COMPARE_KINDS
};

struct tw_compare_steps {
	struct tw_compare_step {
		unsigned planned, done;
		double guess_s;		/* estimate for one step */
		double took_s;		/* sum over all steps that are done */
	} of[TW_COMPARE_KINDS];
	int is_begun;
	enum tw_compare_kind now;	/* the step that began last, at @since_ns */
	uint64_t begin_ns, since_ns;
};

/**
 * tw_compare_steps_plan - plan the steps, none of which is done
 * @starts: starts of all clocks, for each load
 * @loads: 1 for each enum tw_compare_load that is used
 * @runs: runs of fio's null engine
 */
void tw_compare_steps_plan(struct tw_compare_steps *steps, unsigned starts,
			   const int *loads, double window_s, unsigned runs,
			   uint64_t now_ns);

/* Begin a step of this kind. The step that was begun before is done. */
void tw_compare_steps_begin(struct tw_compare_steps *steps, enum tw_compare_kind kind,
			    uint64_t now_ns);

/* Return the part of the time that is over, 0 to 1. */
double tw_compare_steps_part(const struct tw_compare_steps *steps, uint64_t now_ns);

#endif
