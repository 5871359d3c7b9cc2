/* SPDX-License-Identifier: MIT */
/*
 * A clock that is not computed from this machine's counter: a PTP device that
 * can be read together with CLOCK_MONOTONIC_RAW. Network cards have one. Some
 * hypervisors give their guests the host's clock (ptp_kvm).
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

/* Read the first device that can be read. @name is "" if there is none, or none
 * that this user may open. */
void tw_independent_read(struct tw_independent *now);

/*
 * Compute by how much RAW runs faster than the device since @start, in ppb, and
 * the error of that. Both were read to about a microsecond. Return 0; -EAGAIN
 * for less than 4 ms, for another device, or for a device that was set back.
 */
int tw_independent_rate(const struct tw_independent *start,
			const struct tw_independent *now, double *ppb,
			double *error_ppb);

/* How much a crystal and a steered device may differ without a fault. */
#define TW_INDEPENDENT_ALLOWED_PPB	1e6

#endif
