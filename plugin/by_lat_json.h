/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The stages of a job's I/Os by their lat, for the report.
 */
#ifndef TW_PLUGIN_BY_LAT_JSON_H
#define TW_PLUGIN_BY_LAT_JSON_H

#include <jansson.h>

struct tw_job;

/* Return {DIRECTION: [{"from_ns", "to_ns", "ios", "stages"}]}; NULL without memory. */
json_t *tw_by_lat_to_json(const struct tw_job *job);

#endif
