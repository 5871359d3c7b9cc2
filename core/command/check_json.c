/* SPDX-License-Identifier: MIT */
/*
 * What tickwise check found, as one JSON object.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>

#include "check.h"
#include "command.h"

/* There is no infinity in JSON: what has no bound is null. */
static json_t *number_or_null(double number)
{
	return isfinite(number) ? json_real(number) : json_null();
}

static json_t *ticks_or_null(int64_t ticks)
{
	return ticks == INT64_MAX || ticks == -INT64_MAX ?
	       json_null() : json_integer(ticks);
}

static json_t *rate_or_null(uint64_t rate)
{
	return rate ? json_integer((json_int_t)rate) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return *text ? json_string(text) : json_null();
}

/* -1 is "unknown" in all of these. */
static json_t *truth_or_null(int truth)
{
	return truth < 0 ? json_null() : json_boolean(truth);
}

static json_t *json_counter(const struct tw_counter_facts *counter)
{
	return json_pack("{ss, ss, sf, sf, sf, sf, so, so, so, sI, sI}",
		"name", TW_COUNTER_NAME,
		"state", tw_counter_state_name(counter->state),
		"read_cost_ns", counter->read_cost_ns,
		"step_ns", counter->step_ns,
		"clock_cost_ns", counter->clock_cost_ns,
		"call_cost_ns", counter->call_cost_ns,
		"clock_is_call", truth_or_null(counter->clock_is_call),
		"emulated", truth_or_null(counter->emulated),
		"time_namespace", truth_or_null(counter->time_namespace),
		"monotonic_offset_ns",
		(json_int_t)counter->monotonic_offset_ns,
		"boottime_offset_ns",
		(json_int_t)counter->boottime_offset_ns);
}

static json_t *json_facts(const struct tw_machine *machine,
			  const struct tw_counter_facts *counter)
{
	return json_pack("{so, so, so, so, so, sb, si, si, si, so, so, so, so,"
		" so, so}",
		"processor", text_or_null(machine->processor),
		"hypervisor", text_or_null(machine->hypervisor),
		"clocksource", text_or_null(machine->clocksource),
		"clocksources", text_or_null(machine->clocksources),
		"invariant", truth_or_null(machine->invariant),
		"rdtscp", machine->has_read_with_cpu,
		"cpus_allowed", (int)machine->cpus_allowed,
		"cpus_online", (int)machine->cpus_online,
		"cpus_configured", (int)machine->cpus_configured,
		"cpuid_khz", rate_or_null(machine->cpuid_khz),
		"hypervisor_khz", rate_or_null(machine->hypervisor_khz),
		"cpuinfo_khz", rate_or_null(machine->cpuinfo_khz),
		"kernel_log_khz", rate_or_null(machine->kernel_log_khz),
		"declared_hz", rate_or_null(machine->declared_hz),
		"counter", json_counter(counter));
}

static json_t *json_reasons(unsigned reasons)
{
	json_t *array = json_array();
	unsigned bit;

	for (bit = 1; bit && bit <= reasons; bit <<= 1)
		if (reasons & bit)
			json_array_append_new(array, json_pack("{ss, ss}",
				"code", tw_reliability_reason_code(bit),
				"text", tw_reliability_reason_text(bit)));
	return array;
}

static json_t *json_pairs(const struct tw_reliability *result)
{
	json_t *array = json_array();
	unsigned i;

	for (i = 0; i < result->pairs; i++) {
		const struct tw_cpu_offset *pair = &result->offsets[i];

		json_array_append_new(array, json_pack(
			"{sI, sI, so, so, sI, so, so}",
			"base_cpu", (json_int_t)pair->base_cpu,
			"cpu", (json_int_t)pair->cpu,
			"low_ticks", ticks_or_null(pair->low_ticks),
			"high_ticks", ticks_or_null(pair->high_ticks),
			"bounds", (json_int_t)pair->bounds,
			"pace_low_ppb", number_or_null(pair->pace_low_ppb),
			"pace_high_ppb", number_or_null(pair->pace_high_ppb)));
	}
	return array;
}

int tw_check_print_json(const struct tw_reliability *result,
			const struct tw_machine *machine,
			const struct tw_counter_facts *counter)
{
	double middle_ppb = (result->pace_low_ppb + result->pace_high_ppb) / 2;
	double half_ppb = (result->pace_high_ppb - result->pace_low_ppb) / 2;
	json_t *root = json_pack(
		"{ss, si, ss, so, ss, si, si, so, so, so, sb, sI, so, so, so,"
		" so, sI, sI, sI, sI, so}",
		"schema", "tickwise-check", "version", 1,
		"verdict", tw_verdict_name(result->verdict),
		"reasons", json_reasons(result->reasons),
		"method", "cas",
		"cpus", (int)result->cpus,
		"cpus_skipped", (int)result->cpus_skipped,
		"offset_low_ticks", ticks_or_null(result->offset_low_ticks),
		"offset_high_ticks", ticks_or_null(result->offset_high_ticks),
		"pairs", json_pairs(result),
		"monotonic", result->monotonic,
		"backwards", (json_int_t)result->backwards,
		"pace_ppb", number_or_null(middle_ppb),
		"pace_uncertainty_ppb", number_or_null(half_ppb),
		"hz", number_or_null(result->hz),
		"read_cost_ns", number_or_null(result->read_cost_ns),
		"probes", (json_int_t)result->probes,
		"switches", (json_int_t)result->switches,
		"full_loops", (json_int_t)result->full_loops,
		"elapsed_ns", (json_int_t)result->elapsed_ns,
		"facts", json_facts(machine, counter));

	return tw_command_print_json(root);
}
