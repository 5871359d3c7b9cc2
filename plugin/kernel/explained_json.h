/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What happened in the longest stage of a slow I/O as JSON: "causes" of
 * tickwise-report(5).
 */
#ifndef TW_PLUGIN_KERNEL_EXPLAINED_JSON_H
#define TW_PLUGIN_KERNEL_EXPLAINED_JSON_H

#include <jansson.h>

#include "explain.h"

/* Return the causes of a stage that began at @from_ns of CLOCK_MONOTONIC and took @ns; NULL
 * without memory. @is: its stall is relative to @from_ns; NULL: the thread takes no part in
 * the stage. */
json_t *tw_explained_to_json(const char *stage, uint64_t from_ns, uint64_t ns,
			     const struct tw_explained *is);

#endif
