/* SPDX-License-Identifier: MIT */
/*
 * When something happened in a job's run.
 */
#include "command/answers/when.h"

int tw_report_since_start(double *s, const struct tw_report_job *job,
			  uint64_t monotonic_ns)
{
	const uint64_t start_ns = job->start_monotonic_ns;

	if (!start_ns || monotonic_ns < start_ns)
		return 0;
	*s = (double)(monotonic_ns - start_ns) / 1e9;
	return 1;
}

void tw_report_add_when(struct tw_page *page, const struct tw_report_job *job,
			uint64_t monotonic_ns)
{
	double s;

	if (tw_report_since_start(&s, job, monotonic_ns))
		tw_page_more(page, "%.6f s of the run", s);
	else
		tw_page_more(page, "%llu ns of CLOCK_MONOTONIC",
			     (unsigned long long)monotonic_ns);
}
