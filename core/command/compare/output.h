/* SPDX-License-Identifier: MIT */
/*
 * What tickwise compare prints: a page for people (page.c), a JSON tree
 * (json.c), and a table for --csv (csv.c).
 */
#ifndef TW_COMPARE_OUTPUT_H
#define TW_COMPARE_OUTPUT_H

#include <jansson.h>

#include "command/compare/compare.h"

struct tw_page *tw_compare_page(const struct tw_compare_result *result,
				const struct tw_compare_arguments *arguments);

/* Add a table of all measured figures to @page. Only CSV shows it. */
struct tw_table *tw_compare_csv(struct tw_page *page,
				const struct tw_compare_result *result);

json_t *tw_compare_json(const struct tw_compare_result *result);

#endif
