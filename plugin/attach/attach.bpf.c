/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp each I/O on the rings of chosen processes of any program. The points in the kernel
 * are those of stages.bpf.c: accepted, dispatched, finished, posted. user_data belongs to
 * the program and tells nothing here. So an I/O is identified by the address of its
 * io_kiocb, from its acceptance to its completion.
 *
 * The map `followed` contains the processes: those chosen, and their descendants. A ring that
 * one of them makes is followed from then on. The iterators find the processes and rings that
 * exist already.
 */
#include "kernel/stages/bio.bpf.h"

#include <bpf/bpf_tracing.h>

#include "attach_record.h"
#include "kernel/causes/call.bpf.h"
#include "kernel/causes/follow.bpf.h"
#include "kernel/thread.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define MAX_IOS	65536
#define MAX_RINGS	16384
#define MAX_PROCESSES	16384
#define MAX_ANCESTORS	64
#define MAX_COUNTED	16384
#define NEAR		4096

#define MMF_DUMPABLE_MASK	3		/* include/linux/mm_types.h */
#define SUID_DUMP_USER		1		/* include/linux/sched/coredump.h */

/* Set before loading. operations: as bits, those that are followed. root: the reader's root
 * folder, where its paths begin: it may be in a chroot. */
const volatile __u64 operations = 0;
const volatile __u64 root_number = 0;
const volatile __u32 root_device = 0;

/* Also set before loading: the reader's descriptor of the cgroup that is followed; -1: none. */
const volatile int cgroup_fd = -1;

/* The rights of who reads the records. Also set before loading. */
const volatile __u32 reader_uid = 0;
const volatile __u32 reader_gid = 0;
const volatile _Bool reader_may_all = 0;

/* Also set before loading. with_causes: the threads that submit are followed, too
 * (causes.bpf.c). listed: the operations, as bits, whose slowest I/Os are listed. */
const volatile _Bool with_causes = 0;
const volatile __u64 listed = 0;

/* An I/O that takes this long is among the slowest so far. The reader is woken at once,
 * because the periods of its thread are soon overwritten. */
__u64 slow_ns;

/* An I/O is chosen with a chance of 1 in 2^shift. The reader changes this at any time. */
volatile __u32 shift;
/* An I/O was not chosen. From then on, I/Os without stamps are not those from before. */
static _Bool is_sampled;

static __u32 places_taken;
static __u32 ring_count;	/* found so far */
/* Rings that the kernel has not freed. The I/Os of one that was closed are followed to their
 * ends. */
static __u32 rings_left;

static int is_following(void)
{
	return rings_left != 0;
}

struct tw_attach_lost lost;

extern const void io_uring_release __ksym __weak;
extern const void io_ring_exit_work __ksym __weak;

/* By the number of the process, as seen outside of containers. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_PROCESSES);
	__type(key, __u32);
	__type(value, __u8);
} followed SEC(".maps");

/* By io_ring_ctx: the numbers of the open rings, from 1, in the order in which they were
 * found. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_RINGS);
	__type(key, __u64);
	__type(value, __u32);
} rings SEC(".maps");

/* By io_ring_ctx: the followed rings that the kernel frees at the moment. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_RINGS);
	__type(key, __u64);
	__type(value, __u8);
} closing SEC(".maps");

struct in_flight {
	struct tw_kernel_stamps stamps;	/* without a key */
	__u64 ring;		/* io_ring_ctx */
	__u64 offset;
	__u32 opcode;
	__u32 flags;
	__u32 submitter;	/* the kernel's number of the thread */
	__u32 thread;		/* its number in struct tw_attach_io */
	__u32 ring_number;
	__u32 shift;
};

/* By io_kiocb. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_IOS);
	__type(key, __u64);
	__type(value, struct in_flight);
} ios SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_COUNTED);
	__type(key, struct tw_attach_key);
	__type(value, struct tw_attach_counted);
} counted SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, TW_ATTACH_BUFFER_BYTES);
} records SEC(".maps");

static const __u8 yes = 1;

static void count(__u64 *what)
{
	__sync_fetch_and_add(what, 1);
}

static void one_ring_less(void)
{
	__sync_fetch_and_add(&rings_left, -1);
}

/* ---- processes and rings ------------------------------------------------- */

/* How many followed processes have a number with this remainder. */
static __u32 near[NEAR];

/* Spare most tasks of the machine the search in the map, at each switch. */
static __always_inline int may_be_followed(__u32 process)
{
	return near[process % NEAR] != 0;
}

static __always_inline int is_followed(__u32 process)
{
	return may_be_followed(process) && bpf_map_lookup_elem(&followed, &process);
}

/* True if the reader may trace the task, and so may see its files: what ptrace_may_access() of
 * the kernel asks. A set-user-ID program is none of its caller's. At the start
 * tw_attach_may_see() finds this out. */
static int may_follow(struct task_struct *task)
{
	const struct cred *cred = BPF_CORE_READ(task, real_cred);
	const struct mm_struct *mm = BPF_CORE_READ(task, mm);
	unsigned long flags = 0;

	if (reader_may_all)
		return 1;
	/* Linux 6.18 has another type of the same first bits. */
	bpf_probe_read_kernel(&flags, sizeof(flags), (const void *)mm +
			      (bpf_core_field_exists(mm->flags) ?
			       bpf_core_field_offset(struct mm_struct, flags) :
			       bpf_core_field_offset(struct mm_struct___bits, flags)));
	return (flags & MMF_DUMPABLE_MASK) == SUID_DUMP_USER &&
	       BPF_CORE_READ(cred, uid.val) == reader_uid &&
	       BPF_CORE_READ(cred, euid.val) == reader_uid &&
	       BPF_CORE_READ(cred, suid.val) == reader_uid &&
	       BPF_CORE_READ(cred, gid.val) == reader_gid &&
	       BPF_CORE_READ(cred, egid.val) == reader_gid &&
	       BPF_CORE_READ(cred, sgid.val) == reader_gid;
}

/* ---- what the processes wait for: waits.bpf.h ---- */

static void thread_begins(struct task_struct *task);
static void add_ran(struct task_struct *task);
static void thread_ends(struct task_struct *task);
static void waits_no_more(__u32 thread);
static void follow_if_in_cgroup(struct task_struct *task);

static void follow(__u32 process)
{
	__sync_fetch_and_add(&near[process % NEAR], 1);
	if (!bpf_map_update_elem(&followed, &process, &yes, BPF_NOEXIST))
		return;
	__sync_fetch_and_add(&near[process % NEAR], -1);
	if (bpf_map_update_elem(&followed, &process, &yes, BPF_EXIST))
		count(&lost.processes);
}

static void follow_no_more(__u32 process)
{
	if (!bpf_map_delete_elem(&followed, &process))
		__sync_fetch_and_add(&near[process % NEAR], -1);
}

/* Other than sched_process_fork, it has the workers of io_uring, too. */
SEC("tp_btf/task_newtask")
int BPF_PROG(forked, struct task_struct *child)
{
	__u32 process = (__u32)BPF_CORE_READ(child, tgid);

	if (!is_followed((__u32)(bpf_get_current_pid_tgid() >> 32))) {
		follow_if_in_cgroup(child);
		return 0;
	}
	/* A new thread is not a new process. */
	if ((__u32)BPF_CORE_READ(child, pid) == process)
		follow(process);
	thread_begins(child);
	return 0;
}

/* A process that has begun a set-user-ID program is not followed any more. Its rings ended with
 * the old program. One that could not be followed may have begun another one. A thread that is not
 * the first one now has the number of that. */
SEC("tp_btf/sched_process_exec")
int BPF_PROG(began_program, struct task_struct *task, int old_number)
{
	__u32 process = (__u32)BPF_CORE_READ(task, tgid);

	if ((__u32)old_number != process)
		waits_no_more((__u32)old_number);
	if (is_followed(process) && !may_follow(task)) {
		thread_ends(task);
		follow_no_more(process);
	} else {
		follow_if_in_cgroup(task);
	}
	return 0;
}

/* Forget a process that has ended, because another process may get its number. The kernel frees the
 * first thread after all others have closed their files, also if it was the first to end. A thread
 * that begins a program becomes the first one. */
SEC("tp_btf/sched_process_free")
int BPF_PROG(freed_task, struct task_struct *task)
{
	__u32 process = (__u32)BPF_CORE_READ(task, tgid);

	/* If it was missed that it left its CPU */
	add_ran(task);
	if ((__u32)BPF_CORE_READ(task, pid) == process && is_followed(process))
		follow_no_more(process);
	return 0;
}

static void follow_ring(void *ring, struct task_struct *task, int fd)
{
	const struct io_ring_ctx *of = ring;
	__u64 key = (__u64)ring;
	struct tw_attach_ring *record;
	__u32 number;

	if (bpf_map_lookup_elem(&rings, &key))
		return;
	number = __sync_fetch_and_add(&ring_count, 1) + 1;
	if (bpf_map_update_elem(&rings, &key, &number, BPF_NOEXIST)) {
		count(&lost.rings);
		return;
	}
	__sync_fetch_and_add(&rings_left, 1);
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(&lost.records);
		return;
	}
	record->kind = TW_ATTACH_RING;
	record->fd = fd;
	record->ring = number;
	record->process = process_of(task);
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

	if (!bpf_map_delete_elem(&rings, &key))
		one_ring_less();
	if (is_followed((__u32)(bpf_get_current_pid_tgid() >> 32)))
		follow_ring(ring, task, fd);
	return 0;
}

/* Forget a ring when the kernel begins to free it, which it does by a work item. What is
 * in flight then is still in `ios`. */
SEC("tp_btf/workqueue_execute_start")
int BPF_PROG(freed, struct work_struct *work)
{
	__u64 key = (__u64)work - bpf_core_field_offset(struct io_ring_ctx, exit_work);
	const void *function = work->func;

	if (function && function == &io_ring_exit_work &&
	    !bpf_map_delete_elem(&rings, &key) &&
	    bpf_map_update_elem(&closing, &key, &yes, BPF_NOEXIST))
		one_ring_less();
	return 0;
}

/* The work item ends when nothing of the ring is in flight. @work is freed. */
SEC("tp_btf/workqueue_execute_end")
int BPF_PROG(was_freed, struct work_struct *work)
{
	__u64 key = (__u64)work - bpf_core_field_offset(struct io_ring_ctx, exit_work);

	if (!bpf_map_delete_elem(&closing, &key))
		one_ring_less();
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

/* The first iterator finds the process that was chosen (that of a cgroup is in in_cgroup.bpf.h),
 * the second its descendants, and the third the rings of all of them. */
SEC("iter/task")
int chosen(struct bpf_iter__task *at)
{
	struct task_struct *task = at->task;

	if (task)
		follow((__u32)BPF_CORE_READ(task, tgid));
	return 0;
}

/* The reader runs the iterators. What it does itself is not of interest. */
static int is_reader(struct task_struct *task)
{
	return BPF_CORE_READ(task, tgid) == (int)(bpf_get_current_pid_tgid() >> 32);
}

static int descends(struct task_struct *task)
{
	int i;

	for (i = 0; i < MAX_ANCESTORS && task; i++) {
		__u32 process = (__u32)BPF_CORE_READ(task, tgid);

		if (!process)
			return 0;
		if (is_followed(process))
			return 1;
		task = BPF_CORE_READ(task, real_parent);
	}
	return 0;
}

SEC("iter/task")
int descendants(struct bpf_iter__task *at)
{
	struct task_struct *task = at->task;
	struct io_uring_task *uring;
	struct file **registered;
	int i;

	if (!task || is_reader(task) || !descends(task) || !may_follow(task))
		return 0;
	if (!is_followed((__u32)BPF_CORE_READ(task, tgid)))
		follow((__u32)BPF_CORE_READ(task, tgid));
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

SEC("iter/task_file")
int descriptors(struct bpf_iter__task_file *at)
{
	struct task_struct *task = at->task;
	struct file *file = at->file;

	if (task && file && is_followed((__u32)BPF_CORE_READ(task, tgid)))
		follow_file(file, task, (int)at->fd);
	return 0;
}

/* ---- I/Os ------------------------------------------------------------------ */

/* Other operations wait for other programs, or take no time. They are only counted: no
 * number of waiting ones may keep an I/O from being followed. */
static int is_io(__u32 opcode)
{
	return opcode < TW_ATTACH_OPCODES && operations >> opcode & 1;
}

static const struct inode *inode_of(struct io_kiocb *io)
{
	struct file *file = READ(struct io_kiocb, io, file);

	return file ? READ(struct file, file, f_inode) : 0;
}

static struct in_flight *in_flight(struct io_kiocb *io)
{
	__u64 key = (__u64)io;

	return bpf_map_lookup_elem(&ios, &key);
}

static __always_inline struct tw_kernel_stamps *stamps_of(struct io_kiocb *io, __u64 began_ns,
						 int is_command)
{
	struct in_flight *mine = in_flight(io);

	return mine ? &mine->stamps : 0;
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
	record->ring = old->ring_number;
	record->opcode = (__u8)old->opcode;
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

static __u32 current_thread(void)
{
	return (__u32)bpf_get_current_pid_tgid();
}

/* Follow the submitting thread from its first I/O on. Return its number, from 1; 0 if
 * there are too many threads. */
static __u32 follow_submitter(void)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const struct followed *old = bpf_task_storage_get(&threads, task, 0, 0);
	__u32 place;

	if (old)
		return old->ring + 1;
	if (places_taken >= TW_ATTACH_THREADS) {
		count(&lost.threads);
		return 0;
	}
	place = __sync_fetch_and_add(&places_taken, 1);
	if (place >= TW_ATTACH_THREADS)
		return 0;
	follow_thread(task, place);
	return place + 1;
}

/* Follow no I/O at this address: an older one has ended without a completion. */
static void not_chosen(struct io_kiocb *io)
{
	const struct in_flight *old = in_flight(io);
	__u64 key = (__u64)io;

	if (!is_sampled)
		is_sampled = 1;
	if (old) {
		no_cqe(old);
		bpf_map_delete_elem(&ios, &key);
	}
}

static int accepted(struct io_kiocb *io)
{
	struct in_flight new = {
		.ring = (__u64)io->ctx,
		.opcode = io->opcode,
	};
	const __u32 *number;
	struct in_flight *old;
	__u64 key = (__u64)io;

	if (!is_io(new.opcode))
		return 0;
	number = bpf_map_lookup_elem(&rings, &new.ring);
	if (!number)
		return 0;
	new.shift = shift;
	if (new.shift && bpf_get_prandom_u32() & ((1U << (new.shift & 31)) - 1)) {
		not_chosen(io);
		return 0;
	}
	new.stamps.accepted_ns = bpf_ktime_get_ns();
	new.ring_number = *number;
	new.offset = (__u64)READ(struct kiocb, io, ki_pos);
	if (with_causes) {
		new.submitter = current_thread();
		new.thread = follow_submitter();
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
	struct in_flight *mine = is_following() ? in_flight(io) : 0;

	if (mine)
		mine->flags |= TW_ATTACH_LINKED;
	return 0;
}

/* The request has IOSQE_IO_DRAIN, or comes after one that has, and has to wait. */
SEC("tp_btf/io_uring_defer")
int BPF_PROG(drained, struct io_kiocb *io)
{
	struct in_flight *mine = is_following() ? in_flight(io) : 0;

	if (mine)
		mine->flags |= TW_ATTACH_DRAINED;
	return 0;
}

/* Forget a read or write on no storage when it begins to wait. Return 0 for others, also
 * for those whose file is not known yet. */
static int is_no_io(struct io_kiocb *io, const struct in_flight *mine)
{
	const struct inode *inode = inode_of(io);
	__u64 key = (__u64)io;

	return inode && !has_storage(inode, mine->opcode) &&
	       bpf_map_delete_elem(&ios, &key) == 0;
}

SEC("tp_btf/io_uring_poll_arm")
int BPF_PROG(poll_arm, struct io_kiocb *io)
{
	const struct in_flight *mine = is_following() ? in_flight(io) : 0;

	if (mine)
		is_no_io(io, mine);
	return 0;
}

SEC("tp_btf/io_uring_queue_async_work")
int BPF_PROG(queue_async, struct io_kiocb *io)
{
	struct in_flight *mine = is_following() ? in_flight(io) : 0;

	if (mine && !is_no_io(io, mine))
		submit_again(&mine->stamps);
	return 0;
}

static __always_inline int dispatching(struct tw_kernel_stamps *stamps, __u64 rq)
{
	return 0;
}

static __always_inline void dispatched(struct tw_kernel_stamps *stamps, __u64 rq, __u64 now_ns)
{
	struct in_flight *mine = (struct in_flight *)stamps;	/* the first member */

	if (with_causes && stamps->dispatched_ns == now_ns &&
	    mine->submitter == current_thread())
		mine->flags |= TW_ATTACH_DISPATCHED_ITSELF;
}

#include "names.bpf.h"

/* ---- completions --------------------------------------------------------- */

static void count_other(struct io_kiocb *io)
{
	__u32 opcode = READ(struct io_kiocb, io, opcode);

	if (opcode >= TW_ATTACH_OPCODES)
		opcode = TW_ATTACH_OPCODES - 1;
	count(&lost.others[opcode]);
}

/* Return the flag that wakes the reader at once if the I/O is among the slowest. */
static __u64 wakeup_for(const struct tw_attach_io *record)
{
	return with_causes && record->opcode < 64 &&
	       listed >> record->opcode & 1 && record->accepted_ns &&
	       record->posted_ns - record->accepted_ns >= slow_ns ?
		BPF_RB_FORCE_WAKEUP : BPF_RB_NO_WAKEUP;
}

/* Count an I/O that was not chosen. Return 0: there is no room for that. */
static int count_only(const struct tw_attach_key *key, struct io_kiocb *io, __s32 result)
{
	const struct tw_attach_counted none = { 0 };
	struct tw_attach_counted *at = bpf_map_lookup_elem(&counted, key);

	if (!at) {
		bpf_map_update_elem(&counted, key, &none, BPF_NOEXIST);
		at = bpf_map_lookup_elem(&counted, key);
		if (!at)
			return 0;
		tell_file(&key->inode, READ(struct io_kiocb, io, file));
	}
	count(&at->ios);
	if (result)
		__sync_fetch_and_add(&at->bytes, (__u32)result);
	else
		count(&at->zero_byte);
	return 1;
}

static void tell(struct io_kiocb *io, __u32 ring, const struct in_flight *mine)
{
	const struct tw_kernel_stamps *stamps = mine ? &mine->stamps : 0;
	const __u64 now = stamps ? bpf_ktime_get_ns() : 0;
	const struct inode *of = inode_of(io);
	struct tw_attach_key key = {
		.ring = ring, .opcode = READ(struct io_kiocb, io, opcode),
	};
	const __s32 result = READ(struct io_kiocb, io, cqe.res);
	struct tw_attach_io *record;

	if (of && !has_storage(of, key.opcode)) {
		count_other(io);
		return;
	}
	name_inode(&key.inode, of);
	if (!stamps && is_sampled && result >= 0 && count_only(&key, io, result))
		return;
	tell_file(&key.inode, READ(struct io_kiocb, io, file));
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(&lost.records);
		return;
	}
	__builtin_memset(record, 0, sizeof(*record));
	record->kind = TW_ATTACH_IO;
	record->opcode = (__u8)key.opcode;
	record->ring = ring;
	record->inode = key.inode;
	record->posted_ns = stamps ? now : bpf_ktime_get_ns();
	record->result = result;
	if (!stamps && is_sampled)
		record->flags = TW_ATTACH_NOT_CHOSEN;
	if (stamps) {
		record->shift = (__u8)mine->shift;
		record->flags = (__u8)(mine->flags | (stamps->flags & TW_ATTACH_OF_STAMPS));
		record->accepted_ns = stamps->accepted_ns;
		record->dispatched_ns = stamps->dispatched_ns;
		record->finished_ns = stamps->finished_ns;
		record->offset = mine->offset;
		record->requests = stamps->requests;
		record->retries = stamps->retries;
		record->finished_bytes = stamps->finished_bytes;
		record->due_bytes = stamps->due_bytes;
		record->thread = (__u8)mine->thread;
		if (with_causes && mine->submitter == current_thread())
			record->flags |= TW_ATTACH_POSTED_ITSELF;
	}
	bpf_ringbuf_submit(record, wakeup_for(record));
}

SEC("tp_btf/io_uring_complete")
int BPF_PROG(complete, void *context, struct io_kiocb *io)
{
	__u64 ring = (__u64)context, key = (__u64)io;
	const struct in_flight *mine, *old;
	const __u32 *number;

	if (!is_following())
		return 0;
	number = bpf_map_lookup_elem(&rings, &ring);
	old = io ? in_flight(io) : 0;
	mine = old && old->ring == ring ? old : 0;
	if (mine)
		number = &mine->ring_number;
	if (!number)
		return 0;
	if (!io) {
		count(&lost.more_cqes);
		return 0;
	}
	if (is_io(READ(struct io_kiocb, io, opcode))) {
		tell(io, *number, mine);
	} else {
		count_other(io);
		if (mine)
			no_cqe(mine);
	}
	if (old)
		bpf_map_delete_elem(&ios, &key);
	return 0;
}

/* ---- waits --------------------------------------------------------------- */

#include "waits.bpf.h"
#include "in_cgroup.bpf.h"
