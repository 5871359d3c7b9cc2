/* SPDX-License-Identifier: MIT */
/*
 * What a hypervisor tells about the counter in a VMClock page: its rate in
 * seconds of UTC or TAI, and whether it was disrupted. Needs Linux 6.13 and
 * /dev/vmclock0; the page is described in include/uapi/linux/vmclock-abi.h.
 * Most machines have none.
 */
#ifndef TW_MACHINE_VMCLOCK_H
#define TW_MACHINE_VMCLOCK_H

#include <stddef.h>
#include <stdint.h>

/* The part of the page that is read. */
#define TW_VMCLOCK_BYTES	104

enum tw_vmclock_status {
	TW_VMCLOCK_UNKNOWN,
	TW_VMCLOCK_INITIALIZING,
	TW_VMCLOCK_SYNCHRONIZED,
	TW_VMCLOCK_FREERUNNING,
	TW_VMCLOCK_UNRELIABLE,
};

struct tw_vmclock {
	uint64_t disruption_marker;	/* if it changes, the counter was moved or
					   runs at another rate since */
	double hz;			/* of this counter; 0: not given */
	double maxerror_ppb;		/* of hz; 0: not given */
};

/*
 * Parse a VMClock page of @size bytes. A rate is not used if it is of another counter
 * than this processor's, or by a clock that does not run. Pure. Return: 0; -EMSGSIZE:
 * the page is cut off, by @size or by the length that it names; -EINVAL: it is no
 * VMClock page, or one of another version; -EAGAIN: it is in the middle of an update.
 */
int tw_vmclock_parse(const unsigned char *bytes, size_t size,
		     struct tw_vmclock *vmclock);

/* Copy TW_VMCLOCK_BYTES of a page, aligned to 8, that its owner may rewrite. Return: 0;
 * -EAGAIN if it was rewritten all the time. */
int tw_vmclock_copy(const void *page, unsigned char *bytes);

/* Read the device. Return 0; -errno of opening or mapping it; as the two above. */
int tw_vmclock_read(struct tw_vmclock *vmclock);

#endif
