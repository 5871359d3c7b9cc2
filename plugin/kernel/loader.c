/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load the program of stages.bpf.c: see loader.h.
 */
#include "kernel/loader.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdlib.h>

#include "kernel/above.h"
#include "kernel/stages.skel.h"

struct tw_loader {
	struct tw_stages *program;
};

/* Adapt the program to this kernel. */
static int adapt(struct tw_stages *made)
{
	struct btf *btf = btf__load_vmlinux_btf();
	bool has_req;

	if (!btf)
		return -errno;
	made->rodata->above = tw_above_find(btf);
	has_req = tw_program_has_submit_req(btf);
	btf__free(btf);
	return bpf_program__set_autoload(has_req ? made->progs.submit_sqe :
						   made->progs.submit_req, false);
}

static int load(struct tw_stages *program, uint32_t slots,
		const struct tw_loader_owner *owner)
{
	int error;

	program->rodata->namespace_device = owner->space.device;
	program->rodata->namespace_inode = owner->space.inode;
	program->rodata->owner = owner->user;
	error = adapt(program);
	if (!error)
		error = bpf_map__set_max_entries(program->maps.slots, slots);
	if (!error)
		error = tw_stages__load(program);
	/* From now on only the program writes the slots. A descriptor that can
	 * only read can't be mapped. */
	if (!error)
		error = bpf_map_freeze(bpf_map__fd(program->maps.slots));
	if (!error)
		error = tw_stages__attach(program);
	return error;
}

int tw_loader_load(struct tw_loader **loader, uint32_t slots,
		   const struct tw_loader_owner *owner)
{
	struct tw_loader *made;
	int error;

	if (!tw_program_has_addresses())
		return -EPERM;
	made = calloc(1, sizeof(*made));
	if (!made)
		return -ENOMEM;
	tw_program_set_messages();
	made->program = tw_stages__open();
	error = made->program ? load(made->program, slots, owner) : -errno;
	if (error) {
		tw_loader_free(made);
		return error == -EACCES ? -EPERM : error;
	}
	*loader = made;
	return 0;
}

void tw_loader_free(struct tw_loader *loader)
{
	if (loader)
		tw_stages__destroy(loader->program);
	free(loader);
}

int tw_loader_slots(const struct tw_loader *loader)
{
	return bpf_map__fd(loader->program->maps.slots);
}

int tw_loader_expect(const struct tw_loader *loader, uint32_t thread,
		     uint32_t base, uint32_t entries)
{
	struct tw_ring_slots slots = { .base = base, .mask = entries - 1 };
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	slots.announced_ns = (uint64_t) now.tv_sec * 1000000000 +
			     (uint64_t) now.tv_nsec;
	return bpf_map_update_elem(bpf_map__fd(loader->program->maps.expected),
				   &thread, &slots, BPF_ANY);
}

bool tw_loader_made(const struct tw_loader *loader, uint32_t thread, uint64_t *ring)
{
	const int expected = bpf_map__fd(loader->program->maps.expected);
	struct tw_ring_slots slots = { .ctx = 0 };

	if (bpf_map_lookup_elem(expected, &thread, &slots))
		return false;
	bpf_map_delete_elem(expected, &thread);
	*ring = slots.ctx;
	return slots.ctx;
}

void tw_loader_forget(const struct tw_loader *loader, uint64_t ring)
{
	const int rings = bpf_map__fd(loader->program->maps.rings);

	/* The program counts, too, in the same memory. */
	if (!bpf_map_delete_elem(rings, &ring))
		__sync_fetch_and_sub(&loader->program->bss->rings_followed, 1);
}

uint32_t tw_loader_followed(const struct tw_loader *loader)
{
	return __atomic_load_n(&loader->program->bss->rings_followed,
			       __ATOMIC_RELAXED);
}

int64_t tw_loader_missed(const struct tw_loader *loader)
{
	return tw_program_missed(loader->program->obj);
}

#else

int tw_loader_load(struct tw_loader **loader, uint32_t slots,
		   const struct tw_loader_owner *owner)
{
	(void)loader;
	(void)slots;
	(void)owner;
	return -ENOTSUP;
}

void tw_loader_free(struct tw_loader *loader)
{
	(void)loader;
}

int tw_loader_slots(const struct tw_loader *loader)
{
	(void)loader;
	return -1;
}

int tw_loader_expect(const struct tw_loader *loader, uint32_t thread,
		     uint32_t base, uint32_t entries)
{
	(void)loader;
	(void)thread;
	(void)base;
	(void)entries;
	return -ENOTSUP;
}

bool tw_loader_made(const struct tw_loader *loader, uint32_t thread, uint64_t *ring)
{
	(void)loader;
	(void)thread;
	(void)ring;
	return false;
}

void tw_loader_forget(const struct tw_loader *loader, uint64_t ring)
{
	(void)loader;
	(void)ring;
}

uint32_t tw_loader_followed(const struct tw_loader *loader)
{
	(void)loader;
	return 0;
}

int64_t tw_loader_missed(const struct tw_loader *loader)
{
	(void)loader;
	return -1;
}

#endif
