/* SPDX-License-Identifier: MIT */
/*
 * The preload clock: one clock for all threads of a process. It needs no thread of its
 * own, and no lock that a thread waits for.
 *
 * At any moment either a segment (steer.h) holds, or there is none and the system's
 * clock is read. One word tells which. A reader loads the word, reads the counter,
 * converts, and uses the result if the word is still the same. Four places for segments
 * take turns.
 *
 * A segment begins as a proposal: it is written into a free place and named in the
 * word. A second change of the word accepts it if its start is then still well ahead. A
 * thread that finds a proposal whose start has come rejects it. So all threads agree
 * from which tick on a segment holds, however long one of them was held up. Only one
 * thread at a time may propose; the others go on with what there is. If no thread
 * renews a segment within half a millisecond, it has expired: the system's clock is
 * read, but no time is below the end of the segment. A signal handler, or a child after
 * fork(), can find any of these states half done, and can still read the time.
 *
 * A reading that is made after another one was seen must not be below that one, so the
 * counter must be read in order, as the vDSO does. But while only one thread has ever
 * read the clock, the order does not show. That thread owns the clock. It reads
 * unordered, from a copy of the segment that only it writes, and that is valid until
 * the renewal is due. A second thread takes the ownership away, for ever, before its
 * first reading: a thread that gets that reading finds the ownership gone.
 */
#ifndef TW_PRELOAD_CLOCK_H
#define TW_PRELOAD_CLOCK_H

#include <stdint.h>
#include <time.h>

#include "steer.h"

/* The owner of the clock is a thread's own number, or that number with this bit
 * while the thread writes its copy, or no thread any more. Numbers are
 * multiples of 4, and not 0. */
#define TW_PRELOAD_WRITES	1ULL
#define TW_PRELOAD_SHARED	2ULL

/* The two clocks, for all but the hot path. @read_ticks must be ordered after what the
 * caller read before. */
struct tw_preload_source {
	uint64_t (*read_ticks)(void *context);
	uint64_t (*read_ns)(void *context);
	void *context;
};

/* What happened, for the message at the end. The thread that renews counts. */
struct tw_preload_counts {
	uint64_t renewed;	/* segments that followed another */
	uint64_t entered;	/* segments after the system's clock */
	uint64_t wide;		/* no narrow anchor: interrupted all the time */
	uint64_t slewed;	/* more than TW_STEER_SLEW_PPM */
	uint64_t jumped;
	uint64_t late;		/* proposals that were too late */
	double worst_ns;	/* largest difference to the system's clock */
};

struct tw_preload_clock {
	/* One cache line for the owner, see tw_preload_alone(). */
	uint64_t owner;		/* 0: no thread has read it yet */
	uint64_t start, renew, mult, base, seconds;
	/* Read by all, written some thousand times a second. */
	uint64_t word;
	struct tw_line line[4];
	/* Owner of the lock, 0 if free. It protects the fields below. */
	uint64_t lock __attribute__((aligned(64)));
	uint64_t enabled;
	uint64_t tried_ticks;	/* when renewing or entering last failed */
	struct tw_steer steer;
	struct tw_preload_counts counts;
};

/* The word: a place, whether it has expired (or never held), whether the next place has a
 * proposal, and above that a number that never repeats. */
#define TW_WORD_PLACE		3ULL
#define TW_WORD_EXPIRED		4ULL
#define TW_WORD_PROPOSED	8ULL
#define TW_WORD_NUMBER		16ULL

/* A clock that reads the system's clock. Zeroed memory is such a clock, too. */
#define TW_PRELOAD_CLOCK_INIT	{ .word = TW_WORD_EXPIRED }

/* Make segments from now on. @ns_per_tick: of CLOCK_MONOTONIC_RAW. */
void tw_preload_enable(struct tw_preload_clock *clock, double ns_per_tick);

/* Go on in a child after fork(). Its only thread is @me. Time goes on. */
void tw_preload_forked(struct tw_preload_clock *clock, uint64_t me);

/* Read the time in any state. @me: the thread's number, see TW_PRELOAD_WRITES.
 * Async-signal-safe if @source is. Never waits. */
uint64_t tw_preload_ns(struct tw_preload_clock *clock,
		       const struct tw_preload_source *source, uint64_t me);

static inline uint64_t tw_preload_part(const uint64_t *part)
{
	return __atomic_load_n(part, __ATOMIC_RELAXED);
}

/*
 * Read the time, for the thread that owns the clock. @read_ticks: unordered; inlined. @ns:
 * whole ns since the beginning of @seconds, under 2 * 10^9. If a signal handler renews the
 * copy meanwhile, its start has changed. Return 0 if the time can't be read in this way.
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

/* The same as one of several threads. @read_ticks: ordered. */
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

/* ---- reading the counter ---- */

/* A read that does not come before earlier reads of memory, as the vDSO makes it. It
 * may come after what follows, which the ordered reads of tickwise.h hold back, too. */

static inline uint64_t tw_preload_ticks(void *context)
{
	(void)context;
	return tw_ticks();
}

static inline uint64_t tw_preload_ticks_ordered(void *context)
{
	(void)context;
#if defined(__x86_64__)
	uint64_t low, high;

	__asm__ __volatile__("lfence\n\trdtsc"
			     : "=a"(low), "=d"(high) : : "memory");
	return high << 32 | low;
#else
	return tw_ticks_begin();
#endif
}

/* ---- may it be used? look.c ---- */

struct tw_trust;

/* Examine the counter, and measure how fast it runs. @measure: also compare the CPUs'
 * counters, some 10 ms, in a child, which makes threads, so this process makes none.
 * Return 1 if the preload clock may use the counter; 0: @trust has the reason. */
int tw_preload_trust(int measure, double *ns_per_tick, struct tw_trust *trust);

#endif
