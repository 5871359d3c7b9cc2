/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The path of an I/O through the engine, in the order of fio's calls.
 *
 *	prep		fills the io_u's entry in the submission ring (SQE).
 *			Stamp: prepared. fio sets start_time next.
 *	queue		puts the index of the SQE into the ring; commit publishes it
 *	commit		calls io_uring_enter(). Stamps: enter before the call,
 *			entered after the call. The stamp entered is also the stamp
 *			seen of the completions that are in the ring by then.
 *	getevents	finds completions (CQEs) in the ring, or waits for them.
 *			Stamps: seen, one for all CQEs that became visible at once;
 *			returned, one for the batch. Next, fio reads the clock for
 *			the end of the whole batch.
 *	event		hands one I/O to fio and records its stamps
 *
 * The stages are queue (prepared to enter), kernel (enter to seen) and deliver (seen
 * to returned). Their sum is fio's lat. See io_times.h.
 *
 * job->io[io_u->index] holds the stamps of an io_u, except returned, which is the
 * same for a batch. sqes[io_u->index] is its SQE. The SQE does not change while the
 * I/O is in flight, because a thread of the kernel may read it late (SQPOLL).
 *
 * The user_data of the SQE, by which the kernel names the I/O, has two halves. The
 * lower half is the index. The upper half is a number that differs for each I/O. It
 * tells to which I/O the stamps of the kernel's program (kernel/) belong.
 *
 * NVMe commands take the same path; command.c has their prep, queue and event.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine.h"
#include "event_time.h"
#include "record.h"
#include "response.h"

/* BLOCK_URING_CMD_DISCARD of Linux 6.12, which some headers lack. */
#define TW_BLOCK_DISCARD	_IO(0x12, 0)

/* ---- prep --------------------------------------------------------------- */

/* Return an empty SQE for @io_u, with the fields set that all operations share.
 * (command.c clears the second half of an SQE of double size.) */
struct io_uring_sqe *tw_prep_entry(struct tw_job *job, const struct io_u *io_u)
{
	const uint64_t key = (uint64_t) ++job->generation << 32 | io_u->index;
	const struct fio_file *f = io_u->file;
	struct io_uring_sqe *sqe;

	sqe = &job->ring.sq.sqes[io_u->index << job->entry_shift];
	job->io[io_u->index].kernel.key = key;
	*sqe = (struct io_uring_sqe) { .user_data = key };
	if (job->fixed_files) {
		sqe->fd = (__s32) f->engine_pos;
		sqe->flags = IOSQE_FIXED_FILE;
	} else {
		sqe->fd = f->fd;
	}
	if (job->force_async && ++job->since_async == job->force_async) {
		job->since_async = 0;
		sqe->flags |= IOSQE_ASYNC;
	}
	return sqe;
}

/* Take the stamp prepared. Every prep() calls this last, when the SQE is filled. */
void tw_prep_done(struct thread_data *td, struct tw_job *job,
		  const struct io_u *io_u)
{
	if (job->response)
		tw_response_prepared(td, job->response, io_u);
	job->io[io_u->index].prepared_ticks = tw_job_stamp(job);
}

static void prep_transfer(const struct tw_job *job, const struct io_u *io_u,
			  struct io_uring_sqe *sqe)
{
	sqe->opcode = job->opcode[io_u->ddir];
	sqe->off = io_u->offset;
	sqe->rw_flags = job->rw_flags[io_u->ddir];
	/* The kernel may submit from a context that lacks the priority of the
	 * job's thread. */
	sqe->ioprio = job->ioprio;
	if (job->iovecs) {
		struct iovec *iovec = &job->iovecs[io_u->index];

		iovec->iov_base = io_u->xfer_buf;
		iovec->iov_len = io_u->xfer_buflen;
		sqe->addr = (uintptr_t) iovec;
		sqe->len = 1;
		return;
	}
	sqe->addr = (uintptr_t) io_u->xfer_buf;
	sqe->len = (__u32) io_u->xfer_buflen;
	if (job->fixed_buffers)
		sqe->buf_index = (__u16) io_u->index;
}

static void prep_trim(const struct io_u *io_u, struct io_uring_sqe *sqe)
{
	sqe->opcode = IORING_OP_URING_CMD;
	sqe->cmd_op = TW_BLOCK_DISCARD;
	sqe->addr = io_u->offset;
	sqe->addr3 = io_u->xfer_buflen;
}

static void prep_sync(const struct thread_data *td, const struct io_u *io_u,
		      struct io_uring_sqe *sqe)
{
	const struct fio_file *f = io_u->file;

	sqe->opcode = IORING_OP_FSYNC;
	if (io_u->ddir == DDIR_DATASYNC) {
		sqe->fsync_flags = IORING_FSYNC_DATASYNC;
	} else if (io_u->ddir == DDIR_SYNC_FILE_RANGE) {
		sqe->opcode = IORING_OP_SYNC_FILE_RANGE;
		sqe->off = f->first_write;
		sqe->len = (__u32) (f->last_write - f->first_write);
		sqe->sync_range_flags = td->o.sync_file_range;
	}
}

int tw_prep(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct io_uring_sqe *sqe = tw_prep_entry(job, io_u);

	if (io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE)
		prep_transfer(job, io_u, sqe);
	else if (io_u->ddir == DDIR_TRIM)
		prep_trim(io_u, sqe);
	else
		prep_sync(td, io_u, sqe);
	tw_prep_done(td, job, io_u);
	return 0;
}

/* ---- queue -------------------------------------------------------------- */

enum fio_q_status tw_requeue(struct tw_job *job, const struct io_u *io_u)
{
	tw_pending(job, io_u)->requeued++;
	if (job->response)
		tw_response_again(job->response, io_u);
	return FIO_Q_BUSY;
}

/* Do the I/O at once by the system call @call, which sets io_u->error. If other I/Os
 * are queued, fio has to come again; fio's own engine does the same. */
enum fio_q_status tw_queue_call(struct thread_data *td, struct io_u *io_u,
				tw_call *call)
{
	struct tw_job *job = td->io_ops_data;
	struct tw_io *io = &job->io[io_u->index];

	if (job->queued)
		return tw_requeue(job, io_u);
	io->enter_ticks = tw_job_stamp(job);
	io->entered_ticks = 0;	/* no submitting call */
	io->kernel.accepted_ns = 0;	/* never in the ring */
	call(td, io_u);
	io->seen_ticks = tw_job_stamp(job);
	if (io_u->error)
		tw_record_error(job, io_u, io->seen_ticks);
	else
		tw_record(td, job, io_u, io->seen_ticks);
	io_u_mark_submit(td, 1);
	io_u_mark_complete(td, 1);
	return FIO_Q_COMPLETED;
}

enum fio_q_status tw_queue_entry(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	const struct io_uring_sq *sq = &job->ring.sq;

	if (job->queued == job->entries)
		return tw_requeue(job, io_u);
	sq->array[job->sq_tail++ & sq->ring_mask] = io_u->index;
	job->queued++;
	return FIO_Q_QUEUED;
}

/* Versions of fio declare these two functions with different const qualifiers. */
static int call_trim(struct thread_data *td, struct io_u *io_u)
{
	return do_io_u_trim(td, io_u);
}

#ifdef TW_FIO_SYNCFS
static int call_sync(struct thread_data *td, struct io_u *io_u)
{
	return do_io_u_sync(td, io_u);
}
#endif

/* Set the priority of a read or write (cmdprio_percentage and similar options). */
static void set_priority(struct thread_data *td, struct tw_job *job,
			 struct io_u *io_u)
{
	if (job->cmdprio.mode != CMDPRIO_MODE_NONE &&
	    fio_cmdprio_set_ioprio(td, &job->cmdprio, io_u))
		job->ring.sq.sqes[io_u->index].ioprio = (__u16) io_u->ioprio;
}

enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;

	fio_ro_check(td, io_u);
	if (io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE)
		set_priority(td, job, io_u);
	if (io_u->ddir == DDIR_TRIM &&
	    !(job->async_trim && io_u->file->filetype == FIO_TYPE_BLOCK))
		return tw_queue_call(td, io_u, call_trim);
#ifdef TW_FIO_SYNCFS
	if (io_u->ddir == DDIR_SYNCFS)
		return tw_queue_call(td, io_u, call_sync);
#endif
	return tw_queue_entry(td, io_u);
}

/* ---- commit ------------------------------------------------------------- */

static int enter(const struct tw_job *job, unsigned submit, unsigned wait,
		 unsigned flags)
{
	return io_uring_enter((unsigned) job->ring.enter_ring_fd, submit, wait,
			      flags | job->enter_flags, NULL);
}

static struct io_uring_cqe *cqe_at(const struct tw_job *job, unsigned place)
{
	const struct io_uring_cq *cq = &job->ring.cq;

	return &cq->cqes[(place & cq->ring_mask) << job->entry_shift];
}

/* Stamp all completions before @tail that have no stamp yet. They were in the ring
 * when @now_ticks was read. */
static void see(struct tw_job *job, unsigned tail, uint64_t now_ticks)
{
	const unsigned count = tail - job->seen_tail;
	const struct io_uring_cqe *cqe;

	while (job->seen_tail != tail) {
		cqe = cqe_at(job, job->seen_tail++);
		job->io[(uint32_t) cqe->user_data].seen_ticks = now_ticks;
	}
	if (count)
		job->batches++;
	if (count > job->largest_batch)
		job->largest_batch = count;
}

/* Stamp all queued I/Os just before the call that submits them. If the kernel accepts
 * only the first of them, the rest gets a new stamp before the next call. */
static void stamp_enter(struct tw_job *job)
{
	const struct io_uring_sq *sq = &job->ring.sq;
	const uint64_t now_ticks = tw_job_stamp(job);
	unsigned place;

	for (place = job->sq_tail - job->queued; place != job->sq_tail; place++)
		job->io[sq->array[place & sq->ring_mask]].enter_ticks =
			now_ticks;
}

/*
 * Note that the kernel has accepted the first @count queued I/Os. fio gets their issue
 * time and computes slat (io_u_queued()). With SQPOLL there is no slat, because no call
 * submits the I/Os; fio does the same from 3.36 on. (The members tw_... of fio's structs
 * are macros: a patched fio has other names for them.)
 */
static void submitted(struct thread_data *td, struct tw_job *job,
		      unsigned count, uint64_t entered_ticks)
{
	const struct io_uring_sq *sq = &job->ring.sq;
	const bool fill_issue_time = fio_fill_issue_time(td);
	unsigned place = job->sq_tail - job->queued;
	tw_fio_time now = { 0 };

	if (fill_issue_time)
		now = tw_fio_now();
	/* fio needs it to replay a log. */
	if (fill_issue_time && td->o.read_iolog_file)
		td->tw_last_issue = now;
	job->queued -= count;
	io_u_mark_submit(td, count);
	for (; count; count--, place++) {
		const unsigned index = sq->array[place & sq->ring_mask];
		struct io_u *io_u = job->by_index[index];

		job->io[index].entered_ticks = entered_ticks;
		if (!fill_issue_time)
			continue;
		io_u->tw_issue_time = now;
		if (!job->polled_submission)
			io_u_queued(td, io_u);
	}
}

/* With SQPOLL a thread of the kernel submits what is published. Wake that thread if it
 * sleeps. The barrier keeps its flag from being read before the tail is published. */
static int commit_polled(struct thread_data *td, struct tw_job *job)
{
	int ret = 0;

	io_uring_smp_mb();
	if (IO_URING_READ_ONCE(*job->ring.sq.kflags) & IORING_SQ_NEED_WAKEUP) {
		job->enters++;
		ret = enter(job, job->queued, 0, IORING_ENTER_SQ_WAKEUP);
	}
	submitted(td, job, job->queued, 0);
	return ret < 0 ? ret : 0;
}

/*
 * Return the flags of the submitting call. fio's engine always passes
 * IORING_ENTER_GETEVENTS, to find completions as well. But the completion of buffered
 * I/O from the page cache is in the ring when the call returns. If nothing else is in
 * flight, the flag finds nothing. It costs 2 % (Intel) to 4 % (AMD) of the time to read
 * 512 bytes.
 */
static unsigned commit_flags(const struct tw_job *job)
{
	/* Each submission has one completion. */
	const unsigned completed =
		io_uring_smp_load_acquire(job->ring.cq.ktail);
	const bool in_flight = completed != job->sq_tail - job->queued;

	return job->direct || in_flight ? job->getevents_flags : 0;
}

/*
 * Submit by a call. The stamp entered, after the call, is the stamp seen of the
 * completions that are in the ring by then. This is not done with tw_event_time=1: fio
 * would get that stamp as the end of the I/O, and reads the issue time after it.
 */
static int commit_call(struct thread_data *td, struct tw_job *job)
{
	uint64_t now_ticks = 0;
	unsigned tail;
	int ret;

	job->enters++;
	ret = enter(job, job->queued, 0, commit_flags(job));
	if (ret < 0)
		return ret;
	tail = io_uring_smp_load_acquire(job->ring.cq.ktail);
	if (job->stages)
		now_ticks = tw_job_stamp(job);
	if (job->stages && !job->event_time)
		see(job, tail, now_ticks);
	submitted(td, job, (unsigned) ret, now_ticks);
	return 0;
}

int tw_commit(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	int ret;

	while (job->queued) {
		if (job->stages)
			stamp_enter(job);
		io_uring_smp_store_release(job->ring.sq.ktail, job->sq_tail);
		ret = job->polled_submission ? commit_polled(td, job) :
					       commit_call(td, job);
		if (ret == -EAGAIN || ret == -EBUSY) {
			usleep(1);
		} else if (ret < 0 && ret != -EINTR) {
			td_verror(td, -ret, "io_uring_enter submit");
			return ret;
		}
	}
	return 0;
}

/* ---- getevents ---------------------------------------------------------- */

/* Stamp the new completions and remove at most @max of them from the ring, beginning at
 * job->events_at. Return their number. The kernel does not overwrite them before fio
 * has read them, since the ring has room for twice the depth. */
static unsigned reap(struct tw_job *job, unsigned max)
{
	const unsigned tail = io_uring_smp_load_acquire(job->ring.cq.ktail);
	const unsigned events = min(tail - job->events_at, max);

	if (tail != job->seen_tail)
		see(job, tail, tw_job_stamp(job));
	io_uring_smp_store_release(job->ring.cq.khead,
				   job->events_at + events);
	return events;
}

/* With min=0 and an empty ring, enter the kernel once: some completions appear only
 * when the job's own thread enters. With iodepth_batch_complete_min=0 fio polls: the
 * loop enters until there are @min completions, but never sleeps. */
int tw_getevents(struct thread_data *td, unsigned min, unsigned max,
		 const struct timespec *t)
{
	struct tw_job *job = td->io_ops_data;
	const unsigned sleep_for = td->o.iodepth_batch_complete_min ? min : 0;
	bool entered = false;
	unsigned events;

	job->events_at = *job->ring.cq.khead;
	for (;;) {
		unsigned wait;
		int ret = 0;

		events = reap(job, max);
		if (events >= min && (events || entered))
			break;
		wait = sleep_for > events ? sleep_for - events : 0;
		/* tw_event_wait=1: wake up for each completion. */
		if (job->event_wait && wait)
			wait = 1;
		tw_record_before_wait(job);
		if (!job->polled_submission)
			ret = enter(job, 0, wait, job->getevents_flags);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN) {
			td_verror(td, -ret, "io_uring_enter");
			return ret;
		}
		entered = true;
	}
	job->returned_ticks = tw_job_stamp(job);
	if (job->event_time)
		tw_event_time_returned(job);
	return (int) events;
}

/* ---- event -------------------------------------------------------------- */

/* Return the I/O of completion @event of the last getevents(), and its @result. */
struct io_u *tw_event_at(const struct tw_job *job, int event, int *result)
{
	const struct io_uring_cqe *cqe;

	cqe = cqe_at(job, job->events_at + (unsigned) event);
	*result = cqe->res;
	return job->by_index[(uint32_t) cqe->user_data];
}

/* Take the kernel's stamps of an I/O. Only the result of a transfer on the ring tells how
 * many bytes its requests have. */
static void take_kernel_stamps(const struct tw_job *job, const struct io_u *io_u)
{
	struct tw_slot *stamps = &job->io[io_u->index].kernel;
	const bool is_read = io_u->ddir == DDIR_READ;
	const bool moves = !tw_engine_commands &&
			   (is_read || io_u->ddir == DDIR_WRITE);

	tw_kernel_read(&job->kernel, io_u->index, stamps);
	tw_slot_settle(stamps, moves ? io_u->xfer_buflen - io_u->resid : 0,
		       is_read && io_u->file->filetype == FIO_TYPE_FILE);
}

/* Record an I/O that is done, which means that fio accounts its latency, too. */
void tw_event_done(struct thread_data *td, struct tw_job *job,
		   struct io_u *io_u, int event)
{
	if (job->event_time)
		tw_event_time_set(job, io_u, event);
	if (job->kernel.slots)
		take_kernel_stamps(job, io_u);
	tw_record(td, job, io_u, job->returned_ticks);
}

/*
 * True if fio will requeue an I/O that moved fewer bytes than it had to. fio submits
 * the rest and accounts the latency of the rest only. False if the I/O moved nothing
 * or met the end of the file; then fio accounts its latency.
 */
static bool is_requeued(struct tw_job *job, struct io_u *io_u, uint64_t moved)
{
	io_u->resid = io_u->xfer_buflen - moved;
	if (!moved || io_u->offset + moved >= io_u->file->real_file_size)
		return false;
	tw_pending(job, io_u)->shorts++;
	if (job->response)
		tw_response_again(job->response, io_u);
	return true;
}

/* Trim by a system call, now and from now on, because this kernel or device can't trim
 * through the ring. fio has already read the end time of this trim. So its lat, in fio
 * and in the report, is that of the refused attempt. */
static int trim_by_call(struct thread_data *td, struct tw_job *job,
			struct io_u *io_u)
{
	job->async_trim = false;
	io_u->error = 0;
	do_io_u_trim(td, io_u);
	return -(int) io_u->error;
}

static bool is_unsupported(int result)
{
	return result == -EOPNOTSUPP || result == -EINVAL || result == -ENOTTY;
}

struct io_u *tw_event(struct thread_data *td, int event)
{
	struct tw_job *job = td->io_ops_data;
	struct io_u *io_u;
	int result;

	io_u = tw_event_at(job, event, &result);
	if (io_u->ddir == DDIR_TRIM && is_unsupported(result))
		result = trim_by_call(td, job, io_u);
	if (result < 0) {
		io_u->error = (unsigned) -result;
		tw_record_error(job, io_u, job->returned_ticks);
		return io_u;
	}
	io_u->error = 0;
	if (ddir_rw(io_u->ddir) && io_u->ddir != DDIR_TRIM &&
	    (uint64_t) result < io_u->xfer_buflen && !job->test_nop &&
	    is_requeued(job, io_u, (uint64_t) result))
		return io_u;
	tw_event_done(td, job, io_u, event);
	return io_u;
}
