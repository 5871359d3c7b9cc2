/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follow the threads of jobs: when each was off its CPU, since when it could have run
 * again, and what had the CPU meanwhile (offcpu.h).
 *
 * A thread is followed if it makes a ring and the job has named it in `expected`, or if
 * attach.bpf.c puts it into `threads`. While a followed thread waits for a CPU, the CPU
 * keeps a history of the tasks that leave it, and of interrupts of LONG_NS and more. A
 * shorter interrupt counts as part of the task that it interrupted. Programs that find
 * neither such a thread nor such a CPU leave at once.
 *
 * Where a followed thread falls asleep, its stack in the kernel is kept, with its call and file.
 * So are those of a worker of io_uring which has an I/O of a job: such a worker is not followed
 * otherwise.
 *
 * Names and ids of another user's processes are hidden here, unless the job's thread may
 * trace any process. With attach, the user who runs attach must have that right.
 */
#include "kernel/kernel_types.h"

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "follow.bpf.h"
#include "kernel/order.bpf.h"
#include "sleeps.bpf.h"
#include "kernel/thread.bpf.h"
#include "offcpu.h"
#include "kernel/viewer.bpf.h"

char LICENSE[] SEC("license") = "GPL";

#define LONG_NS		10000
#define HISTORY		64	/* a power of two */
#define UNKNOWN_NS	1	/* an interrupt has begun, at a time that was not noted */
#define WATCHED		4096	/* interrupts after one that woke a followed thread */

#define NOBODYS		(~0U)
#define ANY_THREAD	(~0U)	/* not known */

/* Set before loading: this user reads the periods, and not the job. */
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
	__type(value, struct tw_offcpu);
} rings SEC(".maps");

/* What had the CPU until @to_ns. */
struct past {
	__u64 to_ns;
	__u32 id;
	__u32 kind;
	__u32 owner;		/* user of a process */
	__u32 thread;		/* kernel's number of the task, or of the interrupted one */
	__u32 next;		/* that of the task that had the CPU next */
	char name[TW_NAME_SIZE];
};

struct cpu {
	__u32 untimed;		/* runs of the programs, since one was timed */
	__u32 waiting;		/* followed threads that are ready to run on this CPU */
	__u64 since_ns;		/* when the first of them became so */
	__u64 hard_ns;		/* when the current interrupt began; 0: none */
	__u64 soft_ns;		/* when the current softirq began; 0: none */
	__u32 watched;		/* next interrupts whose beginnings are noted */
	__u32 has_followed;	/* a followed thread has this CPU */
	__u64 count;
	struct past past[HISTORY];
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct cpu);
} cpus SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct tw_follow_cost);
} costs SEC(".maps");

static const __u32 zero = 0;

/* ---- the cost of the programs -------------------------------------------- */

/* Return when a run begins that is timed, or 0. The two readings of the clock show how long
 * a reading takes. The time returned is later by one, so that the cost contains none. */
static __u64 begins(struct cpu *here)
{
	__u64 first_ns, now;

	if (++here->untimed < TW_FOLLOW_EVERY)
		return 0;
	here->untimed = 0;
	first_ns = bpf_ktime_get_ns();
	now = bpf_ktime_get_ns();
	return now + (now - first_ns);
}

/* Leave out a run that was interrupted itself. */
static void ends(__u64 begun_ns)
{
	struct tw_follow_cost *cost = bpf_map_lookup_elem(&costs, &zero);
	__s64 ns = bpf_ktime_get_ns() - begun_ns;

	if (!cost || ns >= LONG_NS)
		return;
	cost->ns += ns;
	cost->timed++;
}

/* The body of a program: the call, which gets the state of this CPU as `here`. */
#define RUN(call) do {						\
	struct cpu *here = bpf_map_lookup_elem(&cpus, &zero);	\
	__u64 begun_ns;						\
								\
	if (!here)						\
		return 0;					\
	begun_ns = begins(here);				\
	call;							\
	if (begun_ns)						\
		ends(begun_ns);					\
	return 0;						\
} while (0)

/* ---- threads that wait --------------------------------------------------- */

/* Return the time stolen from the CPU on which the task runs or for which it waits. */
static __u64 stolen_of(struct task_struct *task)
{
	if (!bpf_core_field_exists(task->se.cfs_rq) ||
	    !bpf_core_field_exists(((struct rq *)0)->prev_steal_time_rq))
		return 0;
	return task->se.cfs_rq->rq->prev_steal_time_rq;
}

static struct followed *followed_of(struct task_struct *task)
{
	/* Most tasks have no storage at all. To see that costs less than the call. */
	return task->bpf_storage ? bpf_task_storage_get(&threads, task, 0, 0) : 0;
}

static void wait_no_more(struct followed *of)
{
	struct cpu *there;

	if (!of->waits_on)
		return;
	there = bpf_map_lookup_percpu_elem(&cpus, &zero, of->waits_on - 1);
	if (there)
		__sync_fetch_and_sub(&there->waiting, 1);
	of->waits_on = 0;
}

static void wait_on(struct followed *of, __u32 cpu, __u64 now)
{
	struct cpu *there = bpf_map_lookup_percpu_elem(&cpus, &zero, cpu);

	wait_no_more(of);
	if (!there)
		return;
	if (!there->waiting)
		there->since_ns = now;
	ADD_ORDERED(&there->waiting, 1);
	of->waits_on = cpu + 1;
}

/* ---- what a CPU did ------------------------------------------------------ */

/* Return a new place. Another CPU may take one at the same time (migrate). Write to_ns last,
 * so that a place that is being written seems old. */
static struct past *new_past(struct cpu *of)
{
	return &of->past[__sync_fetch_and_add(&of->count, 1) & (HISTORY - 1)];
}

/* Record that the task has had the CPU until @to_ns. Its name is that of this time, since an
 * exec may have changed it. */
static void put_task(struct cpu *of, struct task_struct *task, __u32 next,
		     __u64 to_ns)
{
	struct past *past = new_past(of);
	const struct cred *cred = task->real_cred;
	__u32 uid = cred->uid.val;

	past->id = process_of(task);
	past->thread = task->pid;
	past->next = next;
	past->kind = !task->pid ? TW_IDLE :
		     task->flags & PF_KTHREAD ? TW_KERNEL_THREAD : TW_PROCESS;
	past->owner = uid == cred->euid.val ? uid : NOBODYS;
	bpf_probe_read_kernel(past->name, sizeof(past->name), task->comm);
	PUT_ORDERED(&past->to_ns, to_ns);
}

/* ---- periods --------------------------------------------------------------- */

static struct tw_offcpu_period *new_period(const struct followed *of,
				struct tw_offcpu **periods)
{
	__u32 ring = of->ring;

	*periods = bpf_map_lookup_elem(&rings, &ring);
	return *periods ? &(*periods)->periods[(*periods)->newest & (TW_OFFCPU_PERIODS - 1)] : 0;
}

static void publish(struct tw_offcpu *periods, struct tw_offcpu_period *period)
{
	PUT_ORDERED(&period->number, periods->newest + 1);
	periods->newest++;
}

static void holder_of(struct tw_holder *holder, const struct past *past,
		      const struct viewer *viewer)
{
	if (past->kind == TW_PROCESS && !may_see(viewer, past->owner, past->owner)) {
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
 * into the holders of @period from @at on. The task @had had it first. */
struct collecting {
	struct tw_offcpu_period *period;
	struct cpu *history;
	const struct viewer *viewer;
	__u64 count;
	__u64 from_ns;
	__u64 to_ns;
	__u32 had;
	__u32 at;
};

static long collect_one(__u32 i, struct collecting *now)
{
	const struct past *all = now->history->past;
	const struct past *past = &all[(now->count - 1 - i) & (HISTORY - 1)];
	const struct past *before = &all[(now->count - 2 - i) & (HISTORY - 1)];
	__u64 to_ns = past->to_ns, before_ns = before->to_ns;
	const _Bool first = before_ns <= now->from_ns;
	struct tw_holder *holder;
	__u32 had, at;

	if (now->at >= TW_HOLDERS || to_ns <= now->from_ns)
		return 1;
	if (to_ns > now->to_ns)
		return 0;
	/* The rest of both records is read after their times. */
	at = ADD_ORDERED(&now->at, 1);
	had = first ? now->had : before->next;
	/* If another task had got the CPU, a switch was missed, and it is unknown what had
	 * the CPU until then. */
	if (had != ANY_THREAD && had != past->thread) {
		now->at = at;
		return 1;
	}
	holder = &now->period->holders[at & (TW_HOLDERS - 1)];
	holder_of(holder, past, now->viewer);
	holder->from_ns = first ? now->from_ns : before_ns;
	holder->to_ns = to_ns;
	return first;
}

/* Collect holders. The history of another CPU may grow meanwhile. If its newest entries
 * have overwritten those that were read, the holders are dropped. */
static void collect(struct collecting *now)
{
	__u32 begun = now->at;

	now->count = now->history->count;
	bpf_loop(HISTORY / 2, collect_one, now, 0);
	/* Adding nothing reads the count after the records. */
	if (ADD_ORDERED(&now->history->count, 0) - now->count >= HISTORY / 2)
		now->at = begun;
}

static void look_as(struct viewer *viewer, struct task_struct *task)
{
	if (!has_reader) {
		take_rights(viewer, task);
		return;
	}
	viewer->uid = reader_uid;
	viewer->may_all = reader_may_all;
}

static void put_holders(struct tw_offcpu_period *period, const struct followed *of,
			struct cpu *here, __u64 now, const struct viewer *viewer)
{
	const __u64 ready_ns = of->asleep ? of->woken_ns : of->off_ns;
	struct collecting now_is = {
		.period = period, .viewer = viewer, .history = here, .had = of->had,
		.from_ns = of->moved ? of->moved_last_ns : ready_ns,
		.to_ns = now,
	};

	/* Otherwise it was missed that the thread was woken, or moved to this CPU. */
	if (ready_ns && of->cpu == bpf_get_smp_processor_id())
		collect(&now_is);
	if (ready_ns && of->moved)
		now_is.history = bpf_map_lookup_percpu_elem(&cpus, &zero,
							    of->cpu_first);
	if (ready_ns && of->moved && now_is.history) {
		now_is.had = of->had_first;
		now_is.from_ns = ready_ns;
		now_is.to_ns = of->moved_first_ns;
		collect(&now_is);
	}
	if (now_is.at < TW_HOLDERS)
		period->holders[now_is.at & (TW_HOLDERS - 1)].kind = TW_NOBODY;
}

/* Write the period of a thread that runs again. */
static void put_period(struct followed *of, struct task_struct *task,
		     struct cpu *here, __u64 now)
{
	struct tw_offcpu *periods;
	struct tw_offcpu_period *period = new_period(of, &periods);
	struct viewer viewer;

	if (!period)
		return;
	PUT_ORDERED(&period->number, 0);
	period->ran_ns = of->ran_ns;
	period->off_ns = of->off_ns;
	period->waking_ns = of->waking_ns ? of->waking_ns : of->woken_ns;
	period->woken_ns = of->woken_ns;
	period->on_ns = now;
	period->interrupt_ns = of->interrupt_ns;
	period->stolen_ns = of->moved || of->cpu != bpf_get_smp_processor_id() ? 0 :
			    stolen_of(task) - of->stolen_ns;
	period->stack.count = 0;
	if (of->has_stack)
		period->stack = of->at.stack;
	look_as(&viewer, task);
	put_holders(period, of, here, now, &viewer);
	publish(periods, period);
}

/* ---- the scheduler ------------------------------------------------------- */

SEC("tp_btf/io_uring_create")
int BPF_PROG(create, int fd, void *ring)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u32 tid = number_of(task);
	const __u32 *place = bpf_map_lookup_elem(&expected, &tid);
	__u64 address = (__u64)ring;

	/* A ring of a job that has ended may have had this address. */
	if (!place || !*place) {
		bpf_map_delete_elem(&owners, &address);
		return 0;
	}
	bpf_map_update_elem(&owners, &address, place, BPF_ANY);
	follow_thread(task, *place - 1);
	bpf_map_delete_elem(&expected, &tid);
	return 0;
}

/* Publish whether the thread runs. The kernel may skip a program for a switch, so this need
 * not follow from the periods. */
static void publish_state(const struct followed *of)
{
	__u32 ring = of->ring;
	struct tw_offcpu *periods = bpf_map_lookup_elem(&rings, &ring);

	if (!periods)
		return;
	periods->ran_ns = of->ran_ns;
	PUT_ORDERED(&periods->off_ns, of->off_ns);
}

static void left(struct followed *of, struct task_struct *task, __u32 next,
		 __u64 now, __u32 asleep)
{
	/* It was missed when the thread ran again. */
	if (of->off_ns)
		of->ran_ns = now;
	of->off_ns = now;
	of->waking_ns = 0;
	of->woken_ns = 0;
	of->interrupt_ns = 0;
	of->moved = 0;
	of->asleep = asleep;
	of->has_stack = 0;
	of->in_call = 0;
	of->cpu = bpf_get_smp_processor_id();
	of->stolen_ns = stolen_of(task);
	of->had = next;
	if (asleep)
		wait_no_more(of);
	else
		wait_on(of, of->cpu, now);
	publish_state(of);
}

static void runs_again(struct followed *of, struct task_struct *task,
		       struct cpu *here, __u64 now)
{
	wait_no_more(of);
	if (of->off_ns)
		put_period(of, task, here, now);
	if (of->off_ns && of->in_call)
		put_sleep(of->ring, 0, of->off_ns, now, &of->at);
	of->off_ns = 0;
	of->ran_ns = now;
	publish_state(of);
}

/* Keep where the thread falls asleep. attach takes calls and files itself. */
static __always_inline void keep_place(void *context, struct task_struct *task,
				       struct followed *of)
{
	struct call call = { 0 };

	keep_stack(context, &of->at.stack);
	of->has_stack = 1;
	if (!has_reader)
		find_call(task, &call);
	if (!call.how || is_of_32_bits(task))
		return;
	find_files(task, &call);
	of->in_call = call.file || call.how & (TW_CALL_NO_FILE | TW_CALL_ANY_SLEEP);
	of->at.call = call.number;
	name_file(&of->at, call.file);
}

/* A signal can end the wait for completions, and not those that have a word. The former is no
 * reason, and to take a stack at each such sleep would cost a job with one I/O at a time some
 * microseconds an I/O. */
static __always_inline void note_switch(void *context, struct cpu *here, __u32 sleeps,
					struct task_struct *prev, struct task_struct *next)
{
	struct followed *leaves = followed_of(prev), *runs = followed_of(next);
	__u64 now;

	if (sleeps && prev->flags & PF_IO_WORKER)
		worker_sleeps(context, prev);
	if (next->flags & PF_IO_WORKER)
		worker_runs(next);

	if (!here->waiting && !leaves && !runs)
		return;
	now = bpf_ktime_get_ns();
	if (here->waiting)
		put_task(here, prev, next->pid, now);
	here->has_followed = runs != 0;
	if (leaves)
		left(leaves, prev, next->pid, now, sleeps != 0);
	if (leaves && sleeps & TASK_UNINTERRUPTIBLE)
		keep_place(context, prev, leaves);
	if (runs)
		runs_again(runs, next, here, now);
}

SEC("tp_btf/sched_switch")
int BPF_PROG(switched, _Bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	RUN(note_switch(ctx, here, preempt ? 0 : prev_state, prev, next));
}

static void note_waking(struct cpu *here, struct task_struct *task)
{
	struct followed *of = followed_of(task);
	__u64 interrupt_ns;

	if (!of || !of->off_ns || !of->asleep || of->waking_ns)
		return;
	interrupt_ns = here->soft_ns ? here->soft_ns : here->hard_ns;
	if (interrupt_ns) {
		here->watched = WATCHED;
		of->interrupt_ns = interrupt_ns == UNKNOWN_NS ? 0 : interrupt_ns;
	}
	of->waking_ns = bpf_ktime_get_ns();
}

/* Note when a task begins to wake the thread. */
SEC("tp_btf/sched_waking")
int BPF_PROG(waking, struct task_struct *task)
{
	RUN(note_waking(here, task));
}

/* Return the task that has the CPU for which @task waits. The scheduler holds the lock of
 * that CPU's queue, so no switch is in progress there. */
static struct task_struct *has_cpu_of(struct task_struct *task)
{
	return task->se.cfs_rq->rq->curr;
}

static void note_wakeup(struct task_struct *task)
{
	struct followed *of = followed_of(task);

	if (!of || !of->off_ns || !of->asleep || of->woken_ns)
		return;
	of->cpu = task->thread_info.cpu;
	of->stolen_ns = stolen_of(task);
	of->had = bpf_core_field_exists(task->se.cfs_rq) ?
		  (__u32)has_cpu_of(task)->pid : ANY_THREAD;
	of->woken_ns = bpf_ktime_get_ns();
	wait_on(of, of->cpu, of->woken_ns);
}

/* Note when the thread is ready to run. */
SEC("tp_btf/sched_wakeup")
int BPF_PROG(wakeup, struct task_struct *task)
{
	RUN(note_wakeup(task));
}

/* Return the number of the task that has @cpu. There, too, the task's group has a queue,
 * whose lock may be free. If a switch is in progress, this may be either task. */
static __u32 has_cpu(struct task_struct *task, int cpu)
{
	struct cfs_rq **queues, *queue = 0;

	if (!bpf_core_field_exists(task->se.cfs_rq))
		return ANY_THREAD;
	queues = BPF_CORE_READ(task, sched_task_group, cfs_rq);
	bpf_probe_read_kernel(&queue, sizeof(queue), queues + cpu);
	return (__u32)BPF_CORE_READ(queue, rq, curr, pid);
}

static void note_move(struct task_struct *task, int cpu)
{
	struct followed *of = followed_of(task);
	struct cpu *there;
	__u64 now;

	/* The choice of a CPU for a thread that is being woken is no move. */
	if (!of || !of->off_ns || (of->asleep && !of->woken_ns))
		return;
	now = bpf_ktime_get_ns();
	if (!of->moved) {
		there = bpf_map_lookup_percpu_elem(&cpus, &zero, of->cpu);
		if (there && bpf_core_field_exists(task->se.cfs_rq)) {
			struct task_struct *has = has_cpu_of(task);

			put_task(there, has, has->pid, now);
		}
		of->moved_first_ns = now;
		of->cpu_first = of->cpu;
		of->had_first = of->had;
	}
	of->moved++;
	of->cpu = cpu;
	wait_on(of, cpu, now);
	of->had = has_cpu(task, cpu);
	/* Switches before the last line but one may lack a record. */
	of->moved_last_ns = bpf_ktime_get_ns();
}

SEC("tp_btf/sched_migrate_task")
int BPF_PROG(migrate, struct task_struct *task, int cpu)
{
	RUN(note_move(task, cpu));
}

/* ---- interrupts ---------------------------------------------------------- */

/* Write a period for an interrupt of the job's own thread, as if it had left the CPU. */
static void put_interruption(struct followed *of, const struct past *past,
			     __u64 from_ns)
{
	struct viewer viewer = { .may_all = 1 };
	struct tw_offcpu *periods;
	struct tw_offcpu_period *period = new_period(of, &periods);

	if (!period)
		return;
	PUT_ORDERED(&period->number, 0);
	__builtin_memset(period, 0, offsetof(struct tw_offcpu_period, holders));
	period->ran_ns = of->ran_ns;
	period->off_ns = from_ns;
	period->on_ns = past->to_ns;
	holder_of(&period->holders[0], past, &viewer);
	period->holders[0].from_ns = from_ns;
	period->holders[0].to_ns = past->to_ns;
	period->holders[1].kind = TW_NOBODY;
	publish(periods, period);
	of->ran_ns = past->to_ns;
}

/* Return when an interrupt begins, or UNKNOWN_NS if nobody is likely to ask. */
static __u64 interrupt_begins(struct cpu *here)
{
	if (here->watched)
		here->watched--;
	else if (!here->waiting && !here->has_followed)
		return UNKNOWN_NS;
	return bpf_ktime_get_ns();
}

/* Add an interrupt that is over to the history if it was long. */
static void interrupt_ends(struct cpu *here, __u64 from_ns, __u32 kind, __u32 id,
			   const char *name)
{
	struct task_struct *task;
	struct followed *of;
	struct past *past;
	__u64 now;

	if (!from_ns || (!here->waiting && !here->has_followed))
		return;
	now = bpf_ktime_get_ns();
	/* It had begun before a thread waited here. */
	if (from_ns == UNKNOWN_NS)
		from_ns = ADD_ORDERED(&here->waiting, 0) ? here->since_ns : now;
	if (now - from_ns < LONG_NS)
		return;
	task = bpf_get_current_task_btf();
	of = followed_of(task);
	put_task(here, task, task->pid, from_ns);
	past = new_past(here);
	past->id = id;
	past->kind = kind;
	past->owner = NOBODYS;
	past->thread = past->next = task->pid;
	__builtin_memset(past->name, 0, sizeof(past->name));
	if (name)
		bpf_probe_read_kernel_str(past->name, sizeof(past->name), name);
	PUT_ORDERED(&past->to_ns, now);
	if (of && !of->off_ns)
		put_interruption(of, past, from_ns);
}

SEC("tp_btf/irq_handler_entry")
int BPF_PROG(hard_begins, int irq, struct irqaction *action)
{
	RUN(here->hard_ns = interrupt_begins(here));
}

/* An interrupt within a softirq is part of the softirq. */
static void note_hard_end(struct cpu *here, int irq, const struct irqaction *action)
{
	if (!here->soft_ns)
		interrupt_ends(here, here->hard_ns, TW_INTERRUPT, irq,
			       action->name);
	here->hard_ns = 0;
}

SEC("tp_btf/irq_handler_exit")
int BPF_PROG(hard_ends, int irq, struct irqaction *action, int ret)
{
	RUN(note_hard_end(here, irq, action));
}

SEC("tp_btf/softirq_entry")
int BPF_PROG(soft_begins, unsigned int vector)
{
	RUN(here->soft_ns = interrupt_begins(here));
}

static void note_soft_end(struct cpu *here, unsigned int vector)
{
	interrupt_ends(here, here->soft_ns, TW_SOFTIRQ, vector, 0);
	here->soft_ns = 0;
}

SEC("tp_btf/softirq_exit")
int BPF_PROG(soft_ends, unsigned int vector)
{
	RUN(note_soft_end(here, vector));
}
