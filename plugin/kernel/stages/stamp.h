/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keep the earliest and the latest of several times. The requests of an I/O go to the
 * driver, and finish, on several CPUs at once. For programs in the kernel (-mcpu=v3,
 * Linux 5.12), and for tests/unit/plugin/kernel/stages/kernel_stamp.c.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_STAMP_H
#define TW_PLUGIN_KERNEL_STAGES_STAMP_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* A test has another CPU write in between. */
#ifndef TW_STAMP_EXCHANGE
#define TW_STAMP_EXCHANGE(at, old, new)	__sync_val_compare_and_swap(at, old, new)
#endif

/* The kernel's verifier wants an end. An attempt fails only if another CPU has written a
 * better time since the attempt before. */
#define TW_STAMP_ATTEMPTS	32

/* Set *@at to @ns if it is 0 or later. */
static inline void tw_stamp_earliest(__u64 *at, __u64 ns)
{
	__u64 is = *(volatile __u64 *)at, was;
	int i;

	for (i = 0; i < TW_STAMP_ATTEMPTS && (!is || ns < is); i++) {
		was = is;
		is = TW_STAMP_EXCHANGE(at, was, ns);
		if (is == was)
			return;
	}
}

/* Set *@at to @ns if it is earlier. */
static inline void tw_stamp_latest(__u64 *at, __u64 ns)
{
	__u64 is = *(volatile __u64 *)at, was;
	int i;

	for (i = 0; i < TW_STAMP_ATTEMPTS && is < ns; i++) {
		was = is;
		is = TW_STAMP_EXCHANGE(at, was, ns);
		if (is == was)
			return;
	}
}

#endif
