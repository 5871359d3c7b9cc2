/* SPDX-License-Identifier: MIT */
/*
 * What tickwise bench prints: a page for people (page.c) and a JSON tree
 * (json.c).
 */
#ifndef TW_BENCH_OUTPUT_H
#define TW_BENCH_OUTPUT_H

#include <jansson.h>

#include "command/bench/bench.h"

struct tw_page;
struct tw_table;

/* Return the page, to be freed with tw_page_free(). @table is set to its table,
 * for CSV. */
struct tw_page *tw_bench_page(const struct tw_bench_result *results,
			      const struct tw_bench_costs *costs, int is_evidence,
			      struct tw_table **table);

json_t *tw_bench_json(const struct tw_bench_result *results,
		      const struct tw_bench_costs *costs,
		      const struct tw_clock *clock, int is_evidence);

#endif
