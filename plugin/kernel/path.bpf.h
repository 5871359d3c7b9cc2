/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the path of a file by walking from its dentry up to the reader's root, since the
 * reader can't ask for it without the risk of a system call that hangs. names.bpf.h
 * includes this file once, after root_number and root_device.
 */
#ifndef TW_PLUGIN_KERNEL_PATH_BPF_H
#define TW_PLUGIN_KERNEL_PATH_BPF_H

#define MAX_NAMES	256	/* of a path, with its mounts */

/* The state of a walk from a file up to the root: what the kernel's d_path() does. */
struct walk {
	struct tw_attach_file *file;
	const struct dentry *at;
	const struct mount *mount;	/* NULL: not known */
	__u32 size;
	__u32 complete;
};

static int add_name(struct walk *walk)
{
	const struct dentry *at = walk->at;
	__u32 size = walk->size;
	long length;

	if (size >= TW_ATTACH_PATH)
		return 0;
	length = bpf_probe_read_kernel_str(walk->file->names + size, TW_ATTACH_NAME,
					   BPF_CORE_READ(at, d_name.name));
	if (length <= 0)
		return 0;
	walk->size = size + (__u32)length;
	return 1;
}

static int is_readers_root(const struct dentry *at)
{
	return BPF_CORE_READ(at, d_inode, i_ino) == root_number &&
	       BPF_CORE_READ(at, d_inode, i_sb, s_dev) == root_device;
}

static long go_up(__u32 i, struct walk *walk)
{
	/* BPF_CORE_READ() takes a member of the walk for one of the kernel's. */
	const struct mount *mount = walk->mount;
	const struct dentry *at = walk->at;
	const struct dentry *parent = BPF_CORE_READ(at, d_parent);
	const struct mount *above = BPF_CORE_READ(mount, mnt_parent);

	if (is_readers_root(at)) {
		walk->complete = 1;
		return 1;
	}
	if (at == BPF_CORE_READ(mount, mnt.mnt_root)) {
		walk->at = BPF_CORE_READ(mount, mnt_mountpoint);
		walk->mount = above;
		walk->complete = above == mount;
		return walk->complete;
	}
	if ((!mount && at == BPF_CORE_READ(at, d_inode, i_sb, s_root)) || !add_name(walk))
		return 1;
	/* A file such as that of memfd_create() is in no folder. */
	walk->complete = at == parent;
	walk->at = parent;
	return walk->complete;
}

static void find_path(struct tw_attach_file *of, const struct vfsmount *mnt,
		      const struct dentry *at)
{
	const __u64 mount = (__u64)mnt;
	struct walk walk = {
		.file = of, .at = at,
		.mount = (void *)(mount - bpf_core_field_offset(struct mount, mnt)),
	};

	of->flags = BPF_CORE_READ(at, d_hash.pprev) ||
		    at == BPF_CORE_READ(mnt, mnt_root) ? 0 : TW_ATTACH_DELETED;
	bpf_loop(MAX_NAMES, go_up, &walk, 0);
	if (!walk.complete)
		of->flags |= TW_ATTACH_CUT;
	of->size = (__u16)walk.size;
}

#endif
