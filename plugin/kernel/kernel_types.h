/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's structures, as far as the programs read them. Only the names
 * count. When the program is loaded, libbpf takes each member's place from the
 * types of the running kernel (CO-RE). So one object file serves all kernels.
 */
#ifndef TW_PLUGIN_KERNEL_KERNEL_TYPES_H
#define TW_PLUGIN_KERNEL_KERNEL_TYPES_H

typedef unsigned char __u8;
typedef unsigned short __u16;
typedef unsigned int __u32;
typedef unsigned long long __u64;
typedef signed char __s8;
typedef short __s16;
typedef int __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

enum bpf_map_type {
	BPF_MAP_TYPE_HASH = 1,
	BPF_MAP_TYPE_ARRAY = 2,
	BPF_MAP_TYPE_PERCPU_ARRAY = 6,
	BPF_MAP_TYPE_LRU_HASH = 9,
	BPF_MAP_TYPE_RINGBUF = 27,
	BPF_MAP_TYPE_TASK_STORAGE = 29,
};

enum {
	BPF_ANY = 0,
	BPF_NOEXIST = 1,
	BPF_EXIST = 2,
	BPF_F_NO_PREALLOC = 1,
	BPF_LOCAL_STORAGE_GET_F_CREATE = 1,
	BPF_RB_NO_WAKEUP = 1,
	BPF_RB_FORCE_WAKEUP = 2,
	BPF_F_MMAPABLE = 1024,
};

/* include/uapi/linux/stat.h */
#define S_IFMT		0170000
#define S_IFCHR		0020000
#define S_IFDIR		0040000
#define S_IFBLK		0060000
#define S_IFREG		0100000

/* include/uapi/linux/io_uring.h */
#define IORING_OP_WRITEV	2
#define IORING_OP_FSYNC		3
#define IORING_OP_WRITE_FIXED	5
#define IORING_OP_WRITE		23
#define IORING_OP_URING_CMD	46

/* include/linux/blk_types.h */
#define REQ_OP_MASK	0xff
#define REQ_OP_WRITE	1	/* all operations that write have this bit */

#define TW_BY_NAME __attribute__((preserve_access_index))

typedef struct {
	__u32 val;
} TW_BY_NAME kuid_t;

/* This is one number from Linux 6.3 on, and two of 32 bits before. The lower
 * half is first. */
typedef struct {
	__u32 lower;
} TW_BY_NAME kernel_cap_t;

struct user_namespace {
	int level;
} TW_BY_NAME;

struct cred {
	kuid_t uid, euid, suid;
	kuid_t gid, egid, sgid;
	kernel_cap_t cap_effective;
	struct user_namespace *user_ns;
} TW_BY_NAME;

struct thread_info {
	__u32 cpu;
	__u32 status;		/* x86 */
} TW_BY_NAME;

/* Kernels that may be a guest's also have the time that the hypervisor took
 * from the CPU, as far as the scheduler knows. */
struct rq {
	struct task_struct *curr;
	__u64 prev_steal_time_rq;
} TW_BY_NAME;

struct cfs_rq {
	struct rq *rq;
} TW_BY_NAME;

struct sched_entity {
	__u64 sum_exec_runtime;
	struct cfs_rq *cfs_rq;
} TW_BY_NAME;

struct sched_info {
	unsigned long long run_delay;
} TW_BY_NAME;

/* With a queue on each CPU. */
struct task_group {
	struct cfs_rq **cfs_rq;
} TW_BY_NAME;

struct ns_common {
	unsigned int inum;
} TW_BY_NAME;

struct pid_namespace {
	struct ns_common ns;
} TW_BY_NAME;

struct upid {
	int nr;
	struct pid_namespace *ns;
} TW_BY_NAME;

/* The numbers of a process in its namespaces, from the first namespace on. */
struct pid {
	unsigned int level;	/* of the last number */
	struct upid numbers[1];
} TW_BY_NAME;

struct list_head {
	struct list_head *next;
} TW_BY_NAME;

struct hlist_node {
	struct hlist_node *next;
} TW_BY_NAME;

struct hlist_head {
	struct hlist_node *first;
} TW_BY_NAME;

struct hlist_bl_node {
	void *pprev;
} TW_BY_NAME;

struct rb_node {
	struct rb_node *rb_left;
} TW_BY_NAME;

struct rb_root {
	struct rb_node *rb_node;
} TW_BY_NAME;

struct rb_root_cached {
	struct rb_root rb_root;
} TW_BY_NAME;

struct kernfs_node {
	__u64 id;
	unsigned int hash;	/* of its name */
	void *priv;
} TW_BY_NAME;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
} TW_BY_NAME;

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
	void *root;
} TW_BY_NAME;

struct cgrp_cset_link {
	struct cgroup *cgrp;
	struct list_head cgrp_link;
} TW_BY_NAME;

struct css_set {
	struct list_head cgrp_links;
} TW_BY_NAME;

struct signal_struct {
	int nr_threads;
	struct list_head thread_head;
} TW_BY_NAME;

struct task_io_accounting {
	__u64 rchar, wchar, syscr, syscw, read_bytes;
} TW_BY_NAME;

struct nsproxy {
	void *mnt_ns;
} TW_BY_NAME;

struct task_struct {
	struct thread_info thread_info;
	unsigned int __state;
	unsigned int flags;
	struct sched_entity se;
	struct task_group *sched_task_group;
	struct sched_info sched_info;
	int exit_state;
	int pid;
	int tgid;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	__u64 start_time;	/* CLOCK_MONOTONIC */
	const struct cred *real_cred;
	const struct cred *cred;
	char comm[16];
	struct files_struct *files;
	struct signal_struct *signal;
	struct list_head thread_node;	/* of signal_struct's thread_head */
	struct css_set *cgroups;
	struct nsproxy *nsproxy;
	struct mm_struct *mm;
	struct task_io_accounting ioac;
	struct io_uring_task *io_uring;
	struct bpf_local_storage *bpf_storage;
	void *worker_private;	/* of a worker of io_uring: its io_worker */
} TW_BY_NAME;

struct bpf_iter__task {
	struct task_struct *task;
} TW_BY_NAME;

struct bpf_iter__task_file {
	struct task_struct *task;
	__u32 fd;
	struct file *file;
} TW_BY_NAME;

/* x86-64 */
struct pt_regs {
	unsigned long di, si, dx, r10, orig_ax;
} TW_BY_NAME;

struct pt_regs___aarch64 {
	__u64 regs[31];
	__u64 orig_x0;
	__s32 syscallno;
	__u64 pstate;
} TW_BY_NAME;

struct irqaction {
	const char *name;
} TW_BY_NAME;

struct work_struct {
	void *func;
} TW_BY_NAME;

struct swait_queue_head {
	struct list_head task_list;
} TW_BY_NAME;

struct swait_queue {
	struct task_struct *task;
	struct list_head task_list;
} TW_BY_NAME;

struct completion {
	struct swait_queue_head wait;
} TW_BY_NAME;

/* ---- memory ---- */

struct kioctx_table {
	unsigned int nr;
	struct kioctx *table[1];
} TW_BY_NAME;

struct mm_struct {
	unsigned long flags;
	struct kioctx_table *ioctx_table;
	struct task_struct *owner;
} TW_BY_NAME;

struct mm_flags {
	unsigned long bits[1];
} TW_BY_NAME;

struct mm_struct___bits {
	struct mm_flags flags;
} TW_BY_NAME;

struct vm_area_struct {
	struct mm_struct *vm_mm;
	struct file *vm_file;
	struct {
		struct rb_node rb;
	} shared;
} TW_BY_NAME;

struct address_space {
	struct inode *host;
	struct rb_root_cached i_mmap;
} TW_BY_NAME;

struct page {
	unsigned long compound_head;
} TW_BY_NAME;

struct folio {
	struct address_space *mapping;
} TW_BY_NAME;

/* ---- files ---- */

struct qstr {
	__u64 hash_len;		/* of the name and the folder */
	const unsigned char *name;
} TW_BY_NAME;

struct dentry {
	struct hlist_bl_node d_hash;
	struct dentry *d_parent;
	struct qstr d_name;
	struct inode *d_inode;
	struct {
		struct hlist_node d_alias;
	} d_u;
} TW_BY_NAME;

struct vfsmount {
	struct dentry *mnt_root;
} TW_BY_NAME;

struct mount {
	struct mount *mnt_parent;
	struct dentry *mnt_mountpoint;
	struct vfsmount mnt;
	void *mnt_ns;
	struct list_head mnt_instance;	/* until Linux 6.17 */
	struct mount *mnt_next_for_sb;	/* since then */
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
	struct block_device *s_bdev;
	struct file_system_type *s_type;
	unsigned long s_magic;
	struct dentry *s_root;
	struct list_head s_mounts;	/* until Linux 6.17 */
} TW_BY_NAME;

struct super_block___since_6_18 {
	struct mount *s_mounts;
} TW_BY_NAME;

struct inode {
	__u16 i_mode;
	struct super_block *i_sb;
	unsigned long i_ino;
	struct hlist_head i_dentry;
	__u32 i_generation;
	void *i_private;
} TW_BY_NAME;

struct file_operations {
	void *release;
} TW_BY_NAME;

struct file {
	const struct file_operations *f_op;
	struct address_space *f_mapping;
	void *private_data;
	struct inode *f_inode;
	struct path f_path;
	unsigned int f_flags;
	long long f_pos;
} TW_BY_NAME;

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} TW_BY_NAME;

struct files_struct {
	struct fdtable *fdt;
} TW_BY_NAME;

/* ---- io_uring and libaio ---- */

struct kiocb {
	struct file *ki_filp;
	long long ki_pos;
	void *ki_complete;
} TW_BY_NAME;

/* fs/aio.c */
struct kioctx {
	struct file *aio_ring_file;
	unsigned int id;
} TW_BY_NAME;

struct aio_kiocb {
	struct kiocb rw;
	struct kioctx *ki_ctx;
} TW_BY_NAME;

struct io_cqe {
	__u64 user_data;
	__s32 res;
} TW_BY_NAME;

struct io_wq_work {
	void *list;
} TW_BY_NAME;

/* io_uring/io-wq.c */
struct io_worker {
	struct io_wq_work *cur_work;	/* that of an io_kiocb; 0: the worker has none */
} TW_BY_NAME;

/* In a read or write, the io_kiocb begins with the kiocb. */
struct io_kiocb {
	struct file *file;
	__u8 opcode;
	struct io_cqe cqe;
	__u32 flags;		/* the lowest, of 64 bits since Linux 6.8 */
	void *ctx;
	struct task_struct *task;	/* until Linux 6.12 */
	struct io_uring_task *tctx;	/* since then */
	struct io_wq_work work;
} TW_BY_NAME;

struct io_ring_ctx {
	unsigned int sq_entries;
	unsigned int cq_entries;
	struct work_struct exit_work;
} TW_BY_NAME;

/* Size of the table of IORING_REGISTER_RING_FDS, whose rings may have no descriptor. */
#define REGISTERED_RINGS	16

struct io_uring_task {
	struct task_struct *task;
	struct file *registered_rings[REGISTERED_RINGS];
} TW_BY_NAME;

/* ---- block layer ---- */

struct gendisk {
	int major;
	int first_minor;
} TW_BY_NAME;

struct block_device {
	struct gendisk *bd_disk;
} TW_BY_NAME;

/* block/bdev.c */
struct bdev_inode {
	struct block_device bdev;
	struct inode vfs_inode;
} TW_BY_NAME;

struct blkcg {
	struct cgroup_subsys_state css;
} TW_BY_NAME;

#define MAX_POLICIES	6		/* BLKCG_MAX_POLS of include/linux/blkdev.h */

/* Of a cgroup and a device. */
struct blkcg_gq {
	struct blkcg *blkcg;
	struct blkcg_gq *parent;
	void *pd[MAX_POLICIES];
} TW_BY_NAME;

struct bvec_iter {
	unsigned int bi_size;
} TW_BY_NAME;

struct bio_vec {
	struct page *bv_page;
} TW_BY_NAME;

struct bio {
	struct bio *bi_next;
	struct block_device *bi_bdev;
	unsigned int bi_opf;
	struct bvec_iter bi_iter;
	void *bi_end_io;
	void *bi_private;
	struct blkcg_gq *bi_blkg;
	struct bio_vec *bi_io_vec;
} TW_BY_NAME;

struct request_queue {
	struct gendisk *disk;
	struct blk_mq_tag_set *tag_set;
} TW_BY_NAME;

struct blk_flush_queue {
	unsigned int flush_running_idx : 1;
	struct list_head flush_queue[2];
} TW_BY_NAME;

struct blk_mq_hw_ctx {
	struct blk_flush_queue *fq;
} TW_BY_NAME;

/* include/linux/blk-mq.h */
enum mq_rq_state {
	MQ_RQ_IDLE,
	MQ_RQ_IN_FLIGHT,
};

struct request {
	struct request_queue *q;
	struct blk_mq_hw_ctx *mq_hctx;
	unsigned int cmd_flags;
	unsigned int rq_flags;
	int tag;
	unsigned int __data_len;
	struct bio *bio;
	struct bio *biotail;
	__u64 start_time_ns;
	enum mq_rq_state state;
	struct list_head queuelist;
	struct {
		struct list_head list;	/* until Linux 6.5 */
	} flush;
	void *end_io;
	void *end_io_data;
} TW_BY_NAME;

/* fs/iomap/direct-io.c: O_DIRECT of ext4, XFS */
struct iomap_dio {
	struct kiocb *iocb;
	unsigned int flags;
	union {
		struct {
			struct task_struct *waiter;
		} submit;
		struct {
			struct work_struct work;
		} aio;
	};
} TW_BY_NAME;

/* block/fops.c: O_DIRECT of a block device */
struct blkdev_dio {
	union {
		struct kiocb *iocb;
		struct task_struct *waiter;
	};
	unsigned int flags;
	struct bio bio;
} TW_BY_NAME;

/* kernel/bpf/verifier.c */
enum special_kfunc_type {
	KF_bpf_rdonly_cast,
};

#endif
