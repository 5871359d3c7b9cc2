/* SPDX-License-Identifier: MIT */
/*
 * Compares a profile with one made by sampling. For each function it gives both
 * shares of the time, and whether sampling alone explains their difference.
 *
 * The profile counts time in functions without hooks (of the C library, of the
 * kernel) for their caller. Samples with call chains (perf record -g) are
 * counted in the same way, for the innermost function that is in the profile.
 * Samples without chains in such functions are counted for no function.
 */
#ifndef TW_PROFILE_AGAINST_H
#define TW_PROFILE_AGAINST_H

#include <jansson.h>

#include "profile/command/functions.h"
#include "profile/command/perf_script.h"
#include "profile/command/shares.h"

/* Functions of one name. Static functions of several files can have the same
 * name. */
struct against_row {
	const char *name;		/* belongs to the result */
	double profiled, profiled_uncertainty;	/* the profile's; shares, 0 to 1 */
	struct tw_share sampled;
	int beyond;			/* 1: the difference is larger than both
					 * errors */
};

struct profile_against {
	const char *path, *event;
	int has_chains, other_events;
	uint64_t samples;
	uint64_t in_functions, in_others, in_kernel;
	struct against_row *rows;	/* by the profile's share, largest first */
	size_t row_count;
};

/* Compare @result with @samples. Return: 0; -ENODATA when no sample is in a
 * function of @result. */
int tw_profile_against(struct profile_against *against,
		       const struct profile_result *result,
		       const struct perf_samples *samples, const char *path);
void tw_profile_against_free(struct profile_against *against);

/* Print to stdout. @top: number of rows; 0: all. */
void tw_profile_print_against(const struct profile_against *against, unsigned top);
json_t *tw_profile_against_json(const struct profile_against *against);

#endif
