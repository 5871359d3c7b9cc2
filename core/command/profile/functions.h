/* SPDX-License-Identifier: MIT */
/*
 * From the call tree to functions: what each took, raw and with the hooks taken
 * out, and how far off that can be.
 *
 * The hooks take `inside` of each call that is timed and `outside` of its
 * caller. So, of a node with n calls that were timed, c timed calls made by it
 * and d timed calls made below it:
 *
 *	self      = ticks - ticks of children - n * inside - c * outside
 *	inclusive = ticks - n * inside - d * (inside + outside)
 *
 * Calls that were counted and not timed took `untimed` each of whoever made
 * them. The spreads of these constants are systematic: their errors add up
 * linearly.
 *
 * What a call can have cost `beyond` these, by the processor being at one call at
 * a time, is in doubt, too: half of it at the side of the call itself, which
 * begins and ends on its own, and half at its caller's, which is stopped twice.
 */
#ifndef TW_PROFILE_FUNCTIONS_H
#define TW_PROFILE_FUNCTIONS_H

#include "command/profile/file.h"

struct profile_time {
	double raw_ticks;
	double ticks;			/* corrected */
	double uncertainty_ticks;	/* of the correction; linear */
};

struct profile_function {
	uint64_t address;
	char *name;			/* demangled; of the symbol */
	const char *object;		/* file name of its object; "" unknown */
	uint64_t calls, not_timed, abandoned, open;
	uint64_t min_ticks, max_ticks;	/* one call, corrected */
	struct profile_time self, inclusive;
	const struct profile_histogram *histogram;	/* NULL */
	unsigned active;		/* while the tree is walked */
};

/* The times of a node by itself, same meaning. */
struct profile_node_time {
	struct profile_time self, inclusive;
	uint64_t below, below_untimed;	/* calls made, at any depth */
	uint64_t made, made_untimed;	/* by itself */
};

struct profile_result {
	struct profile_function *functions;
	size_t function_count;
	struct profile_function **by_address;
	struct profile_node_time *times;	/* of each node */
	struct profile_time total;	/* of all selves */
};

/* Sets each node's function, too. Functions are sorted by self time, longest
 * first; names are not set. 0; -ENOMEM. Pure. */
int tw_profile_functions(struct profile_result *result,
			 struct profile_file *file);
/* NULL: none is there. */
const struct profile_function *
tw_profile_function_at(const struct profile_result *result, uint64_t address);
void tw_profile_functions_free(struct profile_result *result);

/* Is a function's time so short that its error could be all of it? */
int tw_profile_below_resolution(const struct profile_time *time);

#endif
