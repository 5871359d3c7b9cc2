/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers of threads and processes as the jobs see them, or as the reader does. For programs
 * in the kernel, which include this file once.
 */
#ifndef TW_PLUGIN_KERNEL_THREAD_BPF_H
#define TW_PLUGIN_KERNEL_THREAD_BPF_H

#include "kernel_types.h"
#include "read.bpf.h"

#define FIRST_NAMESPACE	0xEFFFFFFCU	/* PROC_PID_INIT_INO of include/linux/proc_ns.h */
#define MAX_LEVELS	33		/* of namespaces of processes */

/* The inode of their namespace of processes; 0: this kernel has none. Set before loading. In a
 * container a thread's number differs from the kernel's own. */
const volatile __u64 namespace_inode = 0;

/* Return the number of a thread; 0: it is not in their namespace. Up to Linux 6.8 a product has no
 * bound, and what has none may not be added to a pointer. */
static __u32 number_of(struct task_struct *task)
{
	__u64 pid;
	__u32 i, level;

	if (!namespace_inode || namespace_inode == FIRST_NAMESPACE)
		return (__u32)READ(struct task_struct, task, pid);
	pid = (__u64)READ(struct task_struct, task, thread_pid);
	level = pid ? READ(struct pid, pid, level) : 0;
	for (i = 0; pid && i < MAX_LEVELS && i <= level; i++) {
		__u64 at = pid + bpf_core_field_offset(struct pid, numbers) +
			   (i * bpf_core_type_size(struct upid) & 1023);

		if (READ(struct pid_namespace, READ(struct upid, at, ns), ns.inum) ==
		    namespace_inode)
			return (__u32)READ(struct upid, at, nr);
	}
	return 0;
}

/* The same of its process. */
static inline __u32 process_of(struct task_struct *task)
{
	return number_of(READ(struct task_struct, task, group_leader));
}

#endif
