/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which I/O a worker of io_uring has, and what a worker of the kernel's work queues runs. For
 * programs in the kernel.
 */
#ifndef TW_PLUGIN_KERNEL_WORKER_BPF_H
#define TW_PLUGIN_KERNEL_WORKER_BPF_H

#include "kernel_types.h"

#include "read.bpf.h"

/* include/linux/sched.h */
#define PF_IO_WORKER	0x00000010
#define PF_WQ_WORKER	0x00000020
#define PF_KTHREAD	0x00200000
#define PF_EXITING	4
#define TASK_UNINTERRUPTIBLE	2
#define TASK_STOPPED		4
#define TASK_TRACED		8
#define TASK_DEAD		128

extern const void io_complete_rw __ksym __weak;
extern const void io_complete_rw_iopoll __ksym __weak;

struct kthread {
	void *data;
} TW_BY_NAME;

/* kernel/workqueue_internal.h */
struct worker {
	void *current_work;
	void *current_func;
} TW_BY_NAME;

/* True if the kiocb is one of io_uring: the beginning of an io_kiocb. Another one, as of
 * libaio, has no ring, and what lies beyond it means nothing. */
static __always_inline int is_of_uring(__u64 kiocb)
{
	__u64 complete = (__u64)READ(struct kiocb, kiocb, ki_complete);

	return complete && (complete == (__u64)&io_complete_rw ||
			    complete == (__u64)&io_complete_rw_iopoll);
}

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

/* Return the address of the worker that a task of a work queue is; 0: it is none. */
static __always_inline __u64 queue_worker(struct task_struct *task)
{
	return task->flags & PF_WQ_WORKER && bpf_core_type_exists(struct worker) ?
	       (__u64)READ(struct kthread, task->worker_private, data) : 0;
}

#endif
