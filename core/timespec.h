/* SPDX-License-Identifier: MIT */
/*
 * The kernel's seconds and nanoseconds as one number. Internal.
 */
#ifndef TW_TIMESPEC_H
#define TW_TIMESPEC_H

#include "tickwise.h"

static inline uint64_t tw_timespec_ns(const struct timespec *ts)
{
	return (uint64_t)ts->tv_sec * TW_NS_PER_SECOND + (uint64_t)ts->tv_nsec;
}

static inline struct timespec tw_timespec_of(uint64_t ns)
{
	return (struct timespec) {
		.tv_sec = (time_t)(ns / TW_NS_PER_SECOND),
		.tv_nsec = (long)(ns % TW_NS_PER_SECOND),
	};
}

/* Return what a system clock shows now; 0 if there is no such clock. */
static inline uint64_t tw_clock_id_ns(clockid_t clock_id)
{
	struct timespec now = { 0 };

	clock_gettime(clock_id, &now);
	return tw_timespec_ns(&now);
}

#endif
