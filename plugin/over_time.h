/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run over time: lat of the I/Os that completed in each of some hundred windows
 * since the job's start.
 */
#ifndef TW_PLUGIN_OVER_TIME_H
#define TW_PLUGIN_OVER_TIME_H

#include "engine.h"

/* Open the first window at the job's start. Return 0 or -ENOMEM. */
int tw_over_time_start(const struct thread_data *td, struct tw_job *job);

/* Return the report's "over_time"; NULL without memory. */
struct json_t;
struct json_t *tw_over_time_to_json(struct tw_job *job);

#endif
