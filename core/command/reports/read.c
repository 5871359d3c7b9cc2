/* SPDX-License-Identifier: MIT */
/*
 * Reads one report of the engine and checks all of it. Everything that is
 * required must be there, of the right type and in its range;
 * tickwise-report(5) describes this. Otherwise the file is refused, with the
 * first fault. Unknown keys are accepted. Unknown stages, directions and clocks
 * are named, since the page shows less than the file has.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/output/file.h"
#include "command/output/plain_text.h"
#include "command/reports/attached.h"
#include "command/reports/by_lat.h"
#include "command/reports/causes.h"
#include "command/reports/clock_errors.h"
#include "command/reports/devices.h"
#include "command/reports/facts.h"
#include "command/reports/inside.h"
#include "command/reports/intervals.h"
#include "command/reports/read.h"
#include "command/reports/response.h"
#include "command/reports/trigger.h"
#include "latency/histogram_json.h"
#include "text_file.h"
#include "report/json_memory.h"
#include "report/want.h"

/* Return the index of @text in @names; -1 if it is not there. */
static int name_in(const char *text, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(names[i], text) == 0)
			return i;
	return -1;
}

/* ---- the parts of a report ---------------------------------------------- */

void tw_report_read_job(struct tw_report_job *job, const json_t *root,
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
	if (json_object_get(json, "start_monotonic_ns"))
		job->start_monotonic_ns = tw_want_u64(json, "job.",
						      "start_monotonic_ns", problem);
	job->run = "";
	if (json_object_get(json, "run"))
		job->run = tw_want_string(json, "job.", "run", problem);
}

/* Is an optional key there? */
static int has(struct tw_report_tally *tally, const json_t *root,
	       const char *key, unsigned missing)
{
	if (json_object_get(root, key))
		return 1;
	tally->missing |= missing;
	return 0;
}

void tw_report_read_counts(struct tw_report_tally *tally, const json_t *root,
			   struct tw_report_problem *problem)
{
	for (int i = 0; i < TW_REPORT_COUNTS; i++) {
		const char *name = tw_report_counts_names[i];
		const json_t *json;
		char where[32];

		if (i != TW_REPORT_IOS && !has(tally, root, name, 1U << i))
			continue;
		json = tw_want_object(root, "", name, problem);
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
	const json_t *json;

	if (!has(tally, root, "batches", TW_REPORT_NO_BATCHES))
		return;
	json = tw_want_object(root, "", "batches", problem);
	tally->enters = tw_want_u64(json, "batches.", "enters", problem);
	tally->tails = tw_want_u64(json, "batches.", "tails", problem);
	tally->largest_tail = tw_want_u64(json, "batches.", "largest_tail",
					  problem);
}

int tw_report_leave_out(struct tw_report *report, const char *format, ...)
{
	char name[128];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	/* A character that was cut would not be UTF-8. */
	return json_object_set_new(report->unknown, tw_plain_text(name),
				   json_null()) ?
		-ENOMEM : 0;
}

/* Read the histograms of a time, which are optional. */
static int read_time(struct tw_report *report, int time, tw_report_histogram *read,
		     struct tw_report_problem *problem)
{
	const struct tw_report_time *is = &tw_report_times[time];
	const json_t *in = *is->in ? json_object_get(report->root, is->in) :
				     report->root;
	json_t *json = json_object_get(in, is->key);
	const char *wrong = "";
	const char *key;
	json_t *value;

	if (json && !json_is_object(json))
		tw_report_refuse(problem, "%s is not an object", is->path);
	json_object_foreach(json, key, value) {
		int direction = name_in(key, tw_report_directions,
					TW_REPORT_DIRECTIONS);
		int error;

		if (direction < 0)
			error = tw_report_leave_out(report, "%s.%s", is->path, key);
		else
			error = read(&report->tally.times[time][direction], value,
				     &wrong);
		if (error == -ENOMEM)
			return error;
		if (error)
			tw_report_refuse(problem, "%s.%s: %s", is->path, key,
					 wrong);
	}
	return 0;
}

/* Check that no time counts more I/Os than there were. It may count fewer. */
static void check_counts(const struct tw_report_tally *tally, int direction,
			 struct tw_report_problem *problem)
{
	const char *name = tw_report_directions[direction];

	for (int i = 0; i < TW_REPORT_TIMES; i++)
		if (tally->times[i][direction].count >
		    tally->counts[TW_REPORT_IOS][direction])
			tw_report_refuse(problem, "%s.%s counts more than "
					 "ios.%s", tw_report_times[i].path,
					 name, name);
}

/* Check that stages do not add up to more than lat. Stages can be missing, as
 * with tw_stages=0, or be unknown here. */
static void check_sum(const struct tw_report_tally *tally, int direction,
		      struct tw_report_problem *problem)
{
	const struct tw_histogram *lat = &tally->times[TW_REPORT_LAT][direction];
	uint64_t sum_ns = 0;
	int over = 0;

	for (int i = 0; i < TW_REPORT_STAGES; i++)
		over |= __builtin_add_overflow(sum_ns,
			tally->times[i][direction].sum_ns, &sum_ns);
	if (lat->count && (over || sum_ns > lat->sum_ns))
		tw_report_refuse(problem, "the stages of %s add up to more "
				 "than stages.lat.%s",
				 tw_report_directions[direction],
				 tw_report_directions[direction]);
}

static int is_time(const char *in, const char *key)
{
	for (int i = 0; i < TW_REPORT_TIMES; i++)
		if (strcmp(tw_report_times[i].in, in) == 0 &&
		    strcmp(tw_report_times[i].key, key) == 0)
			return 1;
	return 0;
}

int tw_report_read_times(struct tw_report *report, tw_report_histogram *read,
			 struct tw_report_problem *problem)
{
	json_t *stages = tw_want_object(report->root, "", "stages", problem);
	const char *key;
	json_t *value;
	int error = 0;

	if (has(&report->tally, report->root, "response",
		TW_REPORT_NO_RESPONSE))
		tw_report_read_schedule(&report->tally.schedule,
			tw_want_object(report->root, "", "response", problem),
			problem);
	for (int i = 0; i < TW_REPORT_TIMES && !error; i++)
		error = read_time(report, i, read, problem);
	json_object_foreach(stages, key, value)
		if (!error && !is_time("stages", key))
			error = tw_report_leave_out(report, "stages.%s", key);
	return error;
}

/* ---- single I/Os and intervals ------------------------------------------- */

static void check_slow_stages(const json_t *stages,
			      struct tw_report_problem *problem)
{
	const char *const where = "slowest[].stages.";
	uint64_t lat_ns = tw_want_u64(stages, where, "lat", problem);
	uint64_t sum_ns = 0;
	int over = 0;

	for (int i = 0; i < TW_REPORT_STAGES; i++)
		if (json_object_get(stages, tw_report_times[i].key))
			over |= __builtin_add_overflow(sum_ns,
				tw_want_u64(stages, where,
					    tw_report_times[i].key, problem),
				&sum_ns);
	if (over || sum_ns > lat_ns)
		tw_report_refuse(problem, "slowest[].stages add up to more "
				 "than lat");
}

static int check_slow(struct tw_report *report, const json_t *slow,
		      struct tw_report_problem *problem)
{
	const json_t *stages = tw_want_object(slow, "slowest[].", "stages",
					      problem);

	check_slow_stages(stages, problem);
	if (json_object_get(slow, "submitting_call_ns"))
		tw_want_u64(slow, "slowest[].", "submitting_call_ns",
			    problem);
	tw_want_u64(slow, "slowest[].", "offset", problem);
	tw_want_u64(slow, "slowest[].", "size", problem);
	tw_want_string(slow, "slowest[].", "ddir", problem);
	return tw_report_check_cause(report, slow, problem);
}

static int read_slowest(struct tw_report *report,
			 struct tw_report_problem *problem)
{
	if (!has(&report->tally, report->root, "slowest",
		 TW_REPORT_NO_SLOWEST))
		return 0;
	report->slowest = tw_want_array(report->root, "", "slowest", problem);
	tw_report_read_followed(report, problem);
	for (size_t i = 0; i < json_array_size(report->slowest); i++)
		if (check_slow(report, json_array_get(report->slowest, i),
			       problem))
			return -ENOMEM;
	return 0;
}

static void read_interval_of(struct tw_report_interval *interval, int direction,
			     const json_t *json,
			     struct tw_report_problem *problem)
{
	const char *where = "over_time[].DIRECTION.";
	const json_t *of = json_object_get(json,
					   tw_report_directions[direction]);
	const json_t *percentiles = json_object_get(of, "percentiles");
	struct tw_report_interval_of *into = &interval->of[direction];

	if (!of)
		return;
	into->count = tw_want_u64(of, where, "count", problem);
	into->sum_ns = tw_want_u64(of, where, "sum_ns", problem);
	into->min_ns = tw_want_u64(of, where, "min_ns", problem);
	into->max_ns = tw_want_u64(of, where, "max_ns", problem);
	if (json_object_get(percentiles, "99.000000"))
		into->p99_ns = tw_want_u64(percentiles, where, "99.000000",
					   problem);
}

static void read_interval(struct tw_report_interval *interval,
			  const json_t *json, struct tw_report_problem *problem)
{
	if (!json_is_object(json))
		tw_report_refuse(problem, "over_time[] is not an object");
	interval->from_ns = tw_want_u64(json, "over_time[].", "from_ns",
					problem);
	interval->over_ns = tw_want_u64(json, "over_time[].", "over_ns",
					problem);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		read_interval_of(interval, i, json, problem);
}

static void check_over_time(const struct tw_report_over_time *over_time,
			    struct tw_report_problem *problem)
{
	for (size_t i = 0; i < over_time->count; i++) {
		const struct tw_report_interval *at = &over_time->intervals[i];
		uint64_t to_ns;

		if (at->over_ns == 0)
			tw_report_refuse(problem, "over_time[].over_ns is 0");
		if (__builtin_add_overflow(at->from_ns, at->over_ns, &to_ns))
			tw_report_refuse(problem, "over_time[].over_ns is too "
					 "large");
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (at->of[j].min_ns > at->of[j].max_ns)
				tw_report_refuse(problem, "over_time[].%s."
						 "min_ns is above max_ns",
						 tw_report_directions[j]);
		if (i && at->from_ns <= at[-1].from_ns)
			tw_report_refuse(problem, "over_time[].from_ns is not "
					 "ascending");
	}
}

static int read_over_time(struct tw_report *report,
			  struct tw_report_problem *problem)
{
	struct tw_report_over_time *into = &report->over_time;
	const json_t *json;
	size_t count;

	if (!has(&report->tally, report->root, "over_time",
		 TW_REPORT_NO_OVER_TIME))
		return 0;
	json = tw_want_array(report->root, "", "over_time", problem);
	count = json_array_size(json);
	if (count == 0)
		return 0;
	into->intervals = calloc(count, sizeof(*into->intervals));
	if (!into->intervals)
		return -ENOMEM;
	into->count = count;
	for (size_t i = 0; i < count; i++)
		read_interval(&into->intervals[i], json_array_get(json, i),
			      problem);
	check_over_time(into, problem);
	return 0;
}

/* ---- the clocks ---------------------------------------------------------- */

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
	clock->uncertainty_ppb = tw_want_positive(json, where, "uncertainty_ppb",
						  problem);
	clock->over_ns = tw_want_u64(json, where, "over_ns", problem);
	/* The same uncertainty, in another unit. */
	clock->uncertainty_ns = json_object_get(json, "uncertainty_ns") ?
		tw_want_positive(json, where, "uncertainty_ns", problem) :
		clock->uncertainty_ppb * (double)clock->over_ns / 1e9;
	clock->kind = "";
	tw_report_read_clock_errors(clock, name, problem);
}

/* Return an optional value of the clock "tickwise". It has no rate if it is the
 * system's clock. */
static double optional_positive(const json_t *json, const char *key,
				struct tw_report_problem *problem)
{
	if (!json_object_get(json, key))
		return 0;
	return tw_want_positive(json, "clocks.tickwise.", key, problem);
}

static int read_clocks(struct tw_report *report,
		       struct tw_report_problem *problem)
{
	json_t *json = tw_want_object(report->root, "", "clocks", problem);
	struct tw_report_clock *clocks = report->clocks;
	const char *key;
	json_t *value;

	json_object_foreach(json, key, value) {
		int clock = name_in(key, tw_report_clocks_names,
				    TW_REPORT_CLOCKS);

		if (clock < 0) {
			if (tw_report_leave_out(report, "clocks.%s", key))
				return -ENOMEM;
			continue;
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
		clocks[clock].window_ns = optional_positive(value,
							    "rate_window_ns",
							    problem);
	}
	return 0;
}

static void read_counter(struct tw_report *report, const json_t *root,
			 struct tw_report_problem *problem)
{
	const json_t *json = tw_want_object(root, "", "counter", problem);
	const char *name = tw_want_string(json, "counter.", "verdict", problem);
	int verdict = name_in(name, tw_report_verdicts, TW_REPORT_VERDICTS);

	if (verdict < 0)
		tw_report_refuse(problem, "counter.verdict is none of reliable,"
				 " unreliable, undecided, unchecked");
	else
		report->verdict = (enum tw_report_verdict)verdict;
	report->fallback = tw_want_boolean(json, "counter.", "fallback",
					   problem);
	report->reasons = tw_want_array(json, "counter.", "reasons", problem);
	for (size_t i = 0; i < json_array_size(report->reasons); i++) {
		const json_t *reason = json_array_get(report->reasons, i);

		tw_want_string(reason, "counter.reasons[].", "code", problem);
		tw_want_string(reason, "counter.reasons[].", "text", problem);
	}
}

/* Read which times of the engine are fio's own. */
static void read_fio_times(struct tw_report *report,
			   struct tw_report_problem *problem)
{
	const json_t *json = tw_want_object(report->root, "", "fio_times",
					    problem);

	report->event_time = tw_want_boolean(json, "fio_times.", "event_time",
					     problem);
	tw_want_boolean(json, "fio_times.", "event_wait", problem);
}

/* ---- the file ----------------------------------------------------------- */

void tw_report_check_schema(const json_t *root, struct tw_report_problem *problem)
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
				 "program reads version %d only: run the job "
				 "again with the engine of this program",
				 (unsigned long long)version,
				 TW_REPORT_VERSION);
}

/* Return NULL with @problem set, or without memory. */
static json_t *parse(const char *text, size_t length,
		     struct tw_report_problem *problem)
{
	json_error_t error;
	json_t *root;

	/* Such a file is read twice, line by line, as it may be larger than the
	 * memory. */
	if (tw_intervals_are_text(text, length)) {
		tw_report_refuse(problem, "a file of intervals can't be read from a pipe: "
				 "save it to a file first");
		return NULL;
	}
	root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &error);
	if (root || tw_json_lacked_memory())
		return root;
	if (json_error_code(&error) == json_error_premature_end_of_input)
		tw_report_refuse(problem, "cut off: ends at line %d, column %d,"
				 " in the middle", error.line, error.column);
	else
		tw_report_refuse(problem, "not JSON: line %d, column %d: %s",
				 error.line, error.column, error.text);
	return NULL;
}

/* Read the parts of a report. Sets @problem if one is wrong. Return: 0;
 * -ENOMEM. */
static int read_parts(struct tw_report *report,
		      struct tw_report_problem *problem)
{
	tw_report_check_schema(report->root, problem);
	tw_report_read_job(&report->job, report->root, problem);
	report->job.run_ns = tw_want_u64(json_object_get(report->root, "job"), "job.",
					 "run_ns", problem);
	tw_report_read_counts(&report->tally, report->root, problem);
	read_batches(&report->tally, report->root, problem);
	read_counter(report, report->root, problem);
	read_fio_times(report, problem);
	tw_report_read_facts(report, problem);
	if (read_clocks(report, problem) ||
	    tw_report_read_times(report, tw_histogram_from_json, problem) ||
	    tw_report_read_by_lat(report, problem) ||
	    tw_report_read_attached(report, problem) ||
	    tw_report_read_inside(report, problem))
		return -ENOMEM;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		check_counts(&report->tally, i, problem);
		check_sum(&report->tally, i, problem);
	}
	if (read_slowest(report, problem) || tw_report_read_devices(report, problem))
		return -ENOMEM;
	tw_report_read_trigger(report, problem);
	return read_over_time(report, problem);
}

static int read_root(struct tw_report *report, const char *text, size_t length,
		     struct tw_report_problem *problem)
{
	int error = 0;

	report->root = parse(text, length, problem);
	report->unknown = json_object();
	if (!report->unknown || tw_json_lacked_memory())
		error = -ENOMEM;
	else if (report->root)
		error = read_parts(report, problem);
	/* Histograms and intervals hold these data now. If there are many
	 * reports, this is nearly all of their memory. */
	json_object_del(report->root, "stages");
	json_object_del(report->root, "stages_by_lat");
	json_object_del(report->root, "response");
	json_object_del(report->root, "submitting_call");
	json_object_del(report->root, "over_time");
	return error;
}

int tw_report_read(struct tw_report *report, const char *path,
		   struct tw_report_problem *problem)
{
	int fd = tw_input_open(path);
	char *text;
	size_t length;
	int error;

	*report = (struct tw_report) { .path = path };
	text = fd < 0 ? NULL : tw_text_all(fd, &length);
	error = fd < 0 ? -fd : errno;
	if (fd >= 0)
		close(fd);
	if (!text) {
		tw_report_refuse(problem, "%s", tw_file_error(error));
		return error == ENOMEM ? TW_EXIT_SOFTWARE : TW_EXIT_NO_INPUT;
	}
	error = -read_root(report, text, length, problem);
	free(text);
	if (error)
		tw_report_refuse(problem, "%s", strerror(error));
	if (error == ENOMEM)
		return TW_EXIT_SOFTWARE;
	return problem->text[0] ? TW_EXIT_DATA : TW_EXIT_GOOD;
}

void tw_report_tally_free(struct tw_report_tally *tally)
{
	for (int i = 0; i < TW_REPORT_TIMES; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			tw_histogram_free(&tally->times[i][j]);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		tw_report_free_by_lat(&tally->by_lat[i]);
}

void tw_report_free(struct tw_report *report)
{
	tw_report_tally_free(&report->tally);
	free(report->over_time.intervals);
	if (report->devices)
		tw_report_devices_free(report->devices);
	free(report->devices);
	json_decref(report->unknown);
	json_decref(report->root);
}
