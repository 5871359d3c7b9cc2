/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Bios that followed threads send: one is known by its address from block_bio_queue until its last
 * request completes. What ends while its thread sleeps is part of the wait. Bios that a limit holds
 * come later, in a worker, and are found by what they are for. waits.bpf.h includes this file once.
 */
#ifndef TW_PLUGIN_ATTACH_SENT_BPF_H
#define TW_PLUGIN_ATTACH_SENT_BPF_H

#include "kernel/stages/cgroup.bpf.h"
#include "kernel/stages/in_flight_of_others.bpf.h"

#define COUNTED_NS	10000000	/* between two counts of what a device has in flight */
#define MAX_SENT	65536	/* bios in flight */
#define MAX_LIMITED	1024	/* files */
#define MAX_SUBMITTERS	1024	/* processes */

struct sent {
	__u64 dispatched_ns;
	__u32 thread;
	__u32 flags;		/* of the wait in which it ends */
	__u32 left;		/* bytes that have not ended */
	__u32 process;		/* by io_submit(2) of this one; 0: not so */
	__u32 call;		/* in which it was sent */
	__u32 unused;
	struct tw_attach_inode inode;	/* what a page fault or direct I/O is of; mode 0: unknown */
	struct tw_io_limit limit;	/* of TW_ATTACH_LIMITED */
};

/* By the address of the bio. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_SENT);
	__type(key, __u64);
	__type(value, struct sent);
} bios SEC(".maps");

struct passed {
	__u64 at_ns;
	struct tw_io_limit limit;
};

/* When a limit of a cgroup last let pages of a file pass. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_LIMITED);
	__type(key, struct tw_attach_inode);
	__type(value, struct passed);
} limited SEC(".maps");
static __u32 limits;

/* The I/Os of io_submit(2) of a process. A thread that waits for completions where there are none
 * does not wait for storage. */
struct submitted {
	__s64 bios;		/* in flight */
	__u64 since_ns;		/* when the first of them came */
	__u64 none_ns;		/* when the last one ended */
};

/* By the kernel's number of the process. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_SUBMITTERS);
	__type(key, __u32);
	__type(value, struct submitted);
} submitters SEC(".maps");

/* Where nothing is sent, a program leaves at once. */
static __u32 sent_bios;

/* A page fault has no descriptor: the page that it reads leads to the file. */
static __always_inline const struct inode *name_page(struct tw_attach_inode *inode,
						     const struct bio *bio)
{
	const struct inode *host = 0;
	__u64 page = (__u64)BPF_CORE_READ(bio, bi_io_vec, bv_page);
	__u64 head = page ? BPF_CORE_READ((struct page *)page, compound_head) : 0;
	const struct address_space *mapping;

	if (head & 1)
		page = head - 1;
	mapping = page ? BPF_CORE_READ((struct folio *)page, mapping) : 0;
	/* One with such a bit is of memory without a file. */
	if (mapping && !((__u64)mapping & 3))
		host = BPF_CORE_READ(mapping, host);
	name_inode(inode, host);
	return host;
}

/* A descriptor may be another file's when its thread falls asleep. Direct I/O has the file. */
static __always_inline void name_direct(struct tw_attach_inode *inode, __u64 dio)
{
	const __u64 iocb = (__u64)READ(struct iomap_dio, dio, iocb);
	struct file *file = READ(struct kiocb, iocb, ki_filp);

	if (file) {
		name_inode(inode, BPF_CORE_READ(file, f_inode));
		tell_file(inode, file);
	}
}

static __always_inline void submits(__u32 process)
{
	const struct submitted none = { 0 };
	struct submitted *of = bpf_map_lookup_elem(&submitters, &process);

	if (!of) {
		bpf_map_update_elem(&submitters, &process, &none, BPF_NOEXIST);
		of = bpf_map_lookup_elem(&submitters, &process);
	}
	if (of && !__sync_fetch_and_add(&of->bios, 1))
		of->since_ns = bpf_ktime_get_ns();
}

static __always_inline void submitted_ends(__u32 process, __u64 now_ns)
{
	struct submitted *of = process ? bpf_map_lookup_elem(&submitters, &process) : 0;

	if (of && __sync_fetch_and_add(&of->bios, -1) == 1)
		of->none_ns = now_ns;
}

/* Let a wait for completions begin when there was an I/O. Return false: there was none. */
static __always_inline int waits_for_submitted(struct tw_attach_wait *wait, __u32 process)
{
	const struct submitted *of = bpf_map_lookup_elem(&submitters, &process);

	if (!of || (of->bios <= 0 && of->none_ns < wait->slept_ns))
		return 0;
	if (of->since_ns > wait->slept_ns)
		wait->slept_ns = of->since_ns;
	return 1;
}

/* Return what the worker of the kernel that dispatches has delayed. */
static __always_inline __u32 delayed_by(struct task_struct *task)
{
	const __u64 worker = queue_worker(task);
	const __u64 does = worker ? (__u64)READ(struct worker, worker, current_func) : 0;

	return !does ? 0 : does == (__u64)&blk_throtl_dispatch_work_fn ? TW_ATTACH_LIMITED :
	       does == (__u64)&dm_wq_work ? TW_ATTACH_SUSPENDED : 0;
}

/* A bio that a limit has held comes here first now. That of direct I/O leads to the thread that
 * waits. The read of pages leads to the file. */
static __noinline int limit_passes(struct bio *bio)
{
	struct sent sent = { .flags = TW_ATTACH_LIMITED };
	__u64 key = (__u64)bio, dio, waiter;
	struct tw_attach_waiter *of;

	if (bpf_core_type_exists(struct throtl_grp))
		find_limit(key, &sent.limit);
	if ((__u64)READ(struct bio, key, bi_end_io) != (__u64)&iomap_dio_bio_end_io) {
		const struct passed now = { .at_ns = bpf_ktime_get_ns(), .limit = sent.limit };
		struct tw_attach_inode inode = { 0 };

		/* The worker may not see the mount that has the file's path. */
		name_page(&inode, bio);
		if (inode.mode)
			bpf_map_update_elem(&limited, &inode, &now, BPF_ANY);
		__sync_fetch_and_add(&limits, 1);
		return 0;
	}
	dio = (__u64)READ(struct bio, key, bi_private);
	waiter = (__u64)READ(struct iomap_dio, dio, submit.waiter);
	sent.left = READ(struct bio, key, bi_iter.bi_size);
	if (!(READ(struct bio, key, bi_opf) & REQ_OP_WRITE))
		sent.flags |= TW_ATTACH_HAS_READ;
	sent.thread = waiter ? (__u32)READ(struct task_struct, waiter, pid) : 0;
	of = waiter_of(sent.thread, 0);
	if (!of)
		return 0;
	sent.call = of->wait.call;
	name_direct(&sent.inode, dio);
	if (!bpf_map_update_elem(&bios, &key, &sent, BPF_NOEXIST))
		__sync_fetch_and_add(&sent_bios, 1);
	return 0;
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(thread_sends, struct bio *bio)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 flush_ns = bio_comes(bio), key = (__u64)bio;
	struct sent sent = {
		.thread = (__u32)task->pid, .left = bio->bi_iter.bi_size,
	};
	struct call call;
	struct tw_attach_waiter *of;

	if (asleep && task->flags & PF_KTHREAD && delayed_by(task) == TW_ATTACH_LIMITED)
		return limit_passes(bio);
	find_call(task, &call);
	if (call.how & TW_CALL_RINGS || task->flags & (PF_KTHREAD | PF_IO_WORKER) ||
	    !is_followed((__u32)task->tgid))
		return 0;
	of = waiter_of(sent.thread, 1);
	if (!of)
		return 0;
	if (is_sync(&call)) {
		find_files(task, &call);
		if (call.file) {
			at_sync(task, of, &call);
			sync_sends(&of->sync.stamps, bio, flush_ns);
		}
	}
	if (!(bio->bi_opf & REQ_OP_WRITE))
		sent.flags = TW_ATTACH_HAS_READ;
	sent.call = call.number;
	if (call.how & TW_CALL_SUBMITS)
		sent.process = (__u32)task->tgid;
	else if ((__u64)bio->bi_end_io == (__u64)&iomap_dio_bio_end_io)
		name_direct(&sent.inode, (__u64)bio->bi_private);
	else if (call.number == TW_CALL_FAULT || (sent.flags && !(call.how & TW_CALL_READS))) {
		/* A call that reads no file may fault at its buffer. */
		sent.call = TW_CALL_FAULT;
		tell_inode(&sent.inode, name_page(&sent.inode, bio));
	}
	if (!bpf_map_update_elem(&bios, &key, &sent, BPF_NOEXIST)) {
		__sync_fetch_and_add(&sent_bios, 1);
		if (sent.process)
			submits(sent.process);
	} else {
		bpf_map_update_elem(&bios, &key, &sent, BPF_EXIST);
	}
	return 0;
}

/* A walk through the bios of a request. */
struct passing {
	__u64 bio;		/* the next one */
	__u64 now_ns;
	__u32 left;		/* bytes of the request that end, from @bio on */
	__u32 flags;		/* of struct sent */
	__u32 ends;
	__u32 thread;		/* of the first bio that is dispatched, as in struct sent */
	struct tw_io_limit limit;
};

/* Note that @bytes of a bio have ended. */
static __always_inline void bytes_end(struct sent *sent, __u64 key, __u64 now_ns, __u32 bytes)
{
	struct tw_attach_waiter *of = waiter_of(sent->thread, 0);
	struct tw_attach_wait *wait = &of->wait;
	const __u32 left = sent->left, process = sent->process;

	if (of) {
		/* What ended before the sleep does not count if something ends in it. */
		if (wait->finished_ns < wait->slept_ns || !wait->slept_ns) {
			wait->flags &= TW_ATTACH_FIRST | TW_ATTACH_BY_SIGNAL;
			wait->dispatched_ns = 0;
		}
		if (sent->dispatched_ns && (!wait->dispatched_ns ||
					    sent->dispatched_ns < wait->dispatched_ns))
			wait->dispatched_ns = sent->dispatched_ns;
		wait->flags |= TW_ATTACH_HAS_ENDED | sent->flags;
		if (sent->flags & TW_ATTACH_LIMITED)
			wait->limit = sent->limit;
		wait->finished_ns = now_ns;
		of->read = sent->inode;
		of->read_in = sent->call;
	}
	sent->left = left > bytes ? left - bytes : 0;
	if (left <= bytes && !bpf_map_delete_elem(&bios, &key)) {
		__sync_fetch_and_add(&sent_bios, -1);
		submitted_ends(process, now_ns);
	}
}

/* The bio of a thread is one of the request's, or above it. */
static long pass_bio(__u32 i, struct passing *now)
{
	__u64 bio = now->bio;
	__u32 size = READ(struct bio, bio, bi_iter.bi_size);
	struct sent *sent = 0;
	int up;

	if (size > now->left)
		size = now->left;
	now->left -= size;
	now->bio = (__u64)READ(struct bio, bio, bi_next);
	for (up = 0; bio && up <= MAX_CHAIN; up++) {
		sent = bpf_map_lookup_elem(&bios, &bio);
		if (sent)
			break;
		bio = above_bio(bio, (__u64)READ(struct bio, bio, bi_end_io),
				(__u64)READ(struct bio, bio, bi_private));
	}
	if (sent && now->ends) {
		bytes_end(sent, bio, now->now_ns, size);
	} else if (sent && !sent->dispatched_ns) {
		sent->dispatched_ns = now->now_ns;
		if (!now->thread)
			now->thread = sent->thread;
		sent->flags |= now->flags;
		/* A limit of a device below. */
		if (!sent->limit.which)
			sent->limit = now->limit;
	}
	return !now->bio || !now->left;
}

/* ---- what others have in flight -------------------------------------------------- */

/* When this was last counted. */
static __u64 counted_ns;

/* What the followed processes have in flight is no others'. Requests of page cache and file system
 * have no task, but a thread has sent their bios. */
static __always_inline int is_own(const struct origin *origin, __u64 whose)
{
	const __u64 key = origin->bio;

	(void)whose;
	return origin->task ? is_followed((__u32)READ(struct task_struct, origin->task, tgid)) :
	       bpf_map_lookup_elem(&bios, &key) != 0;
}

/* Count for the first bio that a thread has dispatched since it ran again. */
static __noinline int count_for(struct request *rq, const struct passing *first)
{
	const struct viewer reader = { .uid = reader_uid, .may_all = reader_may_all };
	struct tw_attach_waiter *of = first ? waiter_of(first->thread, 0) : 0;

	if (!of || of->wait.others.key > of->wait.on_ns)
		return 0;
	counted_ns = first->now_ns;
	return count_others((__u64)rq, 0, first->now_ns, &of->wait.others, &reader);
}

SEC("tp_btf/block_rq_issue")
int BPF_PROG(sent_issue, struct request *rq)
{
	struct passing now = { .bio = (__u64)rq->bio, .left = ~0U };

	if (!sent_bios || !now.bio)
		return 0;
	now.now_ns = bpf_ktime_get_ns();
	now.flags = delayed_by(bpf_get_current_task_btf());
	if (bpf_core_type_exists(struct throtl_grp) && now.flags == TW_ATTACH_LIMITED)
		find_limit(now.bio, &now.limit);
	bpf_loop(MAX_BIOS, pass_bio, &now, 0);
	if (now.thread && now.now_ns - counted_ns >= COUNTED_NS)
		count_for(rq, &now);
	return 0;
}

SEC("tp_btf/block_rq_complete")
int BPF_PROG(sent_done, struct request *rq, int status, unsigned int bytes)
{
	struct passing now = { .bio = (__u64)rq->bio, .left = bytes, .ends = 1 };

	if (!sent_bios || !now.bio)
		return 0;
	now.now_ns = bpf_ktime_get_ns();
	bpf_loop(MAX_BIOS, pass_bio, &now, 0);
	return 0;
}

/* Of devices without requests. */
SEC("tp_btf/block_bio_complete")
int BPF_PROG(sent_ends, void *queue, struct bio *done)
{
	const __u64 key = (__u64)done;
	struct sent *sent = sent_bios ? bpf_map_lookup_elem(&bios, &key) : 0;

	if (sent)
		bytes_end(sent, key, bpf_ktime_get_ns(), ~0U);
	return 0;
}

#endif
