/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may see the names of processes. A program includes this file once.
 */
#ifndef TW_PLUGIN_KERNEL_VIEWER_BPF_H
#define TW_PLUGIN_KERNEL_VIEWER_BPF_H

#include "kernel_types.h"
#include "read.bpf.h"

#define PF_KTHREAD	0x00200000	/* include/linux/sched.h */
#define CAP_SYS_PTRACE	19		/* include/uapi/linux/capability.h */

/* Who may see names: the user whose job it is, or who runs attach. */
struct viewer {
	__u64 namespace;	/* of processes: the one in which the job is, */
	__u32 level;		/* and its level */
	__u32 uid;
	__u32 may_all;
	__u32 unused;
};

/* Return the address of the number of @pid in its namespace of @level, which is at most 32. Up to
 * Linux 6.8 a product has no bound, and what has none may not be added to a pointer. */
static __always_inline const struct upid *number_at(__u64 pid, __u32 level)
{
	return (const struct upid *)(pid + bpf_core_field_offset(struct pid, numbers) +
				     (level * bpf_core_type_size(struct upid) & 1023));
}

/* Give @viewer the rights of a task. */
static __always_inline void take_rights(struct viewer *viewer, struct task_struct *task)
{
	const struct cred *cred = task->cred;
	__u32 capabilities = 0;

	bpf_core_read(&capabilities, sizeof(capabilities), &cred->cap_effective);
	viewer->uid = cred->euid.val;
	viewer->may_all = !cred->user_ns->level && capabilities >> CAP_SYS_PTRACE & 1;
}

/* Set @viewer to the task that runs. */
static inline void view_as_current(struct viewer *viewer)
{
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 pid = (__u64)BPF_CORE_READ(task, thread_pid);

	take_rights(viewer, task);
	viewer->level = READ(struct pid, pid, level);
	viewer->namespace = (__u64)READ(struct upid, number_at(pid, viewer->level), ns);
}

/* True if the viewer may see the name of a process with these two ids of users. */
static __always_inline int may_see(const struct viewer *viewer, __u32 uid, __u32 euid)
{
	return viewer->may_all || (uid == viewer->uid && uid == euid);
}

#endif
