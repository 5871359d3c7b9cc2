/* SPDX-License-Identifier: MIT */
/*
 * May the counter be read at all? The library asks this before its first read.
 * Users of the library call tw_counter_check(). Internal.
 */
#ifndef TW_COUNTER_STATE_H
#define TW_COUNTER_STATE_H

#include "tickwise.h"

/*
 * Return TW_COUNTER_OK, or the reason why no read may be made: absent or disabled.
 * If it is not TW_COUNTER_OK, clock_gettime() must not be called either, only
 * tw_system_clock_call(). Cost: one cheap system call.
 */
enum tw_counter_state tw_counter_permission(void);

/*
 * Read a clock by a real system call. Where the counter is disabled, the vDSO's
 * clock_gettime() would read the counter and kill the process.
 */
int tw_system_clock_call(clockid_t clock_id, struct timespec *now);

static inline clockid_t tw_against_clock_id(enum tw_against against)
{
	return against == TW_AGAINST_MONOTONIC ? CLOCK_MONOTONIC : CLOCK_MONOTONIC_RAW;
}

/* Return 1 if another program translates this one (qemu-user), otherwise 0. */
int tw_counter_is_emulated(void);

/* Return 0 if the processor tells that it has no counter, otherwise 1. */
int tw_processor_has_counter(void);

/* Parse what a time namespace adds to CLOCK_MONOTONIC (and RAW) and CLOCK_BOOTTIME, from
 * /proc/self/timens_offsets. Return: 0; -EINVAL unless both lines are there and valid. */
int tw_parse_timens_offsets(const char *text, int64_t *monotonic_ns,
			    int64_t *boottime_ns);

#endif
