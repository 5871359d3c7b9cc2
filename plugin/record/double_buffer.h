/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The tallies that a job fills. Without tw_interval it is one. With it there are two: when
 * a line is due the writer's thread asks, the job goes on with the other tally at the end
 * of its next flush, and the writer has the full one alone. If the job sleeps, the
 * writer switches for it.
 *
 * One atomic word tells which tally is filled, whether the job flushes, and whether the
 * writer asks. A switch changes this word once. So the job never waits, also not if it has
 * a higher priority than the writer on the same CPU.
 */
#ifndef TW_PLUGIN_RECORD_DOUBLE_BUFFER_H
#define TW_PLUGIN_RECORD_DOUBLE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "report/tally.h"

struct tw_filled {
	struct tw_tally tally;
	uint64_t first_ticks;		/* its first I/O was prepared; 0: none */
	uint64_t last_ticks;		/* its last I/O was returned */
	uint64_t end_ticks;		/* the job went on with the other tally */
	bool restarts;			/* fio has reset its statistics: forget earlier tallies */
};

/* Count I/Os as unaccounted, since fio has reset its statistics. It keeps its errors. */
static inline void tw_fill_uncount(struct tw_counts into[TW_DIRECTIONS],
				   const struct tw_counts from[TW_DIRECTIONS])
{
	unsigned direction;

	for (direction = 0; direction < TW_DIRECTIONS; direction++) {
		const struct tw_counts *counts = &from[direction];

		into[direction].errors += counts->errors;
		into[direction].unaccounted += counts->unaccounted + counts->ios +
					       counts->clock_went_back;
	}
}

/* The bits of the word. The lowest is the number of the tally. */
#define TW_FILLS_SECOND	1U
#define TW_FLUSHES	2U
#define TW_ASKED	4U

struct tw_double_buffer {
	struct tw_filled filled[2];
	_Atomic(unsigned) state;
};

/* ---- the job's thread ---- */

/* Begin a flush. Return what to fill. */
static inline struct tw_filled *tw_fill_begin(struct tw_double_buffer *filling)
{
	const unsigned state = atomic_fetch_or(&filling->state, TW_FLUSHES);

	return &filling->filled[state & TW_FILLS_SECOND];
}

/* True if the writer asks for what is filled. */
static inline bool tw_fill_is_asked(struct tw_double_buffer *filling)
{
	return atomic_load_explicit(&filling->state, memory_order_relaxed) & TW_ASKED;
}

/* End a flush, unless the writer asks. Then return false: set end_ticks, and call
 * tw_fill_switch(). */
static inline bool tw_fill_end(struct tw_double_buffer *filling)
{
	unsigned flushes = atomic_load(&filling->state) & (TW_FILLS_SECOND | TW_FLUSHES);

	return atomic_compare_exchange_strong(&filling->state, &flushes,
					      flushes & ~TW_FLUSHES);
}

/* End a flush, and go on with the other tally. */
static inline void tw_fill_switch(struct tw_double_buffer *filling)
{
	const unsigned state = atomic_load(&filling->state);

	atomic_store(&filling->state, ~state & TW_FILLS_SECOND);
}

/* ---- the writer's thread ---- */

/* Ask for what is filled. The other tally is empty. Return the number of the tally. */
static inline unsigned tw_fill_ask(struct tw_double_buffer *filling)
{
	return atomic_fetch_or(&filling->state, TW_ASKED) & TW_FILLS_SECOND;
}

/* True if the job has switched: what was asked for is the writer's. */
static inline bool tw_fill_is_taken(struct tw_double_buffer *filling)
{
	return !(atomic_load(&filling->state) & TW_ASKED);
}

/* Switch for a job that does not flush. False: it flushes, and will switch itself, or it
 * has switched. */
static inline bool tw_fill_take(struct tw_double_buffer *filling, unsigned asked)
{
	unsigned state = asked | TW_ASKED;

	return atomic_compare_exchange_strong(&filling->state, &state,
					      ~asked & TW_FILLS_SECOND);
}

/* Return what the job fills. It is the only thread, or it waits for this one. */
static inline struct tw_filled *tw_fill_now(struct tw_double_buffer *filling)
{
	return &filling->filled[atomic_load(&filling->state) & TW_FILLS_SECOND];
}

#endif
