/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system calls in which a thread may wait for storage: their numbers on this processor, and
 * where their files are. A thread that falls asleep tells by its registers in which call it is
 * (call.bpf.h).
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_CALLS_H
#define TW_PLUGIN_KERNEL_CAUSES_CALLS_H

#ifndef __bpf__
#include <stdint.h>
#endif

#define TW_CALLS	512	/* numbers of system calls that can be followed */
#define TW_CALL_FAULT	(TW_CALLS - 1)	/* stands for page faults, which have no number */

/* Stands for what a worker of io_uring does with an I/O of its own. */
#define TW_CALL_WORKER	(TW_CALLS - 2)

/* Stands for the end of a thread, which a signal may bring in any call, or in none. */
#define TW_CALL_ENDS	(TW_CALLS - 3)
#define TW_CALL_NAMES	112	/* at most */

/* How a call is followed. Its file is that of the first of these arguments that is on storage. */
enum tw_call_flag {
	TW_CALL_ARG0 = 1,
	TW_CALL_ARG1 = 2,
	TW_CALL_ARG2 = 4,
	TW_CALL_NO_FILE = 8,
	TW_CALL_MAPPED = TW_CALL_NO_FILE | TW_CALL_ARG0,	/* this is an address in its file */
	TW_CALL_ANY_SLEEP = 16,		/* while the process has I/Os of io_submit(2) */
	TW_CALL_SYNCS = 32,
	TW_CALL_FULL = 64,		/* fsync(2), not fdatasync(2) */
	TW_CALL_RINGS = 128,		/* io_uring_enter(2), whose bios are those of I/Os */
	TW_CALL_PATH0 = 256,		/* this argument is the path of its file */
	TW_CALL_PATH1 = 512,
	TW_CALL_PATH2 = TW_CALL_PATH0 | TW_CALL_PATH1,	/* a number of two bits */
	TW_CALL_SUBMITS = 1024,		/* io_submit(2), for whose I/Os another call waits */
	/* The next four are for readers alone. */
	TW_CALL_READS = 2048,		/* it reads a file */
	TW_CALL_COUNTED = 4096,		/* the kernel counts it as a read or a write */
	TW_CALL_SIZED = 8192,		/* its third argument is how many bytes */
	TW_CALL_PLACED = 16384,		/* its fourth argument is where in the file */
	TW_CALL_COPIES = 32768,		/* from one file to another one */
};

#ifndef __bpf__

#include "latency/sleep_words.h"

/* Set how each call of this processor is followed: bits of enum tw_call_flag. */
void tw_calls_set(volatile uint16_t how[TW_CALLS]);

/* Return how a call is followed, and its name. A number that is not followed stands for a page
 * fault. */
unsigned tw_call_flags(unsigned number);
const char *tw_call_name(unsigned number);

/* Return what a sleep in a call is for whose stack tells no reason. */
enum tw_sleep_word tw_call_word(unsigned number);

#endif
#endif
