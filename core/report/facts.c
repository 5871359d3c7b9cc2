/* SPDX-License-Identifier: MIT */
/*
 * Checks facts of a report: see facts.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "latency/histogram_json.h"
#include "report/facts.h"

#define OPERATION	"attached.operations[]."

/* ---- names ---------------------------------------------------------------- */

const char *const tw_report_clock_names[TW_REPORT_CLOCKS] = {
	[TW_REPORT_TICKWISE] = "tickwise",
	[TW_REPORT_FIO] = "fio",
	[TW_REPORT_MONOTONIC] = "monotonic",
};

const char *const tw_report_verdicts[TW_REPORT_VERDICTS] = {
	[TW_REPORT_RELIABLE] = "reliable",
	[TW_REPORT_UNCHECKED] = "unchecked",
	[TW_REPORT_UNDECIDED] = "undecided",
	[TW_REPORT_UNRELIABLE] = "unreliable",
};

const char *const tw_others_kinds[] = {
	"reads", "writes", "flushes", "discards", "commands", NULL,
};

/* ---- tables --------------------------------------------------------------- */

/* Most facts are no objects, and have no table of their own. */
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"

#define IS_STATE	{ "state", TW_STATE | TW_MUST }, { "why", TW_TEXT }

static const struct tw_fact of_kernel[] = {
	IS_STATE, { "by_helper", TW_FLAG }, { NULL },
};

static const struct tw_fact of_syncs[] = {
	IS_STATE, { NULL },
};

static const struct tw_fact of_cost_cpu[] = {
	{ "cpu", TW_NUMBER | TW_MUST }, { "runs", TW_NUMBER | TW_MUST },
	{ "ns", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_cost[] = {
	{ "over_ns", TW_NUMBER | TW_MUST }, { "cpus", TW_LIST | TW_MUST, of_cost_cpu }, { NULL },
};

static const struct tw_fact of_following[] = {
	IS_STATE, { "not_followed", TW_NUMBER }, { "cost", TW_OBJECT, of_cost }, { NULL },
};

static const struct tw_fact of_samples[] = {
	{ "cpus", TW_NUMBER | TW_MUST }, { "at_ns", TW_NUMBERS | TW_MUST },
	{ "stolen_ns", TW_NUMBERS | TW_MUST }, { "cpu_of_others_ns", TW_NUMBERS | TW_MUST },
	{ "disk", TW_TEXT }, { "disk_bytes", TW_NUMBERS | TW_MUST }, { NULL },
};

static const struct tw_fact of_fio_run[] = {
	{ "read", TW_NUMBER }, { "write", TW_NUMBER }, { "trim", TW_NUMBER }, { NULL },
};

static const struct tw_fact of_job[] = {
	{ "run", TW_TEXT },
	{ "name", TW_TEXT | TW_MUST },
	{ "groupid", TW_NUMBER | TW_MUST },
	{ "thread_number", TW_NUMBER | TW_MUST },
	{ "subjob_number", TW_NUMBER | TW_MUST },
	{ "pid", TW_NUMBER | TW_MUST },
	{ "host", TW_TEXT | TW_MUST },
	{ "start", TW_DIGITS | TW_MUST },
	{ "start_monotonic_ns", TW_DIGITS },
	{ "first_ns", TW_NUMBER | TW_MUST },
	{ "run_ns", TW_NUMBER | TW_MUST },
	{ "fio_version", TW_TEXT | TW_MUST },
	{ "engine", TW_TEXT | TW_MUST },
	{ "tickwise_version", TW_TEXT | TW_MUST },
	{ "iodepth", TW_NUMBER | TW_MUST },
	{ "event_time", TW_FLAG | TW_MUST },
	{ "event_wait", TW_FLAG | TW_MUST },
	{ "fallback", TW_FLAG | TW_MUST },
	{ "test_nop", TW_FLAG },
	{ "kernel", TW_OBJECT, of_kernel },
	{ "syncs", TW_OBJECT, of_syncs },
	{ "causes", TW_OBJECT, of_following },
	{ "machine_over_time", TW_OBJECT, of_samples },
	{ "storage_read_bytes", TW_NUMBER },
	{ "fio_run_ns", TW_OBJECT, of_fio_run },
	{ "options_left_out", TW_NUMBER },
	{ NULL },
};

static const struct tw_fact of_machine[] = {
	{ "host", TW_TEXT | TW_MUST }, { "cpu", TW_TEXT }, { "cpus", TW_NUMBER },
	{ "kernel", TW_TEXT }, { "hypervisor", TW_TEXT }, { "clocksource", TW_TEXT },
	{ "governor", TW_TEXT }, { NULL },
};

static const struct tw_fact of_file[] = {
	{ "host", TW_TEXT | TW_MUST }, { "path", TW_TEXT | TW_MUST }, { "size", TW_NUMBER },
	{ "holes", TW_NUMBER }, { "device", TW_TEXT }, { "filesystem", TW_TEXT }, { NULL },
};

const struct tw_fact tw_facts_of_device[] = {
	{ "host", TW_TEXT | TW_MUST }, { "device", TW_TEXT | TW_MUST },
	{ "name", TW_TEXT }, { "model", TW_TEXT }, { "scheduler", TW_TEXT },
	{ "nr_requests", TW_NUMBER | TW_MAY_DIFFER },
	{ "queue_depth", TW_NUMBER | TW_MAY_DIFFER },
	{ "rotational", TW_FLAG | TW_MAY_DIFFER }, { "write_cache", TW_TEXT },
	{ "logical_block_size", TW_NUMBER | TW_MAY_DIFFER },
	{ "size", TW_NUMBER | TW_MAY_DIFFER }, { "members", TW_NAMES | TW_MAY_DIFFER },
	{ NULL },
};

/* The clock of a file of intervals. */
static const struct tw_fact of_start[] = {
	{ "ticks", TW_DIGITS | TW_MUST }, { "monotonic_ns", TW_DIGITS | TW_MUST },
	{ "hz", TW_REAL | TW_MUST }, { NULL },
};

#define IS_ERROR \
	{ "against", TW_TEXT | TW_MUST }, { "error_ns", TW_REAL | TW_MUST }, \
	{ "error_ppb", TW_REAL | TW_MUST }, { "uncertainty_ppb", TW_REAL | TW_MUST }, \
	{ "uncertainty_ns", TW_REAL | TW_MUST }, { "over_ns", TW_NUMBER | TW_MUST }

const struct tw_fact tw_facts_of_error[] = {
	IS_ERROR, { NULL },
};

#define IS_CLOCK	IS_ERROR, { "off_monotonic", TW_OBJECT, tw_facts_of_error }

static const struct tw_fact of_tickwise[] = {
	/* The system's clock has no rate. */
	IS_CLOCK, { "source", TW_TEXT | TW_MUST }, { "hz", TW_REAL },
	{ "rate_uncertainty_ppb", TW_REAL }, { "rate_bound_ppb", TW_REAL },
	{ "rate_window_ns", TW_NUMBER }, { NULL },
};

static const struct tw_fact of_fio[] = {
	IS_CLOCK, { "clocksource", TW_TEXT | TW_MUST }, { NULL },
};

static const struct tw_fact of_monotonic[] = {
	IS_CLOCK, { NULL },
};

static const struct tw_fact of_clocks[] = {
	{ "tickwise", TW_OBJECT, of_tickwise }, { "fio", TW_OBJECT, of_fio },
	{ "monotonic", TW_OBJECT, of_monotonic }, { NULL },
};

static const struct tw_fact of_reason[] = {
	{ "code", TW_TEXT | TW_MUST }, { "text", TW_TEXT | TW_MUST }, { NULL },
};

static const struct tw_fact of_counter[] = {
	{ "verdict", TW_TEXT | TW_MUST }, { "reasons", TW_LIST | TW_MUST, of_reason },
	{ NULL },
};

/* ---- of single I/Os ---- */

#define IS_TASK \
	{ "kind", TW_TEXT | TW_MUST }, { "id", TW_NUMBER }, { "name", TW_TEXT }

static const struct tw_fact of_task[] = {
	IS_TASK, { NULL },
};

static const struct tw_fact of_requests[] = {
	IS_TASK, { "requests", TW_NUMBER | TW_MUST }, { "bytes", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_handles[] = {
	IS_TASK, { "handles", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_others[] = {
	{ "own", TW_NUMBER | TW_MUST }, { "kind", TW_TEXT }, { "requests", TW_NUMBER },
	{ "bytes", TW_NUMBER }, { "more", TW_NUMBER }, { "requeues", TW_NUMBER },
	{ "cut", TW_FLAG }, { "who", TW_OBJECT, of_requests }, { NULL },
};

static const struct tw_fact of_commit[] = {
	{ "waits", TW_NUMBER | TW_MUST }, { "others", TW_NUMBER },
	{ "who", TW_OBJECT, of_handles }, { NULL },
};

static const struct tw_fact of_stall[] = {
	{ "from_ns", TW_DIGITS | TW_MUST }, { "ns", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_had_cpu[] = {
	IS_TASK, { "ns", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_slept[] = {
	{ "reason", TW_TEXT | TW_MUST }, { "function", TW_TEXT }, { "ns", TW_NUMBER | TW_MUST },
	{ "limit", TW_TEXT }, { "cgroup", TW_TEXT }, { NULL },
};

static const struct tw_fact of_causes[] = {
	{ "ran_ns", TW_NUMBER }, { "waited_ns", TW_NUMBER }, { "interrupts_ns", TW_NUMBER },
	{ "woken_late_ns", TW_NUMBER }, { "asleep_ns", TW_NUMBER },
	{ "unexplained_ns", TW_NUMBER }, { "stage", TW_TEXT | TW_MUST },
	{ "stall", TW_OBJECT | TW_MUST, of_stall }, { "stolen_at_most_ns", TW_NUMBER },
	{ "since_interrupt_ns", TW_NUMBER }, { "lost", TW_FLAG },
	{ "slept", TW_LIST, of_slept }, { "had_cpu", TW_LIST, of_had_cpu }, { NULL },
};

static const struct tw_fact of_stages[] = {
#define STAGE_AS_FACT(constant, name, label)	{ #name, TW_NUMBER },
	TW_EACH_STAGE(STAGE_AS_FACT)
#undef STAGE_AS_FACT
	{ "lat", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_blockq[] = {
	{ "worker", TW_NUMBER }, { "worker_is_bound", TW_FLAG }, { "before", TW_NUMBER },
	{ "admission", TW_NUMBER }, { "scheduler", TW_NUMBER }, { NULL },
};

static const struct tw_fact of_sync[] = {
	{ "worker", TW_NUMBER }, { "data", TW_NUMBER }, { "journal", TW_NUMBER },
	{ "flush", TW_NUMBER }, { "wake", TW_NUMBER }, { NULL },
};

static const struct tw_fact of_complete[] = {
	{ "worker", TW_NUMBER }, { "data", TW_NUMBER }, { "journal", TW_NUMBER },
	{ "flush", TW_NUMBER }, { "wake", TW_NUMBER }, { "waking", TW_NUMBER },
	{ "posting", TW_NUMBER }, { NULL },
};

static const struct tw_fact of_slow[] = {
	{ "job", TW_NUMBER | TW_MUST }, { "offset", TW_NUMBER | TW_MUST },
	{ "size", TW_NUMBER | TW_MUST }, { "ddir", TW_DIRECTION | TW_MUST },
	{ "ticks", TW_DIGITS }, { "raw_ns", TW_DIGITS }, { "monotonic_ns", TW_DIGITS },
	{ "stages", TW_OBJECT | TW_MUST, of_stages }, { "blockq", TW_OBJECT, of_blockq },
	{ "sync", TW_OBJECT, of_sync }, { "complete", TW_OBJECT, of_complete },
	{ "commit", TW_OBJECT, of_commit }, { "submitting_call_ns", TW_NUMBER },
	{ "waited_at_most_ns", TW_NUMBER }, { "written_bytes", TW_NUMBER },
	{ "in_flight_of_others", TW_OBJECT, of_others }, { "causes", TW_OBJECT, of_causes },
	{ "disk", TW_TEXT }, { "ring", TW_NUMBER }, { "operation", TW_TEXT },
	{ "file", TW_TEXT }, { NULL },
};

static const struct tw_fact of_others_sum[] = {
	{ "job", TW_NUMBER | TW_MUST }, { "ddir", TW_DIRECTION | TW_MUST },
	{ "kind", TW_TEXT | TW_MUST }, { "who", TW_OBJECT | TW_MUST, of_task },
	{ "ios", TW_NUMBER | TW_MUST }, { "device_ns", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_commits[] = {
	{ "job", TW_NUMBER | TW_MUST }, { "who", TW_OBJECT | TW_MUST, of_task },
	{ "ios", TW_NUMBER | TW_MUST }, { "journal_ns", TW_NUMBER | TW_MUST }, { NULL },
};

/* ---- of the kernel's events ---- */

static const struct tw_fact of_trigger_io[] = {
	{ "offset", TW_NUMBER | TW_MUST }, { "size", TW_NUMBER | TW_MUST },
	{ "ddir", TW_DIRECTION | TW_MUST }, { "ticks", TW_DIGITS },
	{ "monotonic_ns", TW_DIGITS | TW_MUST }, { "lat_ns", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_event[] = {
	{ "monotonic_ns", TW_DIGITS | TW_MUST }, { "cpu", TW_NUMBER | TW_MUST },
	{ "pid", TW_NUMBER | TW_MUST }, { "task", TW_TEXT | TW_MUST },
	{ "event", TW_TEXT | TW_MUST }, { "args", TW_TEXT | TW_MUST }, { "own", TW_FLAG },
	{ NULL },
};

static const struct tw_fact of_trigger[] = {
	{ "job", TW_NUMBER | TW_MUST }, IS_STATE, { "above_ns", TW_NUMBER | TW_MUST },
	{ "slower", TW_NUMBER | TW_MUST }, { "stopped_for", TW_NUMBER },
	{ "event_count", TW_NUMBER }, { "whole_from_ns", TW_DIGITS },
	{ "io", TW_OBJECT, of_trigger_io }, { "events", TW_LIST, of_event }, { NULL },
};

/* ---- of attach ---- */

static const struct tw_fact of_ring[] = {
	{ "ring", TW_NUMBER | TW_MUST }, { "pid", TW_NUMBER | TW_MUST },
	{ "fd", TW_REAL | TW_MUST }, { "sq_entries", TW_NUMBER | TW_MUST },
	{ "cq_entries", TW_NUMBER | TW_MUST }, { "program", TW_TEXT | TW_MUST }, { NULL },
};

static const struct tw_fact of_operation[] = {
	{ "ring", TW_NUMBER | TW_MUST }, { "operation", TW_TEXT | TW_MUST },
	{ "file", TW_TEXT | TW_MUST }, { "ios", TW_NUMBER | TW_MUST },
	{ "stages", TW_OBJECT | TW_MUST }, { NULL },
};

static const struct tw_fact of_attached[] = {
	{ "rings", TW_LIST | TW_MUST, of_ring }, { "operations", TW_LIST | TW_MUST, of_operation },
	{ "others", TW_OBJECT | TW_MUST }, { "processes", TW_NUMBER }, { NULL },
};

static const struct tw_fact of_wait_others[] = {
	{ "kind", TW_TEXT }, { "who", TW_OBJECT, of_task },
	{ "waits", TW_NUMBER | TW_MUST }, { "device_ns", TW_NUMBER | TW_MUST }, { NULL },
};

static const struct tw_fact of_wait_row[] = {
	{ "call", TW_TEXT | TW_MUST }, { "file", TW_TEXT | TW_MUST },
	{ "reason", TW_TEXT | TW_MUST }, { "function", TW_TEXT | TW_MUST },
	{ "limit", TW_TEXT }, { "cgroup", TW_TEXT },
	{ "blockq_ns", TW_NUMBER | TW_MUST }, { "device_ns", TW_NUMBER | TW_MUST },
	{ "complete_ns", TW_NUMBER | TW_MUST }, { "time", TW_OBJECT | TW_MUST },
	{ "in_flight_of_others", TW_LIST, of_wait_others }, { NULL },
};

static const struct tw_fact of_slow_wait[] = {
	{ "monotonic_ns", TW_DIGITS | TW_MUST }, { "ns", TW_NUMBER | TW_MUST },
	{ "call", TW_TEXT | TW_MUST }, { "file", TW_TEXT | TW_MUST },
	{ "reason", TW_TEXT | TW_MUST }, { "function", TW_TEXT | TW_MUST },
	{ "limit", TW_TEXT }, { "cgroup", TW_TEXT },
	{ "pid", TW_NUMBER | TW_MUST }, { "program", TW_TEXT | TW_MUST },
	{ "tid", TW_NUMBER | TW_MUST }, { "offset", TW_NUMBER }, { "bytes", TW_NUMBER },
	{ "who", TW_OBJECT, of_task }, { "in_flight_of_others", TW_OBJECT, of_others }, { NULL },
};

static const struct tw_fact of_waits[] = {
	{ "rows", TW_LIST, of_wait_row }, { "slowest", TW_LIST, of_slow_wait }, { NULL },
};

const struct tw_fact tw_facts_of_report[] = {
	{ "clock", TW_OBJECT, of_start }, { "jobs", TW_LIST, of_job },
	{ "machines", TW_LIST, of_machine }, { "files", TW_LIST, of_file },
	{ "devices", TW_LIST, tw_facts_of_device }, { "clocks", TW_OBJECT, of_clocks },
	{ "counter", TW_OBJECT, of_counter }, { "slowest", TW_LIST, of_slow },
	{ "in_flight_of_others", TW_LIST, of_others_sum }, { "commits", TW_LIST, of_commits },
	{ "triggers", TW_LIST, of_trigger }, { "attached", TW_OBJECT, of_attached },
	{ "waits", TW_OBJECT, of_waits },
	{ NULL },
};

/* ---- objects --------------------------------------------------------------- */

static int is_whole(const json_t *value)
{
	return json_is_integer(value) && json_integer_value(value) >= 0;
}

static void check_array(const json_t *object, const char *where, const struct tw_fact *fact,
			struct tw_report_problem *problem)
{
	const json_t *array = json_object_get(object, fact->key);
	const int is_names = (fact->type & TW_TYPE) == TW_NAMES;
	int wrong = !json_is_array(array);

	for (size_t i = 0; i < json_array_size(array); i++)
		wrong |= is_names ? !json_is_string(json_array_get(array, i)) :
				    !is_whole(json_array_get(array, i));
	if (wrong)
		tw_report_refuse(problem, "%s%s is not an array of %s", where, fact->key,
				 is_names ? "strings" : "whole numbers");
}

static void check_state(const json_t *object, const char *where,
			struct tw_report_problem *problem)
{
	const char *state = tw_want_string(object, where, "state", problem);

	if (strcmp(state, "on") == 0)
		return;
	if (strcmp(state, "off") != 0)
		tw_report_refuse(problem, "%sstate is neither on nor off", where);
	tw_want_string(object, where, "why", problem);
}

static void check_object(const json_t *object, const char *where, const struct tw_fact *facts,
			 struct tw_report_problem *problem);

static void check(const json_t *object, const char *where, const struct tw_fact *fact,
		  struct tw_report_problem *problem)
{
	const json_t *value = json_object_get(object, fact->key);
	char inside[128];

	snprintf(inside, sizeof(inside), "%s%s%s.", where, fact->key,
		 (fact->type & TW_TYPE) == TW_LIST ? "[]" : "");
	switch (fact->type & TW_TYPE) {
	case TW_TEXT:
	case TW_DIRECTION:
		tw_want_string(object, where, fact->key, problem);
		break;
	case TW_STATE:
		check_state(object, where, problem);
		break;
	case TW_NUMBER:
	case TW_DIGITS:
		tw_want_u64(object, where, fact->key, problem);
		break;
	case TW_FLAG:
		tw_want_boolean(object, where, fact->key, problem);
		break;
	case TW_REAL:
		tw_want_real(object, where, fact->key, problem);
		break;
	case TW_NAMES:
	case TW_NUMBERS:
		check_array(object, where, fact, problem);
		break;
	case TW_OBJECT:
		tw_want_object(object, where, fact->key, problem);
		check_object(value, inside, fact->of, problem);
		break;
	default:
		tw_want_array(object, where, fact->key, problem);
		for (size_t i = 0; i < json_array_size(value); i++)
			check_object(json_array_get(value, i), inside, fact->of, problem);
	}
}

static void check_object(const json_t *object, const char *where, const struct tw_fact *facts,
			 struct tw_report_problem *problem)
{
	if (!json_is_object(object))
		tw_report_refuse(problem, "%.*s is not an object", (int)strlen(where) - 1, where);
	for (; facts && facts->key; facts++) {
		const json_t *value = json_object_get(object, facts->key);
		const char *text = json_string_value(value);

		if ((value || facts->type & TW_MUST) &&
		    !(facts->type & TW_MAY_DIFFER && text && !strcmp(text, TW_DIFFERS)))
			check(object, where, facts, problem);
	}
}

void tw_facts_check(const json_t *root, struct tw_report_problem *problem)
{
	check_object(root, "", tw_facts_of_report, problem);
}

/* ---- attach ------------------------------------------------------------------ */

static int check_operation(const json_t *operation, struct tw_report_problem *problem)
{
	struct tw_histogram histogram;
	const char *key, *wrong = "";
	json_t *stages, *value;
	int error = 0;

	for (unsigned metric = 0; metric < TW_COUNTS; metric++) {
		key = tw_metric_key(tw_count_metrics[metric].path);
		if (json_object_get(operation, key))
			tw_want_u64(operation, OPERATION, key, problem);
	}
	stages = tw_want_object(operation, OPERATION, "stages", problem);
	json_object_foreach(stages, key, value) {
		if (error == -ENOMEM)
			break;
		error = tw_histogram_from_json(&histogram, value, &wrong);
		if (!error)
			tw_histogram_free(&histogram);
		else if (error == -EINVAL)
			tw_report_refuse(problem, OPERATION "stages.%s: %s", key, wrong);
	}
	return error == -ENOMEM ? error : 0;
}

int tw_facts_check_attached(const json_t *attached, struct tw_report_problem *problem)
{
	json_t *others = tw_want_object(attached, "attached.", "others", problem);
	const json_t *operations = tw_want_array(attached, "attached.", "operations",
						 problem);
	const char *key;
	json_t *value;
	int error = 0;

	json_object_foreach(others, key, value)
		tw_want_u64(others, "attached.others.", key, problem);
	for (size_t i = 0; i < json_array_size(operations) && !error; i++)
		error = check_operation(json_array_get(operations, i), problem);
	return error;
}
