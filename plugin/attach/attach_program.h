/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load the program of attach.bpf.c, let it follow a process, and read its records.
 */
#ifndef TW_PLUGIN_KERNEL_ATTACH_PROGRAM_H
#define TW_PLUGIN_KERNEL_ATTACH_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "attach/attach_record.h"
#include "kernel/turn.h"

struct tw_attach_program;

/* Take a record. Return 0 to go on. */
typedef int tw_attach_take(void *context, void *record, size_t size);

/* Load the program. NULL: @why has the reason in one line. With @causes the submitting
 * threads are followed. If that is impossible, @no_causes has the reason, and the rest
 * works. */
struct tw_attach_program *tw_attach_load(bool causes, tw_attach_take *take, void *context,
					 const char **why, const char **no_causes);

/* Follow the process of @pidfd and its descendants, also those that it will have, and find
 * their rings. Return 0 or -errno: -ESRCH if the process has ended. */
int tw_attach_follow(struct tw_attach_program *program, int pidfd);

/* Return the turns of the followed threads; NULL if none are followed. */
const struct tw_turns *tw_attach_turns(const struct tw_attach_program *program);

/* Let the program wake the reader for I/Os that take at least @ns, to find their causes. */
void tw_attach_set_slow(struct tw_attach_program *program, uint64_t ns);

/* Take all records, after waiting for @wait_ms or until a record wakes the reader. Return
 * 0, or the first result of tw_attach_take() that is not 0. */
int tw_attach_read(struct tw_attach_program *program, int wait_ms);

void tw_attach_lost(const struct tw_attach_program *program,
		    struct tw_attach_lost *lost);

/* Return how many runs of the programs the kernel has skipped: tw_program_missed(). */
int64_t tw_attach_missed(const struct tw_attach_program *program);

/* Follow nothing any more. What was seen can still be read. */
void tw_attach_stop(struct tw_attach_program *program);

/* Return the number of I/Os that were in flight at tw_attach_stop(). Before, the kernel
 * begins again at an I/O that ends while it is counted. */
uint64_t tw_attach_in_flight(const struct tw_attach_program *program);

void tw_attach_unload(struct tw_attach_program *program);

#endif
