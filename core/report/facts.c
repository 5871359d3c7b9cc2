/* SPDX-License-Identifier: MIT */
/*
 * Checks facts of a report: see facts.h.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "latency/histogram_json.h"
#include "report/facts.h"

#define SLOW		"slowest[]."
#define CAUSES		"slowest[].causes."
#define COST		"jobs[].causes.cost."
#define TRIGGER		"triggers[]."
#define OPERATION	"attached.operations[]."

/* ---- tables --------------------------------------------------------------- */

const struct tw_fact tw_facts_of_job[] = {
	{ "run", TW_TEXT },
	{ "name", TW_TEXT | TW_MUST },
	{ "groupid", TW_NUMBER | TW_MUST },
	{ "thread_number", TW_NUMBER | TW_MUST },
	{ "subjob_number", TW_NUMBER | TW_MUST },
	{ "pid", TW_NUMBER | TW_MUST },
	{ "host", TW_TEXT | TW_MUST },
	{ "start", TW_NUMBER | TW_MUST },
	{ "start_monotonic_ns", TW_NUMBER },
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
	{ "options_left_out", TW_NUMBER },
	{ NULL, 0 },
};

const struct tw_fact tw_facts_of_machine[] = {
	{ "host", TW_TEXT | TW_MUST }, { "cpu", TW_TEXT }, { "cpus", TW_NUMBER },
	{ "kernel", TW_TEXT }, { "hypervisor", TW_TEXT }, { "clocksource", TW_TEXT },
	{ "governor", TW_TEXT }, { NULL, 0 },
};

const struct tw_fact tw_facts_of_file[] = {
	{ "host", TW_TEXT | TW_MUST }, { "path", TW_TEXT | TW_MUST }, { "size", TW_NUMBER },
	{ "holes", TW_NUMBER }, { "device", TW_TEXT }, { "filesystem", TW_TEXT }, { NULL, 0 },
};

const struct tw_fact tw_facts_of_device[] = {
	{ "host", TW_TEXT | TW_MUST }, { "device", TW_TEXT | TW_MUST },
	{ "name", TW_TEXT }, { "model", TW_TEXT }, { "scheduler", TW_TEXT },
	{ "nr_requests", TW_NUMBER | TW_MAY_DIFFER },
	{ "queue_depth", TW_NUMBER | TW_MAY_DIFFER },
	{ "rotational", TW_FLAG | TW_MAY_DIFFER }, { "write_cache", TW_TEXT },
	{ "logical_block_size", TW_NUMBER | TW_MAY_DIFFER },
	{ "size", TW_NUMBER | TW_MAY_DIFFER }, { "members", TW_NAMES | TW_MAY_DIFFER },
	{ NULL, 0 },
};

const struct tw_fact tw_facts_of_reason[] = {
	{ "code", TW_TEXT | TW_MUST }, { "text", TW_TEXT | TW_MUST }, { NULL, 0 },
};

const struct tw_fact tw_facts_of_start[] = {
	{ "ticks", TW_NUMBER | TW_MUST }, { "monotonic_ns", TW_NUMBER | TW_MUST },
	{ "hz", TW_POSITIVE | TW_MUST }, { NULL, 0 },
};

/* Of a clock. off_monotonic has them, too. */
static const struct tw_fact of_clock[] = {
	{ "against", TW_TEXT | TW_MUST }, { "error_ns", TW_REAL | TW_MUST },
	{ "error_ppb", TW_REAL | TW_MUST }, { "uncertainty_ppb", TW_POSITIVE | TW_MUST },
	{ "uncertainty_ns", TW_POSITIVE | TW_MUST }, { "over_ns", TW_NUMBER | TW_MUST },
	{ NULL, 0 },
};

static const struct tw_fact of_clocks[TW_REPORT_CLOCKS][6] = {
	[TW_REPORT_TICKWISE] = {
		/* The system's clock has no rate. */
		{ "source", TW_TEXT | TW_MUST }, { "hz", TW_POSITIVE },
		{ "rate_uncertainty_ppb", TW_POSITIVE }, { "rate_bound_ppb", TW_POSITIVE },
		{ "rate_window_ns", TW_POSITIVE },
	},
	[TW_REPORT_FIO] = { { "clocksource", TW_TEXT | TW_MUST } },
};

static const struct tw_fact of_refit[] = {
	{ "against", TW_TEXT | TW_MUST }, { "hz", TW_POSITIVE | TW_MUST },
	{ "uncertainty_ppb", TW_POSITIVE | TW_MUST }, { "bound_ppb", TW_POSITIVE | TW_MUST },
	{ "frozen_error_ppb", TW_REAL | TW_MUST }, { "over_ns", TW_NUMBER | TW_MUST },
	{ NULL, 0 },
};

static const struct tw_fact of_slow[] = {
	{ "offset", TW_NUMBER | TW_MUST }, { "size", TW_NUMBER | TW_MUST },
	{ "ddir", TW_TEXT | TW_MUST }, { "ticks", TW_NUMBER }, { "raw_ns", TW_NUMBER },
	{ "monotonic_ns", TW_NUMBER }, { "submitting_call_ns", TW_NUMBER },
	{ "waited_at_most_ns", TW_NUMBER }, { "written_bytes", TW_NUMBER },
	{ "disk", TW_TEXT },
	{ "ring", TW_NUMBER }, { "operation", TW_TEXT }, { "file", TW_TEXT }, { NULL, 0 },
};

static const struct tw_fact of_causes[] = {
	{ "stage", TW_TEXT | TW_MUST }, { "stolen_at_most_ns", TW_NUMBER },
	{ "since_interrupt_ns", TW_NUMBER }, { "lost", TW_FLAG }, { NULL, 0 },
};

static const struct tw_fact of_cost[] = {
	{ "over_ns", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_cost_cpu[] = {
	{ "cpu", TW_NUMBER | TW_MUST }, { "runs", TW_NUMBER | TW_MUST },
	{ "ns", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_company[] = {
	{ "own", TW_NUMBER | TW_MUST }, { "behind", TW_TEXT }, { "requests", TW_NUMBER },
	{ "bytes", TW_NUMBER }, { "more", TW_NUMBER }, { "requeues", TW_NUMBER },
	{ "cut", TW_FLAG }, { NULL, 0 },
};

static const struct tw_fact of_who[] = {
	{ "kind", TW_TEXT | TW_MUST }, { "id", TW_NUMBER }, { "name", TW_TEXT },
	{ NULL, 0 },
};

static const struct tw_fact of_part[] = {
	{ "requests", TW_NUMBER | TW_MUST }, { "bytes", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_commit[] = {
	{ "waits", TW_NUMBER | TW_MUST }, { "running_ns", TW_NUMBER },
	{ "own_ns", TW_NUMBER }, { "others", TW_NUMBER }, { NULL, 0 },
};

static const struct tw_fact of_handler[] = {
	{ "handles", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_commits[] = {
	{ "ios", TW_NUMBER | TW_MUST }, { "journal_ns", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_behind[] = {
	{ "ddir", TW_TEXT | TW_MUST }, { "behind", TW_TEXT | TW_MUST },
	{ "ios", TW_NUMBER | TW_MUST }, { "device_ns", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_stall[] = {
	{ "from_ns", TW_NUMBER | TW_MUST }, { "ns", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_had_cpu[] = {
	{ "kind", TW_TEXT | TW_MUST }, { "ns", TW_NUMBER | TW_MUST }, { "id", TW_NUMBER },
	{ "name", TW_TEXT }, { NULL, 0 },
};

static const struct tw_fact of_slept[] = {
	{ "word", TW_TEXT | TW_MUST }, { "function", TW_TEXT }, { "ns", TW_NUMBER | TW_MUST },
	{ "limit", TW_TEXT }, { "cgroup", TW_TEXT }, { NULL, 0 },
};

static const struct tw_fact of_trigger[] = {
	{ "above_ns", TW_NUMBER | TW_MUST }, { "slower", TW_NUMBER | TW_MUST },
	{ "stopped_for", TW_NUMBER }, { "event_count", TW_NUMBER },
	{ "whole_from_ns", TW_NUMBER }, { NULL, 0 },
};

static const struct tw_fact of_trigger_io[] = {
	{ "offset", TW_NUMBER | TW_MUST }, { "size", TW_NUMBER | TW_MUST },
	{ "ddir", TW_TEXT | TW_MUST }, { "monotonic_ns", TW_NUMBER | TW_MUST },
	{ "lat_ns", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_event[] = {
	{ "monotonic_ns", TW_NUMBER | TW_MUST }, { "cpu", TW_NUMBER | TW_MUST },
	{ "pid", TW_NUMBER | TW_MUST }, { "task", TW_TEXT | TW_MUST },
	{ "event", TW_TEXT | TW_MUST }, { "args", TW_TEXT | TW_MUST }, { "own", TW_FLAG },
	{ NULL, 0 },
};

static const struct tw_fact of_ring[] = {
	{ "ring", TW_NUMBER | TW_MUST }, { "pid", TW_NUMBER | TW_MUST },
	{ "fd", TW_REAL | TW_MUST }, { "sq_entries", TW_NUMBER | TW_MUST },
	{ "cq_entries", TW_NUMBER | TW_MUST }, { "program", TW_TEXT | TW_MUST }, { NULL, 0 },
};

static const struct tw_fact of_operation[] = {
	{ "ring", TW_NUMBER | TW_MUST }, { "operation", TW_TEXT | TW_MUST },
	{ "file", TW_TEXT | TW_MUST }, { "ios", TW_NUMBER | TW_MUST }, { NULL, 0 },
};

/* ---- objects --------------------------------------------------------------- */

static void check(const json_t *object, const char *where, const struct tw_fact *fact,
		  struct tw_report_problem *problem)
{
	const json_t *names = json_object_get(object, fact->key);
	int wrong = !json_is_array(names);

	switch (fact->type & TW_TYPE) {
	case TW_TEXT:
		tw_want_string(object, where, fact->key, problem);
		break;
	case TW_NUMBER:
		tw_want_u64(object, where, fact->key, problem);
		break;
	case TW_FLAG:
		tw_want_boolean(object, where, fact->key, problem);
		break;
	case TW_REAL:
		tw_want_real(object, where, fact->key, problem);
		break;
	case TW_POSITIVE:
		tw_want_positive(object, where, fact->key, problem);
		break;
	default:
		for (size_t i = 0; i < json_array_size(names); i++)
			wrong |= !json_is_string(json_array_get(names, i));
		if (wrong)
			tw_report_refuse(problem, "%s%s is not an array of strings", where,
					 fact->key);
	}
}

void tw_facts_check(const json_t *object, const char *where, const struct tw_fact *facts,
		    struct tw_report_problem *problem)
{
	if (!json_is_object(object))
		tw_report_refuse(problem, "%.*s is not an object",
				 (int)strlen(where) - 1, where);
	for (; facts->key; facts++) {
		const json_t *value = json_object_get(object, facts->key);
		const char *text = json_string_value(value);

		if ((value || facts->type & TW_MUST) &&
		    !(facts->type & TW_MAY_DIFFER && text && !strcmp(text, TW_DIFFERS)))
			check(object, where, facts, problem);
	}
}

/* Check an array of objects, which may be missing. */
static void check_all(const json_t *object, const char *where, const char *key,
		      const struct tw_fact *facts, struct tw_report_problem *problem)
{
	const json_t *array;
	char of_each[64];

	if (!json_object_get(object, key))
		return;
	array = tw_want_array(object, where, key, problem);
	snprintf(of_each, sizeof(of_each), "%s%s[].", where, key);
	for (size_t i = 0; i < json_array_size(array); i++)
		tw_facts_check(json_array_get(array, i), of_each, facts, problem);
}

int tw_facts_check_state(const json_t *object, const char *where,
			 struct tw_report_problem *problem)
{
	const char *state = tw_want_string(object, where, "state", problem);

	if (strcmp(state, "on") == 0)
		return 1;
	if (strcmp(state, "off") != 0)
		tw_report_refuse(problem, "%sstate is neither on nor off", where);
	tw_want_string(object, where, "why", problem);
	return 0;
}

void tw_facts_check_cost(const json_t *cost, struct tw_report_problem *problem)
{
	tw_facts_check(cost, COST, of_cost, problem);
	tw_want_array(cost, COST, "cpus", problem);
	check_all(cost, COST, "cpus", of_cost_cpu, problem);
}

/* ---- clocks ---------------------------------------------------------------- */

void tw_facts_check_clock(const json_t *clock, enum tw_report_clock_name name,
			  struct tw_report_problem *problem)
{
	const json_t *off = json_object_get(clock, "off_monotonic");
	const json_t *refit = json_object_get(clock, "refit");
	char where[64];

	snprintf(where, sizeof(where), "clocks.%s.", tw_report_clock_names[name]);
	tw_facts_check(clock, where, of_clock, problem);
	tw_facts_check(clock, where, of_clocks[name], problem);
	snprintf(where, sizeof(where), "clocks.%s.off_monotonic.",
		 tw_report_clock_names[name]);
	if (off)
		tw_facts_check(off, where, of_clock, problem);
	snprintf(where, sizeof(where), "clocks.%s.refit.", tw_report_clock_names[name]);
	if (refit)
		tw_facts_check(refit, where, of_refit, problem);
}

/* ---- single I/Os ------------------------------------------------------------ */

/* Add an optional number to a sum. Return: 1: it needs more than 64 bits. */
static int add_optional(uint64_t *sum, const json_t *object, const char *where,
			const char *key, struct tw_report_problem *problem)
{
	return json_object_get(object, key) &&
	       __builtin_add_overflow(*sum, tw_want_u64(object, where, key, problem), sum);
}

/* Check the parts of a stage of a slow I/O, in its object @key. */
static void check_parts(const json_t *slow, const char *key, const char *where,
			unsigned stage, struct tw_report_problem *problem)
{
	const json_t *parts = json_object_get(slow, key);
	uint64_t sum_ns = 0;
	int over = 0;

	for (unsigned i = TW_STAGES; i < TW_TIMES && parts; i++)
		if (tw_time_rows[i].parent == stage)
			over |= add_optional(&sum_ns, parts, where, tw_time_rows[i].name, problem);
	if (over || sum_ns > tw_report_u64(json_object_get(slow, "stages"),
					   tw_time_rows[stage].name))
		tw_report_refuse(problem, "slowest[].%s has parts that add up to more than "
				 "the stage", key);
}

static void check_stages(const json_t *slow, struct tw_report_problem *problem)
{
	const json_t *stages = tw_want_object(slow, SLOW, "stages", problem);
	uint64_t lat_ns = tw_want_u64(stages, SLOW "stages.", "lat", problem);
	uint64_t sum_ns = 0;
	int over = 0;

	for (unsigned i = 0; i < TW_STAGES; i++)
		over |= add_optional(&sum_ns, stages, SLOW "stages.", tw_time_rows[i].name,
				     problem);
	if (over || sum_ns > lat_ns)
		tw_report_refuse(problem, "slowest[].stages add up to more than lat");
	check_parts(slow, "blockq", SLOW "blockq.", TW_BLOCKQ, problem);
	check_parts(slow, "sync", SLOW "sync.", TW_KERNEL, problem);
	check_parts(slow, "complete", SLOW "complete.", TW_COMPLETE, problem);
}

/* Check that what the job's thread did adds up to its stage at most. */
static void check_pieces(const json_t *causes, const json_t *stages, const char *stage,
			 struct tw_report_problem *problem)
{
	static const char *const pieces[] = {
		"ran_ns", "waited_ns", "interrupts_ns", "woken_late_ns", "asleep_ns",
		"unexplained_ns",
	};
	uint64_t sum_ns = 0, stage_ns = 0;
	int over = add_optional(&stage_ns, stages, SLOW "stages.", stage, problem);

	for (size_t i = 0; i < sizeof(pieces) / sizeof(*pieces); i++)
		over |= add_optional(&sum_ns, causes, CAUSES, pieces[i], problem);
	/* The length is not known if this version does not know the stage. */
	if (over || (stage_ns && sum_ns > stage_ns))
		tw_report_refuse(problem, "slowest[].causes add up to more than their "
				 "stage");
}

const char *const tw_company_kinds[] = {
	"reads", "writes", "flushes", "discards", "others", NULL,
};

static void check_commit(const json_t *commit, const json_t *parts,
			 struct tw_report_problem *problem)
{
	uint64_t sum_ns = 0;
	const json_t *who = json_object_get(commit, "who");

	if (commit)
		tw_facts_check(commit, SLOW "commit.", of_commit, problem);
	if (add_optional(&sum_ns, commit, SLOW "commit.", "running_ns", problem) ||
	    add_optional(&sum_ns, commit, SLOW "commit.", "own_ns", problem) ||
	    sum_ns > tw_report_u64(parts, tw_time_rows[TW_SYNC_JOURNAL].name))
		tw_report_refuse(problem, "slowest[].commit has times that add up to more than "
				 "journal");
	if (who) {
		tw_facts_check(who, SLOW "commit.who.", of_who, problem);
		tw_facts_check(who, SLOW "commit.who.", of_handler, problem);
	}
}

void tw_facts_check_slow(const json_t *slow, json_t *unknown,
			 struct tw_report_problem *problem)
{
	const json_t *causes, *stall, *company = json_object_get(slow, "company");
	const json_t *who = json_object_get(company, "who");
	unsigned known = 0;
	const char *stage;
	uint64_t end_ns;

	tw_facts_check(slow, SLOW, of_slow, problem);
	check_stages(slow, problem);
	if (company)
		tw_facts_check(company, SLOW "company.", of_company, problem);
	if (who) {
		tw_facts_check(who, SLOW "company.who.", of_who, problem);
		tw_facts_check(who, SLOW "company.who.", of_part, problem);
	}
	check_commit(json_object_get(slow, "commit"), json_object_get(slow, "sync"), problem);
	if (!json_object_get(slow, "causes"))
		return;
	causes = tw_want_object(slow, SLOW, "causes", problem);
	tw_facts_check(causes, CAUSES, of_causes, problem);
	stage = tw_want_string(causes, CAUSES, "stage", problem);
	stall = tw_want_object(causes, CAUSES, "stall", problem);
	tw_facts_check(stall, CAUSES "stall.", of_stall, problem);
	if (__builtin_add_overflow(tw_report_u64(stall, "from_ns"),
				   tw_report_u64(stall, "ns"), &end_ns))
		tw_report_refuse(problem, CAUSES "stall has no end");
	check_pieces(causes, json_object_get(slow, "stages"), stage, problem);
	check_all(causes, CAUSES, "had_cpu", of_had_cpu, problem);
	check_all(causes, CAUSES, "slept", of_slept, problem);
	while (known < TW_STAGES && strcmp(tw_time_rows[known].name, stage))
		known++;
	if (!problem->text[0] && known == TW_STAGES)
		tw_report_leave_out(unknown, CAUSES "%s", stage);
}

/* ---- the kernel's events ---------------------------------------------------- */

void tw_facts_check_trigger(const json_t *trigger, struct tw_report_problem *problem)
{
	const json_t *io = json_object_get(trigger, "io");
	uint64_t end_ns;

	tw_facts_check(trigger, TRIGGER, of_trigger, problem);
	tw_facts_check_state(trigger, TRIGGER, problem);
	if (!io)
		return;
	tw_facts_check(io, TRIGGER "io.", of_trigger_io, problem);
	if (__builtin_add_overflow(tw_report_u64(io, "monotonic_ns"),
				   tw_report_u64(io, "lat_ns"), &end_ns))
		tw_report_refuse(problem, TRIGGER "io ends after all time");
	check_all(trigger, TRIGGER, "events", of_event, problem);
}

void tw_facts_check_names(const json_t *of, const char *within,
			  struct tw_report_problem *problem)
{
	const int is_behind = !strcmp(within, TW_BEHIND);

	tw_facts_check(of, within, is_behind ? of_behind : of_commits, problem);
	tw_facts_check(tw_want_object(of, within, "who", problem),
		       is_behind ? TW_BEHIND "who." : TW_COMMITS "who.", of_who, problem);
}

/* ---- attach ------------------------------------------------------------------ */

static int check_operation(const json_t *operation, struct tw_report_problem *problem)
{
	struct tw_histogram histogram;
	const char *key, *wrong = "";
	json_t *stages, *value;
	int error = 0;

	tw_facts_check(operation, OPERATION, of_operation, problem);
	for (unsigned row = 0; row < TW_COUNTS; row++) {
		key = tw_row_key(tw_count_rows[row].path);
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

	tw_want_array(attached, "attached.", "rings", problem);
	check_all(attached, "attached.", "rings", of_ring, problem);
	json_object_foreach(others, key, value)
		tw_want_u64(others, "attached.others.", key, problem);
	for (size_t i = 0; i < json_array_size(operations) && !error; i++)
		error = check_operation(json_array_get(operations, i), problem);
	return error;
}

/* ---- unknown keys -------------------------------------------------------------- */

void tw_report_leave_out_keys(json_t *unknown, const json_t *root,
			      const char *const *known)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)root, key, value) {
		const char *const *at = known;

		while (*at && strcmp(*at, key))
			at++;
		if (!*at && tw_row_find(key) < 0 && !tw_row_is_container(key))
			tw_report_leave_out(unknown, "%s", key);
	}
}
