/* SPDX-License-Identifier: MIT */
/*
 * Computes the times of functions from the call tree: raw, with the cost of the
 * hooks subtracted, and the uncertainty of this correction.
 *
 * For each timed call the hooks take `inside` of the call's own time and
 * `outside` of its caller's time. Take a node with n timed calls, which made c
 * timed calls itself, and below which d timed calls were made. Then
 *
 *	self      = ticks - ticks of children - n * inside - c * outside
 *	inclusive = ticks - n * inside - d * (inside + outside)
 *
 * A call that was counted but not timed took `untimed` of its caller's time.
 * The spreads of these constants are systematic, so their errors add up
 * linearly.
 *
 * With hooks a processor does one call at a time; without them it can work on
 * several at once. So a call can have cost up to `beyond` more than these
 * constants, which is part of the uncertainty. One half of it counts for the
 * call itself, which begins and ends on its own; the other half counts for its
 * caller, which is stopped twice.
 */
#ifndef TW_PROFILE_FUNCTIONS_H
#define TW_PROFILE_FUNCTIONS_H

#include "profile/command/file.h"

struct profile_time {
	double raw_ticks;
	double ticks;			/* corrected */
	double uncertainty_ticks;	/* of the correction; linear */
};

struct profile_function {
	uint64_t address;
	const char *name;		/* of the symbol, demangled */
	const char *object;		/* file name of its object; "": unknown */
	uint64_t calls, not_timed, abandoned, open;
	uint64_t min_ticks, max_ticks;	/* of one call, corrected */
	struct profile_time self, inclusive;
	const struct profile_histogram *histogram;	/* or NULL */
	unsigned active;		/* used while the tree is walked */
};

/* The times of a node, with the same meanings. */
struct profile_node_time {
	struct profile_time self, inclusive;
	uint64_t below, below_untimed;	/* calls made below it, at any depth */
	uint64_t made, made_untimed;	/* calls made by the node itself */
};

struct profile_result {
	struct profile_function *functions;
	size_t function_count;
	struct profile_function **by_address;
	struct profile_node_time *times;	/* one for each node */
	struct profile_time total;	/* sum of all self times */
};

/* Compute the functions, sorted by self time, longest first. Sets each node's
 * function, but no names. Pure. */
void tw_profile_functions(struct profile_result *result,
			  struct profile_file *file);
/* Return NULL: there is no function at this address. */
const struct profile_function *
tw_profile_function_at(const struct profile_result *result, uint64_t address);
void tw_profile_functions_free(struct profile_result *result);

/* Is a function's time so short that its error can be all of it? */
int tw_profile_below_resolution(const struct profile_time *time);

#endif
