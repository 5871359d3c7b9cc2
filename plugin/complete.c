/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way back: completions are taken from the ring, stamped and handed to fio.
 * One stamp serves all that became visible at once.
 */
#include <errno.h>
#include <stdlib.h>

#include "accounting.h"
#include "engine.h"
#include "enter.h"
#include "event_time.h"
#include "record.h"
#include "response.h"

/* An older kernel, or a device that can't through the ring: then as fio's own
 * engine does it, from now on. */
static void trim_after_all(struct thread_data *td, struct tw_job *job,
			   struct tw_done *done)
{
	job->async_trim = false;
	do_io_u_trim(td, done->io_u);
	done->result = -(int32_t) done->io_u->error;
	done->seen_ticks = tw_job_stamp(job);
}

/*
 * It did not do exactly what it was asked to. Is there still something to
 * record: was it all that there was?
 */
static __attribute__((noinline))
bool is_whole(struct thread_data *td, struct tw_job *job, struct tw_done *done)
{
	struct io_u *io_u = done->io_u;
	const uint64_t wanted = io_u->ddir == DDIR_READ ||
				io_u->ddir == DDIR_WRITE ?
				io_u->xfer_buflen : 0;
	struct tw_counts *counts = &job->counts[tw_direction_of(io_u->ddir)];

	if (io_u->ddir == DDIR_TRIM &&
	    (done->result == -EOPNOTSUPP || done->result == -EINVAL ||
	     done->result == -ENOTTY))
		trim_after_all(td, job, done);
	if (done->result < 0) {
		io_u->error = (unsigned) -done->result;
		counts->errors++;
		return false;
	}
	if ((uint64_t) done->result >= wanted || job->test_nop)
		return true;
	io_u->resid = wanted - (uint64_t) done->result;
	/* fio sends the rest again and counts only that; nothing at all it
	 * counts as it is. */
	if (done->result > 0 && io_u->offset + (uint64_t) done->result <
	    io_u->file->real_file_size) {
		counts->shorts++;
		if (job->response)
			tw_response_again(job->response, io_u);
		return false;
	}
	if (done->result == 0 && tw_is_accounted(td))
		counts->empty++;
	return true;
}

/* It did what it was asked to: fio's times first, then ours. */
static inline __attribute__((always_inline))
void succeeded(struct thread_data *td, struct tw_job *job,
	       const struct tw_done *done, int event, const bool usual)
{
	struct io_u *io_u = done->io_u;

	if (!usual && job->event_time)
		tw_event_time_shift(job, io_u, event, done->seen_ticks);
	tw_record_path(td, job, io_u, &job->io[io_u->index], done->seen_ticks,
		       job->stages && (done->returns_late || job->taken > 1),
		       usual);
}

/*
 * fio asks for them before it takes more. (Not where a latency_target ends a job
 * that has others in its hands: then it reads on in places that are no longer
 * theirs, as with its own engine, and finds old stamps. Half of such runs end
 * with an assertion of fio's.)
 */
static inline __attribute__((always_inline))
struct tw_done done_at(struct tw_job *job, int event, unsigned shift)
{
	const unsigned place = job->events_at + (unsigned) event;
	const unsigned at = place & job->cq_mask;
	const struct io_uring_cqe *cqe = &job->cqes[at << shift];

	return (struct tw_done) {
		.io_u = io_uring_cqe_get_data(cqe),
		.seen_ticks = job->seen[at],
		.result = cqe->res,
		.returns_late = place != job->asked_for,
	};
}

/* With less than it asked for, or an error. */
static __attribute__((noinline))
struct io_u *event_partly(struct thread_data *td, struct tw_job *job, int event)
{
	struct tw_done done = done_at(job, event, 0);

	if (is_whole(td, job, &done))
		succeeded(td, job, &done, event, false);
	return done.io_u;
}

static inline __attribute__((always_inline))
struct io_u *event_at(struct thread_data *td, struct tw_job *job, int event,
		      const bool usual)
{
	const struct tw_done done = done_at(job, event, 0);
	struct io_u *io_u = done.io_u;

	io_u->error = 0;
	if (tw_unlikely((uint64_t) (int64_t) done.result != io_u->xfer_buflen))
		return event_partly(td, job, event);
	succeeded(td, job, &done, event, usual);
	return io_u;
}

/* Apart, so that the usual ones are short. */
static __attribute__((noinline))
struct io_u *event_unusual(struct thread_data *td, struct tw_job *job,
			   int event)
{
	return event_at(td, job, event, false);
}

struct io_u *tw_event(struct thread_data *td, int event)
{
	struct tw_job *job = td->io_ops_data;

	return job->usual ? event_at(td, job, event, true) :
			    event_unusual(td, job, event);
}

/* Commands move all or nothing: 0, an errno, or the device's own status, which
 * newer versions of fio are told apart. */
struct io_u *tw_event_command(struct thread_data *td, int event)
{
	struct tw_job *job = td->io_ops_data;
	const struct tw_done done = done_at(job, event, job->entry_shift);
	struct io_u *io_u = done.io_u;
	enum tw_direction direction = tw_direction_of(io_u->ddir);

	io_u->error = (unsigned) abs(done.result);
#ifdef TW_FIO_DEVICE_ERROR
	if (done.result > 0)
		io_u_set(td, io_u, IO_U_F_DEVICE_ERROR);
	else
		io_u_clear(td, io_u, IO_U_F_DEVICE_ERROR);
#endif
	if (io_u->error)
		job->counts[direction].errors++;
	else
		succeeded(td, job, &done, event, false);
	return io_u;
}

/*
 * Events @begin to @most of this getevents(), as far as the ring shows them. A
 * stamp is taken once for every tail observed; entries seen earlier keep theirs.
 * They are read where they lie, by tw_event(): fio holds these I/Os until then,
 * so the kernel can't have as many as would come round to their places.
 */
static unsigned reap(struct tw_job *job, unsigned begin, unsigned most)
{
	unsigned head = *job->cq_head;
	unsigned end = begin;

	while (end < most) {
		unsigned at = head + (end - begin);

		if (at == job->seen_tail) {
			unsigned tail = io_uring_smp_load_acquire(job->cq_tail);

			if (tail == at)
				break;
			tw_job_saw(job, tail, tw_job_stamp(job), false);
		}
		end += job->seen_tail - at;
		if (end > most)
			end = most;
	}
	if (end != begin)
		io_uring_smp_store_release(job->cq_head,
					   head + (end - begin));
	return end;
}

static int took(struct tw_job *job, unsigned events)
{
	job->taken = events;
	/* Close to the one read of its clock that fio makes for all of them. */
	if (tw_unlikely(job->event_time))
		tw_event_time_taken(job);
	return (int) events;
}

static __attribute__((noinline))
int getevents(struct thread_data *td, struct tw_job *job, unsigned min,
	      unsigned max)
{
	unsigned wait = td->o.iodepth_batch_complete_min == 0 ? 0 : min;
	unsigned events = 0;
	bool looked = false;

	if (max > job->entries)
		max = job->entries;
	for (;;) {
		unsigned before = events;
		unsigned got;
		int ret;

		events = reap(job, before, max);
		/* Asked for whatever there is: some may have to be looked for,
		 * once. */
		if (events == max || (events >= min && (events || looked)))
			return took(job, events);
		looked = true;
		got = events - before;
		if (got) {
			wait = wait > got ? wait - got : 0;
			continue;
		}
		tw_record_waits(job);
		/* Its thread completes too; there is nothing to wait in. */
		if (job->polled_submission)
			continue;
		/* One at a time: each gets a stamp of its own. */
		ret = tw_enter(job, 0, job->event_wait && wait ? 1 : wait,
			       job->wait_flags);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN) {
			td_verror(td, -ret, "io_uring_enter");
			return ret;
		}
	}
}

int tw_getevents(struct thread_data *td, unsigned int min, unsigned int max,
		 const struct timespec *t)
{
	struct tw_job *job = td->io_ops_data;
	unsigned head = *job->cq_head;

	job->events_at = head;
	/* As many as fio takes have been seen before: only the head moves. */
	if (job->usual && job->seen_tail - head >= max) {
		job->taken = max;
		io_uring_smp_store_release(job->cq_head, head + max);
		return (int) max;
	}
	return getevents(td, job, min, max);
}
