/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From a block request to the I/O of io_uring that it is part of, without a map: a bio
 * of direct I/O leads to the kiocb, and that is the io_kiocb. For programs in the
 * kernel, which include it once.
 */
#ifndef TW_PLUGIN_KERNEL_BIO_BPF_H
#define TW_PLUGIN_KERNEL_BIO_BPF_H

#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "above.h"

#define MAX_BIOS	128	/* of a request */
#define MAX_CHAIN	10	/* bios on top of one another */

/* include/linux/blk_types.h */
#define REQ_OP_MASK	0xff
#define REQ_OP_DRV_IN	34
#define REQ_OP_DRV_OUT	35

/* Functions by which a bio or request tells what it is part of; 0: this kernel
 * does not have it (now). */
extern const void bio_chain_endio __ksym __weak;
extern const void iomap_dio_bio_end_io __ksym __weak;
extern const void blkdev_bio_end_io __ksym __weak;
extern const void blkdev_bio_end_io_async __ksym __weak;
extern const void nvme_uring_cmd_end_io __ksym __weak;
extern const void io_complete_rw __ksym __weak;
extern const void io_complete_rw_iopoll __ksym __weak;
extern const void clone_endio __ksym __weak;	/* device mapper's */
extern const void crypt_endio __ksym __weak;

/* Set before loading. */
const volatile struct tw_above above = { 0 };

static __u64 pointer_at(__u64 address)
{
	__u64 pointer = 0;

	bpf_probe_read_kernel(&pointer, sizeof(pointer), (void *)address);
	return pointer;
}

/* The bio that @bio was split off from or made for; 0: it is nobody's part. A bio of
 * LVM or dm-crypt is made for the one of the file system, or of the layer above. */
static struct bio *above_bio(__u64 bio, __u64 end_io, __u64 owner)
{
	if (end_io == (__u64)&bio_chain_endio)
		return (struct bio *)owner;
	if (above.original && end_io == (__u64)&clone_endio) {
		owner = pointer_at(bio - above.clone + above.io);
		return (struct bio *)pointer_at(owner + above.original);
	}
	if (above.crypt && end_io == (__u64)&crypt_endio)
		return (struct bio *)pointer_at(owner + above.crypt);
	return 0;
}

/* What a bio leads to its I/O by: addresses. */
struct tw_bio {
	__u64 bio;
	__u64 end_io;
	__u64 owner;		/* bi_private */
};

/* The kiocb that a bio of direct I/O is part of; 0: of something else. */
static struct kiocb *kiocb_of(const struct tw_bio *of)
{
	__u64 bio = of->bio, end_io = of->end_io, owner = of->owner;
	int i;

	for (i = 0; i < MAX_CHAIN; i++) {
		const struct bio *next = above_bio(bio, end_io, owner);

		if (!next)
			break;
		bio = (__u64)next;
		end_io = (__u64)BPF_CORE_READ(next, bi_end_io);
		owner = (__u64)BPF_CORE_READ(next, bi_private);
	}
	if (!end_io)
		return 0;
	if (end_io == (__u64)&iomap_dio_bio_end_io)
		return BPF_CORE_READ((struct iomap_dio *)owner, iocb);
	if (end_io == (__u64)&blkdev_bio_end_io)
		return BPF_CORE_READ((struct blkdev_dio *)owner, iocb);
	if (end_io == (__u64)&blkdev_bio_end_io_async) {
		bio -= bpf_core_field_offset(struct blkdev_dio, bio);
		return BPF_CORE_READ((struct blkdev_dio *)bio, iocb);
	}
	return 0;
}

/*
 * The io_kiocb, or 0. A kiocb of io_uring is where its io_kiocb begins.
 *
 * This function and pass_one() are not static: so the kernel's verifier looks at each
 * by itself, and not at all of its ways again for each bio of a request.
 */
__noinline __u64 io_of(const struct tw_bio *of)
{
	const struct kiocb *kiocb = of ? kiocb_of(of) : 0;
	const void *complete;

	if (!kiocb)
		return 0;
	complete = BPF_CORE_READ(kiocb, ki_complete);
	if (!complete || (complete != &io_complete_rw &&
			  complete != &io_complete_rw_iopoll))
		return 0;
	return (__u64)kiocb;
}

/* An NVMe command: the request has no bio, or one of no file. */
static __u64 command_of(struct request *rq)
{
	__u32 operation = rq->cmd_flags & REQ_OP_MASK;
	const void *end_io;

	if (operation != REQ_OP_DRV_IN && operation != REQ_OP_DRV_OUT)
		return 0;
	end_io = rq->end_io;
	if (!end_io || end_io != &nvme_uring_cmd_end_io)
		return 0;
	return (__u64)BPF_CORE_READ(rq, end_io_data);
}

/* Points of the block layer that an I/O passes, once for each of its requests. */
enum point {
	DISPATCHED,
	FINISHED,
};

/* What the program does then. */
static void pass(struct io_kiocb *io, enum point point, __u64 now_ns);

__noinline int pass_one(__u64 io, __u32 point, __u64 now_ns)
{
	pass((struct io_kiocb *)io, point, now_ns);
	return 0;
}

/* @rq, or its first @bytes, pass @point: so does each I/O that is part of them. */
static void pass_all(struct request *rq, __u32 bytes, enum point point)
{
	__u64 io = command_of(rq), last = 0, now_ns = 0;
	struct bio *bio;
	int i;

	if (io) {
		pass_one(io, point, bpf_ktime_get_ns());
		return;
	}
	bio = rq->bio;
	for (i = 0; i < MAX_BIOS && bio && bytes; i++) {
		const struct tw_bio at = {
			.bio = (__u64)bio,
			.end_io = (__u64)bio->bi_end_io,
			.owner = (__u64)bio->bi_private,
		};
		__u32 size = bio->bi_iter.bi_size;

		io = io_of(&at);
		if (io && io != last) {
			if (!now_ns)
				now_ns = bpf_ktime_get_ns();
			pass_one(io, point, now_ns);
		}
		last = io;
		bytes -= size < bytes ? size : bytes;
		bio = bio->bi_next;
	}
}

#endif
