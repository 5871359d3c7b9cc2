/* SPDX-License-Identifier: MIT */
/*
 * Small functions that are called many times, once with hooks and once without:
 * the difference is what the hooks take. Some work: they do multiplications
 * that depend on each other, so that neither the compiler nor the processor can
 * rearrange them. Others do nothing, or an addition, or only call.
 */
#ifndef TW_PROFILE_CALIBRATE_CALLS_H
#define TW_PROFILE_CALIBRATE_CALLS_H

#include <stdint.h>

/* The functions with hooks, and the same functions without. */
extern uint64_t (*const tw_profile_hooked_empty)(uint64_t);
extern uint64_t (*const tw_profile_hooked_work)(uint64_t);
extern uint64_t (*const tw_profile_hooked_nest)(uint64_t);
extern uint64_t (*const tw_profile_hooked_tree)(uint64_t);
extern uint64_t (*const tw_profile_hooked_brief)(uint64_t);
extern uint64_t (*const tw_profile_hooked_wide)(uint64_t);
extern uint64_t (*const tw_profile_plain_empty)(uint64_t);
extern uint64_t (*const tw_profile_plain_work)(uint64_t);
extern uint64_t (*const tw_profile_plain_nest)(uint64_t);
extern uint64_t (*const tw_profile_plain_tree)(uint64_t);
extern uint64_t (*const tw_profile_plain_brief)(uint64_t);
extern uint64_t (*const tw_profile_plain_wide)(uint64_t);

/* How many calls one call of nest(), of tree() and of wide() makes, itself
 * included. Each of wide()'s calls is on a path of its own. */
#define TW_PROFILE_NEST_CALLS	4
#define TW_PROFILE_TREE_CALLS	5
#define TW_PROFILE_WIDE_CALLS	(1 + 8 * (1 + 8 * (1 + 8)))

#endif
