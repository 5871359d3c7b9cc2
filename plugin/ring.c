/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A job's ring: set up with what this kernel knows, and why if it can't be.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "engine.h"

/* The flags of fio's own engine, given up one by one on older kernels. */
int tw_ring_set_up(struct tw_job *job)
{
	static const unsigned attempts[] = {
		IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN |
			IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN,
		IORING_SETUP_CQSIZE | IORING_SETUP_COOP_TASKRUN,
		IORING_SETUP_CQSIZE,
		0,
	};
	int ret = -EINVAL;
	unsigned i;

	for (i = 0; i < FIO_ARRAY_SIZE(attempts) && ret == -EINVAL; i++) {
		struct io_uring_params params = {
			.flags = attempts[i],
			.cq_entries = job->entries,
		};

		ret = io_uring_queue_init_params(job->entries, &job->ring,
						 &params);
	}
	return ret;
}

const char *tw_ring_failure(int error)
{
	switch (error) {
	case ENOSYS:
		return "this kernel has no io_uring, or a filter hides it";
	case EPERM:
	case EACCES:
		return "io_uring is forbidden here (sysctl "
		       "kernel.io_uring_disabled, or a container's filter)";
	case EOPNOTSUPP:
		return "this kernel's io_uring has no plain read and write "
		       "(Linux 5.6 has)";
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

/* A ring of one entry, thrown away: can this process have one at all? */
int tw_ring_try(void)
{
	struct io_uring_probe *probe;
	struct io_uring ring;
	int ret;

	ret = io_uring_queue_init(1, &ring, 0);
	if (ret)
		return ret;
	probe = io_uring_get_probe_ring(&ring);
	if (!probe || !io_uring_opcode_supported(probe, IORING_OP_READ) ||
	    !io_uring_opcode_supported(probe, IORING_OP_WRITE))
		ret = -EOPNOTSUPP;
	io_uring_free_probe(probe);
	io_uring_queue_exit(&ring);
	return ret;
}
