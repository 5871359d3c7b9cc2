/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/O a worker of io_uring has. For programs in the kernel, which include it once.
 */
#ifndef TW_PLUGIN_KERNEL_WORKER_BPF_H
#define TW_PLUGIN_KERNEL_WORKER_BPF_H

#include "kernel_types.h"

#include "read.bpf.h"

#define PF_IO_WORKER	0x00000010	/* include/linux/sched.h */

/* Return the I/O of which @work is a part. */
static __always_inline struct io_kiocb *io_of_work(__u64 work)
{
	return (struct io_kiocb *)(work - bpf_core_field_offset(struct io_kiocb, work));
}

/* Return the I/O that a task with PF_IO_WORKER has; 0: none. */
static __always_inline struct io_kiocb *io_of_worker(struct task_struct *task)
{
	__u64 work = (__u64)READ(struct io_worker, task->worker_private, cur_work);

	return work ? io_of_work(work) : 0;
}

#endif
