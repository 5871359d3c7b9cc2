/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks whether CLOCK_MONOTONIC here is the one by which the kernel stamps I/Os.
 */
#ifndef TW_PLUGIN_KERNEL_SHIFTED_CLOCK_H
#define TW_PLUGIN_KERNEL_SHIFTED_CLOCK_H

#include <stdbool.h>

#include "counter/state.h"
#include "text_file.h"

#define TW_SHIFTED_CLOCK	"a time namespace shifts CLOCK_MONOTONIC here"

/* True if it is not: the stamps are of a CLOCK_MONOTONIC that no time namespace
 * shifts. */
static inline bool tw_has_shifted_clock(void)
{
	int64_t monotonic_ns = 0, boottime_ns;
	char text[256];

	tw_text_file_begin("/proc/self/timens_offsets", text, sizeof(text));
	return !tw_parse_timens_offsets(text, &monotonic_ns, &boottime_ns) &&
	       monotonic_ns;
}

#endif
