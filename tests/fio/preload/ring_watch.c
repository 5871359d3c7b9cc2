/* SPDX-License-Identifier: MIT */
/*
 * Stands between the engine and its ring (LD_PRELOAD). It logs what is asked of the
 * kernel, which can lack some of it.
 *
 *	RING_WATCH=FILE		FILE.PID: "setup FLAGS cpu CPU" of the ring,
 *				"sizes ENTRIES PLACES" as the kernel made them,
 *				"looked N of N" submissions for completions, then
 *				one line "OPCODE FLAGS RW_FLAGS IOPRIO COUNT" for
 *				every kind of entry that was submitted (in hex,
 *				the counts decimal)
 *	RING_NO_DISCARD=1	a kernel without trims in the ring (before 6.12)
 *	RING_NO_PROBE=1		a kernel that can't list its operations (before 5.6)
 *	RING_NO_SETUP=FLAGS	a kernel that refuses these flags of a ring
 *
 * For jobs that are processes. For fio alone, and not everywhere: kernel_gate.h tells
 * why.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <liburing.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "kernel_gate.h"

#define KINDS 256

struct kind {
	unsigned opcode;
	unsigned flags;
	unsigned rw_flags;
	unsigned ioprio;
	unsigned long count;
};

static struct io_uring *ring;
static unsigned setup_flags;
static unsigned setup_cpu;
static unsigned entries_made, places_made;
static unsigned sq_seen;
static unsigned long entered, looked;
static struct kind kinds[KINDS];

static unsigned long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtoul(text, NULL, 0) : 0;
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

static void note(const struct io_uring_sqe *sqe)
{
	struct kind *kind = kinds;

	while (kind < kinds + KINDS - 1 && kind->count &&
	       (kind->opcode != sqe->opcode || kind->flags != sqe->flags ||
		kind->rw_flags != (unsigned)sqe->rw_flags ||
		kind->ioprio != sqe->ioprio))
		kind++;
	kind->opcode = sqe->opcode;
	kind->flags = sqe->flags;
	kind->rw_flags = (unsigned)sqe->rw_flags;
	kind->ioprio = sqe->ioprio;
	kind->count++;
}

/* The kernel knows no command of this number either. */
static void forget_discard(struct io_uring_sqe *sqe)
{
	if (sqe->opcode == IORING_OP_URING_CMD && number("RING_NO_DISCARD"))
		sqe->cmd_op = ~0U;
}

static void note_submissions(void)
{
	for (; sq_seen != *ring->sq.ktail; sq_seen++) {
		struct io_uring_sqe *sqe = &ring->sq.sqes[
			ring->sq.array[sq_seen & ring->sq.ring_mask]];

		note(sqe);
		forget_discard(sqe);
	}
}

int io_uring_setup(unsigned entries, struct io_uring_params *params)
{
	int (*set_up)(unsigned, struct io_uring_params *) =
		real("io_uring_setup");

	return params->flags & number("RING_NO_SETUP") ?
		-EINVAL : set_up(entries, params);
}

int io_uring_queue_mmap(int fd, struct io_uring_params *params,
			struct io_uring *new_ring)
{
	int (*map)(int, struct io_uring_params *, struct io_uring *) =
		real("io_uring_queue_mmap");
	int ret = map(fd, params, new_ring);

	if (!ret) {
		ring = new_ring;
		setup_flags = params->flags;
		setup_cpu = params->sq_thread_cpu;
		entries_made = params->sq_entries;
		places_made = params->cq_entries;
		/* Some versions of liburing set these, others leave them 0. */
		new_ring->ring_fd = -1;
		new_ring->enter_ring_fd = -1;
		new_ring->flags = 0;
	}
	return ret;
}

static long enter(const long *a)
{
	if (ring && a[0] == ring->enter_ring_fd) {
		note_submissions();
		entered += a[1] != 0;
		looked += a[1] != 0 && a[3] & IORING_ENTER_GETEVENTS;
	}
	return gate_kernel(SYS_io_uring_enter, a);
}

static long caught(long number, const long *a)
{
	return number == SYS_io_uring_enter ? enter(a) : gate_kernel(number, a);
}

static __attribute__((constructor)) void begin(void)
{
	gate_close("ring_watch", caught);
}

struct io_uring_probe *io_uring_get_probe_ring(struct io_uring *any)
{
	struct io_uring_probe *(*get)(struct io_uring *) =
		real("io_uring_get_probe_ring");

	return number("RING_NO_PROBE") ? NULL : get(any);
}

static void write_down(const char *prefix)
{
	const struct kind *kind;
	char path[4096];
	FILE *file;

	note_submissions();
	/* A ring that was only tried is left out. */
	if (!kinds[0].count)
		return;
	snprintf(path, sizeof(path), "%s.%d", prefix, (int)getpid());
	file = fopen(path, "w");
	if (!file)
		return;
	fprintf(file, "setup %x cpu %u\n", setup_flags, setup_cpu);
	fprintf(file, "sizes %u %u\n", entries_made, places_made);
	fprintf(file, "looked %lu of %lu\n", looked, entered);
	for (kind = kinds; kind < kinds + KINDS && kind->count; kind++)
		fprintf(file, "%x %x %x %x %lu\n", kind->opcode, kind->flags,
			kind->rw_flags, kind->ioprio, kind->count);
	fclose(file);
}

void io_uring_queue_exit(struct io_uring *old)
{
	void (*leave)(struct io_uring *) = real("io_uring_queue_exit");
	const char *prefix = getenv("RING_WATCH");

	if (prefix && old == ring)
		write_down(prefix);
	ring = NULL;
	leave(old);
}
