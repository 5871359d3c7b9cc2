/* SPDX-License-Identifier: MIT */
/*
 * Reads one report of the engine and believes nothing of it: every key is
 * there, of the right type and in its range, or the file is refused with the
 * first thing that is wrong. Unknown stages, directions and clocks are refused
 * too, as leaving them out would show less than the file holds; other unknown
 * keys are let pass.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "command.h"
#include "latency/histogram_json.h"
#include "report.h"
#include "report_want.h"

/* The place of @text in @names; -1 without. */
static int name_in(const char *text, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

/* ---- the parts of a report ---------------------------------------------- */

static void read_job(struct tw_report_job *job, const json_t *root,
		     struct tw_report_problem *problem)
{
	const json_t *json = tw_want_object(root, "", "job", problem);

	job->name = tw_want_string(json, "job.", "name", problem);
	job->host = tw_want_string(json, "job.", "host", problem);
	job->fio_version = tw_want_string(json, "job.", "fio_version", problem);
	job->engine = tw_want_string(json, "job.", "engine", problem);
	job->groupid = tw_want_u64(json, "job.", "groupid", problem);
	job->thread_number = tw_want_u64(json, "job.", "thread_number", problem);
	job->subjob_number = tw_want_u64(json, "job.", "subjob_number", problem);
	job->pid = tw_want_u64(json, "job.", "pid", problem);
	job->start_ns = tw_want_u64(json, "job.", "start", problem);
	job->iodepth = tw_want_u64(json, "job.", "iodepth", problem);
	job->run_ns = tw_want_u64(json, "job.", "run_ns", problem);
	job->run = "";
	if (json_object_get(json, "run"))
		job->run = tw_want_string(json, "job.", "run", problem);
}

static void read_counts(struct tw_report_tally *tally, const json_t *root,
			struct tw_report_problem *problem)
{
	for (int i = 0; i < TW_REPORT_COUNTS; i++) {
		const char *name = tw_report_counts_names[i];
		const json_t *json = tw_want_object(root, "", name, problem);
		char where[32];

		snprintf(where, sizeof(where), "%s.", name);
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			tally->counts[i][j] = tw_want_u64(json, where,
							  tw_report_directions[j],
							  problem);
	}
}

static void read_batches(struct tw_report_tally *tally, const json_t *root,
			 struct tw_report_problem *problem)
{
	const json_t *json = tw_want_object(root, "", "batches", problem);

	tally->enters = tw_want_u64(json, "batches.", "enters", problem);
	tally->tails = tw_want_u64(json, "batches.", "tails", problem);
	tally->largest_tail = tw_want_u64(json, "batches.", "largest_tail",
					  problem);
}

static int read_stage(struct tw_histogram *by_direction, json_t *json,
		      const char *stage, struct tw_report_problem *problem)
{
	const char *wrong = "";
	const char *key;
	json_t *value;

	if (!json_is_object(json))
		tw_report_refuse(problem, "stages.%s is not an object", stage);
	json_object_foreach(json, key, value) {
		int direction = name_in(key, tw_report_directions,
					TW_REPORT_DIRECTIONS);
		int error;

		if (direction < 0) {
			tw_report_refuse(problem, "stages.%s.%s is no direction"
					 " of I/O", stage, key);
			return 0;
		}
		error = tw_histogram_from_json(&by_direction[direction], value,
					       &wrong);
		if (error == -ENOMEM)
			return error;
		if (error)
			tw_report_refuse(problem, "stages.%s.%s: %s", stage,
					 key, wrong);
	}
	return 0;
}

/* A stage may be known of some I/Os only, but not of more than there were. */
static void check_stages(const struct tw_report_tally *tally,
			 struct tw_report_problem *problem)
{
	for (int i = 0; i < TW_REPORT_STAGES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (tally->stages[i][j].count >
			    tally->counts[TW_REPORT_IOS][j])
				tw_report_refuse(problem, "stages.%s.%s counts "
						 "more than ios.%s",
						 tw_report_stages[i].name,
						 tw_report_directions[j],
						 tw_report_directions[j]);
}

static int stage_of(const char *name)
{
	for (int i = 0; i < TW_REPORT_STAGES; i++)
		if (strcmp(tw_report_stages[i].name, name) == 0)
			return i;
	return -1;
}

static int read_stages(struct tw_report_tally *tally, const json_t *root,
		       struct tw_report_problem *problem)
{
	json_t *stages = tw_want_object(root, "", "stages", problem);
	const char *key;
	json_t *value;

	json_object_foreach(stages, key, value) {
		int stage = stage_of(key);

		if (stage < 0) {
			tw_report_refuse(problem, "stages.%s is no stage that "
					 "this version knows", key);
			return 0;
		}
		if (read_stage(tally->stages[stage], value, key, problem))
			return -ENOMEM;
	}
	return 0;
}

static void read_clock(struct tw_report_clock *clock, json_t *json,
		       const char *name, struct tw_report_problem *problem)
{
	char where[64];

	snprintf(where, sizeof(where), "clocks.%s.", name);
	if (!json_is_object(json))
		tw_report_refuse(problem, "clocks.%s is not an object", name);
	clock->json = json;
	clock->against = tw_want_string(json, where, "against", problem);
	clock->error_ns = tw_want_real(json, where, "error_ns", problem);
	clock->error_ppb = tw_want_real(json, where, "error_ppb", problem);
	clock->uncertainty_ns = tw_want_positive(json, where, "uncertainty_ns",
						 problem);
	clock->uncertainty_ppb = tw_want_positive(json, where, "uncertainty_ppb",
						  problem);
	clock->over_ns = tw_want_u64(json, where, "over_ns", problem);
	clock->kind = "";
}

/* Of the clock "tickwise": there is no rate where it is the system's clock. */
static double optional_positive(const json_t *json, const char *key,
				struct tw_report_problem *problem)
{
	if (!json_object_get(json, key))
		return 0;
	return tw_want_positive(json, "clocks.tickwise.", key, problem);
}

static void read_clocks(struct tw_report_clock *clocks, const json_t *root,
			struct tw_report_problem *problem)
{
	json_t *json = tw_want_object(root, "", "clocks", problem);
	const char *key;
	json_t *value;

	json_object_foreach(json, key, value) {
		int clock = name_in(key, tw_report_clocks_names,
				    TW_REPORT_CLOCKS);

		if (clock < 0) {
			tw_report_refuse(problem, "clocks.%s is no clock that "
					 "this version knows", key);
			return;
		}
		read_clock(&clocks[clock], value, key, problem);
		if (clock == TW_REPORT_FIO)
			clocks[clock].kind = tw_want_string(value, "clocks.fio.",
							    "clocksource",
							    problem);
		if (clock != TW_REPORT_TICKWISE)
			continue;
		clocks[clock].kind = tw_want_string(value, "clocks.tickwise.",
						    "source", problem);
		clocks[clock].hz = optional_positive(value, "hz", problem);
		clocks[clock].bound_ppb = optional_positive(value,
							    "rate_bound_ppb",
							    problem);
	}
}

static void read_counter(struct tw_report *report, const json_t *root,
			 struct tw_report_problem *problem)
{
	const json_t *json = tw_want_object(root, "", "counter", problem);
	const char *name = tw_want_string(json, "counter.", "verdict", problem);
	const json_t *fallback = tw_want(json, "counter.", "fallback", problem);
	int verdict = name_in(name, tw_report_verdicts, TW_REPORT_VERDICTS);

	if (verdict < 0)
		tw_report_refuse(problem, "counter.verdict is none of reliable,"
				 " unreliable, undecided, unchecked");
	else
		report->verdict = (enum tw_report_verdict)verdict;
	if (!json_is_boolean(fallback))
		tw_report_refuse(problem, "counter.fallback is not true or "
				 "false");
	report->fallback = json_is_true(fallback);
	report->reasons = tw_want_array(json, "counter.", "reasons", problem);
	for (size_t i = 0; i < json_array_size(report->reasons); i++) {
		const json_t *reason = json_array_get(report->reasons, i);

		tw_want_string(reason, "counter.reasons[].", "code", problem);
		tw_want_string(reason, "counter.reasons[].", "text", problem);
	}
}

/* ---- the file ----------------------------------------------------------- */

static void check_schema(const json_t *root, struct tw_report_problem *problem)
{
	const char *schema = json_string_value(json_object_get(root, "schema"));
	uint64_t version;

	if (!schema || strcmp(schema, TW_REPORT_SCHEMA) != 0) {
		tw_report_refuse(problem, "not a report of the Tickwise engine "
				 "(no \"schema\": \"" TW_REPORT_SCHEMA "\")");
		return;
	}
	version = tw_want_u64(root, "", "version", problem);
	if (version != TW_REPORT_VERSION)
		tw_report_refuse(problem, "version %llu of the report; this "
				 "program reads version %d",
				 (unsigned long long)version,
				 TW_REPORT_VERSION);
}

/* The file's JSON; NULL with @problem set. */
static json_t *parse(FILE *file, struct tw_report_problem *problem)
{
	json_error_t error;
	json_t *root = json_loadf(file, JSON_REJECT_DUPLICATES, &error);

	if (root && !ferror(file))
		return root;
	json_decref(root);
	if (ferror(file))
		tw_report_refuse(problem, "%s", strerror(errno));
	else if (json_error_code(&error) == json_error_premature_end_of_input)
		tw_report_refuse(problem, "cut off: ends at line %d, column %d,"
				 " in the middle", error.line, error.column);
	else
		tw_report_refuse(problem, "not JSON: line %d, column %d: %s",
				 error.line, error.column, error.text);
	return NULL;
}

static FILE *open_input(const char *path, struct tw_report_problem *problem)
{
	FILE *file = fopen(path, "re");
	struct stat status;

	if (!file) {
		tw_report_refuse(problem, "%s", strerror(errno));
		return NULL;
	}
	if (fstat(fileno(file), &status) == 0 && S_ISDIR(status.st_mode)) {
		tw_report_refuse(problem, "%s", strerror(EISDIR));
		fclose(file);
		return NULL;
	}
	return file;
}

int tw_report_read(struct tw_report *report, const char *path,
		   struct tw_report_problem *problem)
{
	FILE *file = open_input(path, problem);

	*report = (struct tw_report) { .path = path };
	if (!file)
		return TW_EXIT_NO_INPUT;
	report->root = parse(file, problem);
	fclose(file);
	if (!report->root)
		return TW_EXIT_DATA;
	check_schema(report->root, problem);
	read_job(&report->job, report->root, problem);
	read_counts(&report->tally, report->root, problem);
	read_batches(&report->tally, report->root, problem);
	read_clocks(report->clocks, report->root, problem);
	read_counter(report, report->root, problem);
	if (read_stages(&report->tally, report->root, problem)) {
		tw_report_refuse(problem, "%s", strerror(ENOMEM));
		return TW_EXIT_SOFTWARE;
	}
	check_stages(&report->tally, problem);
	if (json_object_get(report->root, "slowest"))
		report->slowest = tw_want_array(report->root, "", "slowest",
						problem);
	return problem->text[0] ? TW_EXIT_DATA : TW_EXIT_GOOD;
}

void tw_report_tally_free(struct tw_report_tally *tally)
{
	for (int i = 0; i < TW_REPORT_STAGES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			tw_histogram_free(&tally->stages[i][j]);
}

void tw_report_free(struct tw_report *report)
{
	tw_report_tally_free(&report->tally);
	json_decref(report->root);
}
