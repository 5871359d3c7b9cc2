/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Follow the processes in a cgroup and below it: those that are there, are moved there, or begin
 * there. A task's css_set has links to its cgroups, one for each hierarchy. attach.bpf.c includes
 * this file once, at its end.
 */
#ifndef TW_PLUGIN_ATTACH_IN_CGROUP_BPF_H
#define TW_PLUGIN_ATTACH_IN_CGROUP_BPF_H

#define MAX_HIERARCHIES	32
#define MAX_DEPTH	64	/* of a cgroup, below the root */

/* By what another cgroup that is made in its place has, too: systemd removes that of a service
 * which ends. The reader's descriptor keeps the node above. An id tells less: hierarchies have
 * the same ones. */
static const void *wanted_root;
static const struct kernfs_node *wanted_above;	/* NULL: it is the root */
static __u32 wanted_name;	/* its hash */

/* Find the cgroup by the reader, which runs. */
static void find_cgroup(void)
{
	const struct task_struct *reader = (void *)bpf_get_current_task();
	struct file **all = BPF_CORE_READ(reader, files, fdt, fd), *folder = 0;
	const struct kernfs_node *node;
	const struct cgroup *cgroup;

	bpf_probe_read_kernel(&folder, sizeof(folder), all + cgroup_fd);
	node = BPF_CORE_READ(folder, f_inode, i_private);
	cgroup = BPF_CORE_READ(node, priv);
	wanted_root = BPF_CORE_READ(cgroup, root);
	wanted_above = BPF_CORE_READ(cgroup, self.parent, cgroup, kn);
	wanted_name = BPF_CORE_READ(node, hash);
}

static int is_in_cgroup(const struct task_struct *task)
{
	const struct css_set *set = BPF_CORE_READ(task, cgroups);
	const void *end = (void *)set + bpf_core_field_offset(struct css_set, cgrp_links);
	const struct list_head *at = BPF_CORE_READ(set, cgrp_links.next);
	const struct cgroup *in = 0, *above;
	int i;

	for (i = 0; i < MAX_HIERARCHIES && at != end; i++, at = BPF_CORE_READ(at, next)) {
		const struct cgrp_cset_link *link = (void *)at -
			bpf_core_field_offset(struct cgrp_cset_link, cgrp_link);

		in = BPF_CORE_READ(link, cgrp);
		if (BPF_CORE_READ(in, root) == wanted_root)
			break;
	}
	for (i = 0; i < MAX_DEPTH && in; i++, in = above) {
		above = BPF_CORE_READ(in, self.parent, cgroup);
		if (BPF_CORE_READ(above, kn) == wanted_above &&
		    BPF_CORE_READ(in, kn, hash) == wanted_name)
			return 1;
	}
	return 0;
}

static long begin_thread(__u32 i, const struct list_head **thread)
{
	const struct list_head *at = *thread;

	thread_begins((void *)at - bpf_core_field_offset(struct task_struct, thread_node));
	*thread = BPF_CORE_READ(at, next);
	return 0;
}

static void follow_if_in_cgroup(struct task_struct *task)
{
	const __u32 process = (__u32)task->tgid;
	const struct list_head *thread;

	if (cgroup_fd < 0 || !wanted_root || is_followed(process) || task->flags & PF_KTHREAD ||
	    !is_in_cgroup(task) || !may_follow(task))
		return;
	follow(process);
	thread = BPF_CORE_READ(task, signal, thread_head.next);
	if (is_followed(process))
		bpf_loop(BPF_CORE_READ(task, signal, nr_threads), begin_thread, &thread, 0);
}

SEC("iter/task")
int in_cgroup(struct bpf_iter__task *at)
{
	struct task_struct *task = at->task;

	if (!wanted_root)
		find_cgroup();
	if (task && !is_reader(task))
		follow_if_in_cgroup(task);
	return 0;
}

SEC("?tp_btf/cgroup_attach_task")
int BPF_PROG(moved, void *to, const char *path, struct task_struct *task)
{
	follow_if_in_cgroup(task);
	return 0;
}

#endif
