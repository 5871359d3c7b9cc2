/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp the syncs of jobs (sync.h). io_uring gives each sync to a worker, which is in it as
 * long as this is its current work. A ring belongs to a job if it is made by a thread that the
 * job has named in `expected`.
 *
 * A write with O_DSYNC syncs after its data: in a worker of io_uring, if the write had to wait
 * there, or else in a worker of the kernel, which completes direct writes (iomap_dio). Such a
 * sync begins where the file system says so, and not before.
 */
#include "sync.bpf.h"
#include "kernel/kernel_stamps.h"
#include "commit.bpf.h"
#include "kernel/worker.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define WORKERS		4096		/* a power of two */

/* 0: this kernel does not have the function. */
extern const void iomap_dio_complete_work __ksym __weak;

/* Set before loading: a job writes with O_DSYNC. */
const volatile _Bool with_writes = 0;

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
	__u32 process;		/* the kernel's number of the job's */
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

static __always_inline int is_sync(const struct io_kiocb *io)
{
	return READ(struct io_kiocb, io, opcode) == IORING_OP_FSYNC;
}

/* True if the I/O is a write of which a sync is stamped. */
static __always_inline int is_write(const struct io_kiocb *io)
{
	__u8 opcode = READ(struct io_kiocb, io, opcode);

	return with_writes && (opcode == IORING_OP_WRITE || opcode == IORING_OP_WRITEV ||
			       opcode == IORING_OP_WRITE_FIXED) &&
	       READ(struct io_kiocb, io, cqe.user_data) & TW_KEY_CHOSEN;
}

/* Return the stamps of a sync of a job; 0: it is something else. */
static __always_inline struct tw_sync *sync_of(const struct io_kiocb *io)
{
	const struct ring *ring;
	__u64 ctx;
	__u32 index;

	if (!is_sync(io) && !is_write(io))
		return 0;
	ctx = (__u64)READ(struct io_kiocb, io, ctx);
	ring = bpf_map_lookup_elem(&rings, &ctx);
	if (!ring)
		return 0;
	index = ring->places.base +
		(tw_key_index(READ(struct io_kiocb, io, cqe.user_data)) & ring->places.mask);
	return bpf_map_lookup_elem(&syncs, &index);
}

/* A worker, and the sync that it is in. */
struct at_work {
	const struct io_kiocb *io;
	struct tw_sync *sync;
};

/* Return the direct write that a worker of the kernel completes; 0: it does something else. */
static __always_inline const struct io_kiocb *write_of_worker(struct task_struct *task)
{
	__u64 worker = queue_worker(task), does, iocb;

	if (!worker)
		return 0;
	does = (__u64)READ(struct worker, worker, current_func);
	if (!does || does != (__u64)&iomap_dio_complete_work)
		return 0;
	iocb = (__u64)READ(struct worker, worker, current_work) -
	       bpf_core_field_offset(struct iomap_dio, aio.work);
	iocb = (__u64)READ(struct iomap_dio, iocb, iocb);
	return is_of_uring(iocb) ? (const struct io_kiocb *)iocb : 0;
}

/* Return the I/O that a worker has; 0: it is no worker, or has none. */
static __always_inline const struct io_kiocb *io_at(struct task_struct *task)
{
	return task->flags & PF_IO_WORKER ? io_of_worker(task) :
	       with_writes ? write_of_worker(task) : 0;
}

static __always_inline struct tw_sync *sync_at(struct task_struct *task, struct at_work *at)
{
	const struct io_kiocb *io = io_at(task);
	struct tw_sync *sync = io ? sync_of(io) : 0;

	/* The job may use the place for its next sync already. */
	if (!sync || sync->flags & TW_SYNC_OVER ||
	    sync->key != READ(struct io_kiocb, io, cqe.user_data))
		return 0;
	at->io = io;
	at->sync = sync;
	return sync;
}

static __always_inline void begins_at(const struct at_work *at, __u64 begun_ns)
{
	const struct io_kiocb *io = at->io;
	const struct file *file;

	if (at->sync->begun_ns)
		return;
	file = BPF_CORE_READ(io, file);
	sync_begins(at->sync, file, begun_ns);
	follow_journal(file);
}

SEC("tp_btf/io_uring_create")
int BPF_PROG(create, int fd, void *made)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = number_of(task);
	const struct tw_sync_ring *places = bpf_map_lookup_elem(&expected, &tid);
	__u64 address = (__u64)made;
	struct ring ring = { 0 };

	/* A ring of a job that has ended may have had this address. */
	if (!places) {
		bpf_map_delete_elem(&rings, &address);
		return 0;
	}
	ring.places = *places;
	ring.process = bpf_get_current_pid_tgid() >> 32;
	take_rights(&ring.viewer, task);
	bpf_map_update_elem(&rings, &address, &ring, BPF_ANY);
	bpf_map_delete_elem(&expected, &tid);
	return 0;
}

/* Forget what the place has of the I/O before. */
static __always_inline void renew(struct tw_sync *sync, const struct io_kiocb *io)
{
	__builtin_memset(sync, 0, sizeof(*sync));
	sync->key = READ(struct io_kiocb, io, cqe.user_data);
}

SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(queue_async, struct io_kiocb *io)
{
	struct tw_sync *sync = is_sync(io) ? sync_of(io) : 0;

	if (!sync)
		return 0;
	renew(sync, io);
	sync->queued_ns = bpf_ktime_get_ns();
	return 0;
}

/* ---- where a sync begins and ends ------------------------------------------ */

static __always_inline int entered(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct io_kiocb *io = io_at(task);
	struct tw_sync *sync = io && is_write(io) ? sync_of(io) : 0;
	struct at_work at;

	if (sync && sync->key != READ(struct io_kiocb, io, cqe.user_data))
		renew(sync, io);
	if (sync_at(task, &at))
		begins_at(&at, bpf_ktime_get_ns());
	return 0;
}

static __always_inline int returned(void)
{
	struct at_work at;
	struct tw_sync *sync = sync_at(bpf_get_current_task_btf(), &at);

	if (sync && sync->begun_ns) {
		sync_returns(sync);
		sync->flags |= TW_SYNC_OVER;
	}
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

SEC("?tp_btf/ext4_sync_file_enter")
int BPF_PROG(ext4_enter)
{
	return entered();
}

SEC("?tp_btf/ext4_sync_file_exit")
int BPF_PROG(ext4_exit)
{
	return returned();
}

SEC("?tp_btf/xfs_file_fsync")
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
int BPF_PROG(bio_queued, struct bio *bio)
{
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

	if (task->flags & PF_IO_WORKER) {
		workers[place].ns = bpf_ktime_get_ns();
		workers[place].thread = task->pid;
	}
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
		woken_by_commit(sync, ring->process, &ring->viewer);
	return 0;
}
