/* SPDX-License-Identifier: GPL-2.0 */
/* How long the job's thread waited for a CPU: see schedstat.h. */
#include "schedstat.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "job_state.h"

#define GAP_NS	1000000

/* The file of the calling thread: time on a CPU, time of waiting for one, and more. */
static const char path[] = "/proc/thread-self/schedstat";

void tw_waits_begin(struct tw_job *job)
{
	struct tw_cpu_waits *waits = &job->hot.waits;

	waits->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (waits->fd < 0)
		return;
	waits->gap_ticks = (uint64_t) (GAP_NS * tw_job_ticks_per_ns(job));
	tw_waits_take(job);
}

void tw_waits_end(struct tw_job *job)
{
	if (job->hot.waits.fd >= 0)
		close(job->hot.waits.fd);
	job->hot.waits.fd = -1;
}

void tw_waits_take(struct tw_job *job)
{
	struct tw_cpu_waits *waits = &job->hot.waits;
	struct tw_waits_reading reading = { .begin_ticks = tw_job_stamp(job) };
	char text[64];
	const ssize_t size = pread(waits->fd, text, sizeof(text) - 1, 0);
	char *end;

	text[size > 0 ? size : 0] = '\0';
	strtoull(text, &end, 10);
	reading.waited_ns = strtoull(end, NULL, 10);
	reading.end_ticks = tw_job_stamp(job);
	waits->newest[waits->count++ % TW_WAITS] = reading;
	waits->read_ticks = reading.end_ticks;
}

bool tw_waits_bound(struct tw_job *job, uint64_t from_ticks, uint64_t to_ticks,
		    uint64_t *ns)
{
	struct tw_cpu_waits *waits = &job->hot.waits;
	uint64_t after_ns = 0;
	uint32_t i;

	if (waits->fd < 0)
		return false;
	if (waits->newest[(waits->count - 1) % TW_WAITS].begin_ticks < to_ticks)
		tw_waits_take(job);
	for (i = 0; i < TW_WAITS && i < waits->count; i++) {
		const struct tw_waits_reading *reading =
			&waits->newest[(waits->count - 1 - i) % TW_WAITS];

		if (reading->begin_ticks >= to_ticks)
			after_ns = reading->waited_ns;
		if (reading->end_ticks > from_ticks)
			continue;
		*ns = after_ns - reading->waited_ns;
		return true;
	}
	return false;
}
