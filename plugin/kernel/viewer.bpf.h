/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who may see the names of processes. A program includes this file once.
 */
#ifndef TW_PLUGIN_KERNEL_VIEWER_BPF_H
#define TW_PLUGIN_KERNEL_VIEWER_BPF_H

#include "kernel_types.h"
#include "read.bpf.h"
#include "who.h"
#include "worker.bpf.h"

#define CAP_SYS_PTRACE	19		/* include/uapi/linux/capability.h */

/* Who may see names: the user whose job it is, or who runs attach. */
struct viewer {
	__u32 uid;
	__u32 may_all;
};

/* Give @viewer the rights of a task. */
static __always_inline void take_rights(struct viewer *viewer, struct task_struct *task)
{
	const struct cred *cred = task->cred;
	__u32 capabilities = 0;

	bpf_core_read(&capabilities, sizeof(capabilities), &cred->cap_effective);
	viewer->uid = cred->euid.val;
	viewer->may_all = !cred->user_ns->level && capabilities >> CAP_SYS_PTRACE & 1;
}

/* True if the viewer may see the name of a process with these two ids of users. */
static __always_inline int may_see(const struct viewer *viewer, __u32 uid, __u32 euid)
{
	return viewer->may_all || (uid == viewer->uid && uid == euid);
}

/* Name a process by its number and the name that it has, or hide it. */
static __always_inline void name_process(struct tw_who *who, int is_seen, __u32 id,
					 const char name[TW_WHO_NAME])
{
	who->kind = is_seen ? TW_WHO_PROCESS : TW_WHO_HIDDEN;
	who->id = is_seen ? id : 0;
	__builtin_memset(who->name, 0, sizeof(who->name));
	if (is_seen)
		bpf_probe_read_kernel(who->name, sizeof(who->name), name);
}

#endif
