/* SPDX-License-Identifier: MIT */
/*
 * A clock that is not computed from this machine's counter: a PTP device that
 * can be read together with CLOCK_MONOTONIC_RAW. Network cards have one, and
 * guests of some hypervisors are given their host's (ptp_kvm).
 */
#ifndef TW_MACHINE_INDEPENDENT_H
#define TW_MACHINE_INDEPENDENT_H

#include <stddef.h>
#include <stdint.h>

struct tw_independent {
	char name[32];		/* "/dev/ptp0"; "" for none */
	int64_t device_ns;
	uint64_t raw_ns;
};

/* The first device that can be read; @name is "" where there is none, or none
 * that this user may open. */
void tw_independent_read(struct tw_independent *now);

/*
 * How fast RAW runs of the device since @start, in ppb, and to what error: both
 * are read to about a microsecond. Returns 0; -EAGAIN for under 4 ms, for
 * another device, or one that was set back.
 */
int tw_independent_rate(const struct tw_independent *start,
			const struct tw_independent *now, double *ppb,
			double *error_ppb);

/* What a crystal, and a device that is being steered, may be off together. */
#define TW_INDEPENDENT_ALLOWED_PPB	1e6

#endif
