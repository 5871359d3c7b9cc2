/* SPDX-License-Identifier: MIT */
/*
 * Reads three clocks at one moment, and sends the report of a start of a clock; see
 * clock_probe.h.
 */
#include "clock_probe.h"

#include <stdlib.h>
#include <unistd.h>

#include "array.h"
#include "timespec.h"

#define BRACKETS	512
#define BLOCKS		101
#define BLOCK_CALLS	256

void tw_probe_moment_take(struct tw_probe_moment *moment, double ns_per_tick,
			  tw_probe_gettime *real,
			  const struct tw_probe_reader *tested)
{
	moment->ticks = tw_ticks_begin();
	for (unsigned i = 0; i < TW_PROBE_CLOCKS; i++) {
		moment->base_ns[i] = 0;
		moment->low_ns[i] = -1e300;
		moment->high_ns[i] = 1e300;
	}
	for (unsigned i = 0; i < BRACKETS * TW_PROBE_CLOCKS; i++) {
		unsigned which = i % TW_PROBE_CLOCKS;
		uint64_t before = tw_ticks_begin(), after, ns;
		struct timespec now = { 0 };
		double past_ns, low_ns, high_ns;

		if (which == TW_PROBE_TESTED) {
			ns = tested->read_ns(tested->context);
		} else {
			real(which == TW_PROBE_RAW ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC, &now);
			ns = tw_timespec_ns(&now);
		}
		after = tw_ticks_end();
		if (!moment->base_ns[which])
			moment->base_ns[which] = ns;
		past_ns = (double)(int64_t)(ns - moment->base_ns[which]);
		low_ns = past_ns - (double)(after - moment->ticks) * ns_per_tick;
		high_ns = past_ns + 1 - (double)(before - moment->ticks) * ns_per_tick;
		if (low_ns > moment->low_ns[which])
			moment->low_ns[which] = low_ns;
		if (high_ns < moment->high_ns[which])
			moment->high_ns[which] = high_ns;
	}
	for (unsigned i = 0; i < TW_PROBE_CLOCKS; i++) {
		double low_ns = moment->low_ns[i], high_ns = moment->high_ns[i];

		if (low_ns > high_ns) {
			moment->low_ns[i] = high_ns;
			moment->high_ns[i] = low_ns;
		}
	}
}

double tw_probe_read_cost(double ns_per_tick,
			  const struct tw_probe_reader *tested)
{
	double block[BLOCKS];

	for (unsigned i = 0; i < BLOCKS; i++) {
		uint64_t begin = tw_ticks_begin();

		for (unsigned call = 0; call < BLOCK_CALLS; call++)
			tested->read_ns(tested->context);
		block[i] = (double)(tw_ticks_end() - begin) * ns_per_tick /
			   BLOCK_CALLS;
	}
	qsort(block, BLOCKS, sizeof(*block), tw_ascending_real);
	return block[BLOCKS / 2];
}

int tw_probe_send(int fd, const struct tw_probe_report *report)
{
	return write(fd, report, sizeof(*report)) == sizeof(*report) ? 0 : -1;
}
