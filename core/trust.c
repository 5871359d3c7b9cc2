/* SPDX-License-Identifier: MIT */
/*
 * Whether the counter is used: see trust.h.
 */
#include "trust.h"

enum tw_verdict tw_health_verdict(const struct tw_clock_health *health)
{
	enum tw_verdict verdict = TW_RELIABLE;
	unsigned i;

	for (i = 0; i < TW_HEALTH_CHECKS; i++) {
		if (health->state[i] == TW_HEALTH_BAD)
			return TW_UNRELIABLE;
		if (health->state[i] != TW_HEALTH_GOOD &&
		    i < TW_HEALTH_HOST)
			verdict = TW_UNDECIDED;
	}
	return verdict;
}
