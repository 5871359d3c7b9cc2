/* SPDX-License-Identifier: GPL-2.0 */
/* How late I/Os are by a schedule: see response.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "response.h"
#include "timespec.h"
#include "verify.h"

int tw_response_init(struct thread_data *td, unsigned entries,
		     struct tw_response **response)
{
	const bool is_open_loop = tw_rated_iops(td) > 0;
	struct tw_response *made;

	if (td->o.read_iolog_file ||
	    (td->o.verify != VERIFY_NONE && td->o.experimental_verify) ||
	    (!td->rate_bps[DDIR_READ] && !td->rate_bps[DDIR_WRITE] &&
	     !td->rate_bps[DDIR_TRIM] && !is_open_loop))
		return 0;
	made = calloc(1, sizeof(*made));
	*response = made;
	if (!made)
		return -ENOMEM;
	made->arrivals.is_on = is_open_loop;
	/* The job's first I/Os are scheduled. */
	memset(made->begun, true, sizeof(made->begun));
	made->due = calloc(entries, sizeof(*made->due));
	return made->due ? 0 : -ENOMEM;
}

void tw_response_free(struct tw_response *response)
{
	if (!response)
		return;
	free(response->due);
	free(response);
}

/*
 * Return the due time of the I/O, in us since the epoch. With rate_ignore_thinktime a
 * pause moves the schedule, but fio had computed the due time of the I/O after it before
 * the pause. So it is computed again here, by fio's formula.
 */
static uint64_t due_us(const struct thread_data *td, const struct io_u *io_u)
{
	const enum fio_ddir ddir = io_u->ddir;
	const uint64_t us = td->rate_next_io_time[ddir];
	uint64_t bytes, rate, later_us;

	if (!td->o.rate_ign_think)
		return us;
	/* In these modes fio adds up the due times. Otherwise it computes them from the
	 * bytes that it has issued; it adds the bytes of this I/O only after ->prep(). */
	bytes = td->rate_io_issue_bytes[ddir];
	rate = td->rate_bps[ddir];
	if (td->o.rate_process == RATE_PROCESS_POISSON || td->o.bssplit_nr[ddir])
		later_us = (uint64_t) td->last_usec[ddir];
	else
		later_us = bytes / rate * 1000000 + bytes % rate * 1000000 / rate;
	return max(us, later_us);
}

/*
 * True for the first I/O of an epoch that is not the job's first. The end of the ramp
 * time sets a new epoch, mostly just before fio sleeps until an I/O is due by the old
 * epoch. That I/O belongs to neither schedule.
 */
static bool is_first_of_epoch(const struct thread_data *td,
			      struct tw_response *response, enum fio_ddir ddir)
{
	bool first;

	if (tw_was_reset(td, &response->epoch))
		memset(response->begun, 0, sizeof(response->begun));
	first = !response->begun[ddir];
	response->begun[ddir] = true;
	return first;
}

/* True for the job's own I/Os. Reads of VER_LIST and these trims come between them
 * (verify_backlog, trim_backlog). */
static bool is_of_job(const struct thread_data *td, const struct io_u *io_u)
{
	return io_u->ddir <= DDIR_TRIM && !(io_u->flags & IO_U_F_VER_LIST) &&
	       (io_u->ddir != DDIR_TRIM || td_trim(td));
}

/* Return when the I/O was due, by fio's clock; 0 if it is not scheduled. */
static uint64_t due_ns(const struct thread_data *td,
		       struct tw_response *response, const struct io_u *io_u)
{
	if (!is_of_job(td, io_u) || !td->rate_bps[io_u->ddir] ||
	    is_first_of_epoch(td, response, io_u->ddir))
		return 0;
	return tw_timespec_ns(&td->epoch) + due_us(td, io_u) * 1000;
}

void tw_response_prepared(struct thread_data *td, struct tw_response *response,
			const struct io_u *io_u)
{
	struct tw_due *due = &response->due[io_u->index];
	struct timespec now;
	int64_t late_ns;

	if (!due->again)
		due->due = due_ns(td, response, io_u);
	due->again = false;
	if (!due->due) {
		due->backlog_ns = TW_NO_TIME;
		return;
	}
	fio_gettime(&now, NULL);
	late_ns = (int64_t) (tw_timespec_ns(&now) - due->due);
	due->backlog_ns = (uint64_t) max(late_ns, (int64_t) 0);
}

/* Return when the I/O of an open loop is due, in ticks; 0 if it is not scheduled. */
static uint64_t due_ticks(const struct thread_data *td, const struct tw_job *job,
			  const struct io_u *io_u, uint64_t now_ticks)
{
	struct tw_arrivals *arrivals = &job->hot.response->arrivals;
	const struct tw_options *o = td->eo;

	if (!is_of_job(td, io_u) || !o->rate_iops[io_u->ddir])
		return 0;
	if (!arrivals->from_ticks) {
		tw_schedule_begin(&arrivals->schedule, now_ticks, job->hot.scale.hz,
				  tw_rated_iops(td), o->arrivals == TW_ARRIVALS_POISSON,
				  td->rand_seeds[FIO_RAND_POISSON_OFF]);
		arrivals->due_ticks = arrivals->from_ticks = now_ticks;
	}
	return tw_schedule_next(&arrivals->schedule);
}

/*
 * Return how late the I/O would be if no completion were waited for: what fio, the engine, its
 * submitting calls or a missing CPU caused. Since the I/O before, the job was busy for all of the time that it did
 * not wait for completions. Had the I/O before come later by what the job owed then, this one
 * would come so much later, too, less the gap between them.
 */
static uint64_t own_part(struct tw_arrivals *arrivals, uint64_t due_ticks,
			 uint64_t now_ticks)
{
	const uint64_t busy_until = now_ticks - arrivals->waited_ticks;
	const int64_t busy = (int64_t) (busy_until - arrivals->from_ticks);
	const int64_t own = (int64_t) arrivals->own_ticks + max(busy, (int64_t) 0) -
			    (int64_t) (due_ticks - arrivals->due_ticks);

	arrivals->own_ticks = (uint64_t) max(own, (int64_t) 0);
	arrivals->waited_ticks = 0;
	arrivals->due_ticks = due_ticks;
	arrivals->from_ticks = max(now_ticks, due_ticks);
	return arrivals->own_ticks;
}

bool tw_response_arrived(struct thread_data *td, struct tw_job *job, const struct io_u *io_u)
{
	struct tw_arrivals *arrivals = &job->hot.response->arrivals;
	struct tw_due *due = &job->hot.response->due[io_u->index];
	const uint64_t now_ticks = tw_job_stamp(job);
	uint64_t own_ticks = 0;

	if (!due->again) {
		due->due = due_ticks(td, job, io_u, now_ticks);
		if (due->due)
			own_ticks = own_part(arrivals, due->due, now_ticks);
	}
	*due = (struct tw_due) { .due = due->due, .backlog_ns = due->due ? 0 : TW_NO_TIME };
	job->hot.io[io_u->index].prepared_ticks = due->due ? due->due : now_ticks;
	if (!due->due || due->due >= now_ticks)
		return due->due != 0;
	due->backlog_ns = (uint64_t) tw_job_ns(job, due->due, now_ticks);
	due->own_ns = min((uint64_t) tw_job_ns(job, 0, own_ticks), due->backlog_ns);
	due->was_full = due->due < arrivals->full_until_ticks;
	return false;
}

void tw_response_count(struct tw_response *response, struct tw_scalars *scalars)
{
	struct tw_arrivals *arrivals = &response->arrivals;

	scalars->schedule_ns = 1;
	scalars->depth_reached += arrivals->depth_reached;
	scalars->generator_ns += arrivals->generator_ns;
	arrivals->depth_reached = arrivals->generator_ns = 0;
}
