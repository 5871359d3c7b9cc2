/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The threads that causes.bpf.c follows. attach.bpf.c shares the map and adds threads to
 * it, too.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_FOLLOW_BPF_H
#define TW_PLUGIN_KERNEL_CAUSES_FOLLOW_BPF_H

#include "kernel/kernel_types.h"

#include <bpf/bpf_helpers.h>

#include "offcpu.h"

/* The state of a followed thread. */
struct followed {
	__u64 ran_ns;
	__u64 off_ns;		/* 0: it runs */
	__u64 waking_ns;
	__u64 woken_ns;
	__u64 interrupt_ns;
	__u64 moved_first_ns;
	__u64 moved_last_ns;
	__u64 stolen_ns;	/* of `cpu`, when the thread was ready to run there */
	__u32 ring;		/* index of its periods */
	__u32 asleep;		/* 0: it was ready to run when it left the CPU */
	__u32 cpu;
	__u32 had;		/* the task that had this CPU when the thread came there */
	__u32 cpu_first;	/* before it was moved */
	__u32 had_first;
	__u32 moved;
	__u32 waits_on;		/* the CPU that counts it as waiting, + 1; 0: none */
	__u32 has_stack;	/* `at` is where it fell asleep */
	__u32 in_call;		/* that is a call that may wait for storage */
	struct tw_sleep_at at;
};

/* Kept by the kernel with the thread, and freed with it. */
struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct followed);
} threads SEC(".maps");

/* Follow the thread that runs. */
static void follow_thread(struct task_struct *task, __u32 ring)
{
	struct followed *of = bpf_task_storage_get(&threads, task, 0,
						   BPF_LOCAL_STORAGE_GET_F_CREATE);

	if (!of)
		return;
	of->off_ns = 0;
	of->ran_ns = bpf_ktime_get_ns();
	of->ring = ring;
}

#endif
