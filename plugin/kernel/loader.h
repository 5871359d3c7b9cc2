/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loads the program of stages.bpf.c and talks to it. Used by the engine, and by
 * `tickwise kernel-helper` for a fio without privileges. Without libbpf it is there,
 * too, and loads nothing.
 */
#ifndef TW_PLUGIN_KERNEL_LOADER_H
#define TW_PLUGIN_KERNEL_LOADER_H

#include <stdbool.h>
#include <stdint.h>

#include "program.h"
#include "slot.h"

/* Whose rings the program may serve. */
struct tw_loader_owner {
	struct tw_program_namespace space;	/* of the jobs; inode 0: any */
	uint32_t user;				/* effective, or TW_ANY_OWNER */
};

struct tw_loader;

/**
 * tw_loader_load - load and start the program, with @slots places for I/Os
 *
 * Return: 0; -EPERM without the privileges for it; -ENOTSUP where it was built
 * without libbpf; another -errno. tw_program_reason() has them in one line.
 */
int tw_loader_load(struct tw_loader **loader, uint32_t slots,
		   const struct tw_loader_owner *owner);

/* Also of NULL. What has its memory mapped keeps that. */
void tw_loader_free(struct tw_loader *loader);

/* The descriptor of the slots, which may be mapped and read, but not written. */
int tw_loader_slots(const struct tw_loader *loader);

/* The ring that @thread makes next has the slots [@base, @base + @entries); @entries
 * is a power of two. */
int tw_loader_expect(const struct tw_loader *loader, uint32_t thread,
		     uint32_t base, uint32_t entries);

/* Has @thread made its ring? It is not expected any more. @ring: the kernel's name. */
bool tw_loader_made(const struct tw_loader *loader, uint32_t thread, uint64_t *ring);
void tw_loader_forget(const struct tw_loader *loader, uint64_t ring);

#endif
