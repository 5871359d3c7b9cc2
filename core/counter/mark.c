/* SPDX-License-Identifier: MIT */
/*
 * Reads a system clock between two reads of the counter.
 */
#include <errno.h>
#include <time.h>

#include "sized.h"
#include "state.h"
#include "timespec.h"

int tw_clock_mark(enum tw_against against, unsigned tries,
		  struct tw_clock_mark *mark)
{
	uint64_t narrowest = UINT64_MAX;
	struct tw_clock_mark best = { 0 };
	int ret = tw_sized_check(mark->size, TW_FIRST_CLOCK_MARK);

	if (ret)
		return ret;
	if (tries == 0 || tries > 1000000)
		return -EINVAL;
	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	while (tries--) {
		struct tw_clock_mark one = { 0 };
		struct timespec now;

		one.ticks_before = tw_ticks_begin();
		if (clock_gettime(tw_against_clock_id(against), &now))
			return -errno;
		one.ticks_after = tw_ticks_end();
		one.system_ns = tw_timespec_ns(&now);
		if (one.ticks_after - one.ticks_before < narrowest) {
			narrowest = one.ticks_after - one.ticks_before;
			best = one;
		}
	}
	tw_sized_give(mark, &best, sizeof(best));
	return 0;
}
