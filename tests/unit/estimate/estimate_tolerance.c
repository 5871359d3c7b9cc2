/* SPDX-License-Identifier: MIT */
/*
 * Bounds wider than the tolerance leave the verdict open; the same bounds are
 * reliable with a larger tolerance.
 *
 * Fails if the width of the interval is compared instead of its bounds, or if only
 * one of the two bounds is.
 */
#include "estimate_generate.h"

/*
 * Every change from CPU 0 to 1 takes @up_ticks, back it takes @down_ticks. A
 * reading is good to one tick.
 */
static void try_gaps(uint64_t up_ticks, uint64_t down_ticks,
		     int64_t tolerance_ticks, enum tw_verdict should)
{
	struct made made;
	unsigned i;

	made_init(&made, 2, 200);
	for (i = 0; i < 400; i++) {
		made.time_ticks += i & 1 ? up_ticks : down_ticks;
		made_add(&made, i & 1, made.time_ticks);
	}
	made_judge(&made, tolerance_ticks);
	tap_ok(made.result.offset_low_ticks == -(int64_t)down_ticks - 1 &&
	       made.result.offset_high_ticks == (int64_t)up_ticks + 1,
	       "the interval is exact");
	tap_ok(made.result.verdict == should &&
	       !(made.result.reasons & TW_REASON_TOLERANCE) ==
	       (should == TW_RELIABLE),
	       "-%" PRIu64 " to %" PRIu64 " ticks, wanted %" PRId64 ": %s",
	       down_ticks, up_ticks, tolerance_ticks,
	       tw_name(TW_ENUM_VERDICT, should));
	made_free(&made);
}

int main(void)
{
	try_gaps(299, 299, 300, TW_RELIABLE);
	try_gaps(300, 300, 300, TW_UNDECIDED);
	try_gaps(100, 300, 300, TW_UNDECIDED);
	try_gaps(300, 100, 300, TW_UNDECIDED);
	try_gaps(299, 100, 300, TW_RELIABLE);
	try_gaps(100, 299, 300, TW_RELIABLE);
	return tap_done();
}
