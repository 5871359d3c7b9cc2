/* SPDX-License-Identifier: MIT */
/*
 * Clocks that go on where the counter does not, or that are not computed from it: how
 * long the machine was suspended, and a PTP device that can be read together with
 * CLOCK_MONOTONIC_RAW. Network cards have one. Some hypervisors give their guests the
 * host's clock (ptp_kvm). Internal.
 */
#ifndef TW_MACHINE_OTHER_CLOCKS_H
#define TW_MACHINE_OTHER_CLOCKS_H

#include <stdint.h>

/* Return how long this machine has been suspended since it booted, to some us. */
int64_t tw_suspended_ns(void);
#define TW_SUSPEND_SEEN_NS	1000000

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
