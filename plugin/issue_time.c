/* SPDX-License-Identifier: GPL-2.0 */
/*
 * fio's issue time, read off a stamp: see issue_time.h.
 */
#include "issue_time.h"

static uint64_t ticks_in(const struct tw_job *job, double ns)
{
	return (uint64_t) (ns * tw_job_ticks_per_ns(job));
}

/* With gtod_cpu a thread of fio's reads its clock for all; then what it last
 * read is what has to be taken. */
void tw_issue_time_start(struct tw_job *job)
{
	job->shares_counter = !job->system && !fio_gtod_offload &&
			      fio_clock_source == CS_CPUCLOCK;
	job->issue.follow_ticks = 0;
	job->issue.ns_per_tick = (uint64_t)
		(4294967296.0 / tw_job_ticks_per_ns(job));
}

/* A second is never passed: fio asserts that there are no more ns than that. */
static double follow_ns(const tw_fio_time *now)
{
#ifndef TW_FIO_NSEC
	if (now->tv_nsec > (long) TW_NS_PER_SECOND - TW_ISSUE_FOLLOW_NS)
		return (double) ((long) TW_NS_PER_SECOND - now->tv_nsec);
#endif
	return TW_ISSUE_FOLLOW_NS;
}

tw_fio_time tw_issue_time_read(struct tw_job *job)
{
	struct tw_issue *issue = &job->issue;
	uint64_t before_ticks, width_ticks;
	tw_fio_time now;

	if (!job->shares_counter)
		return tw_fio_now();
	before_ticks = tw_ticks();
	now = tw_fio_now();
	width_ticks = tw_ticks() - before_ticks;
	issue->from_ticks = before_ticks + width_ticks / 2;
	issue->from = now;
	issue->follow_ticks =
		width_ticks < ticks_in(job, TW_ISSUE_BRACKET_NS) ?
		ticks_in(job, follow_ns(&now)) : 0;
	return now;
}
