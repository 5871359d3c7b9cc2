/* SPDX-License-Identifier: MIT */
/*
 * The preload clock: one clock for all threads of a process, without a thread
 * of its own and without a lock that anybody waits for.
 *
 * At any moment there is a segment (steer.h) that holds, or none, and then the
 * system's clock is read. Which, is one word. A reader loads the word, reads the
 * counter, converts, and takes the result if the word is still the same. Four
 * places for segments take turns, so what a word of a moment ago spoke of is
 * still there.
 *
 * A segment comes into being as a proposal: written into a free place, named in
 * the word, and accepted by a second change of the word if its start is then
 * still well ahead. Whoever finds a proposal whose start has come rejects it. So
 * all agree from which tick on it holds, however long anybody was held up. One
 * at a time may propose; who finds another at it goes on with what there is.
 * When half a millisecond has passed and nobody has renewed the segment, it has
 * expired: the system's clock is read, and never below what the segment ended
 * with. A signal handler, or a child after fork(), may meet any of these states
 * half done and reads the time all the same.
 *
 * Order between threads. A reading that is made after another one was seen must
 * not be below it, and for that the counter must be read in order: where that is
 * done there is nothing to gain over the vDSO, which does it, too. But while
 * only one thread has ever read the clock, nobody could tell. That thread owns
 * the clock, reads unordered, from a copy of the segment that only it writes.
 * The first reading of a second thread ends that, for all and for good. The
 * turn itself is safe: the second thread takes the ownership away before it
 * reads, so whoever is handed that reading finds it gone. A copy is good until
 * its segment is due for renewal: no next one starts before that.
 */
#ifndef TW_PRELOAD_CLOCK_H
#define TW_PRELOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "steer.h"

/* Who owns the clock: a thread's own number; that with this bit while it writes
 * its copy; or nobody, any more. Such numbers are multiples of 4, not 0. */
#define TW_PRELOAD_WRITES	1ULL
#define TW_PRELOAD_SHARED	2ULL

/**
 * struct tw_preload_source - the two clocks, for what is not the hot path
 *
 * @read_ticks is ordered after what the caller read before.
 */
struct tw_preload_source {
	uint64_t (*read_ticks)(void *context);
	uint64_t (*read_ns)(void *context);
	void *context;
};

/* What happened, for the message at the end; counted by whoever renews. */
struct tw_preload_counts {
	uint64_t renewed;	/* segments that followed another */
	uint64_t entered;	/* segments after the system's clock */
	uint64_t wide;		/* no narrow anchor: interrupted all the time */
	uint64_t slewed;	/* more than TW_STEER_SLEW_PPM */
	uint64_t jumped;
	uint64_t late;		/* proposals not in time */
	double worst_ns;	/* seen off the system's clock when renewed */
};

struct tw_preload_clock {
	/* One cache line for the owner, see tw_preload_alone(). */
	uint64_t owner;		/* 0: nobody has read it yet */
	uint64_t start, renew, mult, base, seconds;
	/* Read by all, written some thousand times a second. */
	uint64_t word;
	struct tw_line line[4];
	/* Who renews; 0: nobody. The rest is that thread's. */
	uint64_t lock __attribute__((aligned(64)));
	uint64_t enabled;
	uint64_t tried_ticks;	/* to renew or to enter, and failed */
	struct tw_steer steer;
	struct tw_preload_counts counts;
};

/*
 * The word: a place, whether it has expired (or never held), whether the next
 * place has a proposal, and above that a number that never comes again.
 */
#define TW_WORD_PLACE		3ULL
#define TW_WORD_EXPIRED		4ULL
#define TW_WORD_PROPOSED	8ULL
#define TW_WORD_NUMBER		16ULL

/* Zeroed memory is a clock that reads the system's; so is this one. */
#define TW_PRELOAD_CLOCK_INIT	{ .word = TW_WORD_EXPIRED }

/* From now on segments are made. @ns_per_tick: of CLOCK_MONOTONIC_RAW. */
void tw_preload_enable(struct tw_preload_clock *clock, double ns_per_tick);

/* In a child after fork(): its only thread is @me. Time goes on. */
void tw_preload_forked(struct tw_preload_clock *clock, uint64_t me);

/**
 * tw_preload_ns - the time, by the way that always gives one
 * @clock: the clock
 * @source: its clocks
 * @me: the thread's number, see TW_PRELOAD_WRITES
 *
 * Thread-safe, async-signal-safe if @source is. Never waits.
 */
uint64_t tw_preload_ns(struct tw_preload_clock *clock,
		       const struct tw_preload_source *source, uint64_t me);

static inline uint64_t tw_preload_part(const uint64_t *part)
{
	return __atomic_load_n(part, __ATOMIC_RELAXED);
}

/**
 * tw_preload_alone - the time, for the thread that owns the clock
 * @read_ticks: unordered; inlined
 * @ns: set to whole ns since the beginning of @seconds, under 2 * 10^9
 *
 * A signal handler may renew the copy in between: then it starts elsewhere.
 *
 * Return: 1; 0, it is not to be had this way.
 */
static inline __attribute__((always_inline)) int
tw_preload_alone(const struct tw_preload_clock *clock, uint64_t me,
		 uint64_t (*read_ticks)(void *), void *context,
		 uint64_t *seconds, uint64_t *ns)
{
	uint64_t start, since;

	if (tw_preload_part(&clock->owner) != me)
		return 0;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	start = tw_preload_part(&clock->start);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	since = read_ticks(context) - start;
	if (since >= tw_preload_part(&clock->renew))
		return 0;
	*ns = (tw_preload_part(&clock->base) +
	       since * tw_preload_part(&clock->mult)) >> 32;
	*seconds = tw_preload_part(&clock->seconds);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	return tw_preload_part(&clock->start) == start;
}

/**
 * tw_preload_among - the time, for one of several threads, as tw_preload_alone()
 * @read_ticks: ordered
 */
static inline __attribute__((always_inline)) int
tw_preload_among(const struct tw_preload_clock *clock,
		 uint64_t (*read_ticks)(void *), void *context,
		 uint64_t *seconds, uint64_t *ns)
{
	uint64_t word = __atomic_load_n(&clock->word, __ATOMIC_ACQUIRE);
	const struct tw_line *line = &clock->line[word & TW_WORD_PLACE];
	uint64_t since;

	if (word & (TW_WORD_EXPIRED | TW_WORD_PROPOSED) ||
	    __atomic_load_n(&clock->owner, __ATOMIC_RELAXED) !=
	    TW_PRELOAD_SHARED)
		return 0;
	since = read_ticks(context) -
		tw_preload_part(&line->start);
	if (since >= tw_preload_part(&line->renew))
		return 0;
	*ns = (tw_preload_part(&line->base) +
	       since * tw_preload_part(&line->mult)) >> 32;
	*seconds = tw_preload_part(&line->seconds);
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return __atomic_load_n(&clock->word, __ATOMIC_RELAXED) == word;
}

#endif
