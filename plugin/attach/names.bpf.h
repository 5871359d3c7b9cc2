/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Send the name of each followed file once, when something is seen of it for the first time: found
 * by an open file, or by the inode alone. attach.bpf.c includes this file once, after what it uses.
 */
#ifndef TW_PLUGIN_ATTACH_NAMES_BPF_H
#define TW_PLUGIN_ATTACH_NAMES_BPF_H

#include "kernel/path.bpf.h"

#define MAX_FILES	16384
#define MAX_MOUNTS	1024	/* of a file system */
#define MAX_FOLDERS	64	/* of a path */

/* Files for which a record was sent. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_FILES);
	__type(key, struct tw_attach_inode);
	__type(value, __u8);
} files SEC(".maps");

/* Where the record of a file is made. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tw_attach_file);
} new_files SEC(".maps");

/* Send the path of a file at the first I/O on it. */
static void tell_path(const struct tw_attach_inode *inode, const struct inode *of,
		      const struct vfsmount *mount, const struct dentry *at)
{
	const __u32 here = 0;
	struct tw_attach_file *record;
	__u32 size;

	record = bpf_map_lookup_elem(&new_files, &here);
	if (!record || bpf_map_update_elem(&files, inode, &yes, BPF_ANY)) {
		count(&lost.names);
		return;
	}
	record->kind = TW_ATTACH_FILE;
	record->inode = *inode;
	find_path(record, mount, at);
	if (!BPF_CORE_READ(of, i_sb, s_bdev) && inode->mode != S_IFBLK)
		record->flags |= TW_ATTACH_NO_DEVICE;
	bpf_probe_read_kernel_str(record->type, sizeof(record->type),
				  BPF_CORE_READ(of, i_sb, s_type, name));
	size = record->size;
	if (size > sizeof(record->names))
		size = sizeof(record->names);
	/* Without room, the next I/O on the file tries again. */
	if (bpf_ringbuf_output(&records, record,
			       __builtin_offsetof(struct tw_attach_file, names) + size,
			       BPF_RB_NO_WAKEUP))
		bpf_map_delete_elem(&files, inode);
}

static void tell_file(const struct tw_attach_inode *inode, struct file *file)
{
	if (!inode->mode || bpf_map_lookup_elem(&files, inode))
		return;
	tell_path(inode, BPF_CORE_READ(file, f_inode), BPF_CORE_READ(file, f_path.mnt),
		  BPF_CORE_READ(file, f_path.dentry));
}

/* A walk through the mounts of a file system. */
struct mounts {
	const struct dentry *name;	/* of the file */
	const struct mount *at, *end;
	const struct mount *found;	/* which shows the file to the task that runs; NULL: none */
};

static int is_below(const struct dentry *at, const struct dentry *top)
{
	const struct dentry *above;
	int i;

	for (i = 0; i < MAX_FOLDERS && at != top; i++, at = above) {
		above = BPF_CORE_READ(at, d_parent);
		if (above == at)
			return 0;
	}
	return at == top;
}

static long look_at_mount(__u32 i, struct mounts *all)
{
	const struct task_struct *task = (void *)bpf_get_current_task();
	const struct mount *at = all->at;
	const struct dentry *top = BPF_CORE_READ(at, mnt.mnt_root);

	if (BPF_CORE_READ(at, mnt_ns) == BPF_CORE_READ(task, nsproxy, mnt_ns) &&
	    is_below(all->name, top)) {
		all->found = at;
		/* One of the whole file system is better than one of a folder. */
		if (BPF_CORE_READ(top, d_parent) == top)
			return 1;
	}
	all->at = bpf_core_field_exists(at->mnt_next_for_sb) ?
		  BPF_CORE_READ(at, mnt_next_for_sb) :
		  (void *)BPF_CORE_READ(at, mnt_instance.next) -
		  bpf_core_field_offset(struct mount, mnt_instance);
	return all->at == all->end;
}

/* The same of a file that is known by its inode alone: by one of its names, and below a mount that
 * the task sees. Without one, the path begins in the file system. */
static void tell_inode(const struct tw_attach_inode *inode, const struct inode *of)
{
	const struct super_block *on;
	struct mounts all = { 0 };
	__u64 name;

	if (!inode->mode || bpf_map_lookup_elem(&files, inode))
		return;
	name = (__u64)BPF_CORE_READ(of, i_dentry.first);
	if (!name)
		return;
	all.name = (void *)(name - bpf_core_field_offset(struct dentry, d_u.d_alias));
	on = BPF_CORE_READ(of, i_sb);
	if (bpf_core_field_exists(((struct mount *)0)->mnt_next_for_sb)) {
		all.at = BPF_CORE_READ((const struct super_block___since_6_18 *)on, s_mounts);
	} else {
		all.at = (void *)BPF_CORE_READ(on, s_mounts.next) -
			 bpf_core_field_offset(struct mount, mnt_instance);
		all.end = (void *)on + bpf_core_field_offset(struct super_block, s_mounts) -
			  bpf_core_field_offset(struct mount, mnt_instance);
	}
	bpf_loop(MAX_MOUNTS, look_at_mount, &all, 0);
	tell_path(inode, of, (void *)all.found + bpf_core_field_offset(struct mount, mnt),
		  all.name);
}

static void name_inode(struct tw_attach_inode *inode, const struct inode *of)
{
	__u64 name;

	if (!of)
		return;
	inode->number = READ(struct inode, of, i_ino) ^
			(__u64)READ(struct inode, of, i_generation) << 32;
	name = (__u64)READ(struct inode, of, i_dentry.first);
	if (name)
		inode->number ^= 0x9e3779b97f4a7c15ULL *
			READ(struct dentry, name - bpf_core_field_offset(struct dentry,
									 d_u.d_alias),
			     d_name.hash_len);
	inode->device = READ(struct super_block, READ(struct inode, of, i_sb), s_dev);
	inode->mode = READ(struct inode, of, i_mode) & S_IFMT;
}

#endif
