/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An open loop: each I/O begins when it is due by tw_rate_iops, whatever became of those
 * before (record/response.h has the schedule).
 *
 * fio gives I/Os as fast as iodepth allows. prep() holds each until it is due: fio sets its
 * start_time next, and moves on to submit. To hold I/Os in commit() would take a way to give
 * one back to fio when the job ends; fio drops an I/O whose prep() fails, and counts it nowhere.
 *
 * While an I/O is held, the job sleeps in the kernel until there is one completion more, or
 * until shortly before the I/O is due. Then it polls, since the kernel wakes late. So each
 * completion gets its stamp when it comes, and not when fio takes it: fio takes one when it
 * needs room for the next I/O, which may be much later. lat ends at that stamp.
 */
#include <errno.h>
#include <math.h>

#include "engine.h"
#include "timespec.h"

#define MARGIN_PART		10	/* of the time between two I/Os, for which the job polls */
#define MIN_MARGIN_US		10
#define MAX_MARGIN_US		100

/* To record finished I/Os takes this long, and as long again for this number of them. Fewer are
 * not worth it. */
#define FLUSH_US		1
#define FLUSH_IOS		8

/* Look so often whether the job ends. */
#define LOOK_US			10000

/* Ask after so long whether the thread had no CPU. */
#define NO_CPU_US		1000

void tw_arrivals_begin(const struct thread_data *td, struct tw_job *job)
{
	struct tw_arrivals *arrivals = &job->hot.response->arrivals;
	const double us_ticks = 1000 * tw_job_ticks_per_ns(job);
	const double part_us = 1e6 / tw_rated_iops(td) / MARGIN_PART;

	arrivals->us_ticks = us_ticks;
	arrivals->most_margin_ticks = us_ticks *
		min(max(part_us, (double) MIN_MARGIN_US), (double) MAX_MARGIN_US);
	arrivals->margin_ticks = arrivals->most_margin_ticks;
	/* A ring that polls the device ignores the time limit of a wait. */
	arrivals->polls = job->ring.uring.flags & IORING_SETUP_IOPOLL ||
			  !(job->ring.uring.features & IORING_FEAT_EXT_ARG);
	job->ring.slat_differs = true;
	job->hot.event_time = true;
}

/* True if fio would end the job now. It checks only between two I/Os. */
static bool is_over(struct thread_data *td)
{
	if (td->terminate || td->done)
		return true;
	if (!td->o.timeout || tw_is_ramping(td) || utime_since_now(&td->epoch) < td->o.timeout)
		return false;
	fio_mark_td_terminate(td);
	return true;
}

/* Sleep for so long, or until there is one completion more. Return as io_uring_enter() does. */
static int sleep_for(const struct tw_job *job, double us)
{
	const struct io_uring_cq *cq = &job->ring.uring.cq;
	struct __kernel_timespec ts = { .tv_nsec = (long long) ceil(1000 * us) };
	struct io_uring_getevents_arg argument = { .ts = (uintptr_t) &ts };

	return io_uring_enter2((unsigned) job->ring.uring.enter_ring_fd, 0,
			       io_uring_smp_load_acquire(cq->ktail) - *cq->khead + 1,
			       job->ring.getevents_flags | job->ring.enter_flags |
			       IORING_ENTER_EXT_ARG, (sigset_t *) &argument, sizeof(argument));
}

/* Record what has finished, if the time until the I/O is due is enough. Return false if not. */
static bool flush_in(struct tw_job *job, double left_us)
{
	const unsigned count = job->hot.finished_count;

	if (left_us < FLUSH_US + FLUSH_US * (double) count / FLUSH_IOS ||
	    (count < FLUSH_IOS && !tw_fill_is_asked(&job->collected.filling)))
		return false;
	tw_record_flush(job);
	return true;
}

/*
 * Learn from a sleep that ended by its time limit how long before the I/O the next one should
 * end: so long that some 1 in 100 ends too late. @left_ticks: that were left, below 0 if it
 * ended too late.
 */
static void learn(struct tw_arrivals *arrivals, int64_t left_ticks)
{
	arrivals->margin_ticks *= left_ticks < 0 ? 1.5 : 1 - 1 / 256.;
	arrivals->margin_ticks = min(max(arrivals->margin_ticks, arrivals->us_ticks),
				     arrivals->most_margin_ticks);
}

/* Wait until the I/O is due. Return false if the job ends before. */
static bool hold(struct thread_data *td, struct tw_job *job, uint64_t due_ticks)
{
	struct tw_arrivals *arrivals = &job->hot.response->arrivals;
	bool timed_out = false;

	for (;;) {
		const int64_t left_ticks = (int64_t) (due_ticks - tw_look(job));
		const double left = (double) left_ticks - arrivals->margin_ticks;
		const double us = min(left / arrivals->us_ticks, (double) LOOK_US);

		if (timed_out)
			learn(arrivals, left_ticks);
		if ((timed_out || left > 0) && is_over(td))
			return false;
		if (left_ticks <= 0)
			return true;
		timed_out = false;
		if (flush_in(job, (double) left_ticks / arrivals->us_ticks))
			continue;
		if (left > 0 && !arrivals->polls)
			timed_out = sleep_for(job, us) == -ETIME && us < LOOK_US;
		else
			tw_enter(job, 0, 0, job->ring.getevents_flags);	/* for completions */
	}
}

int tw_arrive(struct thread_data *td, struct tw_job *job, const struct io_u *io_u)
{
	struct tw_due *due = &job->hot.response->due[io_u->index];

	/* An early one begins when it is due. Those before it are, which iodepth_batch holds. */
	if (tw_response_arrived(td, job, io_u) &&
	    (tw_commit(td) || !hold(td, job, due->due)))
		return 1;
	if (due->due)
		due->start_ns = (uint64_t) tw_job_ns(job, due->due, tw_job_stamp(job));
	return 0;
}

void tw_start_when_due(const struct thread_data *td, const struct tw_job *job,
		       struct io_u *io_u)
{
	const struct tw_due *due = &job->hot.response->due[io_u->index];

	if (!due->due || td->o.disable_lat)
		return;
#ifdef TW_FIO_NSEC
	io_u->start_nsec -= due->start_ns;
#else
	io_u->start_time = tw_timespec_of(tw_timespec_ns(&io_u->start_time) - due->start_ns);
#endif
}

uint64_t tw_waited_since(struct tw_job *job, uint64_t from_ticks)
{
	struct tw_arrivals *arrivals = &job->hot.response->arrivals;
	const uint64_t to_ticks = tw_job_stamp(job);
	double waited = (double) (to_ticks - from_ticks);
	uint64_t no_cpu_ns;

	/* The completion may have been there, but no CPU. */
	if (waited > NO_CPU_US * arrivals->us_ticks &&
	    tw_waits_bound(job, from_ticks, to_ticks, &no_cpu_ns))
		waited -= min((double) no_cpu_ns * arrivals->us_ticks / 1000, waited);
	arrivals->waited_ticks += (uint64_t) waited;
	return to_ticks;
}
