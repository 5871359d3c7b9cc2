/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The program that stamps I/Os inside the kernel (stages.bpf.c). It is loaded once for
 * all jobs of a fio. Each job reads the stamps of its io_us from memory that it shares with
 * the kernel. Built without libbpf, nothing is loaded.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_KERNEL_STAGES_H
#define TW_PLUGIN_KERNEL_STAGES_KERNEL_STAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "in_flight_of_others.h"
#include "throttled.h"
#include "helper/client/helper_protocol.h"
#include "kernel/program.h"

/* What a job knows of the program and its memory. */
struct tw_kernel {
	const volatile struct tw_padded_stamps *stamps;	/* by io_u->index; NULL: none */
	const volatile struct tw_others *others;	/* the same; NULL: not counted */
	const volatile struct tw_throttled *throttled;	/* the same; set if others is */
	uint32_t base;
	uint32_t ring;			/* its index in the program's table */
	uint32_t thread;		/* the thread that makes the ring */
	int64_t missed;			/* tw_kernel_missed() at the beginning */
	const char *why;		/* why there are no stamps; NULL: not wanted */
	bool by_helper;			/* the helper has loaded the program */
	bool has_parts;			/* the stamps have queued_ns */
	char text[TW_KERNEL_WHY];
};

/*
 * Load the program, unless it is loaded, with @entries stamps for the I/Os of all
 * jobs. @with_causes: also with what tw_causes needs of the block layer (queued_ns,
 * in_flight_of_others.h, throttled.h), unless a helper loads it. Call this in the process that
 * starts the jobs, which inherit it. Return NULL, or a line that says why not.
 */
const char *tw_kernel_load(uint32_t entries, bool with_causes);

/* True if this process has loaded the program, and not a helper. */
bool tw_kernel_is_own(void);

/* Return how many runs of the programs the kernel has skipped since they were loaded, as
 * tw_loader_missed(); -1: not known, or a helper has loaded them. */
int64_t tw_kernel_missed(void);

/*
 * Announce that the ring that the calling thread makes next has @entries I/Os,
 * a power of two. Set @kernel. Call this after tw_kernel_load(), and before
 * io_uring_setup().
 */
void tw_kernel_expect(struct tw_kernel *kernel, uint32_t entries);

/* Note that the ring is made, or that there will be none. Return false if the
 * program did not see the ring. */
bool tw_kernel_made(struct tw_kernel *kernel);

/* Forget the ring, before it is closed. */
void tw_kernel_forget(struct tw_kernel *kernel);

/* Read the stamps of the I/O whose key is in @stamps. Return false, and no stamps, if those in
 * memory are of another I/O. */
static inline bool tw_kernel_read(const struct tw_kernel *kernel,
				  unsigned index, struct tw_kernel_stamps *stamps)
{
	const volatile struct tw_kernel_stamps *shared = &kernel->stamps[index].stamps;

	if (shared->key != stamps->key) {
		*stamps = (struct tw_kernel_stamps) { .key = stamps->key };
		return false;
	}
	stamps->accepted_ns = shared->accepted_ns;
	stamps->dispatched_ns = shared->dispatched_ns;
	stamps->finished_ns = shared->finished_ns;
	stamps->due_bytes = shared->due_bytes;
	stamps->finished_bytes = shared->finished_bytes;
	stamps->posted_ns = shared->posted_ns;
	stamps->requests = shared->requests;
	stamps->retries = shared->retries;
	stamps->why = shared->why;
	stamps->flags = shared->flags;
	stamps->disk = stamps->flags & TW_STAMPS_DISK ? shared->disk : 0;
	stamps->got_ns = shared->got_ns;
	stamps->queued_ns = stamps->handed_ns = stamps->begun_ns = 0;
	if (kernel->has_parts) {
		stamps->queued_ns = shared->queued_ns;
		stamps->handed_ns = shared->handed_ns;
		stamps->begun_ns = shared->begun_ns;
	}
	return true;
}

/* ---- the program itself, which the helper loads, too ---- */

/* The jobs whose rings the program may serve. */
struct tw_loader_owner {
	uint64_t namespace_inode;		/* of the jobs; 0: any */
	uint32_t user;				/* effective uid, or TW_ANY_OWNER */
	bool with_causes;			/* tw_kernel_load() */
};

struct tw_stages;	/* made by bpftool */

/**
 * tw_loader_load - load and start the program, with room for the stamps of @entries I/Os
 *
 * Return: 0; -EPERM without the privileges for it; -ENOTSUP if it was built
 * without libbpf; another -errno. tw_program_reason() has a line for each.
 */
int tw_loader_load(struct tw_stages **loader, uint32_t entries,
		   const struct tw_loader_owner *owner);

/* Free the loader, or NULL. A process that has mapped the memory keeps it. */
void tw_loader_free(struct tw_stages *loader);

/* Return the descriptor of the stamps. It may be mapped and read, but not
 * written. */
int tw_loader_stamps(const struct tw_stages *loader);

/* Announce that the ring that @thread makes next has the indexes [@base, @base +
 * @entries). @entries is a power of two. @ring: its index in the program's table. */
int tw_loader_expect(const struct tw_stages *loader, uint32_t thread,
		     uint32_t base, uint32_t entries, uint32_t *ring);

/* True if @thread has made its ring. The ring is no longer expected after this
 * call. */
bool tw_loader_made(const struct tw_stages *loader, uint32_t thread);
void tw_loader_forget(const struct tw_stages *loader, uint32_t ring);

/* Return the number of rings that the program follows. While it is 0, the program
 * leaves at once. */
uint32_t tw_loader_followed(const struct tw_stages *loader);

/* Return how many runs of the programs the kernel has skipped, since the program ran on
 * that CPU already; -1: not known. */
int64_t tw_loader_missed(const struct tw_stages *loader);

#endif
