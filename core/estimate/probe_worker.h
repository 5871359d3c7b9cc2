/* SPDX-License-Identifier: MIT */
/*
 * The threads of the collector: probe_cas.c and probe_switch.c are what one of
 * them does, probe_run.c starts them, owns their memory, and has what they
 * share. Internal to these three.
 */
#ifndef TW_ESTIMATE_PROBE_WORKER_H
#define TW_ESTIMATE_PROBE_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "probe.h"
#include "timespec.h"

/* First distance of the bursts, and after how many of them it doubles: so
 * memory grows with the logarithm of the time limit. */
#define TW_PROBE_PERIOD_NS		1000000ULL
#define TW_PROBE_BURSTS_PER_PERIOD	128

/* Turns taken as fast as possible, then so many at equal distances over the
 * rest of the burst: a late CPU still meets all others. */
#define TW_PROBE_FAST_TURNS		32
#define TW_PROBE_SLOW_TURNS		16

/* Attempts between two looks at the clock: some microseconds. */
#define TW_PROBE_ATTEMPTS		32

/* Two for every turn, and those of a turn that ran over. */
#define TW_PROBE_BURST_SAMPLES		(2 * (TW_PROBE_FAST_TURNS + \
					      TW_PROBE_SLOW_TURNS) + \
					 TW_PROBE_ATTEMPTS)

/* Moves in one burst of the thread that is alone, and what they leave on one
 * CPU: two for every stay, and it stays on the base every other time. */
#define TW_PROBE_MOVES			256
#define TW_PROBE_TOUR_SAMPLES		(TW_PROBE_MOVES + 4)

/*
 * What the threads swap: the number that the next reading gets. A word for each
 * burst, since how fast a line of memory goes from CPU to CPU depends on where
 * it is, too, and the bounds are those of the fastest. Numbers begin at the
 * word's own place << TW_PROBE_WORD_SHIFT; a word with the top bit set is sealed,
 * and the numbers go on in the next.
 *
 * Two lines: processors fetch the neighbour of a line along with it.
 */
#define TW_PROBE_WORD_SHIFT		40
#define TW_PROBE_SEALED			(1ULL << 63)

struct tw_probe_word {
	_Alignas(128) _Atomic uint64_t sequence;
	char padding[128 - sizeof(uint64_t)];
};

/* One CPU and what was read on it. The thread is its own with compare-and-swap;
 * with switching there is only one, and the first worker keeps it. */
struct tw_probe_worker {
	_Alignas(128) struct tw_probe_run *run;
	struct tw_sample *samples;
	size_t count;
	uint64_t probes;
	uint64_t switches;		/* readings after another CPU's */
	uint64_t switches_before;	/* those before this burst */
	uint64_t next_sequence;		/* follows our last probe at once */
	uint64_t first_ns;		/* of the first meeting; 0: none yet */
	unsigned run_length;		/* samples of this turn, 0 to 2 */
	unsigned cpu;
	unsigned word;			/* all before it are sealed */
	bool satisfied;
	bool failed;			/* what it read can't be used */
	bool stopped;			/* no thread any more; that can */
	bool started;
	pthread_t thread;
};

struct tw_probe_run {
	_Alignas(128) _Atomic unsigned unsatisfied;	/* workers that need more */
	_Atomic unsigned present;	/* workers that have not failed */
	enum tw_reliability_method method;
	const struct tw_probe_system *system;
	struct tw_probe_goal goal;
	uint64_t origin_ns;		/* of the first burst's wait; 0: none */
	size_t capacity;		/* samples per worker */
	struct tw_probe_word *words;
	unsigned word_count;
	uint64_t tour_sequence;		/* the number, where there is no word */
	unsigned count;
	struct tw_probe_worker *workers;
};

/* The distance of burst @number from the next. */
static inline uint64_t tw_probe_period_ns(unsigned number)
{
	return TW_PROBE_PERIOD_NS << number / TW_PROBE_BURSTS_PER_PERIOD;
}

static inline uint64_t tw_probe_now_ns(void)
{
	return tw_clock_id_ns(CLOCK_MONOTONIC);
}

/* A thread's whole life: with compare-and-swap of a struct tw_probe_worker, with
 * switching of the struct tw_probe_run. */
void *tw_probe_work(void *worker);
void *tw_probe_tour(void *run);

/* This worker needs no more; this worker will not come (back). */
void tw_probe_leave(struct tw_probe_worker *worker);
void tw_probe_fail(struct tw_probe_worker *worker);

/* Nobody needs more, or the time is over. */
bool tw_probe_finished(struct tw_probe_run *run, uint64_t now_ns);

/* No other CPU takes part. */
bool tw_probe_is_alone(struct tw_probe_run *run);

/*
 * Ask the kernel to let the calling thread in soon rather than for long, beside
 * threads that are busy all the time. Linux 6.12 and later do so for anybody;
 * others take no notice.
 */
void tw_probe_ask_for_turns(void);

/* Sleep until the next burst or the deadline. Return: the time then. @number is
 * set to the burst's. */
uint64_t tw_probe_sleep(struct tw_probe_run *run, unsigned *number);

/* Note a reading: at the end of the worker's samples, or in place of the last
 * one if there is nothing more to be learned from that. */
void tw_probe_record(struct tw_probe_worker *worker, uint64_t sequence,
		     uint64_t ticks);

#endif
