/* SPDX-License-Identifier: MIT */
/*
 * Reads three clocks at one moment, and prints and reads the report of a start of a
 * clock; see clock_probe.h.
 */
#include "clock_probe.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* ---- the report ---- */

int tw_probe_print_ready(int fd, double startup_ns)
{
	return dprintf(fd, "ready %.0f\n", startup_ns) > 0 ? 0 : -1;
}

int tw_probe_print(int fd, const struct tw_probe_report *report)
{
	char line[TW_PROBE_LINE];
	int length, i, which;

	length = snprintf(line, sizeof(line), "done %.0f %.3f",
			  report->startup_ns, report->read_ns);
	for (i = 0; i < 2; i++) {
		const struct tw_probe_moment *moment = &report->moment[i];

		length += snprintf(line + length,
				   sizeof(line) - (size_t)length, " %" PRIu64,
				   moment->ticks);
		for (which = 0; which < TW_PROBE_CLOCKS; which++)
			length += snprintf(line + length,
				sizeof(line) - (size_t)length,
				" %" PRIu64 " %.3f %.3f",
				moment->base_ns[which], moment->low_ns[which],
				moment->high_ns[which]);
	}
	return dprintf(fd, "%s\n", line) == length + 1 ? 0 : -1;
}

int tw_probe_scan(const char *line, struct tw_probe_report *report)
{
	int used, i, which;

	if (sscanf(line, "done %lf %lf%n", &report->startup_ns,
		   &report->read_ns, &used) != 2)
		return -1;
	for (i = 0; i < 2; i++) {
		struct tw_probe_moment *moment = &report->moment[i];

		line += used;
		if (sscanf(line, " %" SCNu64 "%n", &moment->ticks, &used) != 1)
			return -1;
		for (which = 0; which < TW_PROBE_CLOCKS; which++) {
			line += used;
			if (sscanf(line, " %" SCNu64 " %lf %lf%n",
				   &moment->base_ns[which],
				   &moment->low_ns[which],
				   &moment->high_ns[which], &used) != 3)
				return -1;
		}
	}
	return 0;
}
