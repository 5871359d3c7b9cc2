/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Find the I/O of io_uring that a block request is part of. No map is necessary: a bio of
 * direct I/O leads to the kiocb, which has the address of the io_kiocb. A program for the
 * kernel includes this file once.
 */
#ifndef TW_PLUGIN_KERNEL_BIO_BPF_H
#define TW_PLUGIN_KERNEL_BIO_BPF_H

#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "above.h"

/* At most MAX_BIOS * (1 + MAX_MORE) bios of a request are read. A request of 4 MB has at
 * most 8192 bios, of 512 bytes each. */
#define MAX_BIOS	128
#define MAX_MORE	64
#define MAX_CHAIN	10	/* layers of bios, each made for one of the next */

/* include/linux/blk_types.h */
#define REQ_OP_MASK	0xff
#define REQ_OP_WRITE	1	/* all operations that write have this bit */
#define REQ_OP_DRV_IN	34
#define REQ_OP_DRV_OUT	35

/* Functions that tell what a bio or request is part of. 0: this kernel does not have the
 * function, or its module is not loaded. */
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

/* Return the bio that @bio was split off from or made for; 0 if there is none. LVM and
 * dm-crypt make their bios for a bio of the file system, or of the layer above. */
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

/* The addresses that lead from a bio to its I/O. */
struct tw_bio {
	__u64 bio;
	__u64 end_io;
	__u64 owner;		/* bi_private */
};

/* Return the kiocb that a bio of direct I/O is part of; 0 for any other bio. */
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

/* Return the io_kiocb of a bio, or 0. A kiocb of io_uring is the beginning of its
 * io_kiocb. */
static __u64 io_of(const struct tw_bio *of)
{
	const struct kiocb *kiocb = kiocb_of(of);
	const void *complete;

	if (!kiocb)
		return 0;
	complete = BPF_CORE_READ(kiocb, ki_complete);
	if (!complete || (complete != &io_complete_rw &&
			  complete != &io_complete_rw_iopoll))
		return 0;
	return (__u64)kiocb;
}

/* Return the io_kiocb of an NVMe command, or 0. Its request has no bio, or a bio without
 * a file. */
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
	DISPATCHED_WRITE,	/* except commands */
	FINISHED,
};

/* Defined by the program: an I/O passes @point. @bytes of the I/O are in the request; 0
 * for a command, which has no bios. */
static void pass(struct io_kiocb *io, enum point point, __u64 now_ns, __u32 bytes);

/* The state of a walk through the bios of a request. */
struct tw_walk {
	struct tw_bio at;
	__u64 next;		/* next bio of step_more() */
	__u64 io;		/* I/O of the bios before @at; 0: none */
	__u64 now_ns;		/* the same for all I/Os; 0: not needed yet */
	__u32 bytes;		/* of @io so far */
	__u32 size;		/* of @at */
	__u32 left;		/* bytes of the request, from @at on */
	__u32 point;
};

/*
 * Let an I/O pass @point, once for all of its adjacent bios.
 *
 * This function and step() are not static. So the kernel's verifier checks each of them
 * once, and not all of its paths again for each bio of a request.
 */
__noinline int pass_one(__u64 io, __u32 point, __u64 now_ns, __u32 bytes)
{
	pass((struct io_kiocb *)io, point, now_ns, bytes);
	return 0;
}

__noinline int step(struct tw_walk *walk)
{
	__u64 io;

	if (!walk)
		return 0;
	io = io_of(&walk->at);
	if (io != walk->io) {
		if (walk->io)
			pass_one(walk->io, walk->point, walk->now_ns, walk->bytes);
		if (io && !walk->now_ns)
			walk->now_ns = bpf_ktime_get_ns();
		walk->io = io;
		walk->bytes = 0;
	}
	if (walk->size > walk->left)
		walk->size = walk->left;
	walk->left -= walk->size;
	walk->bytes += walk->size;
	return 0;
}

/* Continue the walk of pass_all() from @next on. The verifier knows these bios as numbers
 * only, not as pointers, so reading them is slower. */
__noinline int step_more(struct tw_walk *walk)
{
	const struct bio *bio;
	int i;

	for (i = 0; i < MAX_BIOS && walk && walk->next && walk->left; i++) {
		bio = (const struct bio *)walk->next;
		walk->at.bio = (__u64)bio;
		walk->at.end_io = (__u64)BPF_CORE_READ(bio, bi_end_io);
		walk->at.owner = (__u64)BPF_CORE_READ(bio, bi_private);
		walk->size = BPF_CORE_READ(bio, bi_iter.bi_size);
		step(walk);
		walk->next = (__u64)BPF_CORE_READ(bio, bi_next);
	}
	return 0;
}

/* Let each I/O of the first @bytes of @rq pass @point. */
static void pass_all(struct request *rq, __u32 bytes, enum point point)
{
	struct tw_walk walk = { .left = bytes, .point = point };
	__u64 io = command_of(rq);
	struct bio *bio;
	int i;

	if (io) {
		pass_one(io, point, bpf_ktime_get_ns(), 0);
		return;
	}
	if (point == DISPATCHED && rq->cmd_flags & REQ_OP_WRITE)
		walk.point = DISPATCHED_WRITE;
	bio = rq->bio;
	for (i = 0; i < MAX_BIOS && bio && walk.left; i++) {
		walk.at.bio = (__u64)bio;
		walk.at.end_io = (__u64)bio->bi_end_io;
		walk.at.owner = (__u64)bio->bi_private;
		walk.size = bio->bi_iter.bi_size;
		step(&walk);
		bio = bio->bi_next;
	}
	walk.next = (__u64)bio;
	for (i = 0; i < MAX_MORE && walk.next && walk.left; i++)
		step_more(&walk);
	if (walk.io)
		pass_one(walk.io, walk.point, walk.now_ns, walk.bytes);
}

/* ---- where a program meets an I/O: accepted, dispatched, finished ---- */

/* Defined by the program: note an accepted I/O; true while there is a ring to follow.
 * Without one nothing else is done. */
static int accepted(struct io_kiocb *io);
static int is_following(void);

/* Linux 6.3 and later have submit_req, earlier ones submit_sqe. The loader uses
 * the one that exists. */
SEC("tp_btf/io_uring_submit_req")
int BPF_PROG(submit_req, struct io_kiocb *io)
{
	return is_following() ? accepted(io) : 0;
}

SEC("tp_btf/io_uring_submit_sqe")
int BPF_PROG(submit_sqe, struct io_kiocb *io)
{
	return is_following() ? accepted(io) : 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue, struct request *rq)
{
	if (is_following())
		pass_all(rq, ~0U, DISPATCHED);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(done, struct request *rq, int status, unsigned int bytes)
{
	if (is_following())
		pass_all(rq, bytes, FINISHED);
	return 0;
}

#endif
