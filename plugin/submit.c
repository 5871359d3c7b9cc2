/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The way in: an I/O of fio's becomes an entry of the ring, is stamped, and
 * enters the kernel with those that wait with it.
 *
 * Entries lie in the ring in the order in which they were queued, so the list
 * of what is pending and the ring's own index are one.
 */
#include <errno.h>
#include <unistd.h>

#include "engine.h"

static void prepare_sync(struct thread_data *td, const struct io_u *io_u,
			 struct io_uring_sqe *sqe)
{
	const struct fio_file *f = io_u->file;

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
}

static void prepare(struct thread_data *td, struct io_u *io_u,
		    struct io_uring_sqe *sqe)
{
	int fd = io_u->file->fd;

	if (io_u->ddir == DDIR_READ)
		io_uring_prep_read(sqe, fd, io_u->xfer_buf,
				   (unsigned) io_u->xfer_buflen, io_u->offset);
	else if (io_u->ddir == DDIR_WRITE)
		io_uring_prep_write(sqe, fd, io_u->xfer_buf,
				    (unsigned) io_u->xfer_buflen, io_u->offset);
	else
		prepare_sync(td, io_u, sqe);
	/* A ring may submit from another context than the job's own thread, so
	 * the job's default priority is given with every transfer. */
	if (ddir_rw(io_u->ddir))
		sqe->ioprio = td->ioprio;
	io_uring_sqe_set_data(sqe, io_u);
}

static struct io_u **pending_at(struct tw_job *job, unsigned place)
{
	return &job->pending[place & (job->entries - 1)];
}

static enum fio_q_status trim(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct tw_io io;

	/* fio's engines trim synchronously, and only with nothing queued. */
	if (job->pending_tail != job->pending_head)
		return FIO_Q_BUSY;
	io.queued_ticks = io.enter_ticks = tw_job_stamp(job);
	do_io_u_trim(td, io_u);
	if (io_u->error)
		job->counts[TW_TRIM].errors++;
	else
		tw_record(td, job, TW_TRIM, &io, tw_job_stamp(job));
	io_u_mark_submit(td, 1);
	io_u_mark_complete(td, 1);
	return FIO_Q_COMPLETED;
}

enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u)
{
	struct tw_job *job = td->io_ops_data;
	struct io_uring_sq *sq = &job->ring.sq;
	uint64_t queued_ticks;

	fio_ro_check(td, io_u);

	if (io_u->ddir == DDIR_TRIM)
		return trim(td, io_u);
	if (job->pending_tail - job->pending_head == job->entries)
		return FIO_Q_BUSY;
	/* Pending entries and the ring's are the same, one for one. */
	prepare(td, io_u, &sq->sqes[job->pending_tail & sq->ring_mask]);
	*pending_at(job, job->pending_tail++) = io_u;
	job->submits_next = td->io_u_queued + 1 >= td->o.iodepth_batch;
	queued_ticks = tw_job_stamp(job);
	job->queued_ticks = queued_ticks;
	job->io[io_u->index].queued_ticks = queued_ticks;
	return FIO_Q_QUEUED;
}

/* fio's clock for what the kernel has just taken, and its slat. */
static void issued(struct thread_data *td, struct tw_job *job, unsigned count)
{
	struct timespec now;
	unsigned i;

	if (fio_fill_issue_time(td)) {
		fio_gettime(&now, NULL);
		for (i = 0; i < count; i++) {
			struct io_u *io_u =
				*pending_at(job, job->pending_head + i);

			io_u->issue_time = now;
			io_u_queued(td, io_u);
		}
		/* Only a replayed log looks at it. */
		if (td->o.read_iolog_file)
			td->last_issue = now;
	}
	job->pending_head += count;
}

/* Everything pending enters the kernel at the same moment. */
static void stamp_enter(struct tw_job *job, uint64_t enter_ticks)
{
	unsigned place;

	for (place = job->pending_head; place != job->pending_tail; place++)
		job->io[(*pending_at(job, place))->index].enter_ticks =
			enter_ticks;
}

int tw_commit(struct thread_data *td)
{
	struct tw_job *job = td->io_ops_data;

	while (job->pending_head != job->pending_tail) {
		unsigned count = job->pending_tail - job->pending_head;
		int ret;

		stamp_enter(job, job->submits_next ? job->queued_ticks :
						     tw_job_stamp(job));
		job->submits_next = 0;
		job->enters++;
		io_uring_smp_store_release(job->ring.sq.ktail,
					   job->pending_tail);
		ret = io_uring_enter((unsigned) job->ring.ring_fd, count, 0,
				     IORING_ENTER_GETEVENTS, NULL);
		if (ret >= 0) {
			issued(td, job, (unsigned) ret);
			io_u_mark_submit(td, (unsigned) ret);
		} else if (ret == -EAGAIN || ret == -EBUSY) {
			usleep(1);
		} else if (ret != -EINTR) {
			td_verror(td, -ret, "io_uring_enter submit");
			return ret;
		}
	}
	return 0;
}
