/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records that attach.bpf.c sends to `tickwise attach` through a ring buffer. The
 * record of a ring comes before its I/Os, and that of a file before the first I/O on the
 * file.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_RECORD_H
#define TW_PLUGIN_KERNEL_ATTACH_RECORD_H

#ifndef __bpf__
#include <linux/types.h>
#endif

enum tw_attach_kind {
	TW_ATTACH_RING,
	TW_ATTACH_FILE,
	TW_ATTACH_IO,		/* an I/O whose completion is in the ring */
	TW_ATTACH_NO_CQE,	/* an I/O that ended without a completion */
};

enum {
	TW_ATTACH_LINKED = 1,	/* begins when the I/O before it has ended */
	TW_ATTACH_MULTISHOT = 2, /* has posted other completions, too */
	/* Done by the thread that submitted the I/O, which is followed: */
	TW_ATTACH_DISPATCHED_ITSELF = 4,
	TW_ATTACH_POSTED_ITSELF = 8,
};

/* A file by the numbers of stat(); the device is s_dev, MAJOR << 20 | MINOR. */
struct tw_attach_inode {
	__u64 number;
	__u32 device;
	__u32 mode;		/* 0: the I/O is on no file */
};

struct tw_attach_ring {
	__u32 kind;
	__s32 fd;		/* -1: registered, without a descriptor */
	__u64 ring;		/* its address in the kernel, never shown */
	__u32 process;		/* as seen outside of containers */
	__u32 flags;
	__u32 sq_entries;
	__u32 cq_entries;
	char program[16];
};

#define TW_ATTACH_NAME	64

struct tw_attach_file {
	__u32 kind;
	__u32 process;
	struct tw_attach_inode inode;
	char name[TW_ATTACH_NAME];	/* without its folder */
};

/* Times are of CLOCK_MONOTONIC; 0: the point was not passed, or not seen. */
struct tw_attach_io {
	__u32 kind;
	__u8 opcode;
	__u8 flags;
	__u16 thread;		/* followed thread, from 1; 0: not followed */
	__u64 ring;
	struct tw_attach_inode inode;
	__u64 accepted_ns;
	__u64 dispatched_ns;
	__u64 finished_ns;
	__u64 posted_ns;
	__u64 offset;		/* of reads and writes; ~0: the file's position */
	__s32 result;
	__u32 requests;
	__u32 retries;
	__u32 unused2;
	__u64 due_bytes;	/* as in struct tw_slot */
	__u64 finished_bytes;
};

#define TW_ATTACH_THREADS	64	/* threads that are followed */

/* Numbers of events without a record. */
struct tw_attach_lost {
	__u64 records;		/* no room in the ring buffer */
	__u64 ios;		/* more in flight than can be followed */
	__u64 rings;		/* more than can be followed */
	__u64 more_cqes;	/* CQEs of multishot requests, without the last of each */
	__u64 threads;		/* I/Os of threads beyond TW_ATTACH_THREADS */
};

#endif
