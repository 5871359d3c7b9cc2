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

#include "order.h"
#include "tickwise.h"

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
	double step_ticks;	/* the counters' resolution; 0: one tick */
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
