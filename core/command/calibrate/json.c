/* SPDX-License-Identifier: MIT */
/*
 * Makes one JSON object of the results of tickwise calibrate.
 */
#include "command/calibrate/calibrate.h"
#include "command/command.h"

static json_t *json_refusals(unsigned refusal)
{
	json_t *reasons = json_array();
	unsigned bit;

	for (bit = 1; bit && bit <= refusal; bit <<= 1)
		if (refusal & bit)
			json_array_append_new(reasons,
				json_string(tw_text(TW_ENUM_RATE_REFUSAL,
						    bit)));
	return reasons;
}

static json_t *json_hints(const struct tw_rate *rate,
			  const struct tw_machine *machine)
{
	struct tw_hint hints[TW_HINTS];
	unsigned count = tw_hints_compare(machine, rate, hints);
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < count; i++)
		json_array_append_new(array, json_pack(
			"{ss, sf, sf, sf, sb}",
			"name", hints[i].name,
			"hz", hints[i].hz,
			"difference_ppb", hints[i].difference_ppb,
			"explained_ppb", hints[i].explained_ppb,
			"contradicts", hints[i].contradicts));
	return array;
}

static json_t *json_ntp(const struct tw_machine *machine)
{
	if (machine->ntp_synchronized < 0)
		return json_null();
	return json_pack("{sb, sf}",
		"synchronized", machine->ntp_synchronized,
		"steering_ppb", machine->ntp_steering_ppb);
}

json_t *tw_calibrate_json(const struct tw_rate *rate,
			  const struct tw_machine *machine,
			  const struct tw_counter_facts *counter)
{
	return json_pack(
		"{ss, si, sf, sf, sf, ss, ss, ss, sI, sI, sI, sI, sI, sI,"
		" sf, sf, sf, sf, sf, so, so, so, ss}",
		"schema", "tickwise-calibrate",
		"version", 1,
		"hz", rate->hz,
		"uncertainty_ppb", rate->uncertainty_ppb,
		"bound_ppb", rate->bound_ppb,
		"source", tw_name(TW_ENUM_RATE_SOURCE, rate->source),
		"against", tw_name(TW_ENUM_AGAINST, rate->against),
		"witness", tw_name(TW_ENUM_WITNESS, rate->witness),
		"kernel_mult", (json_int_t)rate->kernel_mult,
		"kernel_shift", (json_int_t)rate->kernel_shift,
		"window_ns", (json_int_t)rate->window_ns,
		"samples", (json_int_t)rate->samples,
		"used", (json_int_t)rate->used,
		"bracket_ticks", (json_int_t)rate->bracket_ticks,
		"measured_hz", rate->measured_hz,
		"measured_uncertainty_ppb", rate->measured_uncertainty_ppb,
		"low_hz", rate->low_hz,
		"high_hz", rate->high_hz,
		"steering_ppb", rate->steering_ppb,
		"kernel_rate_refused", json_refusals(rate->refusal),
		"hints", json_hints(rate, machine),
		"ntp", json_ntp(machine),
		"counter_state",
		tw_name(TW_ENUM_COUNTER_STATE, counter->state));
}
