/* SPDX-License-Identifier: MIT */
/*
 * Merging the samples of all CPUs in their order, and noting what bounds what.
 * Internal; pure.
 */
#ifndef TW_ESTIMATE_ORDER_H
#define TW_ESTIMATE_ORDER_H

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

#endif
