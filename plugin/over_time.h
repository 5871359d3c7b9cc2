/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The run over time: total latency of the I/Os that completed in each of some
 * hundred windows since the job's start.
 */
#ifndef TW_PLUGIN_OVER_TIME_H
#define TW_PLUGIN_OVER_TIME_H

#include "engine.h"

/* 0; -ENOMEM. From here on the job's time counts. */
int tw_over_time_start(const struct thread_data *td, struct tw_job *job);

/* The report's "over_time"; NULL without memory. */
struct json_t;
struct json_t *tw_over_time_to_json(struct tw_job *job);

#endif
