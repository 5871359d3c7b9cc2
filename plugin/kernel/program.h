/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the loaders of all programs for the kernel share: why a program can't be
 * loaded, and what must be known of this kernel and this process before
 * loading.
 */
#ifndef TW_PLUGIN_KERNEL_PROGRAM_H
#define TW_PLUGIN_KERNEL_PROGRAM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What this process may do. */
struct tw_program_rights {
	bool locked_down;	/* lockdown=confidentiality: no program may read the kernel */
	bool privileged;	/* it has the capabilities that are needed */
	bool has_addresses;	/* as tw_program_has_addresses() */
	bool has_types;		/* the kernel's type information is there */
};

/* Return why a program is refused with @error (-errno), in one line. @helper:
 * `tickwise kernel-helper` could load it. The second function is for given
 * rights. */
const char *tw_program_reason(int error, bool helper);
const char *tw_program_reason_by(int error, bool helper,
				 const struct tw_program_rights *rights);

/* True if the kernel is locked down. Then no program may call what reads the kernel's
 * memory, and loading one fails with EINVAL, or with EPERM on some kernels. From Linux 6.2 on
 * the stages need no such call, unless there is device mapper or md to follow. */
bool tw_program_is_locked_down(void);

/* Return the effective capabilities of this process, a bit each. */
uint64_t tw_program_capabilities(void);

/*
 * True if this process sees the kernel's addresses. Programs follow pointers to
 * functions of the kernel. The kernel shows these only with CAP_SYSLOG. Without
 * it they read as 0, and no I/O would ever be found.
 */
bool tw_program_has_addresses(void);

/* Return the inode of this process's namespace of processes; 0: this kernel has none. A
 * thread's number in the job is that of this namespace. */
uint64_t tw_program_namespace(void);

/* The inode of the first namespace: PROC_PID_INIT_INO of the kernel. */
#define TW_PROGRAM_FIRST_NAMESPACE	0xEFFFFFFCU

/* Places for the I/Os, or for the threads, of all jobs of a fio, in memory that a program of the
 * kernel writes. Each job gets some of them. */
struct tw_places {
	uint32_t count;
	_Atomic(uint32_t) *given;	/* shared by all jobs */
};

/* Make @count places of @size bytes in the map @fd, and map them, to be read. Call this in the
 * process that starts the jobs. Return NULL, and errno is set, if that fails. */
const void *tw_places_make(struct tw_places *places, int fd, uint32_t count, size_t size);

/* Give @wanted places to a job, from @first on. Return NULL, or the reason in one line. */
const char *tw_places_give(struct tw_places *places, uint32_t wanted, uint32_t *first);

/* Map the first @bytes of the map @fd of a program, to be read. Return NULL, and errno is set, if
 * that fails. */
const void *tw_program_memory(int fd, size_t bytes);

#define TW_SHIFTED_CLOCK	"a time namespace shifts CLOCK_MONOTONIC here"

/* True if it does: the kernel's stamps are of a CLOCK_MONOTONIC that no namespace shifts. */
bool tw_has_shifted_clock(void);

#ifdef TW_KERNEL_STAGES
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>

/* Switch libbpf's messages off, unless TICKWISE_DEBUG is 1. With it they go to stderr, and
 * tell which program is refused, and why. Call this before a program is opened. */
void tw_program_set_messages(void);

/* Return how many runs of the programs of @object the kernel has skipped, since the
 * program ran on that CPU already; -1: not known. */
int64_t tw_program_missed(const struct bpf_object *object);

/* True if a program can run where @function of the kernel begins. Some kernels refuse that, when
 * it is loaded or when it is attached. @btf: the kernel's types. */
bool tw_program_can_enter(const struct btf *btf, const char *function);

/* True if the kernel has the tracepoint, with its type, or the module has it whose name its own
 * begins with. @kernel: the kernel's types. */
bool tw_program_has_tracepoint(const struct btf *kernel, const char *name);

/* Load those of the optional programs of @object, SEC("?tp_btf/..."), whose tracepoints the kernel
 * has. Call this first: libbpf does not tell them from those that are switched off. */
void tw_program_choose(const struct bpf_object *object, const struct btf *kernel);
#endif

#endif
