/* SPDX-License-Identifier: MIT */
/*
 * Makes JSON of the results of tickwise check.
 */
#include <jansson.h>
#include <math.h>

#include "command/check/check.h"
#include "command/command.h"
#include "report/report_json.h"

static json_t *ticks_or_null(int64_t ticks)
{
	return ticks == INT64_MAX || ticks == -INT64_MAX ? json_null() : json_integer(ticks);
}

static json_t *rate_or_null(uint64_t rate)
{
	return rate ? json_integer((json_int_t)rate) : json_null();
}

static json_t *text_or_null(const char *text)
{
	return *text ? tw_json_text(text) : json_null();
}

/* Return null for -1, which is "unknown" in all of these. */
static json_t *truth_or_null(int truth)
{
	return truth < 0 ? json_null() : json_boolean(truth);
}

static json_t *json_skipped(const struct tw_check_cpus *cpus)
{
	json_t *array = json_array();

	for (enum tw_check_skip skip = 0; skip < TW_CHECK_SKIPS; skip++)
		if (tw_cpu_list_count(&cpus->skipped[skip]))
			json_array_append_new(array, json_pack(
				"{ss?, ss, ss}",
				"cpus", tw_check_cpus_text(&cpus->skipped[skip]),
				"code", tw_check_skips[skip].code,
				"text", tw_check_skips[skip].text));
	return array;
}

static json_t *json_facts(const struct tw_check *check)
{
	const struct tw_counter_facts *counter = &check->counter;
	const struct tw_machine *machine = &check->machine;
	const struct tw_check_cpus *cpus = &check->cpus;

	return json_pack("{so, so, so, so, so, sb, si, si, si, so, so, so, so, so,"
		" s{ss?, ss?, ss?, ss?, ss?, ss?, so},"
		" s{ss, ss, sf, sf, sf, sf, so, so, so, sI, sI}}",
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
		"cpus",
		"judged", tw_check_cpus_text(&cpus->judged),
		"allowed", tw_check_cpus_text(&cpus->machine.allowed),
		"cpuset", tw_check_cpus_text(&cpus->machine.cpuset),
		"online", tw_check_cpus_text(&cpus->machine.online),
		"offline", tw_check_cpus_text(&cpus->offline),
		"present", tw_check_cpus_text(&cpus->machine.present),
		"not_judged", json_skipped(cpus),
		"counter",
		"name", TW_COUNTER_NAME,
		"state", tw_name(TW_ENUM_COUNTER_STATE, counter->state),
		"read_cost_ns", counter->read_cost_ns,
		"step_ns", counter->step_ns,
		"clock_cost_ns", counter->clock_cost_ns,
		"call_cost_ns", counter->call_cost_ns,
		"clock_is_call", truth_or_null(counter->clock_is_call),
		"emulated", truth_or_null(counter->emulated),
		"time_namespace", truth_or_null(counter->time_namespace),
		"monotonic_offset_ns", (json_int_t)counter->monotonic_offset_ns,
		"boottime_offset_ns", (json_int_t)counter->boottime_offset_ns);
}

/* Return an array with an object for each bit that is set: its word and its
 * sentence. */
static json_t *json_bits(enum tw_enum which, unsigned bits)
{
	json_t *array = json_array();

	TW_EACH_BIT(bit, bits)
		json_array_append_new(array, json_pack("{ss, ss}",
			"code", tw_name(which, bit), "text", tw_text(which, bit)));
	return array;
}

static json_t *json_pairs(const struct tw_reliability *result)
{
	json_t *array = json_array();

	for (unsigned i = 0; i < result->pairs; i++) {
		const struct tw_cpu_offset *pair = &result->offsets[i];

		json_array_append_new(array, json_pack(
			"{sI, sI, so, so, sI, so?, so?}",
			"base_cpu", (json_int_t)pair->base_cpu,
			"cpu", (json_int_t)pair->cpu,
			"low_ticks", ticks_or_null(pair->low_ticks),
			"high_ticks", ticks_or_null(pair->high_ticks),
			"bounds", (json_int_t)pair->bounds,
			"pace_low_ppb", json_real(pair->pace_low_ppb),
			"pace_high_ppb", json_real(pair->pace_high_ppb)));
	}
	return array;
}

json_t *tw_check_json(const struct tw_check *check,
		      const struct tw_reliability_options *options)
{
	const struct tw_reliability *result = &check->result;
	/* With one CPU alone nothing was compared. NAN and infinity become null. */
	double middle_ppb = result->pairs ?
		(result->pace_low_ppb + result->pace_high_ppb) / 2 : NAN;
	double half_ppb = result->pairs ?
		(result->pace_high_ppb - result->pace_low_ppb) / 2 : NAN;

	return json_pack(
		"{ss, si, ss, so, so, ss, si, si, so?, so?, so, sb, sI, so?, so?,"
		" so?, so?, so?, so?, sI, sI, sI, sI, s{sI, sf, sI, sI, sI}, so}",
		"schema", "tickwise-check", "version", 1,
		"verdict", tw_name(TW_ENUM_VERDICT, result->verdict),
		"reasons", json_bits(TW_ENUM_REASON, result->reasons),
		"contradictions", json_bits(TW_ENUM_CONTRADICTION,
					    check->contradictions),
		"method", result->method == TW_METHOD_SWITCH ? "switch" : "cas",
		"cpus", (int)result->cpus,
		"cpus_skipped", (int)result->cpus_skipped,
		"offset_low_ticks", result->pairs ? ticks_or_null(result->offset_low_ticks) : NULL,
		"offset_high_ticks", result->pairs ?
			ticks_or_null(result->offset_high_ticks) : NULL,
		"pairs", json_pairs(result),
		"monotonic", result->monotonic,
		"backwards", (json_int_t)result->backwards,
		"pace_ppb", json_real(middle_ppb),
		"pace_uncertainty_ppb", json_real(half_ppb),
		"hz", json_real(result->hz),
		"step_ticks", tw_check_step_ticks(result) > 0 ?
			json_real(result->step_ticks) : NULL,
		"seconds_before_wrap", check->seconds_before_wrap > 0 ?
			json_real(check->seconds_before_wrap) : NULL,
		"read_cost_ns", json_real(result->read_cost_ns),
		"probes", (json_int_t)result->probes,
		"switches", (json_int_t)result->switches,
		"full_loops", (json_int_t)result->full_loops,
		"elapsed_ns", (json_int_t)result->elapsed_ns,
		"limits",	/* that the verdict was reached with */
		"tolerance_ns", (json_int_t)options->tolerance_ns,
		"pace_limit_ppb", options->pace_limit_ppb,
		"least_switches_per_cpu", (json_int_t)options->least_switches,
		"least_time_ns", (json_int_t)options->least_time_ns,
		"time_limit_ns", (json_int_t)options->time_limit_ns,
		"facts", json_facts(check));
}
