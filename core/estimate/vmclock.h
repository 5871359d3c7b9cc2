/* SPDX-License-Identifier: MIT */
/*
 * What a host tells its guest about the counter through /dev/vmclock0: its
 * period with an error, and a number that changes when the guest was moved or
 * restored. Facts from the kernel's include/uapi/linux/vmclock-abi.h.
 */
#ifndef TW_ESTIMATE_VMCLOCK_H
#define TW_ESTIMATE_VMCLOCK_H

#include <stddef.h>
#include <stdint.h>

#define TW_VMCLOCK	"/dev/vmclock0"

struct tw_vmclock {
	uint64_t disruption_marker;
	double hz;			/* 0: the host does not say */
	double error_ppb;		/* its largest; INFINITY: not said */
};

/**
 * tw_vmclock_parse - one consistent copy of the page
 * @page: what was read
 * @size: how much of it
 * @counter: which counter is ours: TW_VMCLOCK_X86_TSC, TW_VMCLOCK_ARM_VCNT
 * @vmclock: the result
 *
 * Return: 0; -EINVAL for what is no such page, or too short; -ENOTSUP for
 * another counter; -EAGAIN while the host is writing it. Pure.
 */
int tw_vmclock_parse(const void *page, size_t size, unsigned counter,
		     struct tw_vmclock *vmclock);

#define TW_VMCLOCK_ARM_VCNT	0
#define TW_VMCLOCK_X86_TSC	1
#define TW_VMCLOCK_NONE		0xff

/* Return: 0; -ENOENT where there is none; -errno; those of the parser. */
int tw_vmclock_read(struct tw_vmclock *vmclock);

#endif
