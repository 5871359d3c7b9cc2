/* SPDX-License-Identifier: MIT */
/*
 * The judge of recorded counter readings. Internal.
 *
 * Pure: no clock, no I/O, no memory of its own. The arithmetic rests on one
 * thing, that a sample of larger sequence was read later. Let d be what CPU
 * q's counter is ahead of CPU p's. If p read x and after that q read y, then p
 * would have read x or more at that time, so d <= y - x. If q read y first and
 * p read x after it, d >= y - x. All bounds are hard; the smallest and the
 * largest of them over the run enclose d, as far as d stayed the same.
 */
#ifndef TW_ESTIMATE_JUDGE_H
#define TW_ESTIMATE_JUDGE_H

#include "samples.h"
#include "tickwise.h"

/* No bound: the two CPUs never took turns in this order. */
#define TW_NO_BOUND_TICKS	INT64_MAX

/* Parts of the run, equal in the earlier CPU's ticks. */
#define TW_JUDGE_SLOTS	8

/* The tightest difference "later reading minus earlier reading" of two CPUs in
 * one part of the run, and that earlier reading. */
struct tw_judge_slot {
	int64_t ticks;
	uint64_t at_ticks;
};

struct tw_judge_cpu {
	size_t next;		/* sample to be merged */
	uint64_t begin_ticks;	/* of its first sample */
	uint64_t slot_ticks;	/* length of a slot */
	uint64_t switches;	/* samples that followed another CPU's */
	uint64_t loop;		/* last round it was seen in */
};

/* A CPU's latest sample merged: what all others are bounded against. */
struct tw_judge_latest {
	uint64_t ticks;
	unsigned slot;
	int seen;
};

/*
 * Workspace for n CPUs, contents of no matter. Of every two of them the later
 * one's is the row, the earlier one's the column. What is gone through together
 * lies together: of 1024 CPUs a row of everything fits no cache.
 */
struct tw_judge_work {
	int64_t *whole_ticks;		/* n * n: tightest over the run */
	uint32_t *narrowed;		/* n * n: how often that got smaller */
	struct tw_judge_slot *slots;	/* TW_JUDGE_SLOTS * n * n, by slot */
	struct tw_judge_cpu *cpus;	/* n */
	struct tw_judge_latest *latest;	/* n */
	unsigned *heap;			/* n */
};

struct tw_judge_limits {
	int64_t tolerance_ticks;
	uint64_t least_switches;
	double pace_limit_ppb;
	double step_ticks;	/* the counters' resolution; 0: one tick */
};

/* What the walk over all samples in their order counts. */
struct tw_order {
	uint64_t backwards;
	uint64_t switches;
	uint64_t full_loops;
};

/**
 * tw_order_walk - merge all samples by sequence and note what bounds what
 * @order: the counts
 * @work: edges and cpus are filled
 * @cpus: their samples
 * @count: how many CPUs, 1 and more
 */
void tw_order_walk(struct tw_order *order, struct tw_judge_work *work,
		   const struct tw_cpu_samples *cpus, unsigned count);

/**
 * tw_judge - intervals of every pair, and what they are reasons for
 * @result: offsets has room for count * (count - 1) / 2; all but verdict,
 *          elapsed_ns, read_cost_ns and method is set; reasons are replaced
 * @cpus: their samples; [0] is the base
 * @count: how many CPUs, 1 and more
 * @limits: what is good enough
 * @work: workspace
 *
 * TW_REASON_OFFSET: an offset interval excludes 0. TW_REASON_PACE: a pace interval
 * lies beyond the limit. TW_REASON_TOLERANCE: a bound is beyond the tolerance.
 * tw_trust_cpus() makes the verdict of these.
 *
 * Time: samples * count; where bounds are too wide also count^3.
 */
void tw_judge(struct tw_reliability *result, const struct tw_cpu_samples *cpus,
	      unsigned count, const struct tw_judge_limits *limits,
	      struct tw_judge_work *work);

#endif
