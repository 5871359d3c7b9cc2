/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Stamp the calls of fsync(2) and fdatasync(2) of followed processes: kernel/sync/sync.bpf.h tells
 * how. attach.bpf.c includes this file once, after all that it uses of it. These programs are
 * loaded only if calls are asked for.
 *
 * A call is known by its thread, which is in one call at a time. Who else was in the commit
 * that it waited for is found by kernel/sync/commit.bpf.h.
 */
#ifndef TW_PLUGIN_ATTACH_CALLS_BPF_H
#define TW_PLUGIN_ATTACH_CALLS_BPF_H

#include "kernel/sync/sync.bpf.h"
#include "kernel/sync/commit.bpf.h"

#define MAX_CALLS	4096

struct fdtable {
	unsigned int max_fds;
	struct file **fd;
} TW_BY_NAME;

struct files_struct {
	struct fdtable *fdt;
} TW_BY_NAME;

struct task_struct___calls {
	struct files_struct *files;
} TW_BY_NAME;

/* include/linux/trace_events.h: what the tracepoints of a system call pass. */
struct trace_event_raw_sys_enter {
	unsigned long args[6];
} TW_BY_NAME;

struct trace_event_raw_sys_exit {
	long ret;
} TW_BY_NAME;

struct call {
	struct tw_sync stamps;
	struct tw_attach_inode inode;
	__u32 opcode;
	__u32 unused;
};

/* By the kernel's number of the thread. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MAX_CALLS);
	__type(key, __u32);
	__type(value, struct call);
} calls SEC(".maps");

/* Without a call in flight, a switch between tasks costs next to nothing. */
__u32 calls_in_flight;

static struct call *call_of(__u32 thread)
{
	return calls_in_flight ? bpf_map_lookup_elem(&calls, &thread) : 0;
}

static void forget_call(__u32 thread)
{
	if (!bpf_map_delete_elem(&calls, &thread))
		__sync_fetch_and_add(&calls_in_flight, -1);
}

/* Return the file of a descriptor of the task that runs; 0: there is none. */
static struct file *file_of(unsigned int fd)
{
	const struct task_struct___calls *task = (void *)bpf_get_current_task();
	const struct fdtable *table = BPF_CORE_READ(task, files, fdt);
	struct file **all = BPF_CORE_READ(table, fd), *file = 0;

	if (fd < BPF_CORE_READ(table, max_fds))
		bpf_probe_read_kernel(&file, sizeof(file), all + fd);
	return file;
}

static int call_begins(struct trace_event_raw_sys_enter *at, __u32 opcode)
{
	const __u64 current = bpf_get_current_pid_tgid();
	__u32 thread = (__u32)current;
	struct call new = { .opcode = opcode };
	struct file *file;

	if (!is_followed((__u32)(current >> 32)))
		return 0;
	/* The end of the thread's last call may have been missed. */
	forget_call(thread);
	file = file_of((unsigned int)BPF_CORE_READ(at, args[0]));
	if (file) {
		name_inode(&new.inode, BPF_CORE_READ(file, f_inode));
		tell_file(&new.inode, file);
		follow_journal((const struct file___number *)file);
	}
	sync_begins(&new.stamps, (const struct file___sync *)file, bpf_ktime_get_ns());
	if (bpf_map_update_elem(&calls, &thread, &new, BPF_NOEXIST))
		count(&lost.ios);
	else
		__sync_fetch_and_add(&calls_in_flight, 1);
	return 0;
}

static int call_ends(struct trace_event_raw_sys_exit *at, __u32 opcode)
{
	const __u64 current = bpf_get_current_pid_tgid();
	const __u32 thread = (__u32)current;
	struct tw_attach_call *record;
	struct call *call;

	if (!is_followed((__u32)(current >> 32)))
		return 0;
	call = call_of(thread);
	if (call)
		sync_returns(&call->stamps);
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		count(&lost.records);
		forget_call(thread);
		return 0;
	}
	__builtin_memset(record, 0, sizeof(*record));
	record->io.kind = TW_ATTACH_CALL;
	record->io.opcode = (__u8)opcode;
	record->io.result = (__s32)BPF_CORE_READ(at, ret);
	if (call) {
		record->stamps = call->stamps;
		record->io.inode = call->inode;
		record->io.accepted_ns = call->stamps.begun_ns;
	}
	record->io.posted_ns = bpf_ktime_get_ns();
	bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
	forget_call(thread);
	return 0;
}

SEC("tracepoint/syscalls/sys_enter_fsync")
int enter_fsync(struct trace_event_raw_sys_enter *at)
{
	return call_begins(at, TW_ATTACH_FSYNC);
}

SEC("tracepoint/syscalls/sys_exit_fsync")
int exit_fsync(struct trace_event_raw_sys_exit *at)
{
	return call_ends(at, TW_ATTACH_FSYNC);
}

SEC("tracepoint/syscalls/sys_enter_fdatasync")
int enter_fdatasync(struct trace_event_raw_sys_enter *at)
{
	return call_begins(at, TW_ATTACH_FDATASYNC);
}

SEC("tracepoint/syscalls/sys_exit_fdatasync")
int exit_fdatasync(struct trace_event_raw_sys_exit *at)
{
	return call_ends(at, TW_ATTACH_FDATASYNC);
}

SEC("tp_btf/block_bio_queue")
int BPF_PROG(call_sends, struct bio *queued)
{
	const struct bio___sync *bio = (const struct bio___sync *)queued;
	__u64 flush_ns = bio_comes(bio);
	struct call *call = call_of(current_thread());

	if (call)
		sync_sends(&call->stamps, bio, flush_ns);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(call_switched, _Bool preempt, struct task_struct *prev,
	     struct task_struct *next, unsigned int prev_state)
{
	struct call *call = !preempt && prev_state ? call_of((__u32)prev->pid) : 0;

	if (call)
		sync_sleeps(ctx, &call->stamps);
	call = call_of((__u32)next->pid);
	if (call)
		sync_runs(&call->stamps);
	return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(call_woken, struct task_struct *task)
{
	struct call *call = call_of((__u32)task->pid);
	struct viewer reader = { 0 };

	if (!call)
		return 0;
	reader.uid = reader_uid;
	reader.may_all = reader_may_all;
	sync_woken(&call->stamps);
	if (call->stamps.moved_on_ns)
		woken_by_commit(&call->stamps, (__u32)task->tgid, &reader);
	return 0;
}

#endif
