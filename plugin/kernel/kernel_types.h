/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's structures, as far as stages.bpf.c reads them. Only the names
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

/* A helper fills this in. It is the same in all kernels. */
struct bpf_pidns_info {
	__u32 pid;		/* the thread */
	__u32 tgid;
};

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
	struct cfs_rq *cfs_rq;
} TW_BY_NAME;

/* With a queue on each CPU. */
struct task_group {
	struct cfs_rq **cfs_rq;
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

struct task_struct {
	struct thread_info thread_info;
	unsigned int flags;
	struct sched_entity se;
	struct task_group *sched_task_group;
	int pid;
	int tgid;
	struct pid *thread_pid;
	struct task_struct *group_leader;
	struct task_struct *real_parent;
	__u64 start_time;	/* CLOCK_MONOTONIC */
	const struct cred *real_cred;
	const struct cred *cred;
	char comm[16];
	struct signal_struct *signal;
	struct list_head thread_node;	/* of signal_struct's thread_head */
	struct css_set *cgroups;
	struct mm_struct *mm;
	struct io_uring_task *io_uring;
	struct bpf_local_storage *bpf_storage;
	void *worker_private;	/* of a worker of io_uring: its io_worker */
} TW_BY_NAME;

struct irqaction {
	const char *name;
} TW_BY_NAME;

struct kiocb {
	struct file *ki_filp;
	long long ki_pos;
	void *ki_complete;
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
	struct io_wq_work work;
} TW_BY_NAME;

struct bvec_iter {
	unsigned int bi_size;
} TW_BY_NAME;

struct bio {
	struct bio *bi_next;
	struct bvec_iter bi_iter;
	void *bi_end_io;
	void *bi_private;
} TW_BY_NAME;

struct gendisk {
	int major;
	int first_minor;
} TW_BY_NAME;

struct request_queue___disk {
	struct gendisk *disk;
} TW_BY_NAME;

struct request {
	struct request_queue *q;
	unsigned int cmd_flags;
	struct bio *bio;
	void *end_io;
	void *end_io_data;
	__u64 start_time_ns;
} TW_BY_NAME;

/* kernel/bpf/verifier.c */
enum special_kfunc_type {
	KF_bpf_rdonly_cast,
};

struct work_struct {
	void *func;
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
	struct kiocb *iocb;
	struct bio bio;
} TW_BY_NAME;

#endif
