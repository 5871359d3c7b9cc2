/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way in: an I/O of fio's becomes an entry of the ring, is stamped, and
 * enters the kernel with those that wait with it.
 *
 * Entries lie in the ring in the order in which they were queued, and each knows
 * its I/O: the ring is the list of what is pending.
 *
 * What a job's options ask of every read and write alike stands in a model
 * that is copied; what they ask of each I/O anew is behind one branch that a
 * job without such options never takes.
 */
#include <errno.h>
#include <unistd.h>

#include "engine.h"
#include "enter.h"
#include "issue_time.h"
#include "record.h"
#include "response.h"

/* Newer than some headers (Linux 6.12). */
#define TW_BLOCK_DISCARD	_IO(0x12, 0)

static void prepare_sync(struct thread_data *td, struct io_u *io_u,
			 struct io_uring_sqe *sqe)
{
	const struct fio_file *f = io_u->file;

	/* io_uring_prep_*() of liburing 2.9 leaves what was there before. */
	*sqe = (struct io_uring_sqe) { 0 };
	switch (io_u->ddir) {
	case DDIR_SYNC_FILE_RANGE:
		io_uring_prep_rw(IORING_OP_SYNC_FILE_RANGE, sqe, f->fd, NULL,
				 (unsigned) (f->last_write - f->first_write),
				 f->first_write);
		sqe->sync_range_flags = td->o.sync_file_range;
		break;
	case DDIR_DATASYNC:
		io_uring_prep_fsync(sqe, f->fd, IORING_FSYNC_DATASYNC);
		break;
	default:
		io_uring_prep_fsync(sqe, f->fd, 0);
		break;
	}
	io_uring_sqe_set_data(sqe, io_u);
}

static void prepare_trim(struct io_u *io_u, struct io_uring_sqe *sqe)
{
	*sqe = (struct io_uring_sqe) {
		.opcode = IORING_OP_URING_CMD,
		.fd = io_u->file->fd,
		.cmd_op = TW_BLOCK_DISCARD,
		.addr = io_u->offset,
		.addr3 = io_u->xfer_buflen,
		.user_data = (uintptr_t) io_u,
	};
}

static void prepare_special_transfer(struct thread_data *td,
				     struct tw_job *job, struct io_u *io_u,
				     struct io_uring_sqe *sqe)
{
	if (job->cmdprio.mode != CMDPRIO_MODE_NONE &&
	    fio_cmdprio_set_ioprio(td, &job->cmdprio, io_u))
		sqe->ioprio = (__u16) io_u->ioprio;
	if (job->fixed_buffers) {
		sqe->buf_index = (__u16) io_u->index;
	} else if (job->iovecs) {
		struct iovec *iovec = &job->iovecs[io_u->index];

		iovec->iov_base = io_u->xfer_buf;
		iovec->iov_len = io_u->xfer_buflen;
		sqe->addr = (uintptr_t) iovec;
		sqe->len = 1;
	}
}

/* What options ask for that differs from one I/O to the next. */
static __attribute__((noinline))
void prepare_special(struct thread_data *td, struct tw_job *job,
		     struct io_u *io_u, struct io_uring_sqe *sqe)
{
	if (!job->fill && (io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE))
		prepare_special_transfer(td, job, io_u, sqe);
	if (job->fixed_files) {
		sqe->fd = (__s32) io_u->file->engine_pos;
		sqe->flags |= IOSQE_FIXED_FILE;
	}
	if (job->force_async && ++job->prepared == job->force_async) {
		job->prepared = 0;
		sqe->flags |= IOSQE_ASYNC;
	}
}

/* With nothing special an entry that last was of the same kind has all the rest
 * in it. */
static inline void prepare_transfer(struct tw_job *job, struct io_u *io_u,
				    struct io_uring_sqe *sqe)
{
	if (!job->usual || sqe->opcode != job->opcode[io_u->ddir])
		*sqe = job->model[io_u->ddir];
	sqe->fd = io_u->file->fd;
	sqe->off = io_u->offset;
	sqe->addr = (uintptr_t) io_u->xfer_buf;
	sqe->len = (__u32) io_u->xfer_buflen;
	sqe->user_data = (uintptr_t) io_u;
}

/* Those of commands have the double size. */
static inline __attribute__((always_inline))
struct io_u *pending_at(const struct tw_job *job, unsigned place,
			const bool usual)
{
	const unsigned shift = usual ? 0 : job->entry_shift;

	return (struct io_u *) (uintptr_t)
		job->sqes[(place & job->sq_mask) << shift].user_data;
}

static bool is_full(const struct tw_job *job)
{
	return job->pending_tail - job->pending_head > job->sq_mask;
}

static enum fio_q_status come_again(struct tw_job *job, struct io_u *io_u)
{
	job->counts[tw_direction_of(io_u->ddir)].requeues++;
	if (job->response)
		tw_response_again(job->response, io_u);
	return FIO_Q_BUSY;
}

/* What the ring has no operation for; only with nothing queued, as fio's own
 * engine does it. */
static enum fio_q_status done_at_once(struct thread_data *td,
				      struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	enum tw_direction direction = tw_direction_of(io_u->ddir);
	struct tw_io io;

	if (job->pending_tail != job->pending_head)
		return come_again(job, io_u);
	if (job->response)
		tw_response_queued(td, job->response, io_u);
	io.queued_ticks = io.enter_ticks = tw_job_stamp(job);
	io.entered_ticks = 0;
	if (direction == TW_TRIM)
		do_io_u_trim(td, io_u);
	else
		tw_engine_sync(td, io_u);
	if (io_u->error)
		job->counts[direction].errors++;
	else
		tw_record(td, job, io_u, &io, tw_job_stamp(job), false);
	io_u_mark_submit(td, 1);
	io_u_mark_complete(td, 1);
	return FIO_Q_COMPLETED;
}

/* Neither read nor write: may it go through the ring? */
static __attribute__((noinline))
bool prepare_other(struct thread_data *td, struct tw_job *job,
		   struct io_u *io_u, struct io_uring_sqe *sqe)
{
	if (io_u->ddir == DDIR_TRIM) {
		if (!job->async_trim ||
		    io_u->file->filetype != FIO_TYPE_BLOCK)
			return false;
		prepare_trim(io_u, sqe);
		return true;
	}
#ifdef TW_FIO_SYNCFS
	if (io_u->ddir == DDIR_SYNCFS)
		return false;
#endif
	prepare_sync(td, io_u, sqe);
	return true;
}

/* The entry is filled: it waits in the ring from now on. */
static inline __attribute__((always_inline))
enum fio_q_status queued(struct thread_data *td, struct tw_job *job,
			 struct io_u *io_u, struct io_uring_sqe *sqe,
			 const bool usual)
{
	struct tw_io *io = &job->io[io_u->index];

	if (!usual && job->special)
		prepare_special(td, job, io_u, sqe);
	job->pending_tail++;
	job->submits_next = td->io_u_queued + 1 >= td->o.iodepth_batch;
	if (!usual && job->response)
		tw_response_queued(td, job->response, io_u);
	io->queued_ticks = tw_path_stamp(job, usual);
	/* Both, since it may be the last one that stamp_enter() leaves out. */
	io->enter_ticks = job->queued_ticks = io->queued_ticks;
	return FIO_Q_QUEUED;
}

enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct io_uring_sqe *sqe;

	fio_ro_check(td, io_u);

	if (tw_unlikely(is_full(job)))
		return come_again(job, io_u);
	sqe = &job->sqes[job->pending_tail & job->sq_mask];
	if (io_u->ddir == DDIR_READ || io_u->ddir == DDIR_WRITE) {
		prepare_transfer(job, io_u, sqe);
		if (job->usual)
			return queued(td, job, io_u, sqe, true);
	} else if (!prepare_other(td, job, io_u, sqe)) {
		return done_at_once(td, io_u);
	}
	return queued(td, job, io_u, sqe, false);
}

/*
 * A flush moves no data, and a ring that polls asks the kernel for what carries
 * the data: Linux 6.1 crashes. fio sets issue times only of what it knows to be
 * done at once, which a sync is not.
 */
static enum fio_q_status flush_at_once(struct thread_data *td,
				       struct io_u *io_u)
{
	if (fio_fill_issue_time(td))
		io_u->tw_issue_time = tw_fio_now();
	return done_at_once(td, io_u);
}

/*
 * A device may do a flush before writes that it has been given already; who wants
 * to know which of them were safe (verify_policy=fsynced) has them all done first,
 * as with fio's own engine.
 */
static bool waits_for_writes(const struct thread_data *td,
			     const struct io_u *io_u)
{
#ifdef TW_FIO_VERIFY_FSYNCED
	/* It is one of those itself. */
	return ddir_sync(io_u->ddir) && td->cur_depth > 1 &&
	       td->o.verify_policy & VERIFY_POLICY_FSYNCED;
#else
	return false;
#endif
}

/* With commands for a device; the entries are twice as large. */
enum fio_q_status tw_queue_command(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	const struct tw_options *o = td->eo;
	struct io_uring_sqe *sqe;
	int ret;

	fio_ro_check(td, io_u);

	if (is_full(job) || waits_for_writes(td, io_u))
		return come_again(job, io_u);
	/* There a trim is the reset of a zone. */
	if (io_u->ddir == DDIR_TRIM && td->o.zone_mode == ZONE_MODE_ZBD)
		return done_at_once(td, io_u);
	if (o->hipri && ddir_sync(io_u->ddir))
		return flush_at_once(td, io_u);
	sqe = &job->sqes[(job->pending_tail & job->sq_mask) <<
			 job->entry_shift];
	ret = job->fill(td, job, io_u, sqe);
	if (ret) {
		job->counts[tw_direction_of(io_u->ddir)].errors++;
		io_u->error = (unsigned) -ret;
		return FIO_Q_COMPLETED;
	}
	return queued(td, job, io_u, sqe, false);
}

/*
 * Everything pending enters the kernel at the same moment: now, or where fio
 * commits right after ->queue(), when the newest was queued; that one has its
 * stamp then.
 */
static inline __attribute__((always_inline))
void stamp_enter(struct tw_job *job, const bool usual)
{
	unsigned end = job->pending_tail;
	uint64_t enter_ticks;
	unsigned place;

	if (!job->stages)
		return;
	if (tw_likely(job->submits_next)) {
		job->submits_next = 0;
		enter_ticks = job->queued_ticks;
		end--;
	} else {
		enter_ticks = tw_path_stamp(job, usual);
	}
	for (place = job->pending_head; place != end; place++)
		job->io[pending_at(job, place, usual)->index].enter_ticks =
			enter_ticks;
}

/*
 * What was done inside of the call that is over now is seen now; unless fio is
 * told the end of each I/O, which then must come after the start that it takes
 * itself when we are back.
 * With one I/O at a time fio asks for it next.
 */
static inline void see_done(struct tw_job *job, unsigned tail,
			    uint64_t entered_ticks, const bool usual)
{
	if (tw_unlikely(tail == job->seen_tail) ||
	    (!usual && job->event_time))
		return;
	tw_job_saw(job, tail, entered_ticks, !job->one_at_a_time);
}

/*
 * The first so many wait for nothing here any more: they get fio's clock and,
 * if it was by a call, the call's end and fio's slat. Under a polling thread
 * the call's time is not their own. (disable_slat is no way to say so: with it
 * fio takes no start times of the reads that verify.)
 */
static inline __attribute__((always_inline))
void taken(struct thread_data *td, struct tw_job *job, unsigned count,
	   bool by_call, uint64_t entered_ticks, const bool usual)
{
	const bool fills = usual || fio_fill_issue_time(td);
	const unsigned head = job->pending_head;
	struct tw_io *io = job->io;
	tw_fio_time now = { 0 };
	unsigned i;

	if (fills)
		now = by_call ? tw_issue_time_at(job, entered_ticks) :
				tw_fio_now();
	/* Only a replayed log looks at it. */
	if (!usual && td->o.read_iolog_file && fills)
		td->tw_last_issue = now;
	for (i = 0; i < count; i++) {
		struct io_u *io_u = pending_at(job, head + i, usual);

		io[io_u->index].entered_ticks = entered_ticks;
		if (!fills)
			continue;
		io_u->tw_issue_time = now;
		if (by_call)
			io_u_queued(td, io_u);
	}
	job->pending_head = head + count;
	io_u_mark_submit(td, count);
}

/*
 * fio's engine looks for completions with every submission. With nothing in the
 * kernel there are none to be found but those of the call's own I/Os, and a
 * read from the page cache is in the ring without being looked for. A device
 * that completes at once leaves work behind that is done only when somebody
 * looks, and a second call for that costs more than this saves, and comes into
 * that I/O's latency: so where something is left to be found, the next ones look,
 * and each time it is so again, twice as many. Of a million I/Os of such a device
 * 12 have a second call.
 */
static inline unsigned submit_flags(struct tw_job *job, const bool usual)
{
	if ((!usual && job->always_looks) ||
	    io_uring_smp_load_acquire(job->cq_tail) != job->pending_head)
		return job->wait_flags;
	if (job->looks) {
		job->looks--;
		return job->wait_flags;
	}
	return 0;
}

static __attribute__((noinline))
void look_again(struct tw_job *job)
{
	job->looks = job->looks_next;
	if (job->looks_next < TW_LOOKS_MOST)
		job->looks_next *= 2;
}

/* One stamp for the end of the call, for what was done inside of it, and for
 * fio's own clock. */
static inline __attribute__((always_inline))
void entered(struct thread_data *td, struct tw_job *job, unsigned count,
	     bool looked, const bool usual)
{
	unsigned tail = io_uring_smp_load_acquire(job->cq_tail);
	uint64_t entered_ticks = 0;

	if (tw_likely(!looked) &&
	    tw_unlikely(tail != job->pending_head + count))
		look_again(job);
	if (tw_likely(job->stages || job->shares_counter)) {
		entered_ticks = tw_path_stamp(job, usual);
		see_done(job, tail, entered_ticks, usual);
	}
	taken(td, job, count, true, entered_ticks, usual);
}

/*
 * A kernel thread watches the tail: what is published has been submitted. It
 * has to be called only where it fell asleep, and says so in a flag; the
 * barrier keeps our look at that from coming before the tail is out.
 */
static __attribute__((noinline))
int publish(struct thread_data *td, struct tw_job *job)
{
	unsigned count = job->pending_tail - job->pending_head;
	int ret = 0;

	stamp_enter(job, false);
	io_uring_smp_store_release(job->sq_tail, job->pending_tail);
	io_uring_smp_mb();
	if (IO_URING_READ_ONCE(*job->ring.sq.kflags) & IORING_SQ_NEED_WAKEUP) {
		job->enters++;
		ret = tw_enter(job, count, 0, IORING_ENTER_SQ_WAKEUP);
	}
	taken(td, job, count, false, 0, false);
	if (ret < 0 && ret != -EINTR && ret != -EAGAIN && ret != -EBUSY) {
		td_verror(td, -ret, "io_uring_enter wake-up");
		return ret;
	}
	return 0;
}

/* Into the kernel with all that is pending: how many it took, or -errno. */
static inline __attribute__((always_inline))
int enter_pending(struct tw_job *job, unsigned count, unsigned flags,
		  const bool usual)
{
	stamp_enter(job, usual);
	job->enters++;
	io_uring_smp_store_release(job->sq_tail, job->pending_tail);
	return tw_enter(job, count, 0, flags);
}

/* It came back with @ret: 0, or -errno where it is no use to try again. */
static inline __attribute__((always_inline))
int came_back(struct thread_data *td, struct tw_job *job, int ret, bool looked,
	      const bool usual)
{
	if (ret >= 0) {
		entered(td, job, (unsigned) ret, looked, usual);
	} else if (ret == -EAGAIN || ret == -EBUSY) {
		usleep(1);
	} else if (ret != -EINTR) {
		td_verror(td, -ret, "io_uring_enter submit");
		return ret;
	}
	return 0;
}

static inline __attribute__((always_inline))
int submit(struct thread_data *td, struct tw_job *job, const bool usual)
{
	while (job->pending_head != job->pending_tail) {
		unsigned count = job->pending_tail - job->pending_head;
		unsigned flags = submit_flags(job, usual);
		int ret = enter_pending(job, count, flags, usual);

		ret = came_back(td, job, ret, flags != 0, usual);
		if (ret)
			return ret;
	}
	return 0;
}

/* Each path apart, so that the one that is always taken is short. */
static __attribute__((noinline))
int submit_usual(struct thread_data *td, struct tw_job *job)
{
	return submit(td, job, true);
}

static __attribute__((noinline))
int submit_unusual(struct thread_data *td, struct tw_job *job)
{
	return submit(td, job, false);
}

static __attribute__((noinline))
int submit_rest(struct thread_data *td, struct tw_job *job, int ret, bool looked)
{
	ret = came_back(td, job, ret, looked, true);
	return ret ? ret : submit_usual(td, job);
}

/* One alone, as with fio's default of a submission each. */
static __attribute__((noinline))
int submit_one(struct thread_data *td, struct tw_job *job)
{
	unsigned flags = submit_flags(job, true);
	int ret = enter_pending(job, 1, flags, true);

	if (tw_unlikely(ret != 1))
		return submit_rest(td, job, ret, flags != 0);
	entered(td, job, 1, flags != 0, true);
	return 0;
}

int tw_commit(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;
	unsigned count = job->pending_tail - job->pending_head;

	if (!count)
		return 0;
	if (job->usual)
		return count == 1 ? submit_one(td, job) :
				    submit_usual(td, job);
	if (job->polled_submission)
		return publish(td, job);
	return submit_unusual(td, job);
}
