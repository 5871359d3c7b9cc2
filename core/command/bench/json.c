/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of the results of tickwise bench.
 */
#include <jansson.h>

#include "command/bench/output.h"

static json_t *json_results(const struct tw_bench_result *results)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < TW_BENCH_RESULTS; i++) {
		const struct tw_bench_result *result = &results[i];

		json_array_append_new(array, json_pack(
			"{ss, sf, ss, s{sf, sf}, ss, sI, sI}",
			"name", result->name,
			"value", result->value,
			"unit", result->unit,
			"spread", "p10", result->p10, "p90", result->p90,
			"of", result->of,
			"rounds", (json_int_t)result->used,
			"disturbed", (json_int_t)result->disturbed));
	}
	return array;
}

json_t *tw_bench_json(const struct tw_bench_result *results,
		      const struct tw_bench_costs *costs,
		      const struct tw_clock *clock, int is_evidence)
{
	return json_pack("{ss, si, ss, sb, sb, sf, sI, so}",
		"schema", "tickwise-bench",
		"version", 1,
		"compiler", tw_bench_compiler(),
		"optimized", tw_bench_is_optimized(),
		"undisturbed", is_evidence,
		"hz", clock->scale.hz,
		"rounds", (json_int_t)costs->rounds,
		"results", json_results(results));
}
