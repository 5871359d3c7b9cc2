/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who else was in the commit of a journal (jbd2: ext4) that a sync waited for: the processes
 * that began a handle in its transaction. What they wrote is not known: a block of the journal
 * may have changes of many. Writeback has handles of the kernel's threads, for which nobody
 * is named.
 *
 * A sync that waits for a commit is woken by the journal's thread when the commit has ended.
 * What that thread has ended is in `committers`.
 *
 * A program includes this file once, after sync.bpf.h.
 */
#ifndef TW_PLUGIN_KERNEL_SYNC_COMMIT_BPF_H
#define TW_PLUGIN_KERNEL_SYNC_COMMIT_BPF_H

#include "kernel/kernel_types.h"
#include "sync.h"
#include "kernel/thread.bpf.h"
#include "kernel/viewer.bpf.h"

#define HANDLERS	8	/* processes of a transaction that are told apart */
#define JOURNALS	64	/* of file systems in which a sync was seen */
#define TRANSACTIONS	(4 * JOURNALS)
#define COMMITTERS	1024	/* threads of journals, also of those without a sync */

struct handler {
	__u32 process;		/* the kernel's number; 0: a free place */
	__u32 handles;
	__u32 id;		/* as the job sees it; 0: it does not */
	__u32 uid;
	__u32 euid;
	char name[TW_WHO_NAME];
};

struct transaction {
	struct handler by[HANDLERS];
};

static const struct transaction no_handlers;

/* By the number of the file system's device. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, JOURNALS);
	__type(key, __u32);
	__type(value, __u32);
} journals SEC(".maps");

/* By transaction_key(). A journal has three at most: running, committing, ended. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, TRANSACTIONS);
	__type(key, __u64);
	__type(value, struct transaction);
} transactions SEC(".maps");

/* By the thread of the journal: the transaction of its last commit; 0: another one goes on. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, COMMITTERS);
	__type(key, __u32);
	__type(value, __u64);
} committers SEC(".maps");

static __always_inline __u64 transaction_key(__u32 dev, __u32 number)
{
	return (__u64)dev << 32 | number;
}

/* Follow the journal of the file system that has this file, from now on. */
static __always_inline void follow_journal(const struct file *file)
{
	__u32 dev = BPF_CORE_READ(file, f_inode, i_sb, s_dev);

	if (dev && !bpf_map_lookup_elem(&journals, &dev))
		bpf_map_update_elem(&journals, &dev, &dev, BPF_ANY);
}

/* The task that runs has a handle in the transaction. */
static __always_inline void add_handle(__u32 dev, __u32 number)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 key = transaction_key(dev, number);
	__u32 tgid = (__u32)task->tgid;
	struct transaction *of;
	int i;

	if (task->flags & PF_KTHREAD || !bpf_map_lookup_elem(&journals, &dev))
		return;
	of = bpf_map_lookup_elem(&transactions, &key);
	if (!of) {
		bpf_map_update_elem(&transactions, &key, &no_handlers, BPF_NOEXIST);
		of = bpf_map_lookup_elem(&transactions, &key);
	}
	for (i = 0; of && i < HANDLERS; i++) {
		struct handler *by = &of->by[i];

		if (!by->process && !__sync_val_compare_and_swap(&by->process, 0, tgid)) {
			by->uid = task->real_cred->uid.val;
			by->euid = task->real_cred->euid.val;
			by->id = process_of(task);
			bpf_core_read(by->name, sizeof(by->name), &task->group_leader->comm);
		}
		if (by->process == tgid) {
			__sync_fetch_and_add(&by->handles, 1);
			return;
		}
	}
}

SEC("?tp_btf/jbd2_handle_start")
int BPF_PROG(handle_starts, __u32 dev, __u32 number)
{
	add_handle(dev, number);
	return 0;
}

/* A large operation goes on in the next transaction. 0: it failed. */
SEC("?tp_btf/jbd2_handle_restart")
int BPF_PROG(handle_restarts, __u32 dev, __u32 number)
{
	if (number)
		add_handle(dev, number);
	return 0;
}

SEC("?tp_btf/jbd2_start_commit")
int BPF_PROG(commit_starts)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	__u64 none = 0;

	bpf_map_update_elem(&committers, &thread, &none, BPF_ANY);
	return 0;
}

/* The commit is over. Those who wait are woken next, and have been for the one before. */
SEC("?tp_btf/jbd2_run_stats")
int BPF_PROG(commit_ends, __u32 dev, __u32 number)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid();
	__u64 before = transaction_key(dev, number - 1);
	__u64 ended = transaction_key(dev, number);

	if (!bpf_map_lookup_elem(&journals, &dev))
		return 0;
	bpf_map_delete_elem(&transactions, &before);
	bpf_map_update_elem(&committers, &thread, &ended, BPF_ANY);
	return 0;
}

/* A task in a sync is woken by the task that runs. If that task has just ended a commit, note who
 * else was in it. Of two commits the one counts in which another process had most handles. */
static __always_inline void woken_by_commit(struct tw_sync *sync, __u32 own,
					    const struct viewer *viewer)
{
	__u32 thread = (__u32)bpf_get_current_pid_tgid(), others = 0;
	__u64 *commit = bpf_map_lookup_elem(&committers, &thread);
	const struct handler *most = 0;
	const struct transaction *of;
	int i;

	/* One that ends before the sync sleeps is not waited for. */
	if (!commit || !*commit || !sync->slept_ns)
		return;
	sync->commits++;
	/* With data=journal Linux 6.12 waits for it inside of the data. */
	if (!sync->moved_on_ns)
		sync->moved_on_ns = sync->slept_ns;
	of = bpf_map_lookup_elem(&transactions, commit);
	for (i = 0; of && i < HANDLERS; i++) {
		const struct handler *by = &of->by[i];

		if (!by->process || by->process == own)
			continue;
		others++;
		if (!most || by->handles > most->handles)
			most = by;
	}
	if (!most || most->handles <= sync->who.requests)
		return;
	sync->others = others;
	sync->who.requests = most->handles;
	name_process(&sync->who, may_see(viewer, most->uid, most->euid), most->id, most->name);
}

#endif
