/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Returns the number of the thread that runs, as the job's gettid() returns it.
 * For programs in the kernel, which include it once.
 */
#ifndef TW_PLUGIN_KERNEL_THREAD_BPF_H
#define TW_PLUGIN_KERNEL_THREAD_BPF_H

#include "kernel_types.h"

#include <bpf/bpf_helpers.h>

/* The jobs' namespace of processes, as stat() returns it; 0: this kernel has
 * none. Set before loading. In a container a thread's number differs from the
 * kernel's own. */
const volatile __u64 namespace_device = 0;
const volatile __u64 namespace_inode = 0;

/* Set the numbers of what runs, or zeroes: it is in another namespace. */
static __always_inline void numbers_here(struct bpf_pidns_info *here)
{
	__u64 both = bpf_get_current_pid_tgid();

	here->pid = (__u32)both;
	here->tgid = both >> 32;
	if (namespace_inode && bpf_get_ns_current_pid_tgid(namespace_device, namespace_inode,
							   here, sizeof(*here)))
		here->pid = here->tgid = 0;
}

/* Return the thread's number; 0: it is in another namespace. */
static inline __u32 thread(void)
{
	struct bpf_pidns_info here = { 0 };

	numbers_here(&here);
	return here.pid;
}

/* The same of its process. */
static inline __u32 process(void)
{
	struct bpf_pidns_info here = { 0 };

	numbers_here(&here);
	return here.tgid;
}

#endif
