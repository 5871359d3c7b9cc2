/* SPDX-License-Identifier: MIT */
/*
 * The judge of recorded counter readings. Internal; pure: no clock, no memory of its
 * own.
 *
 * A sample with a larger sequence was read later. Let d be how far CPU q's counter is
 * ahead of CPU p's. If p read x and q read y after that, then p would have read x or
 * more at that time, so d <= y - x. If q read y first and p read x after it, d >= y -
 * x. The smallest upper bound and the largest lower one of a run enclose d, if d was
 * constant.
 */
#ifndef TW_ESTIMATE_JUDGE_H
#define TW_ESTIMATE_JUDGE_H

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

/* A bound of the offset, and the base's reading when it held. In a slot: the smallest
 * difference "later reading minus earlier reading" of two CPUs in one part of the run, and the
 * earlier reading. */
struct tw_judge_bound {
	int64_t ticks;
	uint64_t at_ticks;
};

struct tw_judge_cpu {
	uint64_t sequence;	/* of the sample that is merged next; UINT64_MAX: none */
	size_t next;
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
	struct tw_judge_bound *slots;	/* TW_JUDGE_SLOTS * n * n, by slot */
	struct tw_judge_cpu *cpus;	/* n */
	struct tw_judge_latest *latest;	/* n */
};

/* Return: 0; -ENOMEM, and tw_judge_work_free() is still needed. */
int tw_judge_work_init(struct tw_judge_work *work, size_t count);
void tw_judge_work_free(struct tw_judge_work *work);

/* Merge all samples by sequence, and keep the smallest differences: all of @work but
 * latest is filled. Set backwards, switches and full_loops of @result. */
void tw_order_walk(struct tw_reliability *result, struct tw_judge_work *work,
		   const struct tw_cpu_samples *cpus, unsigned count);

/* ---- pace: lines of the offset over time that are between the bounds ---- */

/* The offset was below the upper bounds, and above the lower ones. */
struct tw_pace_bounds {
	struct tw_judge_bound upper[TW_JUDGE_SLOTS];
	struct tw_judge_bound lower[TW_JUDGE_SLOTS];
	unsigned uppers;
	unsigned lowers;
	uint64_t begin_ticks;	/* the base's first and last reading */
	uint64_t end_ticks;
	double step_ticks;	/* the error of at_ticks */
};

/* Set the pace of @offset: the slopes of all lines between the bounds of one pair.
 * Return 1 if there is such a line; 0: the offset jumped, and the interval contains 0
 * and the slopes that contradict each other. */
int tw_pace_fit(const struct tw_pace_bounds *bounds,
		struct tw_cpu_offset *offset);

/* Set low_ticks and high_ticks of an @offset that is not constant, with @fits from
 * tw_pace_fit(): all that lines between the bounds reach from the first to the last
 * reading. If no line fits, from the lowest to the highest bound. */
void tw_pace_span(const struct tw_pace_bounds *bounds, int fits,
		  struct tw_cpu_offset *offset);

/* ---- judging ---- */

/* Groups of reasons, bits of enum tw_reliability_reason. trust.c decides what follows. */

/* No noise explains these. */
#define TW_REASONS_PROOF	(TW_REASON_OFFSET | TW_REASON_PACE | \
				 TW_REASON_STANDS_STILL | TW_REASON_BACKWARDS)
/* More samples may settle these. */
#define TW_REASONS_FEW		(TW_REASON_TOLERANCE | TW_REASON_STATISTICS)
#define TW_REASONS_DOUBT	(TW_REASONS_FEW | TW_REASON_CPUS_SKIPPED)

struct tw_judge_limits {
	int64_t tolerance_ticks;
	uint64_t least_switches;
	double pace_limit_ppb;
	double step_ticks;	/* the counters' resolution, at least 1 */
};

/**
 * tw_judge - compute the intervals of every pair, and the reasons from them
 * @result: offsets has room for count * (count - 1) / 2; all but verdict, elapsed_ns,
 *          read_cost_ns and method is set
 * @cpus: their samples; [0] is the base
 *
 * TW_REASON_OFFSET: an offset interval excludes 0. TW_REASON_PACE: a pace interval is beyond
 * the limit. TW_REASON_TOLERANCE: a bound is beyond the tolerance. Time: samples * count,
 * and count^3 if bounds are too wide.
 */
void tw_judge(struct tw_reliability *result, const struct tw_cpu_samples *cpus,
	      unsigned count, const struct tw_judge_limits *limits,
	      struct tw_judge_work *work);

#endif
