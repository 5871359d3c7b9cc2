/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who else uses a device, a journal or a lock. The programs in the kernel name one.
 */
#ifndef TW_PLUGIN_KERNEL_WHO_H
#define TW_PLUGIN_KERNEL_WHO_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* How the owner of requests is named. */
enum tw_who_kind {
	TW_WHO_UNKNOWN,
	TW_WHO_PROCESS,		/* of direct I/O, or it waits for a flush or discard */
	TW_WHO_KERNEL_THREAD,	/* the same */
	TW_WHO_CGROUP,		/* to which other I/O is accounted */
	TW_WHO_HIDDEN,		/* another user's process, which the job may not see */
	TW_WHO_KINDS,
};

#define TW_WHO_NAME	16	/* that of a task's name in the kernel */

struct tw_who {
	__u64 cgroup;		/* id, see cgroup.h */
	__u64 bytes;		/* of its requests */
	__u32 requests;
	__u32 kind;		/* enum tw_who_kind */
	__u32 id;		/* of the process, as the job sees it; 0: not known */
	char name[TW_WHO_NAME];	/* ends with a 0 byte or with the array */
	__u32 unused;
};

#endif
