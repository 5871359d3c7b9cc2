/* SPDX-License-Identifier: MIT */
/*
 * What tickwise memlat prints: a page for people, a tree of JSON, and the table of all
 * points, which is on that page, for CSV.
 */
#ifndef TW_MEMLAT_OUTPUT_H
#define TW_MEMLAT_OUTPUT_H

#include <jansson.h>

#include "command/memlat/memlat.h"

struct tw_page;
struct tw_table;

/* To be freed with tw_page_free(), @points with it. */
struct tw_page *tw_memlat_page(const struct tw_memlat *memlat,
			       struct tw_table **points);

/* NULL: no memory. */
json_t *tw_memlat_json(const struct tw_memlat *memlat);

#endif
