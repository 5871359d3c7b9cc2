/* SPDX-License-Identifier: MIT */
/*
 * What a hypervisor says about the counter through a VMClock page: its rate in
 * seconds of UTC or TAI, and whether it was disrupted (Linux 6.13 and later,
 * /dev/vmclock0; the page's layout is that of include/uapi/linux/vmclock-abi.h).
 * That there is none is the usual case.
 */
#ifndef TW_MACHINE_VMCLOCK_H
#define TW_MACHINE_VMCLOCK_H

#include <stddef.h>
#include <stdint.h>

/* Of the page; what comes later is not read. */
#define TW_VMCLOCK_BYTES	104

enum tw_vmclock_status {
	TW_VMCLOCK_UNKNOWN,
	TW_VMCLOCK_INITIALIZING,
	TW_VMCLOCK_SYNCHRONIZED,
	TW_VMCLOCK_FREERUNNING,
	TW_VMCLOCK_UNRELIABLE,
};

struct tw_vmclock {
	uint64_t disruption_marker;	/* another value: the counter was moved
					   or runs at another rate since */
	uint64_t flags;
	uint8_t counter_id;
	uint8_t time_type;
	uint8_t clock_status;
	double hz;			/* of this counter; 0: not given */
	double esterror_ppb;		/* of hz; 0: not given */
	double maxerror_ppb;
};

/**
 * tw_vmclock_parse - what a VMClock page says
 * @bytes: the page, or its beginning
 * @size: how much of it there is
 * @vmclock: the result
 *
 * A rate of another counter than this processor's, or by a clock that does not
 * run, is none.
 *
 * Return: 0; -EMSGSIZE when it is cut off, by @size or by its own word;
 * -EINVAL for another thing, or another version of it; -EAGAIN in the middle
 * of an update. Pure.
 */
int tw_vmclock_parse(const unsigned char *bytes, size_t size,
		     struct tw_vmclock *vmclock);

/**
 * tw_vmclock_copy - an undisturbed copy of a page that its owner may rewrite
 * @page: TW_VMCLOCK_BYTES of it, aligned to 8
 * @bytes: TW_VMCLOCK_BYTES
 *
 * Return: 0; -EAGAIN when it was rewritten all the time.
 */
int tw_vmclock_copy(const void *page, unsigned char *bytes);

/* The device's. Returns 0; -errno of opening or mapping it; as above. */
int tw_vmclock_read(struct tw_vmclock *vmclock);

#endif
