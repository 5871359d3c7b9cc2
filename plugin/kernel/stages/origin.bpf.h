/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the owner of a request: the task that it is done for, or the cgroup of its bio. No map
 * is kept for that. A request leads to its bio, and a bio of direct I/O to the kiocb. A kiocb of
 * io_uring has the task. Synchronous I/O has a task that waits. A kiocb of libaio leads to the
 * memory in which the process has the ring of completions. All of this exists as long as the
 * request is in flight. What is read later may belong to another request, so the task is checked.
 *
 * Included by in_flight_of_others.bpf.h, after bio.bpf.h.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_ORIGIN_BPF_H
#define TW_PLUGIN_KERNEL_STAGES_ORIGIN_BPF_H

#include "cgroup.bpf.h"
#include "in_flight_of_others.h"
#include "kernel/thread.bpf.h"
#include "kernel/viewer.bpf.h"

#define DIO_IS_SYNC	2		/* block/fops.c */

extern const void submit_bio_wait_endio __ksym __weak;
extern const void aio_complete_rw __ksym __weak;

/* What a request is part of. */
struct origin {
	__u64 bio;		/* the uppermost; 0: none */
	__u64 io;		/* kiocb of direct I/O; 0: none */
	__u64 task;		/* that it is done for; 0: not known */
};

/* Return the task that waits for a completion, as the first one; 0: none yet. */
static __always_inline __u64 first_waiter(__u64 completion)
{
	__u64 head = completion + bpf_core_field_offset(struct completion, wait.task_list);
	__u64 first = (__u64)READ(struct completion, completion, wait.task_list.next);

	if (!first || first == head)
		return 0;
	first -= bpf_core_field_offset(struct swait_queue, task_list);
	return (__u64)READ(struct swait_queue, first, task);
}

static __always_inline __u64 task_of_uring(__u64 io)
{
	__u64 of;

	if (bpf_core_field_exists(((struct io_kiocb *)0)->task))
		return (__u64)READ(struct io_kiocb, io, task);
	if (!bpf_core_field_exists(((struct io_kiocb *)0)->tctx))
		return 0;
	of = (__u64)READ(struct io_kiocb, io, tctx);
	return (__u64)READ(struct io_uring_task, of, task);
}

/* Return the main thread of the process that has the ring of a kiocb of libaio; 0: the first
 * mapping of this ring's memory is another process's, as after a fork. */
static __always_inline __u64 task_of_aio(__u64 kiocb)
{
	__u64 aio = kiocb - bpf_core_field_offset(struct aio_kiocb, rw);
	__u64 ctx = (__u64)READ(struct aio_kiocb, aio, ki_ctx);
	__u64 file = (__u64)READ(struct kioctx, ctx, aio_ring_file);
	__u64 mapping = (__u64)READ(struct file, file, f_mapping);
	__u64 node = (__u64)READ(struct address_space, mapping, i_mmap.rb_root.rb_node);
	__u32 id = READ(struct kioctx, ctx, id);
	__u64 mm, table;

	if (!node || !bpf_core_field_exists(((struct mm_struct *)0)->owner))
		return 0;
	node -= bpf_core_field_offset(struct vm_area_struct, shared.rb);
	mm = (__u64)READ(struct vm_area_struct, node, vm_mm);
	table = (__u64)READ(struct mm_struct, mm, ioctx_table);
	if (!table || id >= READ(struct kioctx_table, table, nr) ||
	    pointer_at(table + bpf_core_field_offset(struct kioctx_table, table) +
		       id * sizeof(void *)) != ctx)
		return 0;
	return (__u64)READ(struct mm_struct, mm, owner);
}

/* Find what @bio is part of. Kernel threads that do direct I/O for others, as loop devices,
 * have a kiocb without a task. */
static __noinline int find_origin(__u64 bio, struct origin *of)
{
	__u64 end_io, owner, complete, io = 0, task = 0;
	int i;

	if (!of)
		return 0;
	end_io = (__u64)READ(struct bio, bio, bi_end_io);
	owner = (__u64)READ(struct bio, bio, bi_private);
	for (i = 0; end_io && i < MAX_CHAIN; i++) {
		__u64 above = above_bio(bio, end_io, owner);

		if (!above)
			break;
		bio = above;
		end_io = (__u64)READ(struct bio, bio, bi_end_io);
		owner = (__u64)READ(struct bio, bio, bi_private);
	}
	if (!end_io) {
	} else if (end_io == (__u64)&iomap_dio_bio_end_io) {
		io = (__u64)READ(struct iomap_dio, owner, iocb);
		task = (__u64)READ(struct iomap_dio, owner, submit.waiter);
	} else if (end_io == (__u64)&blkdev_bio_end_io) {
		if (READ(struct blkdev_dio, owner, flags) & DIO_IS_SYNC)
			task = (__u64)READ(struct blkdev_dio, owner, waiter);
		else
			io = (__u64)READ(struct blkdev_dio, owner, iocb);
	} else if (end_io == (__u64)&blkdev_bio_end_io_async) {
		__u64 dio = bio - bpf_core_field_offset(struct blkdev_dio, bio);

		io = (__u64)READ(struct blkdev_dio, dio, iocb);
	} else if (end_io == (__u64)&bio_cmd_bio_end_io) {
		of->bio = bio;
		of->io = owner;
		of->task = task_of_uring(owner);
		return 0;
	} else if (end_io == (__u64)&submit_bio_wait_endio) {
		task = first_waiter(owner);
	}
	/* Synchronous I/O has a kiocb without a function. */
	complete = io ? (__u64)READ(struct kiocb, io, ki_complete) : 0;
	if (complete)
		task = is_of_uring(io) ? task_of_uring(io) :
		       complete == (__u64)&aio_complete_rw &&
		       bpf_core_type_exists(struct kioctx_table) ? task_of_aio(io) : 0;
	of->bio = bio;
	of->io = io;
	of->task = task;
	return 0;
}

/* Return the last bio of the request for which a flush is done, as the first one: the flush
 * itself has none. After its data such a request has no first bio. */
static __always_inline __u64 bio_of_flush(__u64 rq)
{
	__u64 queue = (__u64)READ(struct request, rq, mq_hctx);
	const struct blk_flush_queue *of;
	__u64 first;
	__u32 offset = bpf_core_field_offset(struct request, queuelist);

	of = READ(struct blk_mq_hw_ctx, queue, fq);
	first = (__u64)of + bpf_core_field_offset(struct blk_flush_queue, flush_queue);
	if (BPF_CORE_READ_BITFIELD_PROBED(of, flush_running_idx))
		first += bpf_core_type_size(struct list_head);
	if (bpf_core_field_exists(((struct request *)0)->flush.list))
		offset = bpf_core_field_offset(struct request, flush.list);
	queue = first;
	first = (__u64)READ(struct list_head, first, next);
	return first && first != queue ?
	       (__u64)READ(struct request, first - offset, biotail) : 0;
}

/* ---- names --------------------------------------------------------------------- */

/* Name a task, or hide it. */
static __always_inline void name_task(struct tw_who *who, __u64 task,
				      const struct viewer *viewer)
{
	__u64 leader = (__u64)READ(struct task_struct, task, group_leader);
	__u64 cred = (__u64)READ(struct task_struct, task, real_cred);
	__u32 uid = READ(struct cred, cred, uid.val);

	/* It has ended meanwhile. */
	if (READ(struct task_struct, leader, tgid) != READ(struct task_struct, task, tgid))
		return;
	who->kind = READ(struct task_struct, task, flags) & PF_KTHREAD ?
		    TW_WHO_KERNEL_THREAD : TW_WHO_PROCESS;
	if (who->kind == TW_WHO_PROCESS &&
	    !may_see(viewer, uid, READ(struct cred, cred, euid.val))) {
		who->kind = TW_WHO_HIDDEN;
		return;
	}
	bpf_probe_read_kernel(who->name, sizeof(who->name),
			      (void *)(leader + bpf_core_field_offset(struct task_struct, comm)));
	who->id = number_of((struct task_struct *)leader);
}

#endif
