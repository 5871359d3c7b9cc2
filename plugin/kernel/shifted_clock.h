/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Is CLOCK_MONOTONIC here the one that the kernel stamps I/Os with?
 */
#ifndef TW_PLUGIN_KERNEL_SHIFTED_CLOCK_H
#define TW_PLUGIN_KERNEL_SHIFTED_CLOCK_H

#include <stdbool.h>
#include <stdio.h>

#include "counter/state.h"

#define TW_SHIFTED_CLOCK	"a time namespace shifts CLOCK_MONOTONIC here"

/* The stamps are of a CLOCK_MONOTONIC that no time namespace shifts. */
static inline bool tw_has_shifted_clock(void)
{
	FILE *file = fopen("/proc/self/timens_offsets", "re");
	int64_t monotonic_ns = 0, boottime_ns;
	char text[256];

	if (!file)
		return false;
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	return !tw_parse_timens_offsets(text, &monotonic_ns, &boottime_ns) &&
	       monotonic_ns;
}

#endif
