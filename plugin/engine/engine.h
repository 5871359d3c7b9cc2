/* SPDX-License-Identifier: GPL-2.0 */
/* The hooks of the engines for fio, and the parts that they share. */
#ifndef TW_PLUGIN_ENGINE_ENGINE_H
#define TW_PLUGIN_ENGINE_ENGINE_H

#include "record/job_record.h"
#include "record/response.h"

/* A system call in place of an operation of the ring. */
typedef int tw_call(struct thread_data *td, struct io_u *io_u);
tw_call tw_call_trim;

/* engine.c */
int tw_prep(struct thread_data *td, struct io_u *io_u);
enum fio_q_status tw_queue(struct thread_data *td, struct io_u *io_u);
int tw_commit(struct thread_data *td);
int tw_getevents(struct thread_data *td, unsigned min, unsigned max,
		 const struct timespec *t);
struct io_u *tw_event(struct thread_data *td, int event);
enum fio_q_status tw_requeue(struct tw_job *job, const struct io_u *io_u);
enum fio_q_status tw_queue_call(struct thread_data *td, struct io_u *io_u, tw_call *call);
void tw_event_done(struct thread_data *td, struct tw_job *job, struct io_u *io_u,
		   int event);

/* Stamp the completions that came. Return the stamp. */
uint64_t tw_look(struct tw_job *job);

/* arrivals.c, for open loops. tw_arrive(): end prep() of an I/O, when it is due. Return 0; 1: the
 * job ends before, or an error, which is logged. tw_start_when_due(): let fio's own lat begin when
 * the I/O was due. tw_waited_since(): the job has waited for the device since @from_ticks. Return
 * the time now. */
int tw_arrive(struct thread_data *td, struct tw_job *job, const struct io_u *io_u);
void tw_arrivals_begin(const struct thread_data *td, struct tw_job *job);
void tw_start_when_due(const struct thread_data *td, const struct tw_job *job,
		       struct io_u *io_u);
uint64_t tw_waited_since(struct tw_job *job, uint64_t from_ticks);

/* engine_job.c. tw_set_up_once() logs why a ring can't be made. */
int tw_init(struct thread_data *td);
int tw_post_init(struct thread_data *td);
int tw_io_u_init(struct thread_data *td, struct io_u *io_u);
void tw_cleanup(struct thread_data *td);
int tw_open_file(struct thread_data *td, struct fio_file *f);
int tw_close_file(struct thread_data *td, struct fio_file *f);
int tw_set_up_once(struct thread_data *td);

/* ring.c: return 0 or -errno. tw_ring_set_up() and tw_ring_register() log why. */
int tw_ring_set_up(struct thread_data *td, struct tw_job *job);
int tw_ring_register(struct thread_data *td, struct tw_job *job);
void tw_ring_tear_down(struct tw_job *job);
const char *tw_ring_failure(int error);

/* protection.c: metadata of reads and writes with protection information, of NVMe commands and of
 * block devices. fio's own functions make and check it, where this fio has them. */
struct nvme_data;

/* Make what the I/Os of the job have for their metadata. Return 0 or -ENOMEM. */
int tw_protection_init(struct thread_data *td, struct tw_job *job);

/* Give @io_u what fio's functions look for there. */
void tw_protection_give(struct thread_data *td, const struct tw_job *job, struct io_u *io_u);

/* Attach what the kernel tells of the metadata of a block device to @f, until the file is
 * closed. Return 0, or 1 after the error was logged. */
int tw_protection_know(struct thread_data *td, struct fio_file *f);

/* Check that the job fits the blocks of a device. Return 0, or 1 after the error was
 * logged. */
int tw_protection_fits(struct thread_data *td, const struct nvme_data *data);

/* Protect a read or write: say what is checked, and make what the device does not make.
 * Called in queue(), because fio fills the data after prep(). */
void tw_protect(const struct tw_job *job, struct io_u *io_u);

/* Return 0 or an errno: whether the protection information of a read is right, if fio has
 * to check it. */
unsigned tw_protection_check(const struct tw_job *job, struct io_u *io_u);

/* Enter the kernel. Return as it does. The call is in place, as fio's own engine has it: to run a
 * page of liburing's code before and after it costs 3 % of a read from the page cache where a call
 * empties the TLB. */
static inline int tw_enter(const struct tw_job *job, unsigned submit, unsigned wait,
			   unsigned flags)
{
	/* Not const: on arm64 fio's macro writes a variable of the same type. */
	unsigned fd = (unsigned) job->ring.uring.enter_ring_fd;

	flags |= job->ring.enter_flags;
#if defined(FIO_ARCH_HAS_SYSCALL) && !defined(TW_ENTER_BY_LIBURING)
	return (int) __do_syscall6(__NR_io_uring_enter, fd, submit, wait, flags, NULL, _NSIG / 8);
#else
	return io_uring_enter(fd, submit, wait, flags, NULL);
#endif
}

/* Return the key of the next I/O with this index. Syncs are slow, and all of them are
 * chosen; so are writes that are nothing but a sync to the kernel's programs. */
static inline uint64_t tw_next_key(struct tw_job_hot *hot, const struct io_u *io_u)
{
	const uint64_t number = ++hot->generation & TW_KEY_NUMBERS;
	const uint64_t key = number << TW_KEY_NUMBER_SHIFT | io_u->index;
	const uint64_t ring = (uint64_t) hot->kernel.ring << TW_KEY_RING_SHIFT;

	if (tw__unlikely(hot->synced != NULL) &&
	    (!ddir_rw(io_u->ddir) || (io_u->ddir == DDIR_WRITE && !hot->kernel.stamps)))
		return key | ring | TW_KEY_CHOSEN;
	if (!tw_choose(&hot->sampling.chooser))
		return key | hot->key;
	return key | ring | TW_KEY_CHOSEN |
	       (uint64_t) hot->sampling.chance << TW_KEY_UPPER_SHIFT;
}

/* Return an empty SQE for @io_u, with the fields set that all operations share.
 * (command.c clears the second half of an SQE of double size.) */
static inline struct io_uring_sqe *tw_prep_entry(struct tw_job *job, const struct io_u *io_u)
{
	const struct fio_file *f = io_u->file;
	struct io_uring_sqe *sqe = tw_entry_of(job, io_u);

	*sqe = (struct io_uring_sqe) { .user_data = tw_next_key(&job->hot, io_u) };
	if (job->ring.fixed_files) {
		sqe->fd = (__s32) f->engine_pos;
		sqe->flags = IOSQE_FIXED_FILE;
	} else {
		sqe->fd = f->fd;
	}
	if (job->ring.force_async && ++job->ring.since_async == job->ring.force_async) {
		job->ring.since_async = 0;
		sqe->flags |= IOSQE_ASYNC;
	}
	return sqe;
}

/* Take the stamp prepared. Every prep() calls this last, when the SQE is filled, and returns what
 * this returns. */
static inline int tw_prep_done(struct thread_data *td, struct tw_job *job,
			       const struct io_u *io_u)
{
	if (job->hot.response) {
		if (tw_is_open_loop(job))
			return tw_arrive(td, job, io_u);
		tw_response_prepared(td, job->hot.response, io_u);
	}
	job->hot.io[io_u->index].prepared_ticks = tw_job_stamp(job);
	return 0;
}

/* The ring has room for all I/Os of the depth. */
static inline enum fio_q_status tw_queue_entry(struct tw_job *job, const struct io_u *io_u)
{
	const struct io_uring_sq *sq = &job->ring.uring.sq;

	sq->array[job->ring.sq_tail++ & sq->ring_mask] = io_u->index;
	job->ring.queued++;
	return FIO_Q_QUEUED;
}

/* Return the I/O of completion @event of the last getevents(), and its @result. */
static inline struct io_u *tw_event_at(const struct tw_job *job, int event, int *result)
{
	const struct io_uring_cq *cq = &job->ring.uring.cq;
	const unsigned place = (job->ring.events_at + (unsigned) event) & cq->ring_mask;
	const struct io_uring_cqe *cqe = &cq->cqes[place << job->ring.entry_shift];
	const unsigned index = tw_key_index(cqe->user_data);

	*result = cqe->res;
	job->hot.io[index].seen_ticks = job->hot.seen_ticks[place];
	return job->hot.by_index[index];
}

#endif
