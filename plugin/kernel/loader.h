/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads the program of stages.bpf.c and talks to it. The engine uses this, and
 * so does `tickwise kernel-helper` for a fio without privileges. Built without
 * libbpf, it loads nothing.
 */
#ifndef TW_PLUGIN_KERNEL_LOADER_H
#define TW_PLUGIN_KERNEL_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"
#include "slot.h"

/* The jobs whose rings the program may serve. */
struct tw_loader_owner {
	struct tw_program_namespace space;	/* of the jobs; inode 0: any */
	uint32_t user;				/* effective uid, or TW_ANY_OWNER */
};

struct tw_loader;

/**
 * tw_loader_load - load and start the program, with @slots slots for I/Os
 *
 * Return: 0; -EPERM without the privileges for it; -ENOTSUP if it was built
 * without libbpf; another -errno. tw_program_reason() has a line for each.
 */
int tw_loader_load(struct tw_loader **loader, uint32_t slots,
		   const struct tw_loader_owner *owner);

/* Free the loader, or NULL. A process that has mapped the memory keeps it. */
void tw_loader_free(struct tw_loader *loader);

/* Return the descriptor of the slots. It may be mapped and read, but not
 * written. */
int tw_loader_slots(const struct tw_loader *loader);

/* Announce that the ring that @thread makes next has the slots [@base, @base +
 * @entries). @entries is a power of two. */
int tw_loader_expect(const struct tw_loader *loader, uint32_t thread,
		     uint32_t base, uint32_t entries);

/* True if @thread has made its ring. The ring is no longer expected after this
 * call. @ring: the kernel's name of it. */
bool tw_loader_made(const struct tw_loader *loader, uint32_t thread, uint64_t *ring);
void tw_loader_forget(const struct tw_loader *loader, uint64_t ring);

/* Return the number of rings that the program follows. While it is 0, the program
 * leaves at once. */
uint32_t tw_loader_followed(const struct tw_loader *loader);

/* Return how many runs of the programs the kernel has skipped, since the program ran on
 * that CPU already; -1: not known. */
int64_t tw_loader_missed(const struct tw_loader *loader);

#endif
