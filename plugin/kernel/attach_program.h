/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program of attach.bpf.c: loaded, pointed at a process, and read.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_PROGRAM_H
#define TW_PLUGIN_KERNEL_ATTACH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/attach_record.h"
#include "kernel/turn.h"

struct tw_attach_program;

/* NULL, with why not in one line. With @causes the threads that submit are followed; if
 * that can't be, @no_causes says why, and the rest works. */
struct tw_attach_program *tw_attach_load(bool descendants, bool causes,
					 const char **why, const char **no_causes);

/* Follow the process of @pidfd and find the rings that it has. 0 or -errno: -ESRCH if
 * it has ended. */
int tw_attach_follow(struct tw_attach_program *program, int pidfd);

/* Of the threads that are followed; NULL: none are. */
const struct tw_turns *tw_attach_turns(const struct tw_attach_program *program);

/* Causes are wanted of I/Os that take so long: they are to be read at once. */
void tw_attach_set_slow(struct tw_attach_program *program, uint64_t ns);

/* Take all records that there are, after waiting for @wait_ms or for a new file. 0, or
 * the first result of @take that is not. */
int tw_attach_read(struct tw_attach_program *program, int wait_ms,
		   int (*take)(void *context, const void *record, size_t size),
		   void *context);

void tw_attach_lost(const struct tw_attach_program *program,
		    struct tw_attach_lost *lost);

/* I/Os that are in flight now. */
uint64_t tw_attach_in_flight(const struct tw_attach_program *program);

void tw_attach_unload(struct tw_attach_program *program);

#endif
