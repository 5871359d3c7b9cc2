/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that stamps I/Os inside the kernel: loaded once for all jobs of a fio,
 * read by each job from memory that it shares with the kernel.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_H
#define TW_PLUGIN_KERNEL_STAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "slot.h"

#define TW_KERNEL_WHY	224		/* bytes of a reason */

/* A job's part of it. */
struct tw_kernel {
	const volatile struct tw_slot *slots;	/* by io_u->index; NULL: none */
	uint32_t base;
	uint32_t thread;		/* that makes the ring, */
	uint64_t ctx;			/* the kernel's name for it; 0: not known */
	const char *why;		/* with no slots; or NULL: not wanted */
	bool by_helper;			/* it has loaded the program */
	char text[TW_KERNEL_WHY];
};

/*
 * Load the program, unless it is; with @slots places for I/Os of all jobs. In the
 * process that starts the jobs, which inherit it. NULL, or why not: one line.
 */
const char *tw_kernel_load(uint32_t slots);

/* Has this process loaded it, and no helper? */
bool tw_kernel_is_own(void);

/*
 * The ring that the calling thread makes next has @entries slots, a power of two.
 * Sets @kernel. After tw_kernel_load(), and before io_uring_setup().
 */
void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries);

/* The ring is made, or there will be none. False: the program did not see it. */
bool tw_kernel_made(struct tw_kernel *kernel);

/* Before the ring is closed. */
void tw_kernel_forget(struct tw_kernel *kernel);

/* The stamps of the I/O that @stamps has the key of; none, if the slot is another's. */
static inline void tw_kernel_read(const struct tw_kernel *kernel,
				  unsigned index, struct tw_slot *stamps)
{
	const volatile struct tw_slot *slot = &kernel->slots[index];

	stamps->accepted_ns = slot->key == stamps->key ? slot->accepted_ns : 0;
	stamps->dispatched_ns = slot->dispatched_ns;
	stamps->finished_ns = slot->finished_ns;
	stamps->due_bytes = slot->due_bytes;
	stamps->finished_bytes = slot->finished_bytes;
	stamps->posted_ns = slot->posted_ns;
	stamps->requests = slot->requests;
	stamps->retries = slot->retries;
	stamps->flags = slot->flags;
}

#endif
