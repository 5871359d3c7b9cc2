/* SPDX-License-Identifier: MIT */
/*
 * What tickwise memlat prints: a page for people, a JSON tree, and the table of
 * all points. This table is part of the page, and the whole CSV.
 */
#ifndef TW_MEMLAT_OUTPUT_H
#define TW_MEMLAT_OUTPUT_H

#include <jansson.h>

#include "memory/command/memlat.h"

struct tw_page;
struct tw_table;

/* Return the page, to be freed with tw_page_free(), which frees @points too. */
struct tw_page *tw_memlat_page(const struct tw_memlat *memlat,
			       struct tw_table **points);

json_t *tw_memlat_json(const struct tw_memlat *memlat);

#endif
