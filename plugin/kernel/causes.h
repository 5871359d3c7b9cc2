/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that follows the jobs' threads: loaded once for all jobs of a fio, only if
 * one of them has tw_causes=1. Each job reads its own turns from memory that it shares
 * with the kernel.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_H
#define TW_PLUGIN_KERNEL_CAUSES_H

#include <stdbool.h>
#include <stdint.h>

#include "turn.h"

/* A job's part of it. */
struct tw_follow {
	const struct tw_turns *turns;	/* NULL: the thread is not followed, */
	const char *why;		/* and why; or NULL: not wanted */
	uint32_t thread;
};

/* Load the program for @jobs jobs, unless it is loaded. In the process that starts the
 * jobs, which inherit it. NULL, or why not: one line. */
const char *tw_follow_load(uint32_t jobs);

/* The calling thread, which makes a ring next, is to be followed. Sets @follow. */
void tw_follow_expect(struct tw_follow *follow);

/* The ring is made, or there will be none. */
void tw_follow_made(struct tw_follow *follow);

#endif
