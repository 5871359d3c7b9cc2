/* SPDX-License-Identifier: MIT */
/*
 * The functions that the calibration calls, built with -finstrument-functions like a user's
 * functions. calibrate_plain.c builds the same functions without it. Some work: they do
 * multiplications that depend on each other, so that neither the compiler nor the processor can
 * rearrange them. Others do nothing, or an addition, or only call.
 */
#include "cost.h"

#ifdef TW_CALIBRATE_PLAIN
#define FUNCTIONS	tw_profile_plain
#define BARE		__attribute__((noinline, no_instrument_function))
#else
#define FUNCTIONS	tw_profile_hooked
#define BARE		__attribute__((noinline))
#endif

/* Compilers move arithmetic past the calls of the hooks, but not past this. */
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

#define CALLER(name, to) \
	static BARE uint64_t name(uint64_t x) \
	{ \
		x = to(x) + 1; \
		STAYS(x); \
		return x; \
	}
CALLER(third, empty)
CALLER(second, third)
CALLER(nest, second)

/* Call functions, with work of the caller between the calls. */
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

/* Do less than a processor can work on at once. */
static BARE uint64_t brief(uint64_t x)
{
	STAYS(x);
	STEPS_8(x); STEPS_8(x); STEPS_8(x);
	STAYS(x);
	return x;
}

/* Eight functions that each call eight others. No two are the same, because
 * compilers merge functions that are. */
#define LEAF(name, n) \
	static BARE uint64_t name(uint64_t x) \
	{ \
		x += n; \
		STAYS(x); \
		return x; \
	}
#define BRANCH(name, n, to) \
	static BARE uint64_t name(uint64_t x) \
	{ \
		x = to##0(x); x = to##1(x); x = to##2(x); x = to##3(x); \
		x = to##4(x); x = to##5(x); x = to##6(x); x = to##7(x); \
		x += n; \
		STAYS(x); \
		return x; \
	}
#define BRANCHES(name, to) \
	BRANCH(name##0, 0, to) BRANCH(name##1, 1, to) BRANCH(name##2, 2, to) \
	BRANCH(name##3, 3, to) BRANCH(name##4, 4, to) BRANCH(name##5, 5, to) \
	BRANCH(name##6, 6, to) BRANCH(name##7, 7, to)

LEAF(leaf0, 0) LEAF(leaf1, 1) LEAF(leaf2, 2) LEAF(leaf3, 3)
LEAF(leaf4, 4) LEAF(leaf5, 5) LEAF(leaf6, 6) LEAF(leaf7, 7)
BRANCHES(twig, leaf)
BRANCHES(branch, twig)
BRANCH(wide, 8, branch)

/* Pointers keep the functions from being inlined, and hide that they have no
 * effect. */
uint64_t (*const FUNCTIONS[TW_PROFILE_WAYS])(uint64_t) = {
	[TW_PROFILE_EMPTY] = empty, [TW_PROFILE_WORK] = work, [TW_PROFILE_NEST] = nest,
	[TW_PROFILE_TREE] = tree, [TW_PROFILE_APART] = brief, [TW_PROFILE_WIDE] = wide,
};
