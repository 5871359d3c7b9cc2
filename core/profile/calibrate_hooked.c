/* SPDX-License-Identifier: MIT */
/*
 * The functions that calibration calls, built with -finstrument-functions as a
 * user's are. calibrate_plain.c is the same without.
 */
#include "calibrate_calls.h"

#ifdef TW_CALIBRATE_PLAIN
#define NAME(x)	tw_profile_plain_##x
#define BARE	__attribute__((noinline, no_instrument_function))
#else
#define NAME(x)	tw_profile_hooked_##x
#define BARE	__attribute__((noinline))
#endif

/* Compilers move arithmetic past the hooks' calls; not past this. */
#define STAYS(x)	__asm__ __volatile__("" : "+r"(x))
#define STEPS_8(x)	x *= x; x *= x; x *= x; x *= x; \
			x *= x; x *= x; x *= x; x *= x

static BARE uint64_t empty(uint64_t x)
{
	STAYS(x);
	return x;
}

static BARE uint64_t work(uint64_t x)
{
	STAYS(x);
	STEPS_8(x); STEPS_8(x); STEPS_8(x); STEPS_8(x); STEPS_8(x);
	STAYS(x);
	return x;
}

static BARE uint64_t third(uint64_t x)
{
	x = empty(x) + 1;
	STAYS(x);
	return x;
}

static BARE uint64_t second(uint64_t x)
{
	x = third(x) + 1;
	STAYS(x);
	return x;
}

static BARE uint64_t nest(uint64_t x)
{
	x = second(x) + 1;
	STAYS(x);
	return x;
}

/* Calls with work of the caller's own between them. */
static BARE uint64_t tree(uint64_t x)
{
	for (int i = 1; i < TW_PROFILE_TREE_CALLS; i++) {
		x = work(x);
		STAYS(x);
		STEPS_8(x);
		STEPS_8(x);
		STAYS(x);
	}
	return x;
}

/* Through a pointer: neither inlined nor known to have no effect. */
uint64_t (*const NAME(empty))(uint64_t) = empty;
uint64_t (*const NAME(work))(uint64_t) = work;
uint64_t (*const NAME(nest))(uint64_t) = nest;
uint64_t (*const NAME(tree))(uint64_t) = tree;
