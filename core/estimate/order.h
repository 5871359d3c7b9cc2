/* SPDX-License-Identifier: MIT */
/*
 * Samples: which CPU read which counter value, at which place of one total order.
 * Merges those of all CPUs in their order, and keeps the tightest differences of every
 * two CPUs. Internal; pure.
 */
#ifndef TW_ESTIMATE_ORDER_H
#define TW_ESTIMATE_ORDER_H

#include "tickwise.h"

/* ---- what the probes record ---- */

struct tw_sample {
	uint64_t sequence;	/* unique; a larger one was read later */
	uint64_t ticks;
};

/*
 * The samples of one CPU, by rising sequence. Some probes may be missing: if
 * several follow each other on one CPU, the first and the last are enough.
 */
struct tw_cpu_samples {
	unsigned cpu;
	const struct tw_sample *samples;
	size_t count;
	uint64_t probes;	/* made, recorded or not */
};

/* Return the counters' step in ticks, as tw_steps_find(), as far as the samples show it.
 * Pure. */
double tw_step_of_samples(const struct tw_cpu_samples *cpus, unsigned count);

/* ---- merging ---- */

/* There is no bound: the two CPUs never took turns in this order. */
#define TW_NO_BOUND_TICKS	INT64_MAX

/* The number of parts of a run. They are equal in the earlier CPU's ticks. */
#define TW_JUDGE_SLOTS	8

/* The smallest difference "later reading minus earlier reading" of two CPUs in
 * one part of the run, and the earlier reading. */
struct tw_judge_slot {
	int64_t ticks;
	uint64_t at_ticks;
};

struct tw_judge_cpu {
	size_t next;		/* the sample that is merged next */
	uint64_t begin_ticks;	/* of its first sample */
	uint64_t slot_ticks;	/* length of a slot */
	uint64_t switches;	/* samples that followed another CPU's */
	uint64_t loop;		/* the last round with a sample of it */
};

/* A CPU's latest merged sample, which bounds all other CPUs. */
struct tw_judge_latest {
	uint64_t ticks;
	unsigned slot;
	int seen;
};

/* Workspace for n CPUs; its contents do not matter. For two CPUs the later one's number
 * is the row, the earlier one's is the column. What is read together is stored
 * together. */
struct tw_judge_work {
	int64_t *whole_ticks;		/* n * n: smallest over the run */
	uint32_t *narrowed;		/* n * n: how often that got smaller */
	struct tw_judge_slot *slots;	/* TW_JUDGE_SLOTS * n * n, by slot */
	struct tw_judge_cpu *cpus;	/* n */
	struct tw_judge_latest *latest;	/* n */
	unsigned *heap;			/* n */
};

/* What is counted on the way over all samples in their order. */
struct tw_order {
	uint64_t backwards;
	uint64_t switches;
	uint64_t full_loops;
};

/* Merge all samples by sequence, and keep the smallest differences: all of @work but
 * latest and heap is filled. */
void tw_order_walk(struct tw_order *order, struct tw_judge_work *work,
		   const struct tw_cpu_samples *cpus, unsigned count);

#endif
