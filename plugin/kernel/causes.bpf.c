/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follow the threads of jobs: when each was off its CPU, since when it could have run
 * again, and what had the CPU meanwhile (turn.h).
 *
 * A thread is followed if it makes a ring and the job has named it in `expected`, or if
 * attach.bpf.c puts it into `threads`. Each CPU keeps a short history of what it ran: the
 * tasks that it switched to, and interrupts of LONG_NS and more. A shorter interrupt
 * counts as part of the task that it interrupted.
 *
 * Names and ids of another user's processes are hidden here, unless the job's thread may
 * trace any process. With attach, the user who runs attach must have that right.
 */
#include "kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "follow.bpf.h"
#include "thread.bpf.h"
#include "turn.h"

char LICENSE[] SEC("license") = "GPL";

#define LONG_NS		10000
#define HISTORY		64	/* a power of two */

#define PF_KTHREAD	0x00200000	/* include/linux/sched.h */
#define CAP_SYS_PTRACE	19		/* include/uapi/linux/capability.h */
#define NOBODYS		(~0U)

/* Set before loading: the jobs, or the reader, are in a pid namespace other than the
 * first one, whose numbers the kernel has at hand. */
const volatile _Bool nested = 0;
/* The address and level of that namespace, once a process in it was switched. */
__u64 jobs_namespace = 0;
__u32 jobs_level = 0;

/* Set before loading: this user reads the turns, and not the job. */
const volatile _Bool has_reader = 0;
const volatile _Bool reader_may_all = 0;
const volatile __u32 reader_uid = 0;

/* By the thread's number, as gettid() of the job returns it: its index in `rings` + 1. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TW_MAX_FOLLOWED);
	__type(key, __u32);
	__type(value, __u32);
} expected SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);		/* set before loading */
	__uint(map_flags, BPF_F_MMAPABLE);
	__type(key, __u32);
	__type(value, struct tw_turns);
} rings SEC(".maps");

struct past {
	__u64 from_ns;
	__u32 id;
	__u32 kind;
	__u32 owner;		/* user of a process */
	__u32 thread;
	char name[TW_NAME_SIZE];
};

struct history {
	__u64 count;
	__u64 hard_ns;		/* when the current interrupt began; 0: none */
	__u64 soft_ns;		/* when the current softirq began; 0: none */
	struct past past[HISTORY];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct history);
} histories SEC(".maps");

static const __u32 zero = 0;

static struct history *history_here(void)
{
	return bpf_map_lookup_elem(&histories, &zero);
}

/* Return the time stolen from the CPU on which the task runs or for which it waits. */
static __u64 stolen_of(struct task_struct *task)
{
	struct rq *rq = 0;

	if (!bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(rq->prev_steal_time_rq))
		return 0;
	rq = BPF_CORE_READ(task, se.cfs_rq, rq);
	return BPF_CORE_READ(rq, prev_steal_time_rq);
}

static struct followed *followed_of(struct task_struct *task)
{
	__u32 pid = task->pid;
	struct followed *of;

	if (!pid)
		return 0;
	of = bpf_map_lookup_elem(&threads, &pid);
	return of && of->start_time == task->start_time ? of : 0;
}

/* ---- what a CPU did ------------------------------------------------------ */

static struct past *new_past(struct history *history)
{
	return &history->past[history->count & (HISTORY - 1)];
}

/* Return the address of the number of @pid in its namespace of @level. */
static __u64 number_at(const struct pid *pid, __u32 level)
{
	return (__u64)pid + bpf_core_field_offset(struct pid, numbers) +
	       level * bpf_core_type_size(struct upid);
}

static __u64 namespace_at(const struct pid *pid, __u32 level)
{
	const struct upid *number = (const struct upid *)number_at(pid, level);

	return (__u64)BPF_CORE_READ(number, ns);
}

static void note_namespace(struct task_struct *task)
{
	const struct pid *pid = BPF_CORE_READ(task, thread_pid);
	__u32 level = BPF_CORE_READ(pid, level);

	jobs_namespace = namespace_at(pid, level);
	jobs_level = level;
}

/* Return the number of the task's process in the jobs' namespace; 0 if they can't see
 * the process. */
static __u32 process_of(struct task_struct *task)
{
	__u32 level = jobs_level;
	const struct upid *number;
	const struct pid *pid;

	if (!nested)
		return task->tgid;
	pid = BPF_CORE_READ(task, group_leader, thread_pid);
	if (!pid || BPF_CORE_READ(pid, level) < level ||
	    namespace_at(pid, level) != jobs_namespace)
		return 0;
	number = (const struct upid *)number_at(pid, level);
	return BPF_CORE_READ(number, nr);
}

static void put_task(struct history *history, struct task_struct *task,
		     __u64 now)
{
	struct past *past = new_past(history);
	const struct cred *cred = task->real_cred;
	__u32 uid = cred->uid.val;

	past->from_ns = now;
	past->id = process_of(task);
	past->thread = task->pid;
	past->kind = !task->pid ? TW_IDLE :
		     task->flags & PF_KTHREAD ? TW_KERNEL_THREAD : TW_PROCESS;
	past->owner = uid == cred->euid.val ? uid : NOBODYS;
	bpf_probe_read_kernel(past->name, sizeof(past->name), task->comm);
	barrier();
	history->count++;
}

/* Update the newest entry, whose task should still have the CPU, with the task's current
 * name, since an exec may have changed it. If another task has the CPU, a switch was
 * missed, and it is unknown what had the CPU until now. */
static void name_again(struct history *history, struct task_struct *task)
{
	struct past *past = &history->past[(history->count - 1) & (HISTORY - 1)];

	if (past->thread == (__u32)task->pid)
		bpf_probe_read_kernel(past->name, sizeof(past->name),
				      task->comm);
	else
		past->kind = TW_NOBODY;
}

/* ---- turns --------------------------------------------------------------- */

static struct tw_turn *new_turn(const struct followed *of,
				struct tw_turns **turns)
{
	__u32 ring = of->ring;

	*turns = bpf_map_lookup_elem(&rings, &ring);
	return *turns ? &(*turns)->turns[(*turns)->newest & (TW_TURNS - 1)] : 0;
}

static void publish(struct tw_turns *turns, struct tw_turn *turn)
{
	barrier();
	turn->number = turns->newest + 1;
	barrier();
	turns->newest++;
}

/* The user who may read the turns. */
struct viewer {
	__u32 uid;
	__u32 may_all;
};

static void holder_of(struct tw_holder *holder, const struct past *past,
		      const struct viewer *viewer)
{
	if (past->kind == TW_PROCESS && !viewer->may_all &&
	    past->owner != viewer->uid) {
		holder->kind = TW_HIDDEN;
		holder->id = 0;
		__builtin_memset(holder->name, 0, sizeof(holder->name));
		return;
	}
	holder->kind = past->kind;
	holder->id = past->id;
	__builtin_memcpy(holder->name, past->name, sizeof(holder->name));
}

/* The state of collect(): what had the CPU of @history, from @to_ns back to @from_ns, goes
 * into the holders of @turn from @at on. */
struct collecting {
	struct tw_turn *turn;
	const struct history *history;
	const struct viewer *viewer;
	__u64 count;
	__u64 from_ns;
	__u64 to_ns;
	__u32 at;
	__u32 unused;
};

static long collect_one(__u32 i, struct collecting *now)
{
	const struct past *past =
		&now->history->past[(now->count - 1 - i) & (HISTORY - 1)];
	__u64 past_ns = past->from_ns;
	struct tw_holder *holder;

	if (now->at >= TW_HOLDERS || !past_ns || now->to_ns <= now->from_ns)
		return 1;
	if (past_ns >= now->to_ns)
		return 0;
	holder = &now->turn->holders[now->at & (TW_HOLDERS - 1)];
	holder_of(holder, past, now->viewer);
	holder->from_ns = past_ns > now->from_ns ? past_ns : now->from_ns;
	holder->to_ns = now->to_ns;
	now->to_ns = past_ns;
	now->at++;
	return 0;
}

/* Collect holders. The history of another CPU may grow meanwhile. If its newest entries
 * have overwritten those that were read, the holders are dropped. */
static void collect(struct collecting *now)
{
	__u32 begun = now->at;

	now->count = now->history->count;
	bpf_loop(HISTORY / 2, collect_one, now, 0);
	barrier();
	if (*(const volatile __u64 *)&now->history->count - now->count >=
	    HISTORY / 2)
		now->at = begun;
}

static void look_as(struct viewer *viewer, struct task_struct *task)
{
	const struct cred *cred = task->cred;
	__u32 capabilities = 0;

	if (has_reader) {
		viewer->uid = reader_uid;
		viewer->may_all = reader_may_all;
		return;
	}
	bpf_core_read(&capabilities, sizeof(capabilities), &cred->cap_effective);
	viewer->uid = cred->euid.val;
	viewer->may_all = !cred->user_ns->level &&
			  capabilities >> CAP_SYS_PTRACE & 1;
}

static void put_holders(struct tw_turn *turn, const struct followed *of,
			struct history *here, __u64 now,
			const struct viewer *viewer)
{
	__u64 ready_ns = !of->asleep ? of->off_ns :
			 of->woken_ns ? of->woken_ns :
			 of->waking_ns ? of->waking_ns : now;
	struct collecting now_is = {
		.turn = turn, .viewer = viewer, .history = here,
		.from_ns = of->moved ? of->moved_last_ns : ready_ns,
		.to_ns = now,
	};
	const struct history *first = 0;

	collect(&now_is);
	if (of->moved)
		first = bpf_map_lookup_percpu_elem(&histories, &zero,
						   of->cpu_first);
	if (first) {
		now_is.history = first;
		now_is.from_ns = ready_ns;
		now_is.to_ns = of->moved_first_ns;
		collect(&now_is);
	}
	if (now_is.at < TW_HOLDERS)
		turn->holders[now_is.at & (TW_HOLDERS - 1)].kind = TW_NOBODY;
}

/* Write the turn of a thread that runs again. */
static void put_turn(struct followed *of, struct task_struct *task,
		     struct history *here, __u64 now)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct tw_turns *turns;
	struct tw_turn *turn = new_turn(of, &turns);
	struct viewer viewer;

	if (!turn)
		return;
	turn->number = 0;
	barrier();
	turn->ran_ns = of->ran_ns;
	turn->off_ns = of->off_ns;
	turn->waking_ns = of->waking_ns ? of->waking_ns : of->woken_ns;
	turn->woken_ns = of->woken_ns;
	turn->on_ns = now;
	turn->interrupt_ns = of->interrupt_ns;
	turn->stolen_ns = of->moved || of->cpu != cpu ? 0 :
			  stolen_of(task) - of->stolen_ns;
	turn->cpu = cpu;
	turn->moved = of->moved;
	look_as(&viewer, task);
	put_holders(turn, of, here, now, &viewer);
	publish(turns, turn);
}

/* ---- the scheduler ------------------------------------------------------- */

SEC("tp_btf/io_uring_create")
int BPF_PROG(create, int fd, void *ring)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = thread(), pid = task->pid;
	const __u32 *place = bpf_map_lookup_elem(&expected, &tid);
	struct followed made = { .ran_ns = bpf_ktime_get_ns() };

	if (!place || !*place)
		return 0;
	made.start_time = task->start_time;
	made.ring = *place - 1;
	bpf_map_update_elem(&threads, &pid, &made, BPF_ANY);
	bpf_map_delete_elem(&expected, &tid);
	return 0;
}

static void left(struct followed *of, struct task_struct *task, __u64 now,
		 __u32 asleep)
{
	of->off_ns = now;
	of->waking_ns = 0;
	of->woken_ns = 0;
	of->interrupt_ns = 0;
	of->moved = 0;
	of->asleep = asleep;
	of->cpu = bpf_get_smp_processor_id();
	of->stolen_ns = stolen_of(task);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	__u64 now = bpf_ktime_get_ns();
	struct history *here = history_here();
	struct followed *of;

	if (!here)
		return 0;
	if (nested && !jobs_namespace && thread())
		note_namespace(prev);
	name_again(here, prev);
	of = followed_of(prev);
	if (of)
		left(of, prev, now, !preempt && prev_state);
	of = followed_of(next);
	if (of) {
		if (of->off_ns)
			put_turn(of, next, here, now);
		of->off_ns = 0;
		of->ran_ns = now;
	}
	put_task(here, next, now);
	return 0;
}

/* Note when a task begins to wake the thread. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task)
{
	struct followed *of = followed_of(task);
	struct history *here;

	if (!of || !of->off_ns || !of->asleep || of->waking_ns)
		return 0;
	here = history_here();
	if (here)
		of->interrupt_ns = here->soft_ns ? here->soft_ns : here->hard_ns;
	of->waking_ns = bpf_ktime_get_ns();
	return 0;
}

/* Note when the thread is ready to run. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(wakeup, struct task_struct *task)
{
	struct followed *of = followed_of(task);

	if (!of || !of->off_ns || !of->asleep || of->woken_ns)
		return 0;
	of->cpu = task->thread_info.cpu;
	of->stolen_ns = stolen_of(task);
	of->woken_ns = bpf_ktime_get_ns();
	return 0;
}

/* Check the newest entry of the CPU that the thread waits for. The scheduler holds the
 * lock of that CPU's queue, so no switch is in progress there. */
static void name_where_it_waits(struct task_struct *task, __u32 cpu)
{
	struct history *there = bpf_map_lookup_percpu_elem(&histories, &zero, cpu);
	struct task_struct *now_has;
	struct past *past;

	/* As in stolen_of(): without it the program could not be loaded. */
	if (!there || !bpf_core_field_exists(task->se.cfs_rq))
		return;
	now_has = BPF_CORE_READ(task, se.cfs_rq, rq, curr);
	past = &there->past[(there->count - 1) & (HISTORY - 1)];
	if (past->thread != (__u32)BPF_CORE_READ(now_has, pid))
		past->kind = TW_NOBODY;
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(migrate, struct task_struct *task, int cpu)
{
	struct followed *of = followed_of(task);

	/* The choice of a CPU for a thread that is being woken is no move. */
	if (!of || !of->off_ns || (of->asleep && !of->woken_ns))
		return 0;
	of->moved_last_ns = bpf_ktime_get_ns();
	if (!of->moved) {
		name_where_it_waits(task, of->cpu);
		of->moved_first_ns = of->moved_last_ns;
		of->cpu_first = of->cpu;
	}
	of->moved++;
	of->cpu = cpu;
	return 0;
}

/* ---- interrupts ---------------------------------------------------------- */

/* Write a turn for an interrupt of the job's own thread, as if it had left the CPU. */
static void put_interruption(struct followed *of, const struct past *past,
			     __u64 now)
{
	struct viewer viewer = { .may_all = 1 };
	struct tw_turns *turns;
	struct tw_turn *turn = new_turn(of, &turns);

	if (!turn)
		return;
	turn->number = 0;
	barrier();
	turn->ran_ns = of->ran_ns;
	turn->off_ns = past->from_ns;
	turn->waking_ns = 0;
	turn->woken_ns = 0;
	turn->on_ns = now;
	turn->interrupt_ns = 0;
	turn->stolen_ns = 0;
	turn->cpu = bpf_get_smp_processor_id();
	turn->moved = 0;
	holder_of(&turn->holders[0], past, &viewer);
	turn->holders[0].from_ns = past->from_ns;
	turn->holders[0].to_ns = now;
	turn->holders[1].kind = TW_NOBODY;
	publish(turns, turn);
	of->ran_ns = now;
}

/* Add an interrupt that is over to the history if it was long, and then the interrupted
 * task again. */
static void interrupted(struct history *here, __u64 from_ns, __u32 kind,
			__u32 id, const char *name)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 now = bpf_ktime_get_ns();
	struct followed *of;
	struct past *past;

	if (!from_ns || now - from_ns < LONG_NS)
		return;
	name_again(here, task);
	past = new_past(here);
	past->from_ns = from_ns;
	past->id = id;
	past->kind = kind;
	past->owner = NOBODYS;
	__builtin_memset(past->name, 0, sizeof(past->name));
	if (name)
		bpf_probe_read_kernel_str(past->name, sizeof(past->name), name);
	barrier();
	here->count++;
	of = followed_of(task);
	if (of && !of->off_ns)
		put_interruption(of, past, now);
	put_task(here, task, now);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(hard_begins, int irq, struct irqaction *action)
{
	struct history *here = history_here();

	if (here)
		here->hard_ns = bpf_ktime_get_ns();
	return 0;
}

/* An interrupt within a softirq is part of the softirq. */
SEC("tp_btf/irq_handler_exit")
int BPF_PROG(hard_ends, int irq, struct irqaction *action, int ret)
{
	struct history *here = history_here();

	if (!here)
		return 0;
	if (!here->soft_ns)
		interrupted(here, here->hard_ns, TW_INTERRUPT, irq,
			    action->name);
	here->hard_ns = 0;
	return 0;
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(soft_begins, unsigned int vector)
{
	struct history *here = history_here();

	if (here)
		here->soft_ns = bpf_ktime_get_ns();
	return 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(soft_ends, unsigned int vector)
{
	struct history *here = history_here();

	if (!here)
		return 0;
	interrupted(here, here->soft_ns, TW_SOFTIRQ, vector, 0);
	here->soft_ns = 0;
	return 0;
}
