/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp each I/O on the rings of chosen processes of any program. The points in the kernel
 * are those of stages.bpf.c: accepted, dispatched, finished, posted. user_data belongs to
 * the program and tells nothing here. So an I/O is identified by the address of its
 * io_kiocb, from its acceptance to its completion.
 *
 * The map `followed` contains the processes. A ring that one of them makes is followed
 * from then on. The two iterators find the rings that exist already. See ../README.md, Any
 * program.
 */
#include "attach_types.h"
#include "bio.bpf.h"

#include <bpf/bpf_tracing.h>

#include "attach_record.h"
#include "follow.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MAX_IOS	65536
#define MAX_RINGS	4096
#define MAX_PROCESSES	4096
#define MAX_FILES	16384
#define MAX_MULTISHOT	4096
#define RECORD_BYTES	(8 << 20)

/* Set before loading. descendants: children of followed processes are followed, too.
 * has_cqe: the third argument of io_uring_complete is a pointer to the CQE (from Linux
 * 6.13 on), not user_data. */
const volatile _Bool descendants = 0;
const volatile _Bool has_cqe = 0;

/* Also set before loading. with_causes: the threads that submit are followed, too
 * (causes.bpf.c). listed: the operations, as bits, whose slowest I/Os are listed. */
const volatile _Bool with_causes = 0;
const volatile __u64 listed = 0;

/* An I/O that takes this long is among the slowest so far. The reader is woken at once,
 * because the turns of its thread are soon overwritten. */
__u64 slow_ns;

static __u32 places_taken;

struct tw_attach_lost lost;

extern const void io_uring_release __ksym __weak;

/* By the number of the process, as seen outside of containers. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_PROCESSES);
	__type(key, __u32);
	__type(value, __u8);
} followed SEC(".maps");

/* By io_ring_ctx. The value is 1 if any request of the ring has posted more than one
 * completion. No event tells that a ring was closed, so the map drops the ring that was
 * not used for the longest time. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_RINGS);
	__type(key, __u64);
	__type(value, __u8);
} rings SEC(".maps");

struct in_flight {
	__u64 ring;
	__u64 accepted_ns;
	__u64 dispatched_ns;
	__u64 finished_ns;
	__u64 offset;
	__u64 due_bytes;
	__u64 finished_bytes;
	__u32 requests;
	__u32 retries;
	__u32 opcode;
	__u32 flags;
	__u32 submitter;	/* the kernel's number of the thread */
	__u32 thread;		/* its number in struct tw_attach_io */
};

/* By io_kiocb. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_IOS);
	__type(key, __u64);
	__type(value, struct in_flight);
} ios SEC(".maps");

/* Requests that have posted a completion before their last one. */
struct multishot {
	__u64 ring;
	__u64 user_data;
};

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_MULTISHOT);
	__type(key, struct multishot);
	__type(value, __u8);
} multishots SEC(".maps");

/* Files for which a record was sent. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MAX_FILES);
	__type(key, struct tw_attach_inode);
	__type(value, __u8);
} files SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, RECORD_BYTES);
} records SEC(".maps");

static const __u8 yes = 1;

static void count(__u64 *what)
{
	__sync_fetch_and_add(what, 1);
}

/* ---- processes and rings ------------------------------------------------- */

static int is_followed(__u32 process)
{
	return bpf_map_lookup_elem(&followed, &process) != 0;
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(forked, struct task_struct *parent, struct task_struct *child)
{
	__u32 process = (__u32)BPF_CORE_READ(child, tgid);

	/* A new thread is not a new process. */
	if (!descendants || (__u32)BPF_CORE_READ(child, pid) != process ||
	    !is_followed((__u32)BPF_CORE_READ(parent, tgid)))
		return 0;
	bpf_map_update_elem(&followed, &process, &yes, BPF_ANY);
	return 0;
}

/* Forget a process that has ended, because another process may get its number. */
SEC("tp_btf/sched_process_exit")
int BPF_PROG(exited, struct task_struct *task)
{
	__u32 process = (__u32)BPF_CORE_READ(task, tgid);

	if (is_followed(process) && BPF_CORE_READ(task, signal, live.counter) == 0)
		bpf_map_delete_elem(&followed, &process);
	return 0;
}

static void follow_ring(void *ring, struct task_struct *task, int fd)
{
	const struct io_ring_ctx *of = ring;
	__u64 key = (__u64)ring;
	const __u8 no = 0;
	struct tw_attach_ring *record;

	if (bpf_map_update_elem(&rings, &key, &no, BPF_NOEXIST)) {
		if (!bpf_map_lookup_elem(&rings, &key))
			count(&lost.rings);
		return;
	}
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(&lost.records);
		return;
	}
	record->kind = TW_ATTACH_RING;
	record->fd = fd;
	record->ring = key;
	record->process = (__u32)BPF_CORE_READ(task, tgid);
	record->flags = BPF_CORE_READ(of, flags);
	record->sq_entries = BPF_CORE_READ(of, sq_entries);
	record->cq_entries = BPF_CORE_READ(of, cq_entries);
	BPF_CORE_READ_STR_INTO(&record->program, task, comm);
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

/* Follow a new ring of a followed process. It may have the address of an old ring, even of
 * another process's. */
SEC("tp_btf/io_uring_create")
int BPF_PROG(created, int fd, void *ring)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	__u64 key = (__u64)ring;

	bpf_map_delete_elem(&rings, &key);
	if (is_followed((__u32)(bpf_get_current_pid_tgid() >> 32)))
		follow_ring(ring, task, fd);
	return 0;
}

static void follow_file(struct file *file, struct task_struct *task, int fd)
{
	const void *release;

	if (!file)
		return;
	release = BPF_CORE_READ(file, f_op, release);
	if (release && release == &io_uring_release)
		follow_ring(BPF_CORE_READ(file, private_data), task, fd);
}

SEC("iter/task_file")
int descriptors(struct bpf_iter__task_file *at)
{
	struct task_struct *task = at->task;
	struct file *file = at->file;

	if (task && file)
		follow_file(file, task, (int)at->fd);
	return 0;
}

SEC("iter/task")
int processes(struct bpf_iter__task *at)
{
	struct task_struct *task = at->task;
	struct io_uring_task *uring;
	struct file **registered;
	__u32 process;
	int i;

	if (!task)
		return 0;
	process = (__u32)BPF_CORE_READ(task, tgid);
	bpf_map_update_elem(&followed, &process, &yes, BPF_ANY);
	uring = BPF_CORE_READ(task, io_uring);
	if (!uring)
		return 0;
	registered = (void *)uring +
		     bpf_core_field_offset(struct io_uring_task, registered_rings);
	for (i = 0; i < REGISTERED_RINGS; i++) {
		struct file *file = 0;

		bpf_probe_read_kernel(&file, sizeof(file), registered + i);
		follow_file(file, task, -1);
	}
	return 0;
}

/* ---- I/Os ------------------------------------------------------------------ */

static struct in_flight *in_flight(struct io_kiocb *io)
{
	__u64 key = (__u64)io;

	return bpf_map_lookup_elem(&ios, &key);
}

/* Report an I/O without a completion: the kernel uses its io_kiocb for another I/O. */
static void no_cqe(const struct in_flight *old)
{
	struct tw_attach_io *record;

	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(&lost.records);
		return;
	}
	__builtin_memset(record, 0, sizeof(*record));
	record->kind = TW_ATTACH_NO_CQE;
	record->ring = old->ring;
	record->opcode = (__u8)old->opcode;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

static __u32 current_thread(void)
{
	return (__u32)bpf_get_current_pid_tgid();
}

/* Follow the submitting thread from its first I/O on. Return its number, from 1; 0 if
 * there are too many threads. */
static __u32 follow_thread(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 pid = task->pid, place;
	struct followed new = { .start_time = task->start_time };
	const struct followed *old = bpf_map_lookup_elem(&threads, &pid);

	if (old && old->start_time == new.start_time)
		return old->ring + 1;
	if (places_taken >= TW_ATTACH_THREADS) {
		count(&lost.threads);
		return 0;
	}
	place = __sync_fetch_and_add(&places_taken, 1);
	if (place >= TW_ATTACH_THREADS)
		return 0;
	new.ran_ns = bpf_ktime_get_ns();
	new.ring = place;
	bpf_map_update_elem(&threads, &pid, &new, BPF_ANY);
	return place + 1;
}

static int accepted(struct io_kiocb *io)
{
	struct in_flight new = {
		.accepted_ns = bpf_ktime_get_ns(),
		.ring = (__u64)BPF_CORE_READ(io, ctx),
	};
	struct in_flight *old;
	__u64 key = (__u64)io;

	if (!bpf_map_lookup_elem(&rings, &new.ring))
		return 0;
	new.opcode = BPF_CORE_READ(io, opcode);
	new.offset = (__u64)BPF_CORE_READ((struct kiocb *)io, ki_pos);
	if (with_causes) {
		new.submitter = current_thread();
		new.thread = follow_thread();
	}
	if (!bpf_map_update_elem(&ios, &key, &new, BPF_NOEXIST))
		return 0;
	old = bpf_map_lookup_elem(&ios, &key);
	if (!old) {
		count(&lost.ios);
		return 0;
	}
	no_cqe(old);
	bpf_map_update_elem(&ios, &key, &new, BPF_ANY);
	return 0;
}

SEC("tp_btf/io_uring_link")
int BPF_PROG(linked, struct io_kiocb *io)
{
	struct in_flight *mine = in_flight(io);

	if (mine)
		mine->flags |= TW_ATTACH_LINKED;
	return 0;
}

SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(queue_async, struct io_kiocb *io)
{
	struct in_flight *mine = in_flight(io);

	if (!mine)
		return 0;
	mine->dispatched_ns = 0;
	mine->finished_ns = 0;
	mine->requests = 0;
	mine->due_bytes = 0;
	mine->finished_bytes = 0;
	mine->retries++;
	return 0;
}

static void pass(struct io_kiocb *io, enum point point, __u64 now_ns, __u32 bytes)
{
	struct in_flight *mine = in_flight(io);

	if (!mine)
		return;
	if (point == FINISHED) {
		mine->finished_ns = now_ns;
		mine->requests++;
		__sync_fetch_and_add(&mine->finished_bytes, bytes);
		return;
	}
	__sync_fetch_and_add(&mine->due_bytes, bytes);
	/* Only the first request counts. Others are parts, or the same one requeued. */
	if (mine->dispatched_ns)
		return;
	mine->dispatched_ns = now_ns;
	if (with_causes && mine->submitter == current_thread())
		mine->flags |= TW_ATTACH_DISPATCHED_ITSELF;
}

#include "points.bpf.h"

/* ---- completions --------------------------------------------------------- */

/* Note a completion without a request: of a request that goes on, or of a request of
 * another ring. */
static void more(__u64 ring, __u8 *has_more, __u64 user_data)
{
	struct multishot key = { .ring = ring, .user_data = user_data };

	count(&lost.more_cqes);
	*has_more = 1;
	bpf_map_update_elem(&multishots, &key, &yes, BPF_ANY);
}

static int was_multishot(__u64 ring, struct io_kiocb *io)
{
	struct multishot key = {
		.ring = ring, .user_data = BPF_CORE_READ(io, cqe.user_data),
	};

	return bpf_map_delete_elem(&multishots, &key) == 0;
}

/* Send the name of a file at the first I/O on it. */
static void tell_file(const struct tw_attach_inode *inode, struct file *file)
{
	struct tw_attach_file *record;

	if (bpf_map_lookup_elem(&files, inode))
		return;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record)
		return;		/* the next I/O on the file tries again */
	bpf_map_update_elem(&files, inode, &yes, BPF_ANY);
	record->kind = TW_ATTACH_FILE;
	record->process = (__u32)(bpf_get_current_pid_tgid() >> 32);
	record->inode = *inode;
	record->name[0] = 0;
	bpf_probe_read_kernel_str(record->name, sizeof(record->name),
		BPF_CORE_READ(file, f_path.dentry, d_name.name));
	/* Wake the reader: the path is known only while the process has the file open. */
	bpf_ringbuf_submit(record, BPF_RB_FORCE_WAKEUP);
}

static void inode_of(struct tw_attach_inode *inode, struct io_kiocb *io)
{
	struct file *file = BPF_CORE_READ(io, file);
	const struct inode *of = file ? BPF_CORE_READ(file, f_inode) : 0;

	if (!of)
		return;
	inode->number = BPF_CORE_READ(of, i_ino);
	inode->device = BPF_CORE_READ(of, i_sb, s_dev);
	inode->mode = BPF_CORE_READ(of, i_mode);
	tell_file(inode, file);
}

/* Return the flag that wakes the reader at once if the I/O is among the slowest. */
static __u64 wakeup_for(const struct tw_attach_io *record)
{
	return with_causes && record->opcode < 64 &&
	       listed >> record->opcode & 1 && record->accepted_ns &&
	       record->posted_ns - record->accepted_ns >= slow_ns ?
		BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

static void tell(struct io_kiocb *io, __u64 ring, const struct in_flight *mine,
		 __u32 flags, __u64 now)
{
	struct tw_attach_inode inode = { 0 };
	struct tw_attach_io *record;

	inode_of(&inode, io);
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(&lost.records);
		return;
	}
	__builtin_memset(record, 0, sizeof(*record));
	record->kind = TW_ATTACH_IO;
	record->opcode = BPF_CORE_READ(io, opcode);
	record->flags = (__u8)flags;
	record->ring = ring;
	record->inode = inode;
	record->posted_ns = now;
	record->result = BPF_CORE_READ(io, cqe.res);
	if (mine) {
		record->flags |= (__u8)mine->flags;
		record->accepted_ns = mine->accepted_ns;
		record->dispatched_ns = mine->dispatched_ns;
		record->finished_ns = mine->finished_ns;
		record->offset = mine->offset;
		record->requests = mine->requests;
		record->retries = mine->retries;
		record->finished_bytes = mine->finished_bytes;
		record->due_bytes = mine->due_bytes;
		if (record->result > 0 && (__u64)record->result < mine->due_bytes)
			record->due_bytes = (__u64)record->result;
		record->thread = (__u16)mine->thread;
		if (with_causes && mine->submitter == current_thread())
			record->flags |= TW_ATTACH_POSTED_ITSELF;
	}
	bpf_ringbuf_submit(record, wakeup_for(record));
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete, void *context, struct io_kiocb *io, void *third)
{
	__u64 now = bpf_ktime_get_ns();
	__u64 ring = (__u64)context, key = (__u64)io, user_data;
	__u8 *has_more = bpf_map_lookup_elem(&rings, &ring);
	struct in_flight *mine;
	__u32 flags = 0;

	if (!has_more)
		return 0;
	if (!io) {
		user_data = (__u64)third;
		if (has_cqe)	/* user_data is its first member */
			bpf_probe_read_kernel(&user_data, sizeof(user_data), third);
		more(ring, has_more, user_data);
		return 0;
	}
	if (*has_more && was_multishot(ring, io))
		flags = TW_ATTACH_MULTISHOT;
	mine = bpf_map_lookup_elem(&ios, &key);
	tell(io, ring, mine && mine->ring == ring ? mine : 0, flags, now);
	bpf_map_delete_elem(&ios, &key);
	return 0;
}
