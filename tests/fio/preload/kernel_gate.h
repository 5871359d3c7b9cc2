/* SPDX-License-Identifier: MIT */
/*
 * A system call filter catches every io_uring_setup and io_uring_enter of the
 * program, whoever makes them and how: fio's engine and ours make them inline,
 * without a function that could be replaced. The code that handles a caught call
 * asks the kernel by gate_kernel(), the one place whose calls the filter allows.
 *
 * A filter survives exec(), but the next program's handler is elsewhere: preload it
 * for fio itself (env LD_PRELOAD=... fio). It works on x86-64 alone. Elsewhere, and
 * where no filter may be set, the program ends at once with 77. Needs _GNU_SOURCE.
 */
#ifndef TW_TESTS_FIO_PRELOAD_KERNEL_GATE_H
#define TW_TESTS_FIO_PRELOAD_KERNEL_GATE_H

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#ifdef __x86_64__

#if !__has_attribute(noclone)
#define noclone		/* clang makes no copies */
#endif

extern char gate_open[] __attribute__((visibility("hidden")));

/* Handle a call of this number: return its result, or -errno. */
static long (*gate_caught)(long number, const long *a);

static __attribute__((noinline, noclone))
long gate_kernel(long number, const long *a)
{
	register long r10 __asm__("r10") = a[3];
	register long r8 __asm__("r8") = a[4];
	register long r9 __asm__("r9") = a[5];
	long ret;

	__asm__ volatile("syscall\n"
			 ".hidden gate_open\n"
			 ".globl gate_open\n"
			 "gate_open:"
			 : "=a"(ret)
			 : "a"(number), "D"(a[0]), "S"(a[1]), "d"(a[2]),
			   "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

static void gate_signal(int signal, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const long a[6] = { r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
			    r[REG_R8], r[REG_R9] };

	(void)signal;
	r[REG_RAX] = gate_caught(info->si_syscall, a);
}

/* Return 0, or -1 with errno. */
static int gate_filter(void)
{
	const uint64_t gate = (uintptr_t)gate_open;
	struct sock_filter code[] = {
#define LOAD(member) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, member)
#define UNLESS(value, to) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, to)
#define IF(value, to) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, to, 0)
		LOAD(offsetof(struct seccomp_data, arch)),
		UNLESS(AUDIT_ARCH_X86_64, 8),
		LOAD(offsetof(struct seccomp_data, nr)),
		IF(SYS_io_uring_enter, 1),
		UNLESS(SYS_io_uring_setup, 5),
		LOAD(offsetof(struct seccomp_data, instruction_pointer)),
		UNLESS((uint32_t)gate, 2),
		LOAD(offsetof(struct seccomp_data, instruction_pointer) + 4),
		IF((uint32_t)(gate >> 32), 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
#undef LOAD
#undef UNLESS
#undef IF
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };
	struct sigaction action = {
		.sa_sigaction = gate_signal,
		.sa_flags = SA_SIGINFO | SA_NODEFER,
	};

	if (sigaction(SIGSYS, &action, NULL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

#else

static long (*gate_caught)(long number, const long *a);

static long gate_kernel(long number, const long *a)
{
	return syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static int gate_filter(void)
{
	errno = ENOSYS;
	return -1;
}

#endif

/*
 * From now on @caught handles the calls. If that fails, end the program, with
 * @who's name.
 */
static void gate_close(const char *who,
		       long (*caught)(long number, const long *a))
{
	gate_caught = caught;
	if (!gate_filter())
		return;
	fprintf(stderr, "%s: no system call filter: %s\n", who, strerror(errno));
	_exit(77);
}

#endif
