/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The path of an I/O through the engine, in the order of fio's calls.
 *
 *	prep		fills the io_u's entry in the submission ring (SQE). In an open
 *			loop it waits until the I/O is due (arrivals.c).
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
 * job->hot.io[io_u->index] holds the stamps of an io_u, except returned, which is the
 * same for a batch. Until event(), job->hot.seen_ticks has the stamp seen, by the place in
 * the ring. sqes[io_u->index] is its SQE. The SQE does not change while the
 * I/O is in flight, because a thread of the kernel may read it late (SQPOLL).
 *
 * The user_data of the SQE, by which the kernel names the I/O, has the index, the place
 * of the ring in the table of the kernel's program (kernel/), and a number that differs
 * for each I/O (kernel/kernel_stamps.h). It tells to which I/O the program's stamps belong, and
 * whether that I/O was chosen to get any (choose.h).
 *
 * NVMe commands take the same path; nvme/nvme_engine.c has their prep, queue and event.
 */
#include <errno.h>
#include <unistd.h>

#include "engine.h"

/* BLOCK_URING_CMD_DISCARD of Linux 6.12, which some headers lack. */
#define TW_BLOCK_DISCARD	_IO(0x12, 0)

/* ---- prep --------------------------------------------------------------- */

static void prep_transfer(const struct tw_job *job, const struct io_u *io_u,
			  struct io_uring_sqe *sqe)
{
	sqe->opcode = job->ring.opcode[io_u->ddir];
	sqe->off = io_u->offset;
	sqe->rw_flags = job->ring.rw_flags[io_u->ddir];
	/* The kernel may submit from a context that lacks the priority of the
	 * job's thread. */
	sqe->ioprio = job->ring.ioprio;
	if (job->ring.iovecs) {
		struct iovec *iovec = &job->ring.iovecs[io_u->index];

		iovec->iov_base = io_u->xfer_buf;
		iovec->iov_len = io_u->xfer_buflen;
		sqe->addr = (uintptr_t) iovec;
		sqe->len = 1;
		return;
	}
	sqe->addr = (uintptr_t) io_u->xfer_buf;
	sqe->len = (__u32) io_u->xfer_buflen;
	if (job->ring.fixed_buffers)
		sqe->buf_index = (__u16) io_u->index;
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

	if (io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE) {
		prep_transfer(job, io_u, sqe);
	} else if (io_u->ddir == DDIR_TRIM) {
		sqe->opcode = IORING_OP_URING_CMD;
		sqe->cmd_op = TW_BLOCK_DISCARD;
		sqe->addr = io_u->offset;
		sqe->addr3 = io_u->xfer_buflen;
		/* After a trim by system call, a flush would be in fio's lat. */
		if (!job->ring.async_trim)
			tw_record_before_wait(job);
	} else {
		prep_sync(td, io_u, sqe);
	}
	return tw_prep_done(td, job, io_u);
}

/* ---- queue -------------------------------------------------------------- */

enum fio_q_status tw_requeue(struct tw_job *job, const struct io_u *io_u)
{
	tw_pending(job, io_u)->requeued++;
	if (job->hot.response)
		tw_response_again(job->hot.response, io_u);
	return FIO_Q_BUSY;
}

/* Do the I/O at once by the system call @call, which sets io_u->error. If other I/Os
 * are queued, fio has to come again; fio's own engine does the same. */
enum fio_q_status tw_queue_call(struct thread_data *td, struct io_u *io_u,
				tw_call *call)
{
	struct tw_job *job = td->io_ops_data;
	struct tw_io *io = &job->hot.io[io_u->index];
	struct io_uring_sqe *sqe = tw_entry_of(job, io_u);

	if (job->ring.queued)
		return tw_requeue(job, io_u);
	if (tw_is_open_loop(job))
		tw_start_when_due(td, job, io_u);
	io->enter_ticks = tw_job_stamp(job);
	io->entered_ticks = 0;	/* no submitting call */
	/* It is never in the ring, so nothing is estimated of it. It stands for itself alone,
	 * chosen or not. */
	sqe->user_data &= ~((uint64_t) TW_KEY_UPPERS << TW_KEY_UPPER_SHIFT);
	sqe->user_data |= TW_KEY_CHOSEN;
	call(td, io_u);
	io->seen_ticks = tw_job_stamp(job);
	io_u_mark_submit(td, 1);
	io_u_mark_complete(td, 1);
	if (tw_is_open_loop(job)) {
		tw_waited_since(job, io->enter_ticks);
		if (!io_u->error)
			tw_response_ended(job->hot.response, io_u);
	}
	/* What the lines above took is the stage deliver. */
	if (io_u->error)
		tw_record_error(job, io_u, io->seen_ticks);
	else
		tw_record(td, job, io_u, tw_job_stamp(job));
	return FIO_Q_COMPLETED;
}

/* Versions of fio declare these two functions with different const qualifiers. */
int tw_call_trim(struct thread_data *td, struct io_u *io_u)
{
	return do_io_u_trim(td, io_u);
}

#ifdef TW_FIO_SYNCFS
static int call_sync(struct thread_data *td, struct io_u *io_u)
{
	return do_io_u_sync(td, io_u);
}
#endif

enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	const bool moves = io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE;

	fio_ro_check(td, io_u);
	if (moves && job->ring.protection)
		tw_protect(job, io_u);
	/* cmdprio_percentage and similar options: of reads and writes only */
	if (moves && job->ring.cmdprio.mode != CMDPRIO_MODE_NONE &&
	    fio_cmdprio_set_ioprio(td, &job->ring.cmdprio, io_u))
		tw_entry_of(job, io_u)->ioprio = (__u16) io_u->ioprio;
	if (io_u->ddir == DDIR_TRIM &&
	    !(job->ring.async_trim && io_u->file->filetype == FIO_TYPE_BLOCK)) {
		/* After a trim was refused, take the others out of the ring first. fio asks for
		 * completions when it is busy, and not while each call is done at once: these
		 * would stay there until the job ends, and that time would be in lat. */
		if (td_trim(td) && !td_trimwrite(td) && td->cur_depth > 1)
			return tw_requeue(job, io_u);
		return tw_queue_call(td, io_u, tw_call_trim);
	}
#ifdef TW_FIO_SYNCFS
	if (io_u->ddir == DDIR_SYNCFS)
		return tw_queue_call(td, io_u, call_sync);
#endif
	return tw_queue_entry(job, io_u);
}

/* ---- commit ------------------------------------------------------------- */

/* Stamp all completions before @tail that have no stamp yet. They were in the ring
 * when @now_ticks was read. */
static void see(struct tw_job *job, unsigned tail, uint64_t now_ticks)
{
	const unsigned mask = job->ring.uring.cq.ring_mask;
	const unsigned count = tail - job->ring.seen_tail;
	unsigned place;

	for (place = job->ring.seen_tail; place != tail; place++)
		job->hot.seen_ticks[place & mask] = now_ticks;
	job->ring.seen_tail = tail;
	job->hot.batches += count != 0;
	if (count > job->hot.largest_batch)
		job->hot.largest_batch = count;
}

/* Read the time after the ring's tail. Without DEFER_TASKRUN another CPU may write the tail.
 * While that is on its way, an unordered read may go ahead of it, by tens of ns: the I/O would
 * seem to be seen before it was posted. */
static uint64_t stamp_seen(const struct tw_job *job)
{
	if (job->ring.uring.flags & IORING_SETUP_DEFER_TASKRUN || job->hot.system)
		return tw_job_stamp(job);
	return tw_ticks_end();
}

uint64_t tw_look(struct tw_job *job)
{
	const unsigned tail = io_uring_smp_load_acquire(job->ring.uring.cq.ktail);
	const uint64_t now_ticks = stamp_seen(job);

	if (tail != job->ring.seen_tail)
		see(job, tail, now_ticks);
	return now_ticks;
}

/* With SQPOLL there is no slat, because no call submits the I/Os; fio does the same from 3.36
 * on. In an open loop slat begins when the I/O was due. */
static void queued_otherwise(struct thread_data *td, const struct tw_job *job,
			     struct io_u *io_u)
{
	if (tw_is_open_loop(job))
		tw_start_when_due(td, job, io_u);
	if (!job->ring.polled_submission)
		io_u_queued(td, io_u);
}

/*
 * Note that the kernel has accepted the first @count queued I/Os. fio gets their issue
 * time and computes slat (io_u_queued()). (The members tw_... of fio's structs are macros: a
 * patched fio has other names for them.)
 */
static void submitted(struct thread_data *td, struct tw_job *job, unsigned count,
		      uint64_t enter_ticks, uint64_t entered_ticks)
{
	const struct io_uring_sq *sq = &job->ring.uring.sq;
	const bool fill_issue_time = fio_fill_issue_time(td);
	unsigned place = job->ring.sq_tail - job->ring.queued;
	tw_fio_time now = { 0 };

	if (fill_issue_time)
		now = tw_fio_now();
	/* fio needs it to replay a log. */
	if (fill_issue_time && td->o.read_iolog_file)
		td->tw_last_issue = now;
	job->ring.queued -= count;
	io_u_mark_submit(td, count);
	for (; count; count--, place++) {
		const unsigned index = sq->array[place & sq->ring_mask];
		struct io_u *io_u = job->hot.by_index[index];

		job->hot.io[index].enter_ticks = enter_ticks;
		job->hot.io[index].entered_ticks = entered_ticks;
		if (!fill_issue_time)
			continue;
		io_u->tw_issue_time = now;
		if (job->ring.slat_differs)
			queued_otherwise(td, job, io_u);
		else
			io_u_queued(td, io_u);
	}
}

/* With SQPOLL a thread of the kernel submits what is published. Wake that thread if it
 * sleeps. The barrier keeps its flag from being read before the tail is published. */
static int commit_polled(struct thread_data *td, struct tw_job *job, uint64_t enter_ticks)
{
	int ret = 0;

	io_uring_smp_mb();
	if (IO_URING_READ_ONCE(*job->ring.uring.sq.kflags) & IORING_SQ_NEED_WAKEUP) {
		job->hot.enters++;
		ret = tw_enter(job, job->ring.queued, 0, IORING_ENTER_SQ_WAKEUP);
	}
	submitted(td, job, job->ring.queued, enter_ticks, 0);
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
		io_uring_smp_load_acquire(job->ring.uring.cq.ktail);
	const bool in_flight = completed != job->ring.sq_tail - job->ring.queued;

	return job->ring.direct || in_flight ? job->ring.getevents_flags : 0;
}

/*
 * Submit by a call. The stamp entered, after the call, is the stamp seen of the
 * completions that are in the ring by then. This is not done with tw_event_time=1: fio
 * would get that stamp as the end of the I/O, and reads the issue time after it.
 */
static int commit_call(struct thread_data *td, struct tw_job *job, uint64_t enter_ticks)
{
	uint64_t now_ticks = 0;
	unsigned tail;
	int ret;

	job->hot.enters++;
	ret = tw_enter(job, job->ring.queued, 0, commit_flags(job));
	if (ret < 0)
		return ret;
	tail = io_uring_smp_load_acquire(job->ring.uring.cq.ktail);
	if (job->hot.stages)
		now_ticks = stamp_seen(job);
	if (job->hot.stages && !job->hot.event_time)
		see(job, tail, now_ticks);
	submitted(td, job, (unsigned) ret, enter_ticks, now_ticks);
	return 0;
}

/* The stamp enter is taken just before the call. If the kernel accepts only the first of the
 * queued I/Os, the rest gets a new stamp before the next call. */
int tw_commit(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	int ret;

	while (job->ring.queued) {
		const uint64_t enter_ticks = job->hot.stages ? tw_job_stamp(job) : 0;

		io_uring_smp_store_release(job->ring.uring.sq.ktail, job->ring.sq_tail);
		ret = job->ring.polled_submission ? commit_polled(td, job, enter_ticks) :
					       commit_call(td, job, enter_ticks);
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
 * job->ring.events_at. Return their number. The kernel does not overwrite them before fio
 * has read them, since the ring has room for twice the depth. */
static unsigned reap(struct tw_job *job, unsigned max)
{
	const unsigned tail = io_uring_smp_load_acquire(job->ring.uring.cq.ktail);
	const unsigned events = min(tail - job->ring.events_at, max);

	if (tail != job->ring.seen_tail)
		see(job, tail, stamp_seen(job));
	io_uring_smp_store_release(job->ring.uring.cq.khead,
				   job->ring.events_at + events);
	return events;
}

/* With min=0 and an empty ring, enter the kernel once: some completions appear only
 * when the job's own thread enters. With iodepth_batch_complete_min=0 fio polls: the
 * loop enters until there are @min completions, but never sleeps. An open loop does not sleep
 * in the first call: if that is enough, it did not have to wait. */
int tw_getevents(struct thread_data *td, unsigned min, unsigned max,
		 const struct timespec *t)
{
	struct tw_job *job = td->io_ops_data;
	const unsigned sleep_for = td->o.iodepth_batch_complete_min ? min : 0;
	bool entered = false;
	unsigned events;

	job->ring.events_at = *job->ring.uring.cq.khead;
	for (;;) {
		uint64_t from_ticks = 0;
		unsigned wait;
		int ret = 0;

		events = reap(job, max);
		if (events >= min && (events || entered))
			break;
		wait = sleep_for > events ? sleep_for - events : 0;
		/* tw_event_wait=1: wake up for each completion. */
		if (job->hot.event_wait && wait)
			wait = 1;
		tw_record_before_wait(job);
		if (tw_is_open_loop(job) && entered)
			from_ticks = tw_job_stamp(job);
		else if (tw_is_open_loop(job))
			wait = 0;
		if (!job->ring.polled_submission)
			ret = tw_enter(job, 0, wait, job->ring.getevents_flags);
		if (ret < 0 && ret != -EINTR && ret != -EAGAIN) {
			td_verror(td, -ret, "io_uring_enter");
			return ret;
		}
		entered = true;
		if (from_ticks)
			job->hot.response->arrivals.full_until_ticks =
				tw_waited_since(job, from_ticks);
	}
	job->hot.returned_ticks = tw_job_stamp(job);
#ifdef TW_FIO_COMPLETE_TIME
	if (job->hot.event_time)
		job->hot.returned_fio_ns = fio_gettime_ns();
#endif
	return (int) events;
}

/* ---- event -------------------------------------------------------------- */

/*
 * tw_event_time: make fio's own latencies end where the engine saw each completion.
 *
 * fio reads its clock once after ->getevents(), and uses this time as the end of every
 * I/O of the batch. An engine can't change that. But fio's latencies are differences. So
 * the issue and start times of an I/O are moved later by the time from its completion to
 * the end of ->getevents(). A fio with the patches of patches/ takes the end of each I/O
 * from the engine. Then no time is moved. In an open loop the report's lat ends there, too:
 * return the end of lat.
 *
 * A residual stays, the same for the whole batch: the time from the engine's last stamp
 * to fio's reading of its clock (patched: to the engine's reading). It is less than the
 * time to the first ->event(), which is measured.
 */
static uint64_t end_at_event(struct tw_job *job, struct io_u *io_u, int event)
{
	const uint64_t seen_ticks = job->hot.io[io_u->index].seen_ticks;
	const uint64_t returned_ticks = job->hot.returned_ticks;
	uint64_t earlier_ns;
	int64_t residual_ns;

	job->hot.residual_ns = TW_NO_TIME;
	if (event == 0) {
		residual_ns = tw_job_ns(job, returned_ticks, tw_job_stamp(job));
		job->hot.residual_ns = residual_ns < 0 ? 0 : (uint64_t) residual_ns;
	}
	earlier_ns = tw_earlier_ns(&job->hot.scale, seen_ticks, returned_ticks);
#ifdef TW_FIO_COMPLETE_TIME
	io_u->complete_nsec = job->hot.returned_fio_ns - earlier_ns;
#elif defined TW_FIO_NSEC
	io_u->issue_nsec += earlier_ns;
	io_u->start_nsec += earlier_ns;
#else
	tw_timespec_later(&io_u->issue_time, earlier_ns);
	tw_timespec_later(&io_u->start_time, earlier_ns);
#endif
	if (!tw_is_open_loop(job))
		return returned_ticks;
	tw_response_ended(job->hot.response, io_u);
	return seen_ticks;
}

/* Record an I/O that has ended: one without an error is done, so fio accounts its latency,
 * too. */
void tw_event_done(struct thread_data *td, struct tw_job *job,
		   struct io_u *io_u, int event)
{
	uint64_t end_ticks = job->hot.returned_ticks;

	if (io_u->error) {
		tw_record_error(job, io_u, end_ticks);
		return;
	}
	if (job->hot.event_time)
		end_ticks = end_at_event(job, io_u, event);
	/* Not in getevents(): the reading would be in fio's lat, and in no stage. */
	if (event == 0 && tw__unlikely(job->hot.returned_ticks - job->hot.waits.read_ticks >
				       job->hot.waits.gap_ticks))
		tw_waits_take(job);
	tw_record(td, job, io_u, end_ticks);
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
	tw_pending(job, io_u)->short_ios++;
	if (job->hot.response)
		tw_response_again(job->hot.response, io_u);
	return true;
}

static bool is_unsupported(int result)
{
	return result == -EOPNOTSUPP || result == -EINVAL || result == -ENOTTY;
}

/* Set the error of an I/O that did not simply move all its bytes. Return false if fio will
 * requeue it. */
static bool ended(struct thread_data *td, struct tw_job *job, struct io_u *io_u, int result)
{
	if (io_u->ddir == DDIR_TRIM && is_unsupported(result)) {
		/* Trim by a system call, now and from now on, because this kernel or device
		 * can't trim through the ring. fio has already read the end time of this
		 * trim. So its lat, in fio and in the report, is that of the refused attempt. */
		job->ring.async_trim = false;
		io_u->error = 0;
		do_io_u_trim(td, io_u);
		result = -(int) io_u->error;
	}
	io_u->error = result < 0 ? (unsigned) -result : 0;
	if (result >= 0 && ddir_rw(io_u->ddir) && io_u->ddir != DDIR_TRIM &&
	    (uint64_t) result < io_u->xfer_buflen && !job->hot.test_nop &&
	    is_requeued(job, io_u, (uint64_t) result))
		return false;
	if (job->ring.protection && !io_u->error && (uint64_t) result == io_u->xfer_buflen)
		io_u->error = tw_protection_check(job, io_u);
	return true;
}

struct io_u *tw_event(struct thread_data *td, int event)
{
	struct tw_job *job = td->io_ops_data;
	struct io_u *io_u;
	int result;

	io_u = tw_event_at(job, event, &result);
	if ((uint64_t) result == io_u->xfer_buflen && !job->ring.protection)
		io_u->error = 0;
	else if (!ended(td, job, io_u, result))
		return io_u;
	tw_event_done(td, job, io_u, event);
	return io_u;
}
