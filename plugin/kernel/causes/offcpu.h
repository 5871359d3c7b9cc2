/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the program of causes.bpf.c and the engine share: a ring of periods for
 * each job, in memory that both map. A period is a time in which the job's thread
 * was off its CPU, and what had the CPU while the thread could have run. The
 * program writes the period when the thread runs again. The engine reads the
 * periods of its slowest I/Os.
 *
 * A second ring has sleeps: those of the job's thread that no signal ends, and those of
 * io_uring's workers, each in an I/O of the job. The engine makes a wait table of them.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_OFFCPU_H
#define TW_PLUGIN_KERNEL_CAUSES_OFFCPU_H

#ifndef __bpf__
#include <linux/types.h>
#endif

#define TW_OFFCPU_PERIODS	256	/* of a job; a power of two */
#define TW_HOLDERS	16	/* of a period */
#define TW_NAME_SIZE	16	/* that of a task's name in the kernel */
#define TW_FRAMES	16	/* of a stack */
#define TW_SLEEPS	512	/* of a job and its workers; a power of two */

enum tw_holder_kind {
	TW_NOBODY,		/* no holder: the list has ended */
	TW_PROCESS,
	TW_KERNEL_THREAD,
	TW_INTERRUPT,
	TW_SOFTIRQ,
	TW_IDLE,		/* the CPU had nothing to run, or was not awake yet */
	TW_HIDDEN,		/* another user's process, which the job may not see */
	TW_HOLDER_KINDS,
};

/* All times are in ns of CLOCK_MONOTONIC. */
struct tw_holder {
	__u64 from_ns;
	__u64 to_ns;
	__u32 id;		/* process, interrupt or vector of softirqs */
	__u32 kind;
	char name[TW_NAME_SIZE];
};

/* Where a thread fell asleep: addresses in the kernel's functions, the innermost first. */
struct tw_stack {
	__u64 frames[TW_FRAMES];
	__u64 count;
};

struct tw_offcpu_period {
	__u64 number;		/* from 1 on; 0: it is being written */
	__u64 ran_ns;		/* the thread ran from this time, */
	__u64 off_ns;		/* until it left the CPU at this time */
	__u64 waking_ns;	/* was to be woken; 0: it was ready to run all along */
	__u64 woken_ns;		/* was ready to run; 0: as waking_ns */
	__u64 on_ns;		/* ran again */
	__u64 interrupt_ns;	/* when the interrupt began that woke it; 0: none did */
	__u64 stolen_ns;	/* by the hypervisor since it was ready, at most */
	struct tw_stack stack;	/* count 0: it did not sleep */
	struct tw_holder holders[TW_HOLDERS];	/* the last one first */
};

/* Period N is at index N - 1, modulo TW_OFFCPU_PERIODS. */
struct tw_offcpu {
	__u64 newest;		/* number of the newest period; 0: none yet */
	__u64 ran_ns;		/* the thread has run since this time, */
	__u64 off_ns;		/* until it left the CPU; 0: it runs */
	__u64 unused[5];
	struct tw_offcpu_period periods[TW_OFFCPU_PERIODS];
};

/* Where threads sleep. */
struct tw_sleep_at {
	struct tw_stack stack;
	__u64 inode;		/* number of the file's; 0: not known */
	__u32 device;		/* that it is on, as the kernel has it */
	__u32 call;		/* of calls.h */
};

/* The job's thread was asleep in a call, or a worker of io_uring while it had an I/O. */
struct tw_sleep {
	__u64 number;		/* from 1 on; 0: it is being written */
	__u64 key;		/* user_data of the I/O (kernel_stamps.h); 0: of the thread */
	__u64 off_ns;
	__u64 on_ns;
	struct tw_sleep_at at;
};

/* Sleep N is at index N - 1, modulo TW_SLEEPS. Several threads write at once, so an older
 * sleep may appear after a newer one. */
struct tw_sleeps {
	__u64 newest;
	__u64 unused[7];
	struct tw_sleep sleeps[TW_SLEEPS];
};

#define TW_MAX_FOLLOWED	4096

/* Of each CPU: the time of one in TW_FOLLOW_EVERY runs of the programs. This is a prime, so
 * that each program of a repeated sequence has its turn. */
#define TW_FOLLOW_EVERY	251

struct tw_follow_cost {
	__u64 timed;
	__u64 ns;		/* a sum of differences, so it may be below 0 */
};

#endif
