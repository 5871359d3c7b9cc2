/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of the results of tickwise compare.
 */
#include <jansson.h>

#include "command/compare/output.h"

static json_t *known(double value)
{
	return value > 0 ? json_real(value) : json_null();
}

static json_t *json_list(const struct tw_compare_start *starts, unsigned count)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < count; i++)
		json_array_append_new(array, json_pack(
			"{sf, sf, sf, sf, sf, sf, sf}",
			"raw_ppb", starts[i].raw_ppb,
			"raw_uncertainty_ppb", starts[i].raw_error_ppb,
			"monotonic_ppb", starts[i].monotonic_ppb,
			"monotonic_uncertainty_ppb",
			starts[i].monotonic_error_ppb,
			"over_ns", starts[i].over_ns,
			"startup_ns", starts[i].startup_ns,
			"read_ns", starts[i].read_ns));
	return array;
}

/* Return null if no start could be measured. */
static json_t *json_error(const struct tw_compare_sum *sum, double median_ppb,
			  double worst_ppb, double uncertainty_ppb,
			  enum tw_against against)
{
	if (!sum->starts)
		return json_null();
	return json_pack("{sf, sf, sf, ss}", "median", median_ppb,
			 "worst", worst_ppb,
			 "uncertainty", uncertainty_ppb,
			 "against", tw_name(TW_ENUM_AGAINST, against));
}

static json_t *json_clock(const struct tw_compare_result *result,
			  unsigned which, int load)
{
	const struct tw_compare_clock *clock = &result->clock[which];
	const struct tw_compare_sum *sum = &result->sum[which][load];

	return json_pack("{ss, so, ss, sI, sI, so, so, so, so, so, so, so, so}",
		"name", clock->name,
		"fio_version", clock->version[0] ? json_string(clock->version) :
						   json_null(),
		"load", load == TW_COMPARE_BUSY ? "busy" : "idle",
		"starts", (json_int_t)sum->starts,
		"failed", (json_int_t)sum->failed,
		"error_ppb", json_error(sum, sum->raw_median_ppb, sum->raw_worst_ppb,
					sum->raw_error_ppb, TW_AGAINST_RAW),
		"error_monotonic_ppb",
		json_error(sum, sum->monotonic_median_ppb, sum->monotonic_worst_ppb,
			   sum->monotonic_error_ppb, TW_AGAINST_MONOTONIC),
		"uncertainty_ppb", sum->starts ? json_real(sum->uncertainty_ppb) :
						 json_null(),
		"startup_ns", known(sum->startup_ns),
		"read_ns", known(sum->read_ns),
		"reads_per_io", known(result->reads_per_io[which]),
		"null_iops", known(result->null_iops[which]),
		"list", json_list(result->start[which][load], sum->starts));
}

json_t *tw_compare_json(const struct tw_compare_result *result)
{
	json_t *clocks = json_array();

	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (result->sum[i][load].starts ||
			    result->sum[i][load].failed)
				json_array_append_new(clocks,
					json_clock(result, i, load));
	return json_pack("{ss, si, ss, sf, sI, so}",
		"schema", "tickwise-compare",
		"version", 1,
		"clocksource", result->clocksource,
		"steering_ppb", result->steering_ppb,
		"busy_loops", (json_int_t)result->busy_loops,
		"clocks", clocks);
}
