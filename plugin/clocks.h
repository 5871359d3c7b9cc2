/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The errors of the clocks in a run: the report's "clocks".
 */
#ifndef TW_PLUGIN_CLOCKS_H
#define TW_PLUGIN_CLOCKS_H

#include "engine.h"

static inline double tw_offset_middle_ns(struct tw_offset offset)
{
	return ((double) offset.low_ns + (double) offset.high_ns) / 2;
}

/* Return "clocks" between the job's start and @end; NULL without memory. */
struct json_t;
struct json_t *tw_clocks_to_json(const struct tw_job *job,
				 const struct tw_moment *end);

#endif
