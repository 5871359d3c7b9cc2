/* SPDX-License-Identifier: MIT */
/*
 * May the counter be read at all? Asked before the first read, inside the
 * library; tw_counter_check() is what callers get. And the parser behind it.
 */
#ifndef TW_COUNTER_STATE_H
#define TW_COUNTER_STATE_H

#include "tickwise.h"

/*
 * TW_COUNTER_OK, or the reason why not a single read may be made: absent or
 * disabled. Where it is not OK, clock_gettime() must not be called either,
 * only tw_system_clock_call(). One cheap system call.
 */
enum tw_counter_state tw_counter_permission(void);

/*
 * clock_gettime() by a real system call. The vDSO's reads the counter itself,
 * so that it is killed as well where the counter is disabled.
 */
int tw_system_clock_call(clockid_t clock_id, struct timespec *now);

/* 1: this program is run by another one that translates it (qemu-user). */
int tw_counter_is_emulated(void);

/**
 * tw_parse_timens_offsets - what a time namespace adds to two clocks
 * @text: /proc/self/timens_offsets
 * @monotonic_ns: offset of CLOCK_MONOTONIC and CLOCK_MONOTONIC_RAW
 * @boottime_ns: offset of CLOCK_BOOTTIME
 *
 * Return: 0; -EINVAL unless both lines are there and make sense.
 */
int tw_parse_timens_offsets(const char *text, int64_t *monotonic_ns,
			    int64_t *boottime_ns);

#endif
