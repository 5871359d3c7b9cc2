/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report says of the counter.
 */
#ifndef TW_PLUGIN_HEALTH_H
#define TW_PLUGIN_HEALTH_H

#include <jansson.h>

#include "timing.h"

/*
 * Looks at the counter once more, which takes some 10 ms, and says on stderr
 * what is bad. @backwards: stamps of a job that contradict each other. NULL: out
 * of memory.
 */
json_t *tw_counter_to_json(const char *job_name, const struct tw_timing *timing,
			   uint64_t backwards);

#endif
