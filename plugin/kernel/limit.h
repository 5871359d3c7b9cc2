/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A limit of a cgroup, for the programs in the kernel and those who read what they send.
 */
#ifndef TW_PLUGIN_KERNEL_LIMIT_H
#define TW_PLUGIN_KERNEL_LIMIT_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* The limits of io.max. Those of writes are one more than those of reads. */
enum tw_limit {
	TW_LIMIT_UNKNOWN,
	TW_LIMIT_RBPS,
	TW_LIMIT_WBPS,
	TW_LIMIT_RIOPS,
	TW_LIMIT_WIOPS,
	TW_LIMITS,
};

struct tw_io_limit {
	__u64 cgroup;		/* that has the limit (cgroup.h); 0: not known */
	__u64 value;		/* bytes or I/Os a second */
	__u32 which;		/* enum tw_limit */
	__u32 unused;
};

#endif
