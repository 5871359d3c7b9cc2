/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's structures as far as stages.bpf.c reads them. Only the names count:
 * when the program is loaded, libbpf takes each member's place from the types of the
 * running kernel (CO-RE), so one object file serves all.
 */
#ifndef TW_PLUGIN_KERNEL_TYPES_H
#define TW_PLUGIN_KERNEL_TYPES_H

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
};

enum {
	BPF_ANY = 0,
	BPF_F_MMAPABLE = 1024,
};

/* What a helper fills in: the same in all kernels. */
struct bpf_pidns_info {
	__u32 pid;		/* the thread */
	__u32 tgid;
};

#define TW_BY_NAME __attribute__((preserve_access_index))

typedef struct {
	__u32 val;
} TW_BY_NAME kuid_t;

struct cred {
	kuid_t euid;
} TW_BY_NAME;

struct task_struct {
	const struct cred *cred;
} TW_BY_NAME;

struct kiocb {
	void *ki_complete;
} TW_BY_NAME;

struct io_cqe {
	__u64 user_data;
} TW_BY_NAME;

/* A read or write keeps its kiocb where the io_kiocb begins. */
struct io_kiocb {
	struct io_cqe cqe;
	void *ctx;
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

struct request {
	unsigned int cmd_flags;
	struct bio *bio;
	void *end_io;
	void *end_io_data;
} TW_BY_NAME;

/* fs/iomap/direct-io.c: O_DIRECT of ext4, XFS */
struct iomap_dio {
	struct kiocb *iocb;
} TW_BY_NAME;

/* block/fops.c: O_DIRECT of a block device */
struct blkdev_dio {
	struct kiocb *iocb;
	struct bio bio;
} TW_BY_NAME;

#endif
