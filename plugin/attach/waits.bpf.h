/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follow what the threads of followed processes wait for. No program runs at system calls: a
 * thread that falls asleep tells by its registers in which call it is, and by its stack in the
 * kernel why it sleeps. What does not sleep costs nothing. attach.bpf.c includes this file once,
 * after all that it uses of it.
 *
 * Bios that the thread itself sends lead to the times in the device: sent.bpf.h.
 *
 * A call of fsync(2) or fdatasync(2) has the stamps of kernel/sync/sync.bpf.h, too. It begins with
 * its first bio or sleep. That a call is another one is known by what the thread did in between:
 * it read or wrote, used another descriptor, slept elsewhere, or the file system reports a sync.
 */
#ifndef TW_PLUGIN_ATTACH_WAITS_BPF_H
#define TW_PLUGIN_ATTACH_WAITS_BPF_H

#include "kernel/sync/sync.bpf.h"
#include "kernel/sync/commit.bpf.h"

#define MAX_WAITERS	8192	/* threads that have waited */
#define MAX_THREADS	32768	/* of followed processes */
#define WAKES_NS	100000	/* from the end of a bio until who waits for it is woken */

#define O_APPEND		02000	/* include/uapi/asm-generic/fcntl.h */

/* Set before loading: where handle_mm_fault(), splice_direct_to_actor() and
 * iter_file_splice_write() are. */
const volatile __u64 fault_from = 0;
const volatile __u64 fault_to = 0;
const volatile __u64 copy_from = 0;
const volatile __u64 copy_to = 0;
const volatile __u64 copy_write_from = 0;
const volatile __u64 copy_write_to = 0;

/* Waits of this length are among the slowest, and name their process. The reader changes this. */
volatile __u64 slow_wait_ns;

/* What followed threads did, while they were followed. */
struct tw_attach_ran ran;

static const struct tw_attach_waiter no_waiter;

/* By the kernel's number of the thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_WAITERS);
	__type(key, __u32);
	__type(value, struct tw_attach_waiter);
} waiters SEC(".maps");

/* Where nothing waits, a program leaves at once. */
static __u32 asleep;
static __u32 in_sync;

/* The task that runs has the path in its memory, if the page is not swapped out. */
static __always_inline void take_path(struct task_struct *task, const struct call *call,
				      char path[TW_ATTACH_NAME])
{
	const __u32 number = (call->how & TW_CALL_PATH2) / TW_CALL_PATH0;

	path[0] = '\0';
	if (number)
		bpf_probe_read_user_str(path, TW_ATTACH_NAME,
					(const void *)argument(task, number - 1));
}

/* Return how many calls that read or write have ended in the thread. */
static __always_inline __u64 read_or_wrote(struct task_struct *task)
{
	return bpf_core_field_exists(task->ioac) ? BPF_CORE_READ(task, ioac.syscr) +
						   BPF_CORE_READ(task, ioac.syscw) : 0;
}

static struct tw_attach_waiter *waiter_of(__u32 thread, int make)
{
	struct tw_attach_waiter *of = bpf_map_lookup_elem(&waiters, &thread);

	if (of || !make)
		return of;
	if (bpf_map_update_elem(&waiters, &thread, &no_waiter, BPF_NOEXIST))
		count(&lost.waits);
	return bpf_map_lookup_elem(&waiters, &thread);
}

/* ---- syncs ------------------------------------------------------------------ */

static __always_inline int is_sync(const struct call *call)
{
	return call->how & TW_CALL_SYNCS;
}

/* Send the record of a sync that slept. */
static void end_sync(struct tw_attach_waiter *of)
{
	struct tw_sync *stamps = &of->sync.stamps;

	if (!stamps->begun_ns)
		return;
	if (stamps->ended_ns) {
		if (stamps->ended_ns <= stamps->moved_on_ns)
			stamps->moved_on_ns = 0;
		if (bpf_ringbuf_output(&records, &of->sync, sizeof(of->sync), BPF_RB_NO_WAKEUP))
			count(&lost.records);
	}
	stamps->begun_ns = 0;
	__sync_fetch_and_add(&in_sync, -1);
}

/* The thread that runs is in a call that syncs @call->file. */
static __always_inline void at_sync(struct task_struct *task, struct tw_attach_waiter *of,
				    const struct call *call)
{
	const __u64 now = read_or_wrote(task);
	struct file *file = call->file;

	if (of->sync.fd != call->fd || of->sync.read_or_wrote != now)
		end_sync(of);
	if (of->sync.stamps.begun_ns)
		return;
	__sync_fetch_and_add(&in_sync, 1);
	__builtin_memset(&of->sync, 0, sizeof(of->sync));
	of->sync.kind = TW_ATTACH_CALL;
	of->sync.opcode = call->how & TW_CALL_FULL ? TW_ATTACH_FSYNC : TW_ATTACH_FDATASYNC;
	of->sync.fd = call->fd;
	of->sync.read_or_wrote = now;
	name_inode(&of->sync.inode, BPF_CORE_READ(file, f_inode));
	tell_file(&of->sync.inode, file);
	follow_journal(file);
	sync_begins(&of->sync.stamps, file, bpf_ktime_get_ns());
}

/* A sync begins that the file system reports: the thread's last one is over. */
static __always_inline int sync_enters(void)
{
	struct tw_attach_waiter *of = in_sync ? waiter_of(current_thread(), 0) : 0;

	if (of)
		end_sync(of);
	return 0;
}

SEC("?tp_btf/ext4_sync_file_enter")
int BPF_PROG(ext4_enter)
{
	return sync_enters();
}

SEC("?tp_btf/xfs_file_fsync")
int BPF_PROG(xfs_enter)
{
	return sync_enters();
}

SEC("?tp_btf/btrfs_sync_file")
int BPF_PROG(btrfs_enter)
{
	return sync_enters();
}

#include "sent.bpf.h"

/* ---- sleeps ------------------------------------------------------------------ */

/* What is in a stack. */
enum { IN_FAULT = 1, IN_COPY = 2, IN_COPY_WRITE = 4 };

/* Return 1 if an address is in (@from, @to]. The verifier would follow both ways of a jump for
 * each frame, so there is none. */
static __always_inline __u64 is_in(__u64 address, __u64 from, __u64 to)
{
	return ((from - address) & (address - to - 1)) >> 63;
}

/* Take the stack of the task that falls asleep. Return what it is in. */
static __always_inline int take_stack(void *context, struct tw_stack *stack)
{
	__u32 zero = 0, i, count = 0;
	struct stack *all = bpf_map_lookup_elem(&stacks, &zero);
	__u64 in = 0;
	long bytes;

	if (!all)
		return 0;
	bytes = bpf_get_stack(context, all->frames, sizeof(all->frames), OWN_FRAMES);
	for (i = 0; i < DEEPEST; i++) {
		const __u64 frame = all->frames[i];

		if ((long)(i * sizeof(*all->frames)) >= bytes)
			break;
		if (i < TW_FRAMES) {
			stack->frames[i] = frame;
			count = i + 1;
		}
		in |= is_in(frame, fault_from, fault_to) * IN_FAULT |
		      is_in(frame, copy_from, copy_to) * IN_COPY |
		      is_in(frame, copy_write_from, copy_write_to) * IN_COPY_WRITE;
	}
	stack->count = count;
	return (int)in;
}

/* Set the one of two files that a copy waits for. In doubt it is none. */
static __always_inline void choose_file(struct task_struct *task, struct call *call, int in)
{
	struct file *from = call->file;

	call->file = 0;
	find_file(call, (__u32)argument(task, call->how & TW_CALL_ARG1 ? 0 : 2));
	if (!(in & IN_COPY_WRITE) && call->file != from)
		call->file = !call->file || in & IN_COPY ? from : 0;
}

static __always_inline void sleeps_no_more(struct tw_attach_waiter *of)
{
	of->wait.flags = 0;
	of->wait.dispatched_ns = of->wait.finished_ns = of->wait.woken_ns = 0;
	of->wait.who.kind = TW_WHO_UNKNOWN;
	of->wait.slept_ns = 0;
	__sync_fetch_and_add(&asleep, -1);
}

/* Return when the thread fell asleep; 0: it is no wait. */
static __always_inline __u64 falls_asleep(void *context, struct task_struct *task,
					  unsigned int state)
{
	const __u32 thread = (__u32)task->pid;
	struct tw_attach_waiter *of;
	struct call call = { 0 };
	__u64 slept_ns, calls_ended;
	int in, in_fault, only_fault = 0, by_signal;

	/* A debugger or a user who stopped it is no storage. */
	if (!may_be_followed((__u32)task->tgid) || state & (TASK_STOPPED | TASK_TRACED))
		return 0;
	find_call(task, &call);
	if (!call.how) {
		/* With another sleep, a sync is over. */
		of = in_sync && call.number < TW_CALLS ? waiter_of(thread, 0) : 0;
		if (of)
			end_sync(of);
		if (!(state & TASK_UNINTERRUPTIBLE) ||
		    task->flags & (PF_KTHREAD | PF_IO_WORKER))
			return 0;
	}
	if (is_of_32_bits(task)) {
		if (state & TASK_UNINTERRUPTIBLE && is_followed((__u32)task->tgid))
			count(&lost.of_32_bits);
		return 0;
	}
	if (call.how)
		find_files(task, &call);
	if (!call.file && !(call.how & (TW_CALL_ANY_SLEEP | TW_CALL_NO_FILE)))
		only_fault = 1;		/* such as send() of a mapped file */
	/* A call of a descriptor alone, such as ioctl(2), may sleep for anything. */
	by_signal = (!call.file || call.how & TW_CALL_COPIES || call.how == TW_CALL_ARG0) &&
		    !(call.how & TW_CALL_ANY_SLEEP) && !(state & TASK_UNINTERRUPTIBLE);
	if (by_signal && (only_fault || call.how & TW_CALL_RINGS))
		return 0;
	/* The search in the map comes last: pipes and sockets do not need it. */
	if (!is_followed((__u32)task->tgid))
		return 0;
	of = waiter_of(thread, 1);
	if (!of)
		return 0;
	if (!of->wait.slept_ns)
		__sync_fetch_and_add(&asleep, 1);
	/* At once: a bio may end on another CPU meanwhile. */
	slept_ns = bpf_ktime_get_ns();
	PUT_ORDERED(&of->wait.slept_ns, slept_ns);
	in = take_stack(context, &of->wait.stack);
	in_fault = in & IN_FAULT;
	if ((only_fault || call.number == TW_CALL_FAULT) && !in_fault) {
		sleeps_no_more(of);
		return 0;
	}
	calls_ended = read_or_wrote(task);
	if (by_signal) {
		/* A copy may wait for a socket, and for its file after that. */
		of->wait.flags |= TW_ATTACH_BY_SIGNAL;
	} else if (!in_fault) {
		/* A call may wait for a page of its buffer, and for its file after that. */
		if (of->read_or_wrote != calls_ended || of->call != call.number)
			of->wait.flags |= TW_ATTACH_FIRST;
		of->read_or_wrote = calls_ended;
		of->call = call.number;
	}
	of->wait.kind = TW_ATTACH_WAIT;
	of->wait.call = in_fault ? TW_CALL_FAULT : (__u16)call.number;
	__builtin_memset(&of->wait.inode, 0, sizeof(of->wait.inode));
	take_path(task, &call, of->wait.path);
	if (call.how & TW_CALL_COPIES)
		choose_file(task, &call, in);
	if (call.file && !in_fault) {
		struct file *file = call.file;

		name_inode(&of->wait.inode, BPF_CORE_READ(file, f_inode));
		tell_file(&of->wait.inode, file);
		/* With O_APPEND each write goes to the end of the file, also that of pwrite(2). */
		of->wait.position = BPF_CORE_READ(file, f_flags) & O_APPEND &&
				    !(call.how & TW_CALL_READS) ?
				    ~0ULL : (__u64)BPF_CORE_READ(file, f_pos);
	}
	if (is_sync(&call) && call.file) {
		at_sync(task, of, &call);
		sync_sleeps(context, &of->sync.stamps);
	} else {
		end_sync(of);
	}
	return slept_ns;
}

/* Say more of a wait that is worth a line. */
static __always_inline void describe(struct tw_attach_waiter *of, struct task_struct *task)
{
	struct tw_attach_wait *wait = &of->wait;

	wait->process = process_of(task);
	wait->thread = number_of(task);
	wait->third = argument(task, 2);
	wait->fourth = argument(task, 3);
	BPF_CORE_READ_STR_INTO(&wait->program, task, comm);
	if (of->sync.stamps.begun_ns)
		wait->who = of->sync.stamps.who;
}

/* @now_ns: 0: not known yet */
static __always_inline void runs_again(struct task_struct *task, __u64 now_ns)
{
	struct tw_attach_waiter *of = waiter_of((__u32)task->pid, 0);
	struct tw_attach_wait *wait;
	__u64 bytes;

	if (!of || !of->wait.slept_ns)
		return;
	wait = &of->wait;
	wait->on_ns = now_ns ? now_ns : bpf_ktime_get_ns();
	/* Others went on since @now_ns. */
	if (wait->on_ns < wait->slept_ns)
		wait->on_ns = wait->slept_ns;
	if (wait->finished_ns > wait->on_ns)
		wait->finished_ns = wait->on_ns;
	if (calls[wait->call % TW_CALLS] & TW_CALL_ANY_SLEEP &&
	    !waits_for_submitted(wait, (__u32)task->tgid)) {
		sleeps_no_more(of);
		return;
	}
	/* What ended before the sleep is what the thread waited for if it was woken at once. */
	if (wait->finished_ns < wait->slept_ns &&
	    wait->finished_ns + WAKES_NS < (wait->woken_ns ? wait->woken_ns : wait->on_ns)) {
		wait->flags &= TW_ATTACH_FIRST | TW_ATTACH_BY_SIGNAL;
		wait->dispatched_ns = wait->finished_ns = 0;
	}
	/* On another device it is what is below the file of the call. */
	if (wait->flags & TW_ATTACH_HAS_ENDED && of->read_in == wait->call && of->read.mode &&
	    (wait->call == TW_CALL_FAULT ? wait->flags & TW_ATTACH_HAS_READ :
	     of->read.device == wait->inode.device))
		wait->inode = of->read;
	if (limits && !(wait->flags & TW_ATTACH_HAS_ENDED)) {
		const struct tw_attach_inode inode = wait->inode;
		const struct passed *at = bpf_map_lookup_elem(&limited, &inode);

		if (at && at->at_ns > wait->slept_ns) {
			wait->flags |= TW_ATTACH_LIMITED;
			wait->limit = at->limit;
		}
	}
	wait->process = wait->thread = 0;
	if (wait->on_ns - wait->slept_ns >= slow_wait_ns)
		describe(of, task);
	bytes = wait->others.key && wait->others.key == wait->dispatched_ns ? sizeof(*wait) :
		wait->path[0] ? offsetof(struct tw_attach_wait, others) :
		offsetof(struct tw_attach_wait, path);
	if (bpf_ringbuf_output(&records, wait, bytes, BPF_RB_NO_WAKEUP))
		count(&lost.records);
	if (of->sync.stamps.begun_ns) {
		sync_runs(&of->sync.stamps);
		of->sync.ran_ns = wait->on_ns;
	}
	sleeps_no_more(of);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(thread_switched, _Bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	__u64 now_ns = 0;

	/* A thread closes its files, and takes CPU time, until it leaves its CPU for the last time. */
	if (!preempt && prev_state & TASK_DEAD)
		thread_ends(prev);
	/* One thread leaves when the other one comes, and not when the stack is taken. */
	else if (!preempt && prev_state)
		now_ns = falls_asleep(ctx, prev, prev_state);
	if (asleep && may_be_followed((__u32)next->tgid))
		runs_again(next, now_ns);
	return 0;
}

/* A lock goes from the task that runs, and has held it, to the one that it wakes. */
static __always_inline void name_waker(struct tw_who *who, __u32 sleeper,
				       const struct viewer *viewer)
{
	struct task_struct *task = bpf_get_current_task_btf();

	if (task->flags & PF_KTHREAD)
		return;
	name_process(who, (__u32)task->tgid == sleeper ||
		     may_see(viewer, task->real_cred->uid.val, task->real_cred->euid.val),
		     process_of(task), task->group_leader->comm);
}

SEC("tp_btf/sched_waking")
int BPF_PROG(thread_woken, struct task_struct *task)
{
	struct tw_attach_waiter *of = asleep && may_be_followed((__u32)task->tgid) ?
				      waiter_of((__u32)task->pid, 0) : 0;
	struct viewer reader = { 0 };

	if (!of || !ADD_ORDERED(&of->wait.slept_ns, 0))
		return 0;
	if (!of->wait.woken_ns)
		of->wait.woken_ns = bpf_ktime_get_ns();
	reader.uid = reader_uid;
	reader.may_all = reader_may_all;
	if (!of->sync.stamps.begun_ns) {
		if (of->wait.woken_ns - of->wait.slept_ns >= slow_wait_ns)
			name_waker(&of->wait.who, (__u32)task->tgid, &reader);
		return 0;
	}
	sync_woken(&of->sync.stamps);
	if (of->sync.stamps.moved_on_ns)
		woken_by_commit(&of->sync.stamps, (__u32)task->tgid, &reader);
	return 0;
}

/* ---- what threads did ---------------------------------------------------------- */

/* By the address of its structure: what a followed thread had done before. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_THREADS);
	__type(key, __u64);
	__type(value, struct tw_attach_ran);
} ran_before SEC(".maps");

static __always_inline void find_ran(struct task_struct *task, struct tw_attach_ran *now)
{
	__builtin_memset(now, 0, sizeof(*now));
	now->run_ns = BPF_CORE_READ(task, se.sum_exec_runtime);
	if (bpf_core_field_exists(task->sched_info.run_delay))
		now->ready_ns = BPF_CORE_READ(task, sched_info.run_delay);
	if (!bpf_core_field_exists(task->ioac.syscr))
		return;
	now->is_known = 1;
	now->read_calls = BPF_CORE_READ(task, ioac.syscr);
	now->write_calls = BPF_CORE_READ(task, ioac.syscw);
	now->read_bytes = BPF_CORE_READ(task, ioac.rchar);
	now->written_bytes = BPF_CORE_READ(task, ioac.wchar);
	if (bpf_core_field_exists(task->ioac.read_bytes))
		now->storage_bytes = BPF_CORE_READ(task, ioac.read_bytes);
}

/* What a thread has done so far does not count, nor what one did that has ended. */
static void thread_begins(struct task_struct *task)
{
	struct tw_attach_ran now;
	__u64 key = (__u64)task;

	/* Its end may have been seen already. */
	if (BPF_CORE_READ(task, flags) & PF_EXITING)
		return;
	find_ran(task, &now);
	if (bpf_map_update_elem(&ran_before, &key, &now, BPF_ANY))
		count(&lost.waits);
}

#define ADD_RAN(member)								\
	if (now.member > before.member)						\
		__sync_fetch_and_add(&ran.member, now.member - before.member)

/* Add what a thread has done since it began to be followed. Who deletes that adds it, so each thread
 * counts once, also if it ends at the end of the run. */
static void add_ran(struct task_struct *task)
{
	struct tw_attach_ran before, now, *at;
	__u64 key = (__u64)task;

	at = bpf_map_lookup_elem(&ran_before, &key);
	if (!at)
		return;
	before = *at;
	if (bpf_map_delete_elem(&ran_before, &key))
		return;
	find_ran(task, &now);
	ran.is_known = now.is_known;
	ADD_RAN(run_ns);
	ADD_RAN(ready_ns);
	ADD_RAN(read_calls);
	ADD_RAN(write_calls);
	ADD_RAN(read_bytes);
	ADD_RAN(written_bytes);
	ADD_RAN(storage_bytes);
}

static void waits_no_more(__u32 thread)
{
	struct tw_attach_waiter *of = waiter_of(thread, 0);

	if (of) {
		end_sync(of);
		/* If it was missed that the thread runs */
		if (of->wait.slept_ns)
			sleeps_no_more(of);
		bpf_map_delete_elem(&waiters, &thread);
	}
}

static void thread_ends(struct task_struct *task)
{
	add_ran(task);
	waits_no_more((__u32)task->pid);
}

SEC("iter/task")
int threads_before(struct bpf_iter__task *at)
{
	struct task_struct *task = at->task;
	__u64 key = (__u64)task;

	/* One of a cgroup has begun already. */
	if (task && is_followed((__u32)BPF_CORE_READ(task, tgid)) &&
	    !bpf_map_lookup_elem(&ran_before, &key))
		thread_begins(task);
	return 0;
}

SEC("iter/task")
int threads_after(struct bpf_iter__task *at)
{
	struct task_struct *task = at->task;

	/* One that has ended, and is still on its CPU, adds what it did when it leaves that. */
	if (task && (!BPF_CORE_READ(task, exit_state) || BPF_CORE_READ(task, __state) & TASK_DEAD))
		add_ran(task);
	return 0;
}

#endif
