/* SPDX-License-Identifier: MIT */
/*
 * The hooks' reads of the counter: how much order is paid for.
 *
 * A processor that executes out of order begins what follows an unordered read
 * before it, and is not done with what precedes it: of a chain of dependent
 * multiplications, 217 ticks long, an unordered pair saw 36, and the caller was
 * charged with the rest. rdtscp waits for all before it to execute but holds
 * back nothing behind it.
 */
#ifndef TW_PROFILE_STAMP_H
#define TW_PROFILE_STAMP_H

#include "tickwise.h"

/* What the hooks do now; at 0 nothing. */
enum tw_profile_mode {
	TW_PROFILE_STOPPED,
	TW_PROFILE_HELD,		/* wait: somebody writes the file */
	TW_PROFILE_FENCE_NONE,
	TW_PROFILE_FENCE_RDTSCP,
	TW_PROFILE_FENCE_FULL,
};

static inline uint64_t tw_profile_stamp_rdtscp(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ __volatile__("rdtscp" : "=a"(low), "=d"(high)
			     : : "ecx", "memory");
	return (uint64_t)high << 32 | low;
#else
	return tw_ticks_end();
#endif
}

/* Nothing after it begins before all before it is done: at both ends of the
 * hooks, so that what they take does not depend on what stands around them. That
 * costs a fifth more and takes most of the difference between callers away. */
static inline void tw_profile_fence(int mode)
{
	if (mode == TW_PROFILE_FENCE_FULL)
#if defined(__x86_64__)
		__asm__ __volatile__("lfence" : : : "memory");
#else
		tw_ticks_end();
#endif
}

static inline uint64_t tw_profile_stamp(int mode)
{
	if (mode == TW_PROFILE_FENCE_FULL)
		return tw_ticks_end();
	if (mode == TW_PROFILE_FENCE_RDTSCP)
		return tw_profile_stamp_rdtscp();
	return tw_ticks();
}

#endif
