/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp the syncs of jobs (sync.h). io_uring gives each sync to a worker, which is in it as
 * long as this is its current work. A ring belongs to a job if it is made by a thread that the
 * job has named in `expected`.
 */
#include "sync.bpf.h"
#include "slot.h"
#include "commit.bpf.h"
#include "worker.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define IORING_OP_FSYNC	3		/* include/uapi/linux/io_uring.h */
#define WORKERS		4096		/* a power of two */

/* By thread: the ring that the thread is about to make. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_SYNC_RINGS);
	__type(key, __u32);
	__type(value, struct tw_sync_ring);
} expected SEC(".maps");

struct ring {
	struct tw_sync_ring places;
	struct viewer viewer;
};

/* By io_ring_ctx. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_SYNC_RINGS);
	__type(key, __u64);
	__type(value, struct ring);
} rings SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_sync);
} syncs SEC(".maps");

/* When a worker got its CPU last, by the lower bits of its number. One of two workers with
 * the same bits is not known. */
struct {
	__u64 ns;
	__u64 thread;
} workers[WORKERS];

/* Return the stamps of a sync of a job; 0: it is something else. */
static __always_inline struct tw_sync *sync_of(const struct io_kiocb *io)
{
	const struct ring *ring;
	__u64 ctx;
	__u32 index;

	if (READ(struct io_kiocb, io, opcode) != IORING_OP_FSYNC)
		return 0;
	ctx = (__u64)READ(struct io_kiocb, io, ctx);
	ring = bpf_map_lookup_elem(&rings, &ctx);
	if (!ring)
		return 0;
	index = ring->places.base +
		(tw_key_slot(READ(struct io_kiocb, io, cqe.user_data)) & ring->places.mask);
	return bpf_map_lookup_elem(&syncs, &index);
}

/* A worker, and the sync that it is in. */
struct at_work {
	const struct io_kiocb *io;
	struct tw_sync *sync;
};

static __always_inline struct tw_sync *sync_at(struct task_struct *task, struct at_work *at)
{
	const struct io_kiocb *io;
	struct tw_sync *sync;

	if (!(task->flags & PF_IO_WORKER))
		return 0;
	io = io_of_worker(task);
	if (!io)
		return 0;
	sync = sync_of(io);
	/* The job may use the place for its next sync already. */
	if (!sync || sync->key != READ(struct io_kiocb, io, cqe.user_data))
		return 0;
	at->io = io;
	at->sync = sync;
	return sync;
}

static __always_inline void begins_at(const struct at_work *at, __u64 begun_ns)
{
	const struct io_kiocb *io = at->io;
	const void *file;

	if (at->sync->begun_ns)
		return;
	file = BPF_CORE_READ(io, file);
	sync_begins(at->sync, file, begun_ns);
	follow_journal(file);
}

SEC("tp_btf/io_uring_create")
int BPF_PROG(create, int fd, void *made)
{
	__u32 tid = thread();
	const struct tw_sync_ring *places = bpf_map_lookup_elem(&expected, &tid);
	__u64 address = (__u64)made;
	struct ring ring = { 0 };

	/* A ring of a job that has ended may have had this address. */
	if (!places) {
		bpf_map_delete_elem(&rings, &address);
		return 0;
	}
	ring.places = *places;
	view_as_current(&ring.viewer);
	bpf_map_update_elem(&rings, &address, &ring, BPF_ANY);
	bpf_map_delete_elem(&expected, &tid);
	return 0;
}

SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(queue_async, struct io_kiocb *io)
{
	struct tw_sync *sync = sync_of(io);

	if (!sync)
		return 0;
	__builtin_memset(sync, 0, sizeof(*sync));
	sync->queued_ns = bpf_ktime_get_ns();
	sync->key = READ(struct io_kiocb, io, cqe.user_data);
	return 0;
}

/* ---- where a sync begins and ends ------------------------------------------ */

static __always_inline int entered(void)
{
	struct at_work at;

	if (sync_at(bpf_get_current_task_btf(), &at))
		begins_at(&at, bpf_ktime_get_ns());
	return 0;
}

static __always_inline int returned(void)
{
	struct at_work at;
	struct tw_sync *sync = sync_at(bpf_get_current_task_btf(), &at);

	if (sync && sync->begun_ns)
		sync_returns(sync);
	return 0;
}

/* Some kernels refuse these two. */
SEC("fentry/vfs_fsync_range")
int BPF_PROG(any_enter)
{
	return entered();
}

SEC("fexit/vfs_fsync_range")
int BPF_PROG(any_exit)
{
	return returned();
}

SEC("tp_btf/ext4_sync_file_enter")
int BPF_PROG(ext4_enter)
{
	return entered();
}

SEC("tp_btf/ext4_sync_file_exit")
int BPF_PROG(ext4_exit)
{
	return returned();
}

SEC("tp_btf/xfs_file_fsync")
int BPF_PROG(xfs_enter)
{
	return entered();
}

/* ---- what it waits for ------------------------------------------------------ */

/* A worker that has slept takes its work at once. One that was busy ran last when it ended
 * the work before. */
static __always_inline __u64 begun_before(const struct task_struct *task,
					  const struct tw_sync *sync)
{
	__u32 place = task->pid & (WORKERS - 1);
	__u64 ns = workers[place].ns;

	return workers[place].thread == (__u64)task->pid && ns > sync->queued_ns ? ns :
	       sync->queued_ns;
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(bio_queued, struct bio *queued)
{
	const struct bio___sync *bio = (const struct bio___sync *)queued;
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 flush_ns = bio_comes(bio);
	struct tw_sync *sync;
	struct at_work at;

	sync = sync_at(task, &at);
	if (!sync)
		return 0;
	begins_at(&at, begun_before(task, sync));
	sync_sends(sync, bio, flush_ns);
	return 0;
}

static __always_inline void leaves(void *context, struct task_struct *task)
{
	struct at_work at;
	struct tw_sync *sync = sync_at(task, &at);

	if (!sync)
		return;
	begins_at(&at, begun_before(task, sync));
	sync_sleeps(context, sync);
}

static __always_inline void runs(struct task_struct *task)
{
	__u32 place = task->pid & (WORKERS - 1);
	struct at_work at;
	struct tw_sync *sync;

	if (!(task->flags & PF_IO_WORKER))
		return;
	workers[place].ns = bpf_ktime_get_ns();
	workers[place].thread = task->pid;
	sync = sync_at(task, &at);
	if (sync)
		sync_runs(sync);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev, struct task_struct *next,
	     unsigned int prev_state)
{
	if (!preempt && prev_state)
		leaves(ctx, prev);
	runs(next);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task)
{
	struct at_work at;
	struct tw_sync *sync = sync_at(task, &at);
	const struct ring *ring;
	__u64 ctx_of;

	if (!sync)
		return 0;
	sync_woken(sync);
	ctx_of = (__u64)READ(struct io_kiocb, at.io, ctx);
	ring = bpf_map_lookup_elem(&rings, &ctx_of);
	if (ring)
		woken_by_commit(sync, (__u32)task->tgid, &ring->viewer);
	return 0;
}
