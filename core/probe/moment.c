/* SPDX-License-Identifier: MIT */
/*
 * Reads three clocks at one moment, see moment.h.
 */
#include "moment.h"

#include <stdlib.h>

#include "tickwise.h"

#define BRACKETS	512
#define BLOCKS		101
#define BLOCK_CALLS	256

static uint64_t real_ns(tw_probe_gettime *real, clockid_t id)
{
	struct timespec now = { 0 };

	real(id, &now);
	return (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void narrow(struct tw_probe_moment *moment, unsigned which,
		   double before_ns, double ns, double after_ns)
{
	if (ns - after_ns > moment->low_ns[which])
		moment->low_ns[which] = ns - after_ns;
	if (ns + 1 - before_ns < moment->high_ns[which])
		moment->high_ns[which] = ns + 1 - before_ns;
}

void tw_probe_moment_take(struct tw_probe_moment *moment, double ns_per_tick,
			  tw_probe_gettime *real,
			  const struct tw_probe_reader *tested)
{
	unsigned i, which;

	moment->ticks = tw_ticks_begin();
	for (which = 0; which < TW_PROBE_CLOCKS; which++) {
		moment->base_ns[which] = 0;
		moment->low_ns[which] = -1e300;
		moment->high_ns[which] = 1e300;
	}
	for (i = 0; i < BRACKETS * TW_PROBE_CLOCKS; i++) {
		uint64_t before, after, ns;

		which = i % TW_PROBE_CLOCKS;
		before = tw_ticks_begin();
		ns = which == TW_PROBE_TESTED ?
			tested->read_ns(tested->context) :
			real_ns(real, which == TW_PROBE_RAW ?
				CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC);
		after = tw_ticks_end();
		if (!moment->base_ns[which])
			moment->base_ns[which] = ns;
		narrow(moment, which,
		       (double)(before - moment->ticks) * ns_per_tick,
		       (double)(int64_t)(ns - moment->base_ns[which]),
		       (double)(after - moment->ticks) * ns_per_tick);
	}
	for (which = 0; which < TW_PROBE_CLOCKS; which++) {
		double low_ns = moment->low_ns[which];
		double high_ns = moment->high_ns[which];

		if (low_ns > high_ns) {
			moment->low_ns[which] = high_ns;
			moment->high_ns[which] = low_ns;
		}
	}
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

double tw_probe_read_cost(double ns_per_tick,
			  const struct tw_probe_reader *tested)
{
	double block[BLOCKS];
	unsigned i, call;

	for (i = 0; i < BLOCKS; i++) {
		uint64_t begin = tw_ticks_begin();

		for (call = 0; call < BLOCK_CALLS; call++)
			tested->read_ns(tested->context);
		block[i] = (double)(tw_ticks_end() - begin) * ns_per_tick /
			   BLOCK_CALLS;
	}
	qsort(block, BLOCKS, sizeof(*block), compare);
	return block[BLOCKS / 2];
}
