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

void tw_probe_moment_take(struct tw_anchor_at moment[TW_PROBE_CLOCKS], double ns_per_tick,
			  tw_probe_gettime *real, const struct tw_probe_reader *tested)
{
	const uint64_t ticks = tw_ticks_begin();

	for (unsigned i = 0; i < BRACKETS * TW_PROBE_CLOCKS; i++) {
		unsigned which = i % TW_PROBE_CLOCKS;
		uint64_t before = tw_ticks_begin(), after, ns;
		struct timespec now = { 0 };

		if (which == TW_PROBE_TESTED) {
			ns = tested->read_ns(tested->context);
		} else {
			real(which == TW_PROBE_RAW ? CLOCK_MONOTONIC_RAW : CLOCK_MONOTONIC, &now);
			ns = tw_timespec_ns(&now);
		}
		after = tw_ticks_end();
		if (i < TW_PROBE_CLOCKS)
			moment[which] = tw_anchor_at(ticks, ns);
		tw_anchor_narrow(&moment[which], ns_per_tick, before, ns, after);
	}
	for (unsigned i = 0; i < TW_PROBE_CLOCKS; i++) {
		double low_ns = moment[i].low_ns, high_ns = moment[i].high_ns;

		if (low_ns > high_ns) {
			moment[i].low_ns = high_ns;
			moment[i].high_ns = low_ns;
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
