/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The records that attach.bpf.c sends to `tickwise attach` through a ring buffer. The
 * record of a ring comes before its I/Os, and that of a file before the first I/O on the
 * file.
 */
#ifndef TW_PLUGIN_ATTACH_ATTACH_RECORD_H
#define TW_PLUGIN_ATTACH_ATTACH_RECORD_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#include "kernel/causes/calls.h"
#include "kernel/causes/offcpu.h"
#include "kernel/kernel_stamps.h"
#include "kernel/limit.h"
#include "kernel/stages/in_flight_of_others.h"
#include "kernel/sync/sync.h"

enum tw_attach_kind {
	TW_ATTACH_RING,
	TW_ATTACH_FILE,
	TW_ATTACH_IO,		/* an I/O whose completion is in the ring */
	TW_ATTACH_NO_CQE,	/* an I/O that ended without a completion */
	TW_ATTACH_CALL,		/* a call of fsync(2) or fdatasync(2) that waited */
	TW_ATTACH_WAIT,		/* a thread slept in a call */
};

enum {
	/* These two are as they are: */
	TW_ATTACH_OF_STAMPS = TW_STAMPS_SYNC_WRITE | TW_STAMPS_MIRRORED,
	TW_ATTACH_LINKED = 2,	/* begins when the I/O before it has ended */
	TW_ATTACH_DRAINED = 4,	/* began when all I/Os before it had ended */
	/* Done by the thread that submitted the I/O, which is followed: */
	TW_ATTACH_DISPATCHED_ITSELF = 8,
	TW_ATTACH_POSTED_ITSELF = 16,
	/* It was not chosen: it has no stamp, and is only counted. */
	TW_ATTACH_NOT_CHOSEN = 64,
};

/* What identifies a file. */
struct tw_attach_inode {
	/* With the generation, as numbers are used again, and with a hash of the name: a file that
	 * was renamed is another one. */
	__u64 number;
	__u32 device;
	__u32 mode;		/* its type; 0: the I/O is on no file */
};

struct tw_attach_ring {
	__u32 kind;
	__s32 fd;		/* -1: registered, without a descriptor */
	__u32 ring;		/* its number, from 1 */
	__u32 process;		/* as the reader sees it; 0: it does not */
	__u32 sq_entries;
	__u32 cq_entries;
	char program[16];
};

enum {
	TW_ATTACH_DELETED = 1,	/* the file has no name any more; it had this one */
	TW_ATTACH_CUT = 2,	/* the path is longer: its beginning is not here */
	TW_ATTACH_NO_DEVICE = 4,	/* its file system has no block device */
};

#define TW_ATTACH_PATH	4096
#define TW_ATTACH_NAME	256	/* of a file or folder, with its 0 */

/* The record of a file has no more bytes than `size` of its path. */
struct tw_attach_file {
	__u32 kind;
	__u16 flags;
	__u16 size;
	struct tw_attach_inode inode;
	char type[16];		/* of the file system */
	/* The names of the path, the file's first, that below the root last, each with a
	 * 0 at its end. */
	char names[TW_ATTACH_PATH + TW_ATTACH_NAME];
};

/* Times are of CLOCK_MONOTONIC; 0: the point was not passed, or not seen. */
struct tw_attach_io {
	__u32 kind;
	__u8 opcode;
	__u8 flags;
	__u8 thread;		/* followed thread, from 1; 0: not followed */
	__u8 shift;		/* it was chosen with a chance of 1 in 2^shift */
	__u32 ring;		/* its number */
	__s32 result;
	struct tw_attach_inode inode;
	__u64 accepted_ns;
	__u64 dispatched_ns;
	__u64 finished_ns;
	__u64 posted_ns;
	__u64 offset;		/* of reads and writes; ~0: the file's position */
	__u32 requests;
	__u32 retries;
	__u64 due_bytes;	/* as in struct tw_kernel_stamps */
	__u64 finished_bytes;
};

/* In the ring buffer each record has 8 bytes more. */
#define TW_ATTACH_IO_BYTES	96
#define TW_ATTACH_BUFFER_BYTES	(8 << 20)
#define TW_ATTACH_RECORDS	(TW_ATTACH_BUFFER_BYTES / (TW_ATTACH_IO_BYTES + 8))

_Static_assert(sizeof(struct tw_attach_io) == TW_ATTACH_IO_BYTES,
	       "the size of a record, which comments and ../README.md give");
_Static_assert(TW_ATTACH_RECORDS >= 80000 && TW_ATTACH_RECORDS < 81000,
	       "what the ring buffer holds, as in attach.c");

/* The operations of calls. io_uring has the first one, too, and will not have the second. */
#define TW_ATTACH_FSYNC		3
#define TW_ATTACH_FDATASYNC	254

struct tw_attach_call {
	__u32 kind;
	__u32 opcode;
	struct tw_attach_inode inode;
	__u64 read_or_wrote;	/* calls of the thread before it; with fd they tell it from others */
	__u32 fd;
	__u32 unused;
	__u64 ran_ns;		/* it was over when the thread ran after its last wait */
	struct tw_sync stamps;	/* begun_ns 0: the thread is in no sync */
};

enum {
	TW_ATTACH_FIRST = 1,		/* the first sleep of its call */
	TW_ATTACH_HAS_ENDED = 2,	/* a bio of the thread ended in it: */
	TW_ATTACH_HAS_READ = 4,		/* a read */
	TW_ATTACH_LIMITED = 8,		/* which io.max delayed; or pages of the file */
	TW_ATTACH_SUSPENDED = 16,	/* which a suspended device delayed */
	/* A signal ends the sleep. Without a file on storage, in a copy, and in calls such as
	 * ioctl(2), it counts only if it is for a file system without a block device, which the
	 * stack tells. */
	TW_ATTACH_BY_SIGNAL = 32,
};

/* A thread slept. Times are of CLOCK_MONOTONIC. */
struct tw_attach_wait {
	__u32 kind;
	__u16 call;		/* its number, or TW_CALL_FAULT */
	__u16 flags;
	struct tw_attach_inode inode;	/* mode 0: not known */
	__u64 slept_ns;
	__u64 woken_ns;		/* 0: not seen, also the next two */
	__u64 dispatched_ns;	/* the first bio of the thread that ended in the wait */
	__u64 finished_ns;	/* the last one */
	__u64 on_ns;		/* the thread ran again */
	struct tw_io_limit limit;	/* of TW_ATTACH_LIMITED */
	/* The next five are set if the wait was not shorter than slow_wait_ns. */
	__u32 process;		/* as the reader sees it; 0: not known */
	__u32 thread;
	char program[16];
	__u64 third, fourth;	/* arguments of the call */
	/* Who woke the thread; in a sync, the other process with most handles in the commit. */
	struct tw_who who;
	__u64 position;		/* of the descriptor; ~0: where the call writes is not known */
	struct tw_stack stack;
	/* The record ends before the first of these that are not known. */
	char path[TW_ATTACH_NAME];	/* as the call has it; "": none */
	struct tw_others others;	/* key: dispatched_ns; another key: not counted */
};

/* What followed threads did, of the kernel's accounting. */
struct tw_attach_ran {
	__u64 is_known;
	__u64 read_calls, write_calls;
	__u64 read_bytes, written_bytes;	/* of all files */
	__u64 storage_bytes;			/* read from storage */
	__u64 run_ns, ready_ns;
};

/* What attach.bpf.c has of a thread that has waited. */
struct tw_attach_waiter {
	struct tw_attach_wait wait;	/* slept_ns 0: the thread does not sleep */
	__u64 read_or_wrote;		/* calls of the thread, by then */
	__u64 call;			/* also where a page fault in it was the wait */
	struct tw_attach_inode read;	/* what its last bio was of; mode 0: unknown */
	__u64 read_in;			/* the call that sent this bio */
	struct tw_attach_call sync;
};

/* What is counted of the I/Os that were not chosen, by struct tw_attach_key. Those that
 * failed, and those for which there is no room, have a record each. */
struct tw_attach_key {
	struct tw_attach_inode inode;
	__u32 ring;		/* its number */
	__u32 opcode;
};

struct tw_attach_counted {
	__u64 ios;
	__u64 bytes;		/* of reads and writes, also the next */
	__u64 zero_byte;
};

#define TW_ATTACH_THREADS	64	/* threads that are followed */

#define TW_ATTACH_OPCODES	64	/* the last place is for all others */

/* Numbers of events without a record. */
struct tw_attach_lost {
	__u64 records;		/* no room in the ring buffer */
	__u64 ios;		/* more in flight than can be followed */
	__u64 rings;		/* more open at once than can be followed */
	__u64 processes;	/* more at once than can be followed */
	__u64 more_cqes;	/* CQEs without a request: of multishot requests, or sent */
	__u64 threads;		/* I/Os of threads beyond TW_ATTACH_THREADS */
	__u64 names;		/* I/Os on files beyond those whose names are sent */
	__u64 waits;		/* sleeps or bios of threads beyond those that can be followed */
	__u64 of_32_bits;	/* sleeps of 32-bit programs */
	/* By opcode: completions of what is not followed (attach_tally.h). */
	__u64 others[TW_ATTACH_OPCODES];
};

#endif
