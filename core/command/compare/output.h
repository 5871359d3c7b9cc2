/* SPDX-License-Identifier: MIT */
/*
 * What tickwise compare prints: a page for people (page.c) and a tree of JSON (json.c).
 */
#ifndef TW_COMPARE_OUTPUT_H
#define TW_COMPARE_OUTPUT_H

#include <jansson.h>

#include "command/compare/compare.h"

struct tw_page *tw_compare_page(const struct tw_compare_result *result,
				const struct tw_compare_arguments *arguments);

/* Add a table of all that was measured to @page, where neither text nor HTML has it. */
struct tw_table *tw_compare_csv(struct tw_page *page,
				const struct tw_compare_result *result);

/* NULL: no memory. */
json_t *tw_compare_json(const struct tw_compare_result *result);

#endif
