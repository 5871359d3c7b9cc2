/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fio's issue time, read off a stamp that was taken anyway.
 *
 * Where fio's clock is the counter too, a second read of it right after ours
 * would tell nothing new. So fio's clock is read beside our counter now and then
 * and followed in between: over so short a time that the two rates, of which
 * either may be wrong, can't come apart by what a single read costs. What is
 * left is where in its bracket fio read the counter: half of that. Where fio's
 * clock is another one, it is read each time, as fio's own engine does it.
 */
#ifndef TW_PLUGIN_ISSUE_TIME_H
#define TW_PLUGIN_ISSUE_TIME_H

#include "engine.h"

/* fio's clock can be off by 20 ppm of ours: 2 ns in so long. */
#define TW_ISSUE_FOLLOW_NS	100000

/* Interrupted, at the latest; then fio's clock is read again. */
#define TW_ISSUE_BRACKET_NS	250

/* Before the first one; the job's clock is known, and so is fio's. */
void tw_issue_time_start(struct tw_job *job);

/* Read fio's clock, and follow it from there if that worked undisturbed. */
tw_fio_time tw_issue_time_read(struct tw_job *job);

/* What fio's clock says at @stamp_ticks, which is just now. Where it is followed
 * the second is still the same. */
static inline tw_fio_time tw_issue_time_at(struct tw_job *job,
					   uint64_t stamp_ticks)
{
	uint64_t since_ticks = stamp_ticks - job->issue.from_ticks;
	uint64_t since_ns = since_ticks * job->issue.ns_per_tick >> 32;
	tw_fio_time time = job->issue.from;

	if (tw_unlikely(since_ticks >= job->issue.follow_ticks))
		return tw_issue_time_read(job);
#ifdef TW_FIO_NSEC
	time += since_ns;
#else
	time.tv_nsec += (long) since_ns;
#endif
	return time;
}

#endif
