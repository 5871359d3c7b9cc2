/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load the program of sync_stages.bpf.c and share its memory: see syncs.h.
 */
#include "syncs.h"

#include <errno.h>

#include "kernel/program.h"

#ifdef TW_KERNEL_STAGES

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/sync/sync_stages.skel.h"
#include "text_file.h"

static struct tw_sync_stages *program;
static const struct tw_sync *all;
static struct tw_places places;
static char why_not[224];

int tw_find_function(const char *function, __u64 *from, __u64 *to)
{
	char *text = tw_text_file("/proc/kallsyms"), name[64];
	const char *line, *begin;

	snprintf(name, sizeof(name), " T %s\n", function);
	line = begin = text ? strstr(text, name) : NULL;
	*from = *to = 0;
	while (begin && begin > text && begin[-1] != '\n')
		begin--;
	if (line)
		*from = *to = strtoull(begin, NULL, 16);
	/* Names of one address follow each other. */
	while (line && (line = strchr(line, '\n')) && *++line && *to <= *from)
		*to = strtoull(line, NULL, 16);
	free(text);
	return *from && *to > *from ? 0 : -ENOENT;
}

/* Some programs are needed where vfs_fsync_range() can't be traced, as on arm64 with Linux 6.1. */
static void adapt(struct tw_sync_stages *made)
{
	struct btf *btf = btf__load_vmlinux_btf();
	const bool with_entry = btf && tw_program_can_enter(btf, "vfs_fsync_range");

	if (btf)
		tw_program_choose(made->obj, btf);
	btf__free(btf);
	bpf_program__set_autoload(made->progs.any_enter, with_entry);
	bpf_program__set_autoload(made->progs.any_exit, with_entry);
	if (!with_entry)
		return;
	bpf_program__set_autoload(made->progs.ext4_enter, false);
	bpf_program__set_autoload(made->progs.ext4_exit, false);
	bpf_program__set_autoload(made->progs.xfs_enter, false);
}

static int load_program(uint32_t count, bool with_writes)
{
	struct tw_sync_stages *made = tw_sync_stages__open();
	int error;

	if (!made)
		return -errno;
	error = tw_find_function(TW_WRITES_DATA, &made->rodata->data_from,
				 &made->rodata->data_to);
	made->rodata->namespace_inode = tw_program_namespace();
	made->rodata->with_writes = with_writes;
	adapt(made);
	if (!error)
		error = bpf_map__set_max_entries(made->maps.syncs, count);
	if (!error)
		error = tw_sync_stages__load(made);
	if (!error)
		error = tw_sync_stages__attach(made);
	if (error)
		tw_sync_stages__destroy(made);
	else
		program = made;
	return error;
}

const char *tw_syncs_load(uint32_t count, bool with_writes)
{
	int error;

	if (all)
		return NULL;
	if (why_not[0])
		return why_not;
	error = tw_program_has_addresses() ? 0 : -EPERM;
	tw_program_set_messages();
	if (!error)
		error = load_program(count, with_writes);
	if (!error) {
		all = tw_places_make(&places, bpf_map__fd(program->maps.syncs), count,
				     sizeof(*all));
		error = all ? 0 : -errno;
	}
	if (!error)
		return NULL;
	tw_sync_stages__destroy(program);
	program = NULL;
	snprintf(why_not, sizeof(why_not), "%s",
		 tw_program_reason(error == -EACCES ? -EPERM : error, false));
	return why_not;
}

void tw_syncs_expect(struct tw_syncs *syncs, uint32_t entries)
{
	struct tw_sync_ring ring = { .mask = entries - 1 };

	*syncs = (struct tw_syncs) { .why = tw_places_give(&places, entries, &ring.base) };
	if (syncs->why)
		return;
	syncs->thread = (uint32_t)syscall(SYS_gettid);
	if (bpf_map_update_elem(bpf_map__fd(program->maps.expected), &syncs->thread, &ring,
				BPF_ANY)) {
		syncs->why = "the ring could not be announced to the kernel";
		return;
	}
	syncs->by_index = all + ring.base;
}

/* A thread that is still expected was not seen. */
void tw_syncs_made(struct tw_syncs *syncs)
{
	if (!syncs->by_index ||
	    bpf_map_delete_elem(bpf_map__fd(program->maps.expected), &syncs->thread))
		return;
	syncs->by_index = NULL;
	syncs->why = "the kernel's program did not see the ring";
}

#else

const char *tw_syncs_load(uint32_t places, bool with_writes)
{
	return tw_program_reason(-ENOTSUP, false);
}

void tw_syncs_expect(struct tw_syncs *syncs, uint32_t entries)
{
}

void tw_syncs_made(struct tw_syncs *syncs)
{
}

#endif
