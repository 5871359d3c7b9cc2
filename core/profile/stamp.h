/* SPDX-License-Identifier: MIT */
/*
 * The hooks' reads of the counter, more or less ordered.
 *
 * A processor that executes out of order begins what follows an unordered read
 * before that read, and has not finished what precedes it. Of a chain of
 * dependent multiplications that takes 217 ticks, an unordered pair of reads
 * saw 36; the caller was charged with the rest. rdtscp waits until everything
 * before it has executed, but holds back nothing after it. back nothing behind
 * it.
 */
#ifndef TW_PROFILE_STAMP_H
#define TW_PROFILE_STAMP_H

#include "tickwise.h"

/* What the hooks do now; with 0 nothing. */
enum tw_profile_mode {
	TW_PROFILE_STOPPED,
	TW_PROFILE_HELD,		/* wait while the file is written */
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

/* Let nothing after this begin before everything before it is done. With this
 * at both ends of the hooks, what they take does not depend on the code around
 * them. It costs a fifth more, and removes most of the difference between
 * callers. */
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
