/* SPDX-License-Identifier: MIT */
/*
 * Small functions that are called many times, once with hooks and once without: the
 * difference is what the hooks take. Some work: they do multiplications that depend on each
 * other, so that neither the compiler nor the processor can rearrange them. Others do
 * nothing, or an addition, or only call.
 */
#ifndef TW_PROFILE_CALIBRATE_FUNCTIONS_H
#define TW_PROFILE_CALIBRATE_FUNCTIONS_H

#include <stdint.h>

/* The functions with hooks, and the same functions without. */
typedef uint64_t (*const tw_profile_small)(uint64_t);
extern tw_profile_small tw_profile_hooked_empty, tw_profile_plain_empty;
extern tw_profile_small tw_profile_hooked_work, tw_profile_plain_work;
extern tw_profile_small tw_profile_hooked_nest, tw_profile_plain_nest;
extern tw_profile_small tw_profile_hooked_tree, tw_profile_plain_tree;
extern tw_profile_small tw_profile_hooked_brief, tw_profile_plain_brief;
extern tw_profile_small tw_profile_hooked_wide, tw_profile_plain_wide;

/* How many calls one call of nest(), of tree() and of wide() makes, itself included. Each of
 * wide()'s calls is on a path of its own. */
#define TW_PROFILE_NEST_CALLS	4
#define TW_PROFILE_TREE_CALLS	5
#define TW_PROFILE_WIDE_CALLS	(1 + 8 * (1 + 8 * (1 + 8)))

#endif
