/* SPDX-License-Identifier: MIT */
/*
 * The profile beside one made by sampling: for each function both shares of the
 * time, and whether sampling alone explains that they differ.
 *
 * Time in functions without hooks (of the C library, of the kernel) is their
 * caller's in the profile. Samples taken with call chains (perf record -g) are
 * counted likewise, to the innermost function that is in the profile; without
 * chains such samples belong to nobody.
 */
#ifndef TW_PROFILE_AGAINST_H
#define TW_PROFILE_AGAINST_H

#include <jansson.h>

#include "command/profile/functions.h"
#include "command/profile/perf_script.h"
#include "command/profile/shares.h"

/* Functions of one name; static ones of several files may have the same. */
struct against_row {
	const char *name;		/* the result's */
	double ours, ours_uncertainty;	/* shares, 0 to 1 */
	struct tw_share sampled;
	int beyond;			/* they differ by more than both errors */
};

struct profile_against {
	const char *path, *event;
	int has_chains, other_events;
	uint64_t samples;
	uint64_t in_functions, in_others, in_kernel;
	struct against_row *rows;	/* by our share, largest first */
	size_t row_count;
};

/* 0; -ENOMEM; -ENODATA when no sample is of a function in @result. */
int tw_profile_against(struct profile_against *against,
		       const struct profile_result *result,
		       const struct perf_samples *samples, const char *path);
void tw_profile_against_free(struct profile_against *against);

/* To stdout. 0; -ENOMEM. @top: rows; 0: all. */
int tw_profile_print_against(const struct profile_against *against, unsigned top);
json_t *tw_profile_against_json(const struct profile_against *against);

#endif
