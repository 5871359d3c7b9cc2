/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the I/Os of an open loop are due: at even gaps, or at random ones, as the I/Os of many
 * users arrive (a Poisson process). A due time follows from the rate and the seed alone: an
 * I/O that comes late moves none after it. Arithmetic only.
 */
#ifndef TW_COLLECT_SCHEDULE_H
#define TW_COLLECT_SCHEDULE_H

#include "choose.h"

struct tw_schedule {
	uint64_t due_ticks;	/* when the last I/O was due */
	double fraction;	/* of a tick, which that time lacks */
	double gap_ticks;	/* mean time between I/Os */
	uint64_t random;	/* the state of the generator; 0: even gaps */
};

/* Begin at @from_ticks, with @iops I/Os a second of a clock of @hz. @seed: any number. */
static inline void tw_schedule_begin(struct tw_schedule *schedule, uint64_t from_ticks,
				     double hz, double iops, bool is_poisson, uint64_t seed)
{
	*schedule = (struct tw_schedule) { .due_ticks = from_ticks, .gap_ticks = hz / iops };
	if (is_poisson) {
		schedule->random = seed * 0x9e3779b97f4a7c15ULL;
		schedule->random |= !schedule->random;
	}
}

/* Return when the next I/O is due. Whole ticks are added up as integers, so the error stays far
 * below a tick for years. */
static inline uint64_t tw_schedule_next(struct tw_schedule *schedule)
{
	const double gaps = schedule->random ? -log(tw_choose_part(&schedule->random)) : 1;
	const double ticks = schedule->fraction + gaps * schedule->gap_ticks;

	schedule->due_ticks += (uint64_t) ticks;
	schedule->fraction = ticks - floor(ticks);
	return schedule->due_ticks;
}

#endif
