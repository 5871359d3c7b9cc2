/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The threads that causes.bpf.c follows. attach.bpf.c shares the map and adds threads to
 * it, too.
 */
#ifndef TW_PLUGIN_KERNEL_FOLLOW_BPF_H
#define TW_PLUGIN_KERNEL_FOLLOW_BPF_H

#include "kernel_types.h"

#include <bpf/bpf_helpers.h>

#include "turn.h"

/* The state of a followed thread. */
struct followed {
	__u64 start_time;	/* of the task, since ids are used again */
	__u64 ran_ns;
	__u64 off_ns;		/* 0: it runs */
	__u64 waking_ns;
	__u64 woken_ns;
	__u64 interrupt_ns;
	__u64 moved_first_ns;
	__u64 moved_last_ns;
	__u64 stolen_ns;	/* of `cpu`, when the thread was ready to run there */
	__u32 ring;		/* index of its turns */
	__u32 asleep;		/* 0: it was ready to run when it left the CPU */
	__u32 cpu;
	__u32 cpu_first;	/* before it was moved */
	__u32 moved;
	__u32 unused;
};

/* By the kernel's number of the thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_MAX_FOLLOWED);
	__type(key, __u32);
	__type(value, struct followed);
} threads SEC(".maps");

#endif
