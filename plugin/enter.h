/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The system call that every I/O comes by.
 *
 * Made in place where fio knows how, as its own engine makes it: a return from a
 * function of liburing's would come right after the kernel's own calls, which have
 * replaced what the CPU had noted of where to return to. (0.4 % of a read of 512
 * bytes from the page cache.)
 */
#ifndef TW_PLUGIN_ENTER_H
#define TW_PLUGIN_ENTER_H

#include "engine.h"

/* What fio's own engine passes too; @flags beside the ring's own. How many were
 * taken, or -errno. */
static inline __attribute__((always_inline))
int tw_enter_ring(const struct tw_job *job, unsigned count, unsigned wait,
		  unsigned flags)
{
	flags |= job->enter_flags;
#if defined(FIO_ARCH_HAS_SYSCALL) && !defined(TW_ENTER_BY_FUNCTION)
	return (int) __do_syscall6(__NR_io_uring_enter, job->enter_fd, count,
				   wait, flags, NULL, 0);
#else
	return io_uring_enter(job->enter_fd, count, wait, flags, NULL);
#endif
}

#ifdef TW_PROFILED	/* ring.c: the kernel's time apart from its callers' */
int tw_enter(const struct tw_job *job, unsigned count, unsigned wait,
	     unsigned flags);
#else
#define tw_enter tw_enter_ring
#endif

#endif
