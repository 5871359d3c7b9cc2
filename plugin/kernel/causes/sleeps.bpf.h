/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keep where threads fall asleep in the kernel: the stacks of followed threads, and the sleeps
 * of io_uring's workers that have an I/O of a job (offcpu.h). causes.bpf.c includes this file
 * once.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_SLEEPS_BPF_H
#define TW_PLUGIN_KERNEL_CAUSES_SLEEPS_BPF_H

#include "kernel/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "kernel/order.bpf.h"
#include "call.bpf.h"
#include "offcpu.h"

/* By io_ring_ctx: the index in `sleeps` + 1 of the job that made the ring. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_MAX_FOLLOWED);
	__type(key, __u64);
	__type(value, __u32);
} owners SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_sleeps);
} sleeps SEC(".maps");

/* A worker of io_uring that is asleep while it has an I/O. */
struct sleeper {
	__u64 key;
	__u64 off_ns;
	__u64 ring;		/* index in `sleeps` */
	struct tw_sleep_at at;
};

/* By the kernel's number of the worker. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_MAX_FOLLOWED);
	__type(key, __u32);
	__type(value, struct sleeper);
} sleepers SEC(".maps");

/* Keep the stack of the task that leaves the CPU, from @context of the switch. The first
 * frames are the program itself and what calls it. */
#define OWN_FRAMES	2

static __always_inline void keep_stack(void *context, struct tw_stack *stack)
{
	long bytes = bpf_get_stack(context, stack->frames, sizeof(stack->frames),
				   OWN_FRAMES);

	stack->count = bytes > 0 ? (__u64)bytes / sizeof(*stack->frames) : 0;
}

static __always_inline void name_file(struct tw_sleep_at *at, const struct file *file)
{
	const struct inode *inode = file ? READ(struct file, file, f_inode) : 0;

	at->inode = at->device = 0;
	if (!inode)
		return;
	at->inode = READ(struct inode, inode, i_ino);
	at->device = READ(struct super_block, READ(struct inode, inode, i_sb), s_dev);
}

/* Publish a sleep of job @ring. */
static __always_inline void put_sleep(__u32 ring, __u64 key, __u64 off_ns, __u64 on_ns,
				      const struct tw_sleep_at *at)
{
	struct tw_sleeps *all = bpf_map_lookup_elem(&sleeps, &ring);
	struct tw_sleep *sleep;
	__u64 number;

	if (!all)
		return;
	number = __sync_fetch_and_add(&all->newest, 1) + 1;
	sleep = &all->sleeps[(number - 1) & (TW_SLEEPS - 1)];
	PUT_ORDERED(&sleep->number, 0);
	sleep->key = key;
	sleep->off_ns = off_ns;
	sleep->on_ns = on_ns;
	sleep->at = *at;
	PUT_ORDERED(&sleep->number, number);
}

/* Keep where a worker of io_uring falls asleep, if it has an I/O of a job. */
static __always_inline void worker_sleeps(void *context, struct task_struct *task)
{
	const struct io_kiocb *io = io_of_worker(task);
	struct sleeper sleeper = { 0 };
	const __u32 *owner;
	__u32 thread = task->pid;
	__u64 ring;

	/* If it was missed that the worker ran */
	bpf_map_delete_elem(&sleepers, &thread);
	if (!io)
		return;
	ring = (__u64)BPF_CORE_READ(io, ctx);
	owner = bpf_map_lookup_elem(&owners, &ring);
	if (!owner)
		return;
	/* At once: to take a stack lasts some microseconds. */
	sleeper.off_ns = bpf_ktime_get_ns();
	sleeper.key = BPF_CORE_READ(io, cqe.user_data);
	sleeper.ring = *owner - 1;
	sleeper.at.call = TW_CALL_WORKER;
	name_file(&sleeper.at, BPF_CORE_READ(io, file));
	keep_stack(context, &sleeper.at.stack);
	bpf_map_update_elem(&sleepers, &thread, &sleeper, BPF_ANY);
}

/* Publish the sleep of a worker that runs again. */
static __always_inline void worker_runs(struct task_struct *task)
{
	__u32 thread = task->pid;
	const struct sleeper *sleeper = bpf_map_lookup_elem(&sleepers, &thread);

	if (!sleeper)
		return;
	put_sleep((__u32)sleeper->ring, sleeper->key, sleeper->off_ns, bpf_ktime_get_ns(),
		  &sleeper->at);
	bpf_map_delete_elem(&sleepers, &thread);
}

#endif
