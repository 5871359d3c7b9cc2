/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that follows the jobs' threads. It is loaded once for all jobs of a fio, and
 * only if a job has tw_causes=1. Each job reads its periods from memory shared with the
 * kernel.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_CAUSES_H
#define TW_PLUGIN_KERNEL_CAUSES_CAUSES_H

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

#include "offcpu.h"

/* The state of one job. */
struct tw_follow {
	const struct tw_offcpu *offcpu;	/* NULL: the thread is not followed */
	const struct tw_sleeps *sleeps;	/* of its workers; set if offcpu is */
	const char *why;		/* the reason; NULL: followed, or not wanted */
	uint32_t thread;
};

/* Load the program for @jobs jobs, unless it is loaded. Call this in the process that
 * starts the jobs, which inherit the program. Return NULL, or the reason in one line. */
const char *tw_follow_load(uint32_t jobs);

/* Announce the calling thread, which makes a ring next, as a thread to follow, after the program is
 * loaded. Sets @follow. */
void tw_follow_expect(struct tw_follow *follow);

/* Check that the thread is followed, after the ring was made or could not be made. */
void tw_follow_made(struct tw_follow *follow);

/* Return what following threads has cost each CPU since the program was loaded; NULL: not
 * known. */
json_t *tw_follow_cost(void);

/* ---- the program itself, which attach loads, too ---- */

struct tw_follow_program {
	struct tw_causes *skeleton;
	const struct tw_offcpu *periods;	/* of each thread; NULL: not loaded */
	uint64_t loaded_ns;			/* CLOCK_MONOTONIC */
};

/* Load the program for @threads threads. @has_reader: another program chooses them, and this
 * process reads their periods. Return 0, or -errno and an empty @program. */
int tw_follow_start(struct tw_follow_program *program, uint32_t threads, bool has_reader);
void tw_follow_stop(struct tw_follow_program *program);
json_t *tw_follow_cost_of(const struct tw_follow_program *program);

#endif
