/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program in the kernel and the engine share: the stamps of each io_u, in
 * memory that both map. The program writes a stamp when the I/O passes a point
 * of the kernel. The engine reads the stamps when it has the completion.
 */
#ifndef TW_PLUGIN_KERNEL_KERNEL_STAMPS_H
#define TW_PLUGIN_KERNEL_KERNEL_STAMPS_H

#ifndef __bpf__
#include <linux/types.h>
#endif

/* All times are in ns of CLOCK_MONOTONIC; 0: the point was not passed, or not
 * seen. */
struct tw_kernel_stamps {
	__u64 key;		/* user_data of the I/O that has these stamps */
	__u64 accepted_ns;	/* the kernel took the SQE */
	__u64 dispatched_ns;	/* the first request went to the driver */
	__u64 finished_ns;	/* the block layer learnt of the last completion */
	__u64 posted_ns;	/* the CQE is in the ring */
	__u32 requests;		/* completions of requests, or of parts of them */
	__u8 retries;		/* handed to a worker of io_uring */
	__u8 why;		/* enum tw_worker_why, of the last time */
	__u16 flags;
	__u32 due_bytes;	/* given to the driver, again if requeued */
	__u32 finished_bytes;
	/* The I/O got its first request at this time or later; 0: not known. If queued_ns is
	 * set, the time is exact, and 0 means that its bio was merged into a request at once. */
	__u64 got_ns;
	/* The next three are set for tw_causes only. */
	__u64 queued_ns;	/* its first bio came to the lowest device; 0: not known */
	__u64 handed_ns;	/* to the workers of io_uring, the last time; 0: never */
	__u64 begun_ns;		/* after that a worker was first seen with it; TW_STAMPS_BEGUN */
	__u32 disk;		/* with TW_STAMPS_DISK: its major and minor number */
	__u32 unused;
};

#define TW_STAMPS_MINOR_BITS	20	/* of a disk's number */

/* The stamps of an I/O in memory. All stamps but the last three are in one cache line. The
 * second line is touched only if stamps are taken there. */
struct tw_padded_stamps {
	struct tw_kernel_stamps stamps;
	__u64 unused[4];
};

/* Why a worker of io_uring submitted an I/O. */
enum tw_worker_why {
	TW_WORKER_UNKNOWN,
	TW_WORKER_ASKED,	/* by the program, or by an operation that may sleep */
	TW_WORKER_BLOCK_LAYER,	/* its bio was queued there, and would have had to wait */
	TW_WORKER_BEFORE,	/* it would have had to wait before that */
	TW_WORKER_WHYS,
};

/* A flag: a sync follows the data of this write (O_SYNC, O_DSYNC). Its requests are not known
 * to be the I/O's. A write that goes through the device's cache (FUA) has no sync. */
#define TW_STAMPS_SYNC_WRITE	1
/* A flag: begun_ns is when the worker began. Otherwise it may be later. */
#define TW_STAMPS_BEGUN		8
/* Flags of an I/O on a stack of devices, such as LVM or md: the disk below whose completion
 * was the last is known; its data were written to several disks. */
#define TW_STAMPS_DISK		16
#define TW_STAMPS_MIRRORED	32
/* A flag: that disk is a path of dm-multipath. So the device above the path is not noted. */
#define TW_STAMPS_PATH		128
/* Flags that the reader of the stamps sets (tw_mark_unseen()): requests were not seen, so
 * dispatched_ns may not be that of the first, or finished_ns not that of the last. */
#define TW_STAMPS_NOT_FIRST	2
#define TW_STAMPS_NOT_LAST	4
/* Another flag of the reader: the sync after the write has stamps of its own (sync.h). */
#define TW_STAMPS_SYNC_SEEN	64

/*
 * The key, from its lowest bit on: the index of the I/O in its ring (a ring has
 * at most 32768), the index of the ring in the program's table, and a number that differs for
 * each I/O of a job. If the I/O was chosen to be stamped, the highest bit is set, and the
 * nine below it have n: the chance was 1 in 2^n. Otherwise these nine bits have a limit
 * (tw_key_limit()): only an I/O that is slower gets stamps, from its completion on.
 *
 * The SQE has it as user_data, which any program can set to anything. So the program in
 * the kernel compares the ring, too.
 */
#define TW_KEY_RING_SHIFT	16
#define TW_KEY_NUMBER_SHIFT	28
#define TW_KEY_NUMBERS		0x3ffffff
#define TW_KEY_UPPER_SHIFT	54
#define TW_KEY_UPPERS		0x1ff
#define TW_KEY_CHOSEN		(1ULL << 63)
#define TW_MAX_RINGS		4096

static inline __u32 tw_key_index(__u64 key)
{
	return (__u16)key;
}

static inline __u32 tw_key_ring(__u64 key)
{
	return key >> TW_KEY_RING_SHIFT & (TW_MAX_RINGS - 1);
}

/* Return n of a chosen I/O, or the limit of another one. */
static inline unsigned tw_key_upper(__u64 key)
{
	return key >> TW_KEY_UPPER_SHIFT & TW_KEY_UPPERS;
}

/* Return a limit as ns: the lowest four bits are digits, the others an exponent. 0 means
 * that there is no limit. */
static inline __u64 tw_key_limit_ns(unsigned limit)
{
	return (16ULL + (limit & 15)) << (limit >> 4);
}

/* Return the smallest limit that is at least @ns: at most 1/16 above it, and 66 s at
 * most. */
static inline unsigned tw_key_limit(__u64 ns)
{
	unsigned limit = 1;

	while (limit < TW_KEY_UPPERS && tw_key_limit_ns(limit) < ns)
		limit++;
	return limit;
}

/* A ring in the program's table, and the indexes of its I/Os: [base, base + mask]. */
struct tw_ring {
	__u64 ctx;		/* the kernel's io_ring_ctx; 0: not made, or forgotten */
	__u32 base;
	__u32 mask;
};

/* A ring that a thread is about to make. */
struct tw_announced {
	__u64 ns;		/* CLOCK_MONOTONIC, when the thread existed */
	__u32 ring;		/* its index in the table */
	__u32 unused;
};

#define TW_ANY_OWNER	((__u32)-1)

#endif
