/* SPDX-License-Identifier: GPL-2.0 */
/*
 * In which call a thread is that falls asleep, and on which file. No program runs at system calls:
 * the registers tell. For programs in the kernel, which include this file once.
 */
#ifndef TW_PLUGIN_KERNEL_CAUSES_CALL_BPF_H
#define TW_PLUGIN_KERNEL_CAUSES_CALL_BPF_H

#include "kernel/kernel_types.h"
#include "kernel/read.bpf.h"
#include "kernel/worker.bpf.h"

#include "calls.h"

#define TS_COMPAT	2	/* arch/x86/include/asm/thread_info.h */
#define PSR_MODE32_BIT	0x10	/* arch/arm64/include/uapi/asm/ptrace.h */

#define ANON_INODE_FS_MAGIC	0x09041934	/* include/uapi/linux/magic.h */
#define PROC_SUPER_MAGIC	0x9fa0
#define TRACEFS_MAGIC		0x74726163

/* Set before loading: how each call of this processor is followed, as bits of enum
 * tw_call_flag. */
const volatile __u16 calls[TW_CALLS] = { 0 };

/* True if I/O on the file goes to a file system or a device: not for sockets, pipes,
 * terminals and such as eventfd(). */
static int has_storage(const struct inode *inode, __u32 opcode)
{
	unsigned long magic;

	switch (READ(struct inode, inode, i_mode) & S_IFMT) {
	case S_IFREG:
		magic = READ(struct super_block, READ(struct inode, inode, i_sb), s_magic);
		return magic != ANON_INODE_FS_MAGIC && magic != PROC_SUPER_MAGIC &&
		       magic != TRACEFS_MAGIC;
	case S_IFDIR:
	case S_IFBLK:
		return 1;
	case S_IFCHR:
		return opcode == IORING_OP_URING_CMD;
	default:
		return 0;
	}
}

struct call {
	__u32 number;
	__u32 how;
	__u32 fd;
	struct file *file;
};

/* Set the number of the call and how it is followed; 0: not. */
static __always_inline void find_call(struct task_struct *task, struct call *call)
{
	const struct pt_regs *regs;
	long number;

	call->how = 0;
	call->number = TW_CALLS;
	if (task->flags & (PF_KTHREAD | PF_IO_WORKER))
		return;
	if (task->flags & PF_EXITING) {
		call->number = TW_CALL_ENDS;
		call->how = calls[TW_CALL_ENDS];
		return;
	}
	regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	if (bpf_core_field_exists(regs->orig_ax))
		number = regs->orig_ax;
	else
		number = ((const struct pt_regs___aarch64 *)regs)->syscallno;
	call->number = number == -1 ? TW_CALL_FAULT : (__u32)number;
	if (call->number < TW_CALLS)
		call->how = calls[call->number];
}

/* True if a program of 32 bits made the call: its numbers are others. */
static __always_inline int is_of_32_bits(struct task_struct *task)
{
	const struct pt_regs___aarch64 *regs;

	if (bpf_core_field_exists(struct task_struct, thread_info.status))
		return task->thread_info.status & TS_COMPAT;
	regs = (const struct pt_regs___aarch64 *)bpf_task_pt_regs(task);
	return bpf_core_field_exists(regs->syscallno) && regs->pstate & PSR_MODE32_BIT;
}

static __always_inline __u64 argument(struct task_struct *task, __u32 number)
{
	const struct pt_regs *regs = (const struct pt_regs *)bpf_task_pt_regs(task);
	const struct pt_regs___aarch64 *arm = (const struct pt_regs___aarch64 *)regs;

	if (bpf_core_field_exists(regs->orig_ax))
		return number == 0 ? regs->di : number == 1 ? regs->si :
		       number == 2 ? regs->dx : regs->r10;
	return number == 0 ? arm->orig_x0 : number == 1 ? arm->regs[1] :
	       number == 2 ? arm->regs[2] : arm->regs[3];
}

/* Set the file of a call if it is on storage. */
static __always_inline void take_file(struct call *call, struct file *file)
{
	const struct inode *inode = file ? READ(struct file, file, f_inode) : 0;

	if (inode && has_storage(inode, 0))
		call->file = file;
}

static long take_mapped(struct task_struct *task, struct vm_area_struct *area, struct call *call)
{
	take_file(call, READ(struct vm_area_struct, area, vm_file));
	return 0;
}

/* Set the descriptor of the task that runs, and its file if that is on storage. */
static __always_inline void find_file(struct call *call, __u32 fd)
{
	const __u64 task = bpf_get_current_task();
	const struct files_struct *files = READ(struct task_struct, task, files);
	const struct fdtable *table = READ(struct files_struct, files, fdt);

	if (call->file)
		return;
	call->fd = fd;
	if (fd >= READ(struct fdtable, table, max_fds))
		return;
	/* Here, a structure that begins with a pointer stands for a pointer. */
	take_file(call, (struct file *)READ(struct list_head,
					    READ(struct fdtable, table, fd) + fd, next));
}

static __always_inline void find_files(struct task_struct *task, struct call *call)
{
	call->fd = 0;
	call->file = 0;
	/* If the map of the memory is locked, it is not known. */
	if ((call->how & TW_CALL_MAPPED) == TW_CALL_MAPPED)
		bpf_find_vma(task, argument(task, 0), take_mapped, call, 0);
	else if (call->how & TW_CALL_ARG0)
		find_file(call, (__u32)argument(task, 0));
	if (call->how & TW_CALL_ARG1)
		find_file(call, (__u32)argument(task, 1));
	if (call->how & TW_CALL_ARG2)
		find_file(call, (__u32)argument(task, 2));
}

#endif
