/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Explain a part of an I/O's time by the periods in which the job's thread was off its CPU
 * (offcpu.h). Arithmetic only: tests/unit/plugin/kernel/causes/kernel_find_causes.c passes
 * any periods.
 *
 * The part is divided into times in which the thread ran, was ready to run while
 * something else had its CPU, or was asleep. Time without a record stays unexplained, so
 * the pieces never add up to more than the part.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_FIND_CAUSES_H
#define TW_PLUGIN_KERNEL_CAUSES_FIND_CAUSES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/stages/throttled.h"
#include "kernel/stages/clock_map.h"
#include "stack_words.h"
#include "offcpu.h"

#define TW_HAD_CPU	4	/* holders of the CPU that are named */

/* A holder of the CPU, and how long it had the CPU. */
struct tw_had_cpu {
	uint64_t ns;		/* 0: the list ends here */
	uint32_t id;
	uint32_t kind;		/* enum tw_holder_kind */
	char name[TW_NAME_SIZE];
};

#define TW_SLEPT	4	/* causes of sleeps that are named */

/* A cause of sleeps, and how long they took. */
struct tw_slept {
	uint64_t ns;		/* 0: the list ends here */
	struct tw_sleep_cause cause;
};

/* The part of an I/O's time, in own time (clock_map.h). */
struct tw_part {
	int64_t from_ns;
	int64_t to_ns;
	/* The part ends when the thread runs. So time asleep counts as woken late. */
	bool ends_by_wakeup;
};

struct tw_wait_causes {
	bool lost;			/* older periods were overwritten */
	uint64_t ran_ns;
	uint64_t waited_ns;		/* ready to run */
	uint64_t interrupts_ns;		/* had the CPU while it was ready to run */
	uint64_t woken_late_ns;		/* asleep until it was woken, and then until it
					 * was ready to run */
	uint64_t interrupt_ns;		/* part of woken_late_ns: since the interrupt
					 * began that woke it */
	uint64_t asleep_ns;		/* asleep, not counted as woken late */
	uint64_t stolen_ns;		/* at most, by the hypervisor, of all of these */
	struct tw_had_cpu had_cpu[TW_HAD_CPU];	/* the longest first */
	struct tw_slept slept[TW_SLEPT];	/* the longest first */
	struct tw_io_limit limit;		/* of TW_SLEEP_IO_MAX */
	/* The longest time in which the thread could not run. */
	int64_t stall_from_ns;
	int64_t stall_to_ns;		/* equal to stall_from_ns: none */
};

static inline int64_t tw_min_ns(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t tw_max_ns(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* Explain @part by the periods so far. The followed thread is the caller, so it runs now. If the
 * last switch that was seen took its CPU, the time since then stays unexplained. */
void tw_find_causes(const struct tw_offcpu *periods, const struct tw_clock_map *map,
		const struct tw_part *part, struct tw_wait_causes *is);

/* Find when the thread was woken from the sleep in which it was at @at_ns, of CLOCK_MONOTONIC.
 * Return 1: @waking_ns is set; 0: it did not sleep then, or was woken before; -ENOENT: the
 * period was overwritten. */
int tw_find_waking(const struct tw_offcpu *offcpu, uint64_t at_ns, uint64_t *waking_ns);

/* Copy sleep @number, from 1 on. Return: 0; -EAGAIN: it is not written yet, or just now; -ENOENT: a
 * newer one has its place. */
int tw_sleep_read(const struct tw_sleeps *sleeps, uint64_t number, struct tw_sleep *sleep);

/* Find where workers of io_uring slept in @part of the I/O that has @key. Sets @is->slept, and
 * nothing else. */
void tw_find_worker_causes(const struct tw_sleeps *sleeps, const struct tw_clock_map *map,
			const struct tw_part *part, uint64_t key, struct tw_wait_causes *is);

/* Find what throttled an I/O in its @part. No thread sleeps then, so only the time after a worker
 * last slept with the I/O counts. Sets @is->slept and @is->limit, and nothing else. */
void tw_find_throttle_causes(const struct tw_throttled *throttled, const struct tw_sleeps *sleeps,
		     const struct tw_clock_map *map, const struct tw_part *part,
		     struct tw_wait_causes *is);

/* A wait for a worker is a cause from this part of blockq on: a twentieth. If a worker's first
 * cause has no more than this part of a stage, the job's thread may have others. */
#define TW_CAUSE_PART	20

/* Add the wait for a worker of io_uring, of @ns, to @is->slept. */
void tw_add_wait_for_worker(uint64_t ns, uint64_t blockq_ns, struct tw_wait_causes *is);

/* Return the causes of a stage that began at @from_ns of CLOCK_MONOTONIC and took @ns; NULL
 * without memory. @is: its stall is relative to @from_ns. @followed: the thread
 * takes part in the stage. */
json_t *tw_causes_to_json(const char *stage, uint64_t from_ns, uint64_t ns,
			     const struct tw_wait_causes *is, bool followed);

/* Return what following threads took of each CPU in @over_ns: estimates from the runs that
 * were timed. CPUs without such a run are left out. NULL: without memory. */
json_t *tw_follow_cost_to_json(const struct tw_follow_cost *costs, unsigned cpus,
			       uint64_t over_ns);

#endif
