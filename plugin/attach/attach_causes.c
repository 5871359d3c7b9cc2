// SPDX-License-Identifier: GPL-2.0
/*
 * Load the program of causes.bpf.c: see attach_causes.h.
 */
#include "attach/attach_causes.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/causes.skel.h"
#include "attach/attach_record.h"
#include "kernel/program.h"

#define TURNS_BYTES	(TW_ATTACH_THREADS * sizeof(struct tw_turns))

struct tw_attach_causes {
	struct tw_causes *skeleton;
	const struct tw_turns *turns;
};

static int load(struct tw_attach_causes *causes)
{
	const struct tw_program_namespace space = tw_program_namespace();
	struct tw_causes *made = tw_causes__open();
	void *turns;
	int error;

	causes->skeleton = made;
	if (!made)
		return -errno;
	made->rodata->namespace_device = space.device;
	made->rodata->namespace_inode = space.inode;
	made->rodata->nested = space.inode && space.inode != TW_PROGRAM_FIRST_NAMESPACE;
	made->rodata->has_reader = true;
	made->rodata->reader_uid = geteuid();
	made->rodata->reader_may_all =
		tw_program_capabilities() >> CAP_SYS_PTRACE & 1;
	/* attach.bpf.c chooses the threads that are followed. */
	bpf_program__set_autoload(made->progs.create, false);
	error = bpf_map__set_max_entries(made->maps.rings, TW_ATTACH_THREADS);
	if (!error)
		error = tw_causes__load(made);
	if (!error)
		error = tw_causes__attach(made);
	if (error)
		return error;
	turns = mmap(NULL, TURNS_BYTES, PROT_READ, MAP_SHARED,
		     bpf_map__fd(made->maps.rings), 0);
	if (turns == MAP_FAILED)
		return -errno;
	causes->turns = turns;
	return 0;
}

int tw_attach_causes_load(struct tw_attach_causes **causes)
{
	struct tw_attach_causes *made = calloc(1, sizeof(*made));
	int error;

	if (!made)
		return -ENOMEM;
	error = load(made);
	if (error)
		tw_attach_causes_unload(made);
	else
		*causes = made;
	return error;
}

int tw_attach_causes_threads(const struct tw_attach_causes *causes)
{
	return bpf_map__fd(causes->skeleton->maps.threads);
}

const struct tw_turns *tw_attach_causes_turns(const struct tw_attach_causes *causes)
{
	return causes->turns;
}

void tw_attach_causes_unload(struct tw_attach_causes *causes)
{
	if (!causes)
		return;
	if (causes->turns)
		munmap((void *)causes->turns, TURNS_BYTES);
	tw_causes__destroy(causes->skeleton);
	free(causes);
}
