/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The path of an I/O of io_uring through the kernel, for the programs of the engine and of
 * attach: accepted, dispatched, finished, submitted again. A program defines where the
 * stamps of an I/O are, and includes this file once.
 *
 * No map leads from a block request to its I/O: a bio of direct I/O leads to the kiocb,
 * which has the address of the io_kiocb.
 */
#ifndef TW_PLUGIN_KERNEL_STAGES_BIO_BPF_H
#define TW_PLUGIN_KERNEL_STAGES_BIO_BPF_H

#include "kernel/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "stacked_bio_offsets.h"
#include "kernel/read.bpf.h"
#include "kernel/kernel_stamps.h"
#include "stamp.h"
#include "kernel/worker.bpf.h"

/* Bios of a request that are read. A request of 4 MB has at most 8192, of 512 bytes each. */
#define MAX_BIOS	8192
#define MAX_CHAIN	10	/* layers of bios, each made for one of the next */

/* include/linux/blk_types.h */
#define REQ_OP_DRV_IN	34
#define REQ_OP_DRV_OUT	35

/* fs/iomap/direct-io.c: a sync follows the write. A write that goes through the device's cache
 * loses the flag. */
#define IOMAP_DIO_NEED_SYNC	(1U << 29)

/* Functions that tell what a bio or request is part of. 0: this kernel does not have the
 * function, or its module is not loaded. */
extern const void bio_chain_endio __ksym __weak;
extern const void iomap_dio_bio_end_io __ksym __weak;
extern const void blkdev_bio_end_io __ksym __weak;
extern const void blkdev_bio_end_io_async __ksym __weak;
extern const void nvme_uring_cmd_end_io __ksym __weak;
extern const void bio_cmd_bio_end_io __ksym __weak;	/* of a trim, Linux 6.12 */
extern const void clone_endio __ksym __weak;	/* device mapper's */
extern const void crypt_endio __ksym __weak;
extern const void end_clone_bio __ksym __weak;	/* dm-multipath's, of requests */
extern const void md_end_clone_io __ksym __weak;	/* md's accounting, Linux 6.6 */
extern const void md_end_io_acct __ksym __weak;		/* and before */
extern const void raid1_end_read_request __ksym __weak;
extern const void raid1_end_write_request __ksym __weak;
extern const void raid10_end_read_request __ksym __weak;
extern const void raid10_end_write_request __ksym __weak;

/* Set before loading. */
const volatile struct tw_stacked_bio_offsets above = { 0 };

/* Read a pointer in a structure of a module, whose types can't be cast to. */
static __always_inline __u64 pointer_at(__u64 address)
{
	__u64 pointer = 0;

	bpf_probe_read_kernel(&pointer, sizeof(pointer), (void *)address);
	return pointer;
}

/* Return the bio that @bio was split off from or made for; 0 if there is none. LVM,
 * dm-crypt and md make their bios for a bio of the file system, or of the layer above. A
 * write of md that may end before all of its copies (write-behind) is not followed: it may
 * be gone when a copy finishes. */
static __always_inline __u64 above_bio(__u64 bio, __u64 end_io, __u64 owner)
{
	if (end_io == (__u64)&bio_chain_endio)
		return owner;
	if (above.original >= 0 && end_io == (__u64)&clone_endio) {
		owner = pointer_at(bio - above.clone + above.io);
		return pointer_at(owner + above.original);
	}
	if (above.path >= 0 && end_io == (__u64)&end_clone_bio)
		return pointer_at(bio - above.path_clone + above.path);
	if (above.crypt >= 0 && end_io == (__u64)&crypt_endio)
		return pointer_at(owner + above.crypt);
	if (above.account >= 0 && (end_io == (__u64)&md_end_clone_io ||
				   end_io == (__u64)&md_end_io_acct))
		return pointer_at(owner + above.account);
	if (above.raid1 >= 0 && (end_io == (__u64)&raid1_end_read_request ||
				 end_io == (__u64)&raid1_end_write_request))
		return pointer_at(owner + above.raid1_state) & above.raid1_behind ? 0 :
		       pointer_at(owner + above.raid1);
	if (above.raid10 >= 0 && (end_io == (__u64)&raid10_end_read_request ||
				  end_io == (__u64)&raid10_end_write_request))
		return pointer_at(owner + above.raid10);
	return 0;
}

/* What is known of a bio whose I/O was found. */
enum found_via {
	VIA_STACKED = 1,	/* it is of a device below the one that the I/O is for */
	VIA_MIRRORED = 2,	/* other bios write copies of its data */
	VIA_COMMAND = 4,	/* the I/O is no kiocb, but a command: a trim */
	VIA_SYNCED = 8,		/* a sync follows it, as its iomap_dio tells */
	VIA_PATH = 16,		/* it repeats one of dm-multipath on a path */
};

static __always_inline __u32 via_of(__u64 end_io)
{
	if (end_io == (__u64)&bio_chain_endio)
		return 0;
	if (above.path >= 0 && end_io == (__u64)&end_clone_bio)
		return VIA_STACKED | VIA_PATH;
	if ((above.raid1 >= 0 && end_io == (__u64)&raid1_end_write_request) ||
	    (above.raid10 >= 0 && end_io == (__u64)&raid10_end_write_request))
		return VIA_STACKED | VIA_MIRRORED;
	return VIA_STACKED;
}

/* Return the kiocb that a bio of direct I/O is part of; 0 for any other bio. @owner: its
 * bi_private. The io_kiocb of a trim is returned, too. */
static __always_inline __u64 kiocb_of(__u64 bio, __u64 end_io, __u64 owner, __u32 *via)
{
	int i;

	*via = 0;
	for (i = 0; end_io && i <= MAX_CHAIN; i++) {
		if (end_io == (__u64)&iomap_dio_bio_end_io) {
			if (READ(struct iomap_dio, owner, flags) & IOMAP_DIO_NEED_SYNC)
				*via |= VIA_SYNCED;
			return (__u64)READ(struct iomap_dio, owner, iocb);
		}
		if (end_io == (__u64)&blkdev_bio_end_io)
			return (__u64)READ(struct blkdev_dio, owner, iocb);
		if (end_io == (__u64)&blkdev_bio_end_io_async) {
			bio -= bpf_core_field_offset(struct blkdev_dio, bio);
			return (__u64)READ(struct blkdev_dio, bio, iocb);
		}
		if (end_io == (__u64)&bio_cmd_bio_end_io) {
			*via |= VIA_COMMAND;
			/* For a pointer of another type the verifier would walk on again. */
			return !HAS_CASTS ? owner : (__u64)bpf_rdonly_cast((void *)owner,
				bpf_core_type_id_kernel(struct kiocb));
		}
		bio = above_bio(bio, end_io, owner);
		if (!bio)
			break;
		*via |= via_of(end_io);
		end_io = (__u64)READ(struct bio, bio, bi_end_io);
		owner = (__u64)READ(struct bio, bio, bi_private);
	}
	return 0;
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
	return (__u64)rq->end_io_data;
}

/* ---- defined by the program ---------------------------------------------- */

/* True while there is a ring to follow. Without one nothing is done. */
static int is_following(void);

/* Return the stamps of an I/O in flight; 0: it is not followed. For the verifier @io can
 * be any address. @began_ns: when the request began that finishes now. If the I/O has no
 * stamps and is slow, it gets some then; 0: it gets none. @is_command: it is an NVMe command. */
static __always_inline struct tw_kernel_stamps *stamps_of(struct io_kiocb *io, __u64 began_ns,
						 int is_command);

/* Begin the stamps of an I/O that the kernel accepts, if it is to be followed. */
static int accepted(struct io_kiocb *io);

/* Note that a request of an I/O, at the address @rq, is about to be dispatched. Return true if
 * that took time. */
static __always_inline int dispatching(struct tw_kernel_stamps *stamps, __u64 rq);

/* Note that it was dispatched, at @now_ns. */
static __always_inline void dispatched(struct tw_kernel_stamps *stamps, __u64 rq, __u64 now_ns);

/* ---- dispatched, finished ------------------------------------------------ */

/* Points of the block layer that an I/O passes, once for each of its requests. */
enum event {
	DISPATCHED,
	FINISHED,
	FINISHED_WRITE,		/* except commands */
};
#define VIA_SHIFT	8
#define EVENT		((1 << VIA_SHIFT) - 1)

/* Return the stamps of the I/O of a kiocb. Most I/Os are not followed, which stamps_of() finds
 * out by fewer reads. */
static __always_inline struct tw_kernel_stamps *stamps_by(__u64 kiocb, __u64 began_ns, __u32 via)
{
	const int is_command = via & VIA_COMMAND;
	struct tw_kernel_stamps *stamps = kiocb ? stamps_of((struct io_kiocb *)kiocb, began_ns,
						   is_command) : 0;

	return stamps && (is_command || is_of_uring(kiocb)) ? stamps : 0;
}

/* Note what is known of the lower device of an I/O on a stack of devices. The disk is that of
 * the last completion. If two finish within the same instant, either may be noted. */
static __always_inline void note_lower(struct tw_kernel_stamps *stamps, __u32 via, __u64 rq,
				       __u32 event, __u64 now_ns)
{
	__u64 disk;

	if (via & VIA_MIRRORED)
		stamps->flags |= TW_STAMPS_MIRRORED;
	if (event == DISPATCHED || now_ns < stamps->finished_ns)
		return;
	if (via & VIA_PATH)
		stamps->flags |= TW_STAMPS_PATH;
	else if (stamps->flags & TW_STAMPS_PATH)
		return;
	disk = (__u64)READ(struct request, rq, q);
	disk = (__u64)READ(struct request_queue, disk, disk);
	stamps->disk = (__u32)READ(struct gendisk, disk, major) << TW_STAMPS_MINOR_BITS |
		       (__u32)READ(struct gendisk, disk, first_minor);
	stamps->flags |= TW_STAMPS_DISK;
}

/* Stamp an I/O with @event, at @now_ns; 0: now. @bytes of it are in the request at the address
 * @rq; 0 for a command without bios. @event has the bits of enum found_via, too, from VIA_SHIFT. */
static __always_inline int stamp_request(struct tw_kernel_stamps *stamps, __u32 event,
					 __u64 now_ns, __u64 rq,
				__u32 bytes)
{
	const __u32 via = event >> VIA_SHIFT;

	event &= EVENT;
	if (!stamps)
		return 0;
	/* The request above, which ends right after this one, is counted. */
	if (via & VIA_PATH) {
		note_lower(stamps, via, rq, event, bpf_ktime_get_ns());
		return 0;
	}
	if (event == DISPATCHED && dispatching(stamps, rq))
		now_ns = 0;
	if (!now_ns)
		now_ns = bpf_ktime_get_ns();
	if (via & VIA_STACKED)
		note_lower(stamps, via, rq, event, now_ns);
	if (event == FINISHED_WRITE && via & VIA_SYNCED)
		stamps->flags |= TW_STAMPS_SYNC_WRITE;
	if (event != DISPATCHED) {
		tw_stamp_latest(&stamps->finished_ns, now_ns);
		__sync_fetch_and_add(&stamps->requests, 1);
		__sync_fetch_and_add(&stamps->finished_bytes, bytes);
		return 0;
	}
	__sync_fetch_and_add(&stamps->due_bytes, bytes);
	/* Later dispatches are of its other requests, or of the same request,
	 * requeued. */
	tw_stamp_earliest(&stamps->dispatched_ns, now_ns);
	dispatched(stamps, rq, now_ns);
	return 0;
}

/* The state of a walk through the bios of a request. */
struct tw_walk {
	__u64 bio;		/* the next one */
	__u64 io;		/* kiocb of the bio before it; 0: none */
	__u64 now_ns;		/* the same for all I/Os */
	__u64 began_ns;		/* stamps_of() */
	__u64 rq;
	__u32 bytes;		/* of @io so far */
	__u32 left;		/* bytes of the request, from @bio on */
	__u32 event;		/* without the bits of enum found_via */
	__u32 via;		/* of @io */
};

static __always_inline int stamp_io(const struct tw_walk *walk)
{
	return stamp_request(stamps_by(walk->io, walk->began_ns, walk->via),
		    walk->event | walk->via << VIA_SHIFT, walk->now_ns, walk->rq, walk->bytes);
}

/* Stamp each I/O once for all of its adjacent bios. */
static long step(__u32 i, struct tw_walk *walk)
{
	__u64 bio = walk->bio;
	__u32 size = READ(struct bio, bio, bi_iter.bi_size), via;
	__u64 io = kiocb_of(bio, (__u64)READ(struct bio, bio, bi_end_io),
			    (__u64)READ(struct bio, bio, bi_private), &via);

	if (io != walk->io) {
		stamp_io(walk);
		walk->io = io;
		walk->via = via;
		walk->bytes = 0;
	}
	if (size > walk->left)
		size = walk->left;
	walk->left -= size;
	walk->bytes += size;
	walk->bio = (__u64)READ(struct bio, bio, bi_next);
	return !walk->bio || !walk->left;
}

/* Return when a request that finishes began; 0: it does not finish. */
static __always_inline __u64 began_ns_of(struct request *rq, __u32 event)
{
	return event == DISPATCHED ? 0 : rq->start_time_ns;
}

/* Stamp each I/O of the first @bytes of a request with several bios with @event, with the bits
 * of enum found_via of the first bio. @io: its kiocb. The verifier of Linux 6.1 follows one
 * step only. If walk->io began as the constant 0, it would drop the code for any other. */
static __noinline int walk_all(struct request *rq, __u64 io, __u32 bytes, __u32 event)
{
	struct tw_walk walk = {
		.bio = (__u64)rq->bio,
		.io = io,
		.rq = (__u64)rq,
		.now_ns = bpf_ktime_get_ns(),
		.began_ns = began_ns_of(rq, event & EVENT),
		.left = bytes,
		.event = event & EVENT,
		.via = event >> VIA_SHIFT,
	};

	bpf_loop(MAX_BIOS, step, &walk, 0);
	return stamp_io(&walk);
}

/* Stamp each I/O of the first @bytes of @rq with @event. Most requests have one bio. */
static __always_inline int stamp_all_requests(struct request *rq, __u32 bytes, __u32 event)
{
	struct bio *bio = rq->bio;
	__u64 began_ns = began_ns_of(rq, event);
	__u64 io = command_of(rq);
	struct tw_kernel_stamps *stamps;
	__u32 size, via;

	if (io)
		return stamp_request(stamps_of((struct io_kiocb *)io, began_ns, 1), event, 0,
				     (__u64)rq,
			    0);
	if (!bio)
		return 0;
	if (event == FINISHED && rq->cmd_flags & REQ_OP_WRITE)
		event = FINISHED_WRITE;
	io = kiocb_of((__u64)bio, (__u64)bio->bi_end_io, (__u64)bio->bi_private, &via);
	event |= via << VIA_SHIFT;
	if (bio->bi_next)
		return walk_all(rq, io, bytes, event);
	stamps = stamps_by(io, began_ns, via);
	if (!stamps)
		return 0;
	size = bio->bi_iter.bi_size;
	return stamp_request(stamps, event, 0, (__u64)rq, size < bytes ? size : bytes);
}

/* ---- the tracepoints ----------------------------------------------------- */

/* Forget the requests of an I/O that a worker submits again (-EAGAIN), or for the first
 * time. The time when it was accepted stays. */
static void submit_again(struct tw_kernel_stamps *stamps)
{
	stamps->dispatched_ns = 0;
	stamps->finished_ns = 0;
	stamps->requests = 0;
	stamps->due_bytes = 0;
	stamps->finished_bytes = 0;
	stamps->got_ns = 0;
	if (stamps->retries != (__u8)~0)
		stamps->retries++;
}

/* Linux 6.3 and later have this one, earlier ones the next. */
SEC("?tp_btf/io_uring_submit_req")
int BPF_PROG(submit_req, struct io_kiocb *io)
{
	return is_following() ? accepted(io) : 0;
}

SEC("?tp_btf/io_uring_submit_sqe")
int BPF_PROG(submit_sqe, struct io_kiocb *io)
{
	return is_following() ? accepted(io) : 0;
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(issue, struct request *rq)
{
	return is_following() ? stamp_all_requests(rq, ~0U, DISPATCHED) : 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(done, struct request *rq, int status, unsigned int bytes)
{
	return is_following() ? stamp_all_requests(rq, bytes, FINISHED) : 0;
}

#endif
