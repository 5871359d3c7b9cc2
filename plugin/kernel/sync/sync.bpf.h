/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp syncs inside the kernel, whoever calls them. A program finds the stamps of the task
 * that is in a sync, and calls these functions when the task begins, sleeps, is woken, runs
 * again, and ends. Its sleeps show what it waits for: each kernel reports them, and each file
 * system has them. A sync writes out data as long as it sleeps inside of
 * file_write_and_wait_range().
 *
 * Flushes are those of bios: with REQ_PREFLUSH or REQ_FUA, as they come to the disk of the
 * file. The block layer removes both flags where the disk has no cache. Each disk has the last
 * FLUSHES_KEPT of them. If the end of one is missed, only the sync in whose wait it began counts
 * it.
 *
 * A program includes this file once. No function here knows io_uring.
 */
#ifndef TW_PLUGIN_KERNEL_SYNC_SYNC_BPF_H
#define TW_PLUGIN_KERNEL_SYNC_SYNC_BPF_H

#include "kernel/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel/order.bpf.h"
#include "sync.h"

#define FLUSHES_KEPT	512	/* of a disk; a power of two. A sync that needs older ones is cut */
#define ENOUGH		8	/* flushes in turn: no earlier one lasts longer */
#define DISKS		256
#define DEEPEST		48	/* frames of a stack that are read */
#define OWN_FRAMES	2	/* the program itself, and what calls it */

/* include/linux/blk_types.h. The numbers are those of the running kernel. */
enum req_flag_bits {
	__REQ_META,
	__REQ_FUA,
	__REQ_PREFLUSH,
};

/* include/linux/blk-mq.h. Before Linux 6.11 this is a macro. */
enum rqf_flags {
	__RQF_FLUSH_SEQ,
};
#define OLD_FLUSH_SEQ	4

/* Where file_write_and_wait_range() is. Set before loading. */
const volatile __u64 data_from = 0;
const volatile __u64 data_to = 0;

/* ---- flushes of disks ---------------------------------------------------- */

struct flush {
	__u64 bio;
	__u64 from_ns;
	__u64 to_ns;		/* 0: it is not over, or that was missed */
};

struct disk {
	__u64 newest;		/* flushes so far */
	struct flush flushes[FLUSHES_KEPT];
};

/* By the address of the gendisk. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, DISKS);
	__type(key, __u64);
	__type(value, struct disk);
} disks SEC(".maps");

static const struct disk no_flushes;

static __always_inline int is_flush(unsigned int operation)
{
	return operation >> bpf_core_enum_value(enum req_flag_bits, __REQ_PREFLUSH) & 1 ||
	       operation >> bpf_core_enum_value(enum req_flag_bits, __REQ_FUA) & 1;
}

/* What a file system writes to its journal or log is marked as metadata. */
static __always_inline int is_data(unsigned int operation)
{
	return (operation & REQ_OP_MASK) == REQ_OP_WRITE && !is_flush(operation) &&
	       !(operation >> bpf_core_enum_value(enum req_flag_bits, __REQ_META) & 1);
}

static __always_inline int is_flush_sequence(unsigned int flags)
{
	return flags >> (bpf_core_enum_value_exists(enum rqf_flags, __RQF_FLUSH_SEQ) ?
			 bpf_core_enum_value(enum rqf_flags, __RQF_FLUSH_SEQ) :
			 OLD_FLUSH_SEQ) & 1;
}

/* Note that a bio that flushes came to its disk. Return when. */
static __u64 flush_begins(__u64 bio, __u64 disk)
{
	struct disk *of = bpf_map_lookup_elem(&disks, &disk);
	__u64 now_ns = bpf_ktime_get_ns();
	struct flush *flush;

	if (!of) {
		bpf_map_update_elem(&disks, &disk, &no_flushes, BPF_NOEXIST);
		of = bpf_map_lookup_elem(&disks, &disk);
	}
	if (!of)
		return now_ns;
	flush = &of->flushes[__sync_fetch_and_add(&of->newest, 1) & (FLUSHES_KEPT - 1)];
	flush->to_ns = 0;
	flush->bio = bio;
	flush->from_ns = now_ns;
	return now_ns;
}

struct finding {
	struct disk *of;
	__u64 bio;
	__u64 newest;
};

static long end_if_it_is(__u32 i, struct finding *now)
{
	struct flush *flush = &now->of->flushes[(now->newest - 1 - i) & (FLUSHES_KEPT - 1)];

	if (flush->bio != now->bio)
		return 0;
	if (!flush->to_ns)
		flush->to_ns = bpf_ktime_get_ns();
	return 1;
}

/* The newest flush of this bio is over. Both tracepoints may tell that. */
static void flush_ends(__u64 bio, __u64 disk)
{
	struct finding now = { .of = bpf_map_lookup_elem(&disks, &disk), .bio = bio };

	if (!now.of)
		return;
	now.newest = now.of->newest;
	bpf_loop(FLUSHES_KEPT, end_if_it_is, &now, 0);
}

struct adding {
	struct disk *of;
	__u64 newest;
	__u64 from_ns;
	__u64 at_ns;		/* what is before is added */
	__u64 to_ns;
	__u64 ns;
	__u32 back;		/* flushes, from the newest one on, that may count */
	__u32 over;		/* the last ones of these were over before */
};

/* Go back until some flushes in turn were over before the wait. */
static long go_back(__u32 i, struct adding *now)
{
	const struct flush *flush = &now->of->flushes[(now->newest - 1 - i) & (FLUSHES_KEPT - 1)];

	if (flush->from_ns >= now->from_ns || flush->to_ns > now->from_ns)
		now->over = 0;
	else
		now->over++;
	now->back = i + 1;
	return now->over == ENOUGH;
}

/* Add what a flush covers. They are in the order in which they began. */
static long add_flush(__u32 i, struct adding *now)
{
	const struct flush *flush =
		&now->of->flushes[(now->newest - now->back + i) & (FLUSHES_KEPT - 1)];
	__u64 from_ns = flush->from_ns, to_ns = flush->to_ns;

	if (!to_ns && from_ns >= now->from_ns)
		to_ns = now->to_ns;
	if (from_ns < now->at_ns)
		from_ns = now->at_ns;
	if (to_ns > now->to_ns)
		to_ns = now->to_ns;
	if (to_ns > from_ns) {
		now->ns += to_ns - from_ns;
		now->at_ns = to_ns;
	}
	return 0;
}

/* Return how long the sync's disk was flushing from moved_on to @to_ns. */
static __u64 flush_until(struct tw_sync *sync, __u64 to_ns)
{
	__u64 disk = sync->disk;
	struct adding now = {
		.of = bpf_map_lookup_elem(&disks, &disk),
		.from_ns = sync->moved_on_ns,
		.at_ns = sync->moved_on_ns,
		.to_ns = to_ns,
	};

	if (!now.of)
		return 0;
	now.newest = now.of->newest;
	bpf_loop(FLUSHES_KEPT, go_back, &now, 0);
	bpf_loop(now.back, add_flush, &now, 0);
	if (now.over != ENOUGH)
		sync->flags |= TW_SYNC_CUT;
	return now.ns;
}

SEC("tp_btf/block_bio_complete")
int BPF_PROG(bio_done, void *queue, struct bio *bio)
{
	if (is_flush(bio->bi_opf))
		flush_ends((__u64)bio, (__u64)bio->bi_bdev->bd_disk);
	return 0;
}

/* The bio of a request that the block layer makes a sequence of (flush, data, flush) is
 * over at the end of the sequence alone. A flush has one bio. */
SEC("tp_btf/block_rq_complete")
int BPF_PROG(request_done, struct request *rq)
{
	const struct bio *bio = rq->bio;

	if (bio && is_flush(bio->bi_opf) && !is_flush_sequence(rq->rq_flags))
		flush_ends((__u64)bio, (__u64)bio->bi_bdev->bd_disk);
	return 0;
}

/* ---- a sync -------------------------------------------------------------- */

/* Return the disk of a file, and set the flags of its syncs. 0: it has none. */
static __always_inline __u64 disk_of(const struct file *file, __u32 *flags)
{
	const struct inode *inode = BPF_CORE_READ(file, f_inode);
	const struct block_device *bdev;

	if ((BPF_CORE_READ(inode, i_mode) & S_IFMT) == S_IFBLK) {
		*flags = TW_SYNC_OF_DEVICE;
		inode = BPF_CORE_READ(file, f_mapping, host);
		bdev = (const struct block_device *)((__u64)inode -
			bpf_core_field_offset(struct bdev_inode, vfs_inode) +
			bpf_core_field_offset(struct bdev_inode, bdev));
		return (__u64)BPF_CORE_READ(bdev, bd_disk);
	}
	bdev = BPF_CORE_READ(inode, i_sb, s_bdev);
	return bdev ? (__u64)BPF_CORE_READ(bdev, bd_disk) : 0;
}

/* A sync of @file begins. */
static __always_inline void sync_begins(struct tw_sync *sync, const struct file *file,
					__u64 begun_ns)
{
	if (sync->begun_ns)
		return;
	sync->disk = disk_of(file, &sync->flags);
	sync->begun_ns = begun_ns;
}

/* A bio comes to its disk. Return the time if it flushes, and 0 if it does not. */
static __always_inline __u64 bio_comes(const struct bio *bio)
{
	return is_flush(bio->bi_opf) ?
	       flush_begins((__u64)bio, (__u64)bio->bi_bdev->bd_disk) : 0;
}

/* The task of a sync sends the bio. @flush_ns: of bio_comes(). Before a flush its data is
 * written out. */
static __always_inline void sync_sends(struct tw_sync *sync, const struct bio *bio, __u64 flush_ns)
{
	if (flush_ns && !sync->moved_on_ns)
		sync->moved_on_ns = flush_ns;
	/* Below device mapper it is sent once more, to another disk. */
	if (is_data(bio->bi_opf) && (__u64)bio->bi_bdev->bd_disk == sync->disk)
		sync->written_bytes += bio->bi_iter.bi_size;
}

struct stack {
	__u64 frames[DEEPEST];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct stack);
} stacks SEC(".maps");

/* True if the task that falls asleep is still at its data. @context: of sched_switch. */
static __always_inline int is_at_data(void *context)
{
	__u32 zero = 0, i;
	struct stack *stack = bpf_map_lookup_elem(&stacks, &zero);
	long bytes;

	if (!stack)
		return 0;
	bytes = bpf_get_stack(context, stack->frames, sizeof(stack->frames), OWN_FRAMES);
	for (i = 0; i < DEEPEST; i++) {
		if ((long)(i * sizeof(*stack->frames)) >= bytes)
			break;
		if (stack->frames[i] > data_from && stack->frames[i] <= data_to)
			return 1;
	}
	return 0;
}

/* Another CPU may wake the task meanwhile. It finds all of this, or that the task does not
 * sleep yet. */
static __always_inline void sync_sleeps(void *context, struct tw_sync *sync)
{
	__u64 now_ns = bpf_ktime_get_ns();

	if (!sync->moved_on_ns && !is_at_data(context))
		sync->moved_on_ns = now_ns;
	sync->woken_ns = 0;
	PUT_ORDERED(&sync->slept_ns, now_ns);
}

static __always_inline void sync_woken(struct tw_sync *sync)
{
	if (ADD_ORDERED(&sync->slept_ns, 0) && !sync->woken_ns)
		sync->woken_ns = bpf_ktime_get_ns();
}

static __always_inline void sync_ended(struct tw_sync *sync, __u64 ended_ns)
{
	sync->ended_ns = ended_ns;
	if (sync->moved_on_ns)
		sync->flush_ns = flush_until(sync, ended_ns);
}

/* The task runs again. This may have been its last wait. */
static __always_inline void sync_runs(struct tw_sync *sync)
{
	__u64 now_ns = bpf_ktime_get_ns();

	if (!sync->slept_ns)
		return;
	sync->slept_ns = 0;
	sync_ended(sync, sync->woken_ns ? sync->woken_ns : now_ns);
}

/* The call returns. If it did not sleep, this is its end. */
static __always_inline void sync_returns(struct tw_sync *sync)
{
	if (sync->ended_ns <= sync->moved_on_ns)
		sync_ended(sync, bpf_ktime_get_ns());
}

#endif
