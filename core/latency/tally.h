/* SPDX-License-Identifier: MIT */
/*
 * A histogram that much is counted in, with its bins in a byte each for the
 * time being. With three digits a spread from 0 to 40 us takes 7000 bins: as
 * counts of 64 bits that is more than a first-level cache, which then has to
 * bring back from the second what fio and the kernel had there. A byte that is
 * full goes into the histogram's bin; the rest goes there in the end. Internal
 * to the library and the engine.
 *
 * One writer.
 */
#ifndef TW_LATENCY_TALLY_H
#define TW_LATENCY_TALLY_H

#include "tickwise.h"

struct tw_tally {
	uint8_t *bins;
	uint32_t bin_count;
};

/**
 * tw_tally_init - an empty one
 * @tally: release with tw_tally_free()
 * @histogram: what it is for; any values may be in it
 *
 * Return: 0; -ENOMEM.
 */
int tw_tally_init(struct tw_tally *tally, const struct tw_histogram *histogram);
void tw_tally_free(struct tw_tally *tally);

/**
 * tw_tally_add_many - tw_histogram_add_many(), but for the bins
 * @histogram: the one that it is for: its count, sum and extremes are right at
 *             once, its bins after tw_tally_settle()
 * @coarse: another one, which gets all of it too; NULL: none
 * @scale: @values are ticks, each counted as what tw_ticks_to_ns() makes of it;
 *         NULL: they are nanoseconds
 */
void tw_tally_add_many(struct tw_tally *tally, struct tw_histogram *histogram,
		       struct tw_histogram *coarse,
		       const struct tw_scale *scale, const uint64_t *values,
		       size_t count);

/* The histogram has all now, and the tally is empty. */
void tw_tally_settle(struct tw_tally *tally, struct tw_histogram *histogram);

#endif
