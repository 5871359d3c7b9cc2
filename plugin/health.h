/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a report says of the counter.
 */
#ifndef TW_PLUGIN_HEALTH_H
#define TW_PLUGIN_HEALTH_H

#include <jansson.h>

struct thread_data;
struct tw_job;

/*
 * Looks at the counter once more, which takes some 10 ms, and says on stderr
 * what is bad. NULL: out of memory.
 */
json_t *tw_counter_to_json(struct thread_data *td, const struct tw_job *job);

#endif
