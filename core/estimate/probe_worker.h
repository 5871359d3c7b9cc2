/* SPDX-License-Identifier: MIT */
/*
 * The threads of the collector: probe_cas.c is what one of them does,
 * probe_run.c starts them and owns their memory. Internal to these two.
 */
#ifndef TW_ESTIMATE_PROBE_WORKER_H
#define TW_ESTIMATE_PROBE_WORKER_H

#include <stdatomic.h>
#include <stdbool.h>

#include "probe_cas.h"
#include "tickwise.h"

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

/* Two lines: processors fetch the neighbour of a line along with it. */
struct tw_probe_word {
	_Alignas(128) _Atomic uint64_t sequence;
	char padding[128 - sizeof(uint64_t)];
};

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
	bool satisfied;
	bool failed;
	bool started;
	pthread_t thread;
};

struct tw_probe_run {
	struct tw_probe_word word;
	_Atomic unsigned unsatisfied;	/* workers that need more */
	_Atomic unsigned present;	/* workers that have not failed */
	const struct tw_probe_system *system;
	struct tw_probe_goal goal;
	uint64_t origin_ns;
	size_t capacity;		/* samples per worker */
	unsigned first_burst;		/* of this call */
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
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* A thread's whole life; @worker is a struct tw_probe_worker. */
void *tw_probe_work(void *worker);

/* This worker needs no more; this worker will not come (back). */
void tw_probe_leave(struct tw_probe_worker *worker);
void tw_probe_fail(struct tw_probe_worker *worker);

#endif
