/* SPDX-License-Identifier: MIT */
/*
 * "Unreliable" comes with what proves it and nothing else: wide bounds, or few
 * turns, are no reason for it. An undecided verdict has those.
 *
 * Fails if every bit that was noted on the way is returned.
 */
#include "estimate_generate.h"

#define PROOFS	(TW_REASON_OFFSET | TW_REASON_PACE | TW_REASON_STANDS_STILL | \
		 TW_REASON_BACKWARDS)
#define DOUBTS	(TW_REASON_TOLERANCE | TW_REASON_STATISTICS)

/* 3 CPUs by turns, CPU 2 for a few turns only; all gaps are over the tolerance. */
static void fill(struct made *made, int64_t ahead_ticks)
{
	unsigned i;

	made_init(made, 3, 400);
	made->offsets_ticks[1] = ahead_ticks;
	for (i = 0; i < 600; i++) {
		made->time_ticks += 200;
		made_add(made, i % 60 == 59 ? 2 : i % 2,
			 made_shows(made, i % 60 == 59 ? 2 : i % 2));
	}
	made_judge(made, 100);
}

int main(void)
{
	struct made made;

	fill(&made, 0);
	tap_ok(made.result.verdict == TW_UNDECIDED &&
	       made.result.reasons == DOUBTS,
	       "wide bounds and few turns: undecided for both");
	made_free(&made);

	fill(&made, 5000);
	tap_ok(made.result.verdict == TW_UNRELIABLE, "an offset as well");
	tap_ok((made.result.reasons & TW_REASON_OFFSET) &&
	       !(made.result.reasons & ~(unsigned)PROOFS),
	       "unreliable for that alone (%#x)", made.result.reasons);
	made_free(&made);

	/* That there is only one CPU is no reason either. */
	made_init(&made, 1, 100);
	made_add(&made, 0, 1000);
	made_add(&made, 0, 900);
	made_judge(&made, 100);
	tap_ok(made.result.verdict == TW_UNRELIABLE &&
	       made.result.reasons == TW_REASON_BACKWARDS,
	       "one CPU that ran backwards: for that alone");
	made_free(&made);
	return tap_done();
}
