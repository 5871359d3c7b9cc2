/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job's ring: its setup with the features that the job asks for and the kernel has,
 * the registration of buffers and files, and the reasons of failures.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine.h"
#include "fio/message.h"
#include "record/kernel_job.h"
#include "verify.h"

/* Some headers are older than these flags. Up to 3.37, fio's RWF_UNCACHED is 0x40. No
 * kernel ever had this meaning of 0x40, which is an atomic write now. */
#define TW_RWF_DONTCACHE	0x80
#define TW_RWF_ATOMIC		0x40
/* A waiting task is then not counted as waiting for I/O, which would keep the frequency
 * of its CPU high. The engine uses the flag if the engine of this fio does. */
#define TW_FEATURE_NO_IOWAIT	(1U << 17)
#define TW_ENTER_NO_IOWAIT	(1U << 7)

const char *tw_ring_failure(int error)
{
	switch (error) {
	case ENOSYS:
		return "this kernel has no io_uring, or a filter hides it";
	case EPERM:
	case EACCES:
		return "io_uring is forbidden here (sysctl "
		       "kernel.io_uring_disabled, or a container's filter)";
	case ENOMEM:
		return "not enough memory for the ring (ulimit -l, on "
		       "older kernels)";
	case EINVAL:
		return "the kernel refuses the ring (iodepth too large?)";
	case EMFILE:
	case ENFILE:
		return "no file descriptor left for the ring";
	default:
		return strerror(error);
	}
}

/* Make a ring without liburing's setup, which leaves out the array of indices if the
 * kernel allows that. The engine needs the array, since its SQEs are in any order. */
static int make_ring(struct tw_job *job, struct io_uring_params *params)
{
	int fd = io_uring_setup(job->ring.entries, params);
	int ret;

	if (fd < 0)
		return fd;
	ret = io_uring_queue_mmap(fd, params, &job->ring.uring);
	if (ret) {
		close(fd);
		return ret;
	}
	/* liburing 2.9 sets these fields only for rings that it makes itself. */
	job->ring.uring.ring_fd = fd;
	job->ring.uring.enter_ring_fd = fd;
	job->ring.uring.flags = params->flags;
	job->ring.uring.features = params->features;
	return 0;
}

/*
 * Set up the ring with the flags of fio's own engine. If the kernel refuses, try again
 * with fewer flags: an old kernel lacks some, and others do not fit SQPOLL.
 */
static int set_up(struct tw_job *job, const struct io_uring_params *wanted)
{
	static const unsigned attempts[] = {
		IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN |
			IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_CQSIZE,
	};
	int ret = -EINVAL;
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(attempts) && ret == -EINVAL; i++) {
		struct io_uring_params params = *wanted;

		params.flags |= attempts[i];
		params.cq_entries = tw_completions_of(job->ring.entries);
		ret = make_ring(job, &params);
	}
	return ret;
}

int tw_ring_set_up(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;
	struct io_uring_params wanted = { .flags = 0 };
	int ret;

	if (o->hipri)
		wanted.flags |= IORING_SETUP_IOPOLL;
	if (o->sqthread_poll)
		wanted.flags |= IORING_SETUP_SQPOLL;
	if (o->sqthread_poll && o->sqthread_poll_cpu_set) {
		wanted.flags |= IORING_SETUP_SQ_AFF;
		wanted.sq_thread_cpu = o->sqthread_poll_cpu;
	}
	if (tw_engine_commands) {
		wanted.flags |= IORING_SETUP_SQE128 | IORING_SETUP_CQE32;
		job->ring.entry_shift = 1;
	}
	tw_kernel_ring_begins(td, job);
	ret = set_up(job, &wanted);
	if (ret)
		return tw_refuse_job(td, -ret, "io_uring_setup: %s",
				     ret == -EINVAL && o->sqthread_poll_cpu_set ?
				     "the kernel refuses the ring (sqthread_poll_cpu is no "
				     "CPU of this job? iodepth too large?)" :
				     tw_ring_failure(-ret));
	job->ring.is_made = true;
	ret = tw_kernel_ring_made(td, job);
	if (ret)
		return ret;
	/* By its index in a table of the task, which is the job's thread, the kernel finds
	 * the ring faster than by its descriptor (Linux 5.18). It may refuse. */
	if (io_uring_register_ring_fd(&job->ring.uring) == 1)
		job->ring.enter_flags = IORING_ENTER_REGISTERED_RING;
	job->ring.getevents_flags = IORING_ENTER_GETEVENTS;
#ifdef TW_FIO_NO_IOWAIT
	if (job->ring.uring.features & TW_FEATURE_NO_IOWAIT)
		job->ring.getevents_flags |= TW_ENTER_NO_IOWAIT;
#endif
	return 0;
}

static int register_buffers(struct thread_data *td, struct tw_job *job)
{
	struct iovec *buffers = calloc(td->o.iodepth, sizeof(*buffers));
	unsigned i;
	int ret = -ENOMEM;

	for (i = 0; buffers && i < td->o.iodepth; i++)
		buffers[i] = (struct iovec) {
			.iov_base = job->hot.by_index[i]->buf,
			.iov_len = td_max_bs(td),
		};
	if (buffers)
		ret = io_uring_register_buffers(&job->ring.uring, buffers, td->o.iodepth);
	free(buffers);
	if (ret)
		return tw_refuse_job(td, -ret, "fixedbufs: %s", ret == -ENOMEM ?
				     "not enough memory that may be locked (ulimit -l)" :
				     strerror(-ret));
	job->ring.fixed_buffers = true;
	return 0;
}

/* Open and register all files. They stay open; when fio opens a file, it gets the
 * descriptor. */
static int register_files(struct thread_data *td, struct tw_job *job)
{
	struct fio_file *f;
	unsigned i;
	int ret;

	job->ring.files = calloc(td->o.nr_files, sizeof(*job->ring.files));
	if (!job->ring.files)
		return tw_refuse_job(td, ENOMEM, "registerfiles: %s", strerror(ENOMEM));
	for_each_file(td, f, i) {
		/* fio logs the error. */
		if (generic_open_file(td, f))
			return -(td->error ? td->error : EIO);
		job->ring.files[i] = f->fd;
		job->ring.files_open++;
		f->engine_pos = i;
		f->fd = -1;
	}
	ret = io_uring_register_files(&job->ring.uring, job->ring.files, job->ring.files_open);
	if (ret)
		return tw_refuse_job(td, -ret, "registerfiles: %s", strerror(-ret));
	job->ring.fixed_files = true;
	return 0;
}

static void choose_operations(struct thread_data *td, struct tw_job *job)
{
	static const __u8 opcodes[3][2] = {
		{ IORING_OP_READ, IORING_OP_WRITE },
		{ IORING_OP_READV, IORING_OP_WRITEV },
		{ IORING_OP_READ_FIXED, IORING_OP_WRITE_FIXED },
	};
	const struct tw_options *o = td->eo;
	unsigned kind = job->ring.fixed_buffers ? 2 : job->ring.iovecs ? 1 : 0;
	__u32 rw_flags = 0;

	memcpy(job->ring.opcode, opcodes[kind], sizeof(job->ring.opcode));
	if (o->test_nop) {
		memset(job->ring.opcode, IORING_OP_NOP, sizeof(job->ring.opcode));
		return;
	}
	if (o->uncached && !td->o.odirect)
		rw_flags |= TW_RWF_DONTCACHE;
	if (o->nowait)
		rw_flags |= RWF_NOWAIT;
	job->ring.ioprio = (__u16) td->ioprio;
	job->ring.rw_flags[DDIR_READ] = job->ring.rw_flags[DDIR_WRITE] = rw_flags;
	/* A fio that does not know atomic writes (up to 3.38) ends such a job before. */
	if (td->o.oatomic)
		job->ring.rw_flags[DDIR_WRITE] |= TW_RWF_ATOMIC;
}

int tw_ring_register(struct thread_data *td, struct tw_job *job)
{
	const struct tw_options *o = td->eo;
	int ret = 0;

	if (o->fixedbufs)
		ret = register_buffers(td, job);
	if (!ret && o->registerfiles)
		ret = register_files(td, job);
	if (ret)
		return ret;
	if (!o->fixedbufs && !o->nonvectored) {
		job->ring.iovecs = calloc(job->ring.entries, sizeof(*job->ring.iovecs));
		if (!job->ring.iovecs)
			return tw_refuse_job(td, ENOMEM, "nonvectored: %s", strerror(ENOMEM));
	}
	job->ring.direct = td->o.odirect || tw_engine_commands;
	job->ring.polled_submission = job->ring.slat_differs = o->sqthread_poll;
	job->ring.force_async = o->force_async;
	/* On a zoned device a trim resets a zone, which is another call. With trimwrite or
	 * verify, a write must not overtake the trim of its own block. */
	job->ring.async_trim = td_trim(td) && !td_trimwrite(td) &&
			       td->o.verify == VERIFY_NONE &&
			       td->o.zone_mode != ZONE_MODE_ZBD;
	choose_operations(td, job);
	return 0;
}

void tw_ring_tear_down(struct tw_job *job)
{
	unsigned i;

	tw_kernel_forget(&job->hot.kernel);
	if (job->ring.is_made)
		io_uring_queue_exit(&job->ring.uring);
	for (i = 0; i < job->ring.files_open; i++)
		close(job->ring.files[i]);
	free(job->ring.files);
	free(job->ring.iovecs);
	free(job->ring.commands);
	free(job->ring.protection);
}
