/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's structures that only attach.bpf.c reads, in addition to kernel_types.h:
 * processes, files, and the rings of a process.
 */
#ifndef TW_PLUGIN_ATTACH_ATTACH_TYPES_H
#define TW_PLUGIN_ATTACH_ATTACH_TYPES_H

#include "kernel/kernel_types.h"

struct qstr {
	const unsigned char *name;
} TW_BY_NAME;

struct hlist_bl_node {
	void *pprev;
} TW_BY_NAME;

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
} TW_BY_NAME;

struct vfsmount {
	struct dentry *mnt_root;
} TW_BY_NAME;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
} TW_BY_NAME;

struct path {
	struct vfsmount *mnt;
	struct dentry *dentry;
} TW_BY_NAME;

struct file_system_type {
	const char *name;
} TW_BY_NAME;

struct super_block {
	__u32 s_dev;
	void *s_bdev;
	struct file_system_type *s_type;
	unsigned long s_magic;
} TW_BY_NAME;

struct inode {
	__u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	__u32 i_generation;
	void *i_private;
} TW_BY_NAME;

struct hlist_node {
	struct hlist_node *next;
} TW_BY_NAME;

struct hlist_head {
	struct hlist_node *first;
} TW_BY_NAME;

struct inode___names {
	struct hlist_head i_dentry;
} TW_BY_NAME;

struct dentry___names {
	struct {
		struct hlist_node d_alias;
	} d_u;
} TW_BY_NAME;

struct list_head___mounts {
	void *next;
} TW_BY_NAME;

/* A list of mounts, until Linux 6.17 and since then. */
struct super_block___mounts {
	struct list_head___mounts s_mounts;
} TW_BY_NAME;

struct super_block___since_6_18 {
	struct mount *s_mounts;
} TW_BY_NAME;

struct mount___of {
	struct list_head___mounts mnt_instance;
	struct mount *mnt_next_for_sb;
} TW_BY_NAME;

struct file_operations {
	void *release;
} TW_BY_NAME;

struct file {
	const struct file_operations *f_op;
	void *private_data;
	struct inode *f_inode;
	struct path f_path;
} TW_BY_NAME;

struct io_ring_ctx {
	unsigned int sq_entries;
	unsigned int cq_entries;
	struct work_struct exit_work;
} TW_BY_NAME;

/* Size of the table of IORING_REGISTER_RING_FDS, whose rings may have no descriptor. */
#define REGISTERED_RINGS	16

struct io_uring_task {
	struct file *registered_rings[REGISTERED_RINGS];
} TW_BY_NAME;

typedef struct {
	int counter;
} atomic_t;

struct signal_struct {
	atomic_t live;
	int nr_threads;
	struct list_head thread_head;
} TW_BY_NAME;

struct mm_struct {
	unsigned long flags;
} TW_BY_NAME;

struct mm_flags {
	unsigned long bits[1];
} TW_BY_NAME;

struct mm_struct___bits {
	struct mm_flags flags;
} TW_BY_NAME;

struct ns_common {
	unsigned int inum;
} TW_BY_NAME;

struct pid_namespace {
	struct ns_common ns;
} TW_BY_NAME;

struct bpf_iter__task {
	struct task_struct *task;
} TW_BY_NAME;

struct bpf_iter__task_file {
	struct task_struct *task;
	__u32 fd;
	struct file *file;
} TW_BY_NAME;

#endif
