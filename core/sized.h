/* SPDX-License-Identifier: MIT */
/*
 * Option and result structures of the public header begin with their size, as the
 * caller's compiler knew it. They may grow at their end. So a program runs with a
 * library that is newer or older than the header it was built with. The rules are
 * those of openat2(2) and sched_setattr(2).
 *
 * Only public functions read these sizes. They copy what the caller gave into
 * complete structures. Inside the library all structures are complete.
 */
#ifndef TW_SIZED_H
#define TW_SIZED_H

#include "tickwise.h"

#define TW_UP_TO(type, member) \
	(offsetof(type, member) + sizeof(((type *)NULL)->member))

/* The sizes of the first version. New members are added behind them, and these
 * sizes never change. */
enum tw_first_size {
	TW_FIRST_COUNTER_FACTS =
		TW_UP_TO(struct tw_counter_facts, boottime_offset_ns),
	TW_FIRST_RATE = TW_UP_TO(struct tw_rate, high_hz),
	TW_FIRST_TIME_SOURCE = TW_UP_TO(struct tw_time_source, sleep_ns),
	TW_FIRST_RATE_OPTIONS = TW_UP_TO(struct tw_rate_options, longest_ns),
	TW_FIRST_CLOCK_OPTIONS = TW_UP_TO(struct tw_clock_options, longest_ns),
	TW_FIRST_CLOCK_MARK = TW_UP_TO(struct tw_clock_mark, system_ns),
	TW_FIRST_RELIABILITY = TW_UP_TO(struct tw_reliability, step_ticks),
	TW_FIRST_RELIABILITY_OPTIONS =
		TW_UP_TO(struct tw_reliability_options, context),
	TW_FIRST_MACHINE = TW_UP_TO(struct tw_machine, ntp_steering_ppb),
	TW_FIRST_CLOCK_HEALTH =
		TW_UP_TO(struct tw_clock_health, independent_error_ppb),
};

/* A larger size is not a size: the structure was never set up. */
#define TW_MAX_SIZE	4096

/* Return: 0; -EINVAL for a size below @first; -E2BIG above TW_MAX_SIZE. */
int tw_sized_check(size_t size, enum tw_first_size first);

/* Copy a caller's structure into a complete one of @size; members that it lacks become
 * 0. Return: 0; as tw_sized_check(); -E2BIG if it is larger than @to and its additional
 * bytes are not all 0. */
int tw_sized_take(void *to, size_t size, const void *from,
		  enum tw_first_size first);

/* Copy a result to the caller's structure, as much as that holds. The caller's size
 * was checked before, and stays. Members that are unknown here become 0. */
void tw_sized_give(void *to, const void *from, size_t size);

#endif
