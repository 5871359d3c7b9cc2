/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An I/O: dependent loads that begin where the I/O before ended.
 *
 * ->queue() does only the loads and takes two stamps. The times are recorded when fio
 * prepares the next I/O, which is in none of fio's latencies.
 */
#include <errno.h>
#include <sys/resource.h>

#include "../accounting.h"
#include "job.h"
#include "memory/chase.h"

/* The kernel is not asked about the interruptions of shorter I/Os. An I/O whose thread
 * was taken off the CPU takes longer than this. */
#define ASK_NS		10000

/* Do @loads loads: turns of tw_chase() and then the rest, one by one. */
static void *walk(void *position, uint64_t loads)
{
	position = tw_chase(position, loads / TW_CHASE_UNROLL);
	for (loads %= TW_CHASE_UNROLL; loads; loads--)
		position = *(void *volatile *) position;
	return position;
}

/* Return how often the thread was interrupted. Voluntary switches don't count, since a
 * thread that only loads does not sleep by itself. */
static uint64_t interruptions(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_THREAD, &usage))
		return 0;
	return (uint64_t) (usage.ru_nivcsw + usage.ru_minflt +
			   usage.ru_majflt);
}

void tw_memory_record(struct tw_memory_job *job)
{
	uint64_t took = job->took_ticks, before = job->interruptions;
	double took_ns = (double) took * tw_memory_ns_per_tick(job);
	/* The counters of two CPUs disagree. */
	bool is_backwards = (int64_t) took < 0;
	bool was_interrupted = is_backwards;

	if (!job->is_unrecorded)
		return;
	job->is_unrecorded = false;
	if (took_ns >= ASK_NS) {
		job->interruptions = interruptions();
		was_interrupted |= job->interruptions != before;
	}
	job->backwards += is_backwards;
	if (!job->is_accounted)
		job->unaccounted++;
	else if (was_interrupted)
		job->interrupted++;
	else
		tw_histogram_add(&job->ticks, took);
}

int tw_memory_prep(struct thread_data *td, struct io_u *io_u)
{
	tw_memory_record(td->io_ops_data);
	return 0;
}

enum fio_q_status tw_memory_queue(struct thread_data *td, struct io_u *io_u)
{
	const struct tw_memory_options *o = td->eo;
	struct tw_memory_job *job = td->io_ops_data;
	uint64_t begin;

	/* tw_memory_check() has refused jobs with other I/Os. */
	if (io_u->ddir != DDIR_READ || io_u->xfer_buflen /
	    TW_MEMORY_LINE_BYTES * o->repeat != job->loads) {
		io_u->error = EINVAL;
		return FIO_Q_COMPLETED;
	}
	begin = tw_memory_begin(job);
	job->position = walk(job->position, job->loads);
	job->took_ticks = tw_memory_end(job) - begin;
	job->is_accounted = tw_is_accounted(td);
	job->is_unrecorded = true;
	return FIO_Q_COMPLETED;
}
