/* SPDX-License-Identifier: MIT */
/*
 * Reads a report and checks all of it. Everything that is required must be there, of the
 * right type and in its range; tickwise-report(5) describes this. Otherwise the report is
 * refused, with the first fault. tally_json.c reads the metrics, facts.c checks the rest.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "report/facts.h"
#include "report/report_json.h"
#include "report/waits.h"

/* ---- jobs -------------------------------------------------------------------- */

static int is_on(const json_t *object)
{
	const char *state = tw_report_string(object, "state");

	return state && strcmp(state, "on") == 0;
}

/* Take how the kernel's stages and the causes of slow I/Os were recorded. */
static void take_states(struct tw_report_job *job)
{
	const json_t *kernel = json_object_get(job->json, "kernel");
	const json_t *causes = json_object_get(job->json, "causes");
	const json_t *syncs = json_object_get(job->json, "syncs");

	job->kernel_on = is_on(kernel);
	job->kernel_why = job->kernel_on ? NULL : tw_report_string(kernel, "why");
	job->by_helper = json_is_true(json_object_get(kernel, "by_helper"));
	job->unsplit_syncs = is_on(syncs) ? NULL : tw_report_string(syncs, "why");
	job->not_followed = is_on(causes) ? NULL : tw_report_string(causes, "why");
	job->follow_cost = json_object_get(causes, "cost");
}

static void check_options(json_t *options, const char *where, struct tw_report_problem *problem)
{
	const char *key;
	json_t *value;

	json_object_foreach(options, key, value)
		if (!json_is_string(value))
			tw_report_refuse(problem, "%s.%s is not a string", where, key);
}

/* All jobs share the common options: a copy for each would take a hundred times the file. */
static void take_options(struct tw_report_job *job, json_t *common,
			 struct tw_report_problem *problem)
{
	if (!json_object_get(job->json, "options"))
		return;
	job->options = tw_want_object(job->json, "jobs[].", "options", problem);
	job->common = json_incref(common);
	check_options((json_t *)job->options, "jobs[].options", problem);
}

const json_t *tw_job_option(const struct tw_report_job *job, const char *name)
{
	const json_t *own = json_object_get(json_object_get(job->json, "options"), name);

	return own ? own : json_object_get(job->common, name);
}

json_t *tw_job_options(const struct tw_report_job *job)
{
	json_t *all = json_object();

	json_object_update(all, job->common);
	json_object_update(all, json_object_get(job->json, "options"));
	return all;
}

static void read_job(struct tw_report_job *job, json_t *json, json_t *common,
		     struct tw_report_problem *problem)
{
	uint64_t end_ns;

	json = json_is_object(json) ? json_copy(json) : json_object();
	job->json = json;
	job->name = tw_want_string(json, "jobs[].", "name", problem);
	job->host = tw_want_string(json, "jobs[].", "host", problem);
	job->fio_version = tw_want_string(json, "jobs[].", "fio_version", problem);
	job->engine = tw_want_string(json, "jobs[].", "engine", problem);
	job->run = tw_report_string(json, "run") ?: "";
	job->groupid = tw_report_u64(json, "groupid");
	job->thread_number = tw_report_u64(json, "thread_number");
	job->pid = tw_report_u64(json, "pid");
	job->start_ns = tw_report_u64(json, "start");
	job->start_monotonic_ns = tw_report_u64(json, "start_monotonic_ns");
	job->first_ns = tw_report_u64(json, "first_ns");
	job->run_ns = tw_report_u64(json, "run_ns");
	job->iodepth = tw_report_u64(json, "iodepth");
	job->event_time = json_is_true(json_object_get(json, "event_time"));
	job->fallback = json_is_true(json_object_get(json, "fallback"));
	take_states(job);
	take_options(job, common, problem);
	if (__builtin_add_overflow(job->start_ns, job->first_ns, &end_ns) ||
	    __builtin_add_overflow(end_ns, job->run_ns, &end_ns))
		tw_report_refuse(problem, "jobs[] ends after all time");
}

/* Return: 0; -ENOMEM. */
static int read_jobs(struct tw_report *report, const json_t *root, const char *path,
		     struct tw_report_problem *problem)
{
	const json_t *list = tw_want_array(root, "", "jobs", problem);
	json_t *common = json_object_get(root, "options") ?
			 tw_want_object(root, "", "options", problem) : NULL;

	check_options(common, "options", problem);
	if (json_array_size(list) == 0) {
		tw_report_refuse(problem, "jobs is empty");
		return 0;
	}
	report->jobs = calloc(json_array_size(list), sizeof(*report->jobs));
	if (!report->jobs)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(list); i++) {
		struct tw_report_job *job = &report->jobs[i];

		job->path = path;
		read_job(job, json_array_get(list, i), common, problem);
		report->job_count++;
		if (i && tw_report_compare_jobs(&job[-1], job) >= 0)
			tw_report_refuse(problem, "jobs is not in the order of start, host,"
					 " run, pid and thread_number");
	}
	return 0;
}

/* Return the index of the job that a part is about. */
static size_t job_of(const struct tw_report *report, const json_t *json, const char *where,
		     struct tw_report_problem *problem)
{
	const uint64_t job = tw_want_u64(json, where, "job", problem);

	if (job < report->job_count)
		return (size_t)job;
	tw_report_refuse(problem, "%sjob is not the index of a job", where);
	return 0;
}

/* ---- devices ---------------------------------------------------------------------- */

#define DEVICE	"devices[]."

static void read_device_counts(struct tw_report_device *device, const json_t *json,
			       struct tw_report_problem *problem)
{
	const json_t *ios = tw_want_object(json, DEVICE, "ios", problem);

	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		device->ios[i] = tw_want_u64(ios, DEVICE "ios.", tw_direction_names[i],
					     problem);
	}
}

/* Return: 0; -ENOMEM. */
static int read_device_times(struct tw_report_device *device, const json_t *json,
			     struct tw_report_problem *problem)
{
	const json_t *lat = json_object_get(json, "lat");
	const json_t *in_device = json_object_get(json, "device_time");
	const json_t *over_time = json_object_get(json, "over_time");
	int error = 0;

	if (lat)
		error = tw_times_from_json(device->lat, lat, DEVICE "lat", problem);
	if (!error && in_device)
		error = tw_times_from_json(device->in_device, in_device,
					   DEVICE "device_time", problem);
	if (!error && over_time)
		error = tw_windows_from_json(&device->over_time, over_time, DEVICE "over_time",
					     problem);
	return error;
}

/* Read a device. Without "ios" and "jobs" it has all I/Os, if it is the only one. Return: 0;
 * -ENOMEM. */
static int read_device(struct tw_report *report, struct tw_report_device *device,
		       const json_t *json, struct tw_report_problem *problem)
{
	static const char *const numbers[] = {
		"jobs", "ios", "lat", "device_time", "over_time",
	};
	json_t *facts = json_is_object(json) ? json_copy((json_t *)json) : json_object();
	int error;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		json_object_del(facts, numbers[i]);
	tw_report_take_facts(device, facts);
	device->has_ios = json_object_get(json, "ios") != NULL;
	device->has_all = !device->has_ios && !json_object_get(json, "jobs");
	if (device->has_all)
		return 0;
	device->jobs = tw_want_u64(json, DEVICE, "jobs", problem);
	if (!device->has_ios && device->jobs)
		tw_report_refuse(problem, DEVICE "jobs is not 0, but ios is missing");
	if (!device->has_ios)
		return 0;
	if (device->jobs < 1 || device->jobs > report->job_count)
		tw_report_refuse(problem, DEVICE "jobs is not 1 to the number of jobs");
	error = read_device_times(device, json, problem);
	if (!error)
		read_device_counts(device, json, problem);
	return error;
}

/* Return: 0; -ENOMEM. */
static int read_devices(struct tw_report *report, const json_t *root,
			struct tw_report_problem *problem)
{
	const json_t *list = json_object_get(root, "devices");
	const size_t count = json_array_size(list);

	if (count == 0)
		return 0;
	report->devices = calloc(count, sizeof(*report->devices));
	if (!report->devices)
		return -ENOMEM;
	while (report->device_count < count) {
		const size_t i = report->device_count++;

		if (read_device(report, &report->devices[i], json_array_get(list, i),
				problem))
			return -ENOMEM;
	}
	for (size_t i = 0; i < count; i++)
		report->devices[i].has_all &= count == 1;
	if (report->devices->has_all)
		report->devices->jobs = report->job_count;
	tw_report_sort_devices(report);
	for (size_t i = 1; i < count; i++)
		if (!tw_report_compare_devices(&report->devices[i - 1], &report->devices[i]))
			tw_report_refuse(problem, "a device is twice in devices");
	return 0;
}

/* ---- clocks ------------------------------------------------------------------------ */

static void read_counter(struct tw_report *report, const json_t *root,
			 struct tw_report_problem *problem)
{
	json_t *json = tw_want_object(root, "", "counter", problem);
	const char *name = tw_want_string(json, "counter.", "verdict", problem);
	unsigned verdict = 0;

	while (verdict < TW_REPORT_VERDICTS && strcmp(tw_report_verdicts[verdict], name))
		verdict++;
	if (verdict == TW_REPORT_VERDICTS)
		tw_report_refuse(problem, "counter.verdict is none of reliable, unreliable,"
				 " undecided, unchecked");
	else
		report->verdict = verdict;
	if (json_array_size(json_object_get(json, "reasons")) > TW_REPORT_REASONS)
		tw_report_refuse(problem, "counter.reasons has more than %u reasons",
				 TW_REPORT_REASONS);
	report->counter = json_incref(json);
}

/* ---- single I/Os ------------------------------------------------------------------- */

/* Return: 0; -ENOMEM. */
static int read_slowest(struct tw_report *report, const json_t *root,
			struct tw_report_problem *problem)
{
	const json_t *list = json_object_get(root, "slowest");

	if (json_array_size(list) == 0)
		return 0;
	report->slowest = calloc(json_array_size(list), sizeof(*report->slowest));
	if (!report->slowest)
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *json = json_array_get(list, i);
		struct tw_report_slow *slow = &report->slowest[report->slow_count++];

		slow->job = job_of(report, json, "slowest[].", problem);
		slow->lat_ns = tw_report_u64(json_object_get(json, "stages"), "lat");
		slow->json = json_copy(json);
		json_object_del(slow->json, "job");
	}
	/* Without a fault each has a job of the report. */
	if (!problem->text[0])
		tw_report_sort_slowest(report);
	return 0;
}

/* Return a list whose elements are of jobs. */
static json_t *read_by_job(const struct tw_report *report, const json_t *root, const char *key,
			   const char *within, struct tw_report_problem *problem)
{
	json_t *list = json_object_get(root, key);
	size_t least = 0;

	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *of = json_array_get(list, i);
		const size_t job = job_of(report, of, within, problem);

		if (job < least)
			tw_report_refuse(problem, "%sjob is not ascending", within);
		least = job;
	}
	return json_incref(list);
}

/* Take the lists of `tickwise attach`. Its numbers are metrics, too. Return: 0; -ENOMEM. */
static int read_attached(struct tw_report *report, const json_t *root,
			 struct tw_report_problem *problem)
{
	report->attached = json_incref(json_object_get(root, "attached"));
	if (report->attached && report->job_count > 1)
		tw_report_refuse(problem, "attached is of several jobs");
	return report->attached ? tw_facts_check_attached(report->attached, problem) : 0;
}

/* Take the wait table. Its single numbers are metrics. Return: 0; -ENOMEM. */
static int read_waits(struct tw_report *report, const json_t *root,
		      struct tw_report_problem *problem)
{
	const json_t *json;
	int error;

	if (!json_object_get(root, "waits"))
		return 0;
	json = tw_want_object(root, "", "waits", problem);
	if (!json_object_get(json, "rows"))
		return 0;
	report->waits = calloc(1, sizeof(*report->waits));
	if (!report->waits)
		return -ENOMEM;
	report->waits->slowest = json_incref(json_object_get(json, "slowest"));
	error = tw_waits_add_json(report->waits, tw_want_array(json, "waits.", "rows", problem),
				  problem);
	if (error == -EOVERFLOW)
		tw_report_refuse(problem, "waits.rows[] counts too much");
	return error == -ENOMEM ? error : 0;
}

/* ---- all -------------------------------------------------------------------------------- */

uint64_t tw_report_largest(const json_t *json)
{
	/* Parts that are not added, wherever they are. The squares follow from the sums. */
	static const char *const others[] = {
		"jobs", "options", "machines", "files", "clock", "clocks", "counter", "slowest",
		"triggers", "commits", "size", "start", "sum_squares_ns2",
	};
	uint64_t largest = 0, value;
	const char *key;
	json_t *of;
	size_t i;

	tw_json_to_u64(json, &largest);
	json_array_foreach(json, i, of) {
		value = tw_report_largest(of);
		largest = value > largest ? value : largest;
	}
	json_object_foreach((json_t *)json, key, of) {
		for (i = 0; i < sizeof(others) / sizeof(*others) && strcmp(others[i], key); i++)
			;
		/* Of two parts of this name one is a list by job, and the other is added. */
		if (!strcmp(key, "in_flight_of_others") && json_is_array(of))
			continue;
		value = i == sizeof(others) / sizeof(*others) ? tw_report_largest(of) : 0;
		largest = value > largest ? value : largest;
	}
	return largest;
}

static void check_schema(const json_t *root, struct tw_report_problem *problem)
{
	const char *schema = tw_report_string(root, "schema");
	uint64_t version;

	if (!schema || strcmp(schema, TW_REPORT_SCHEMA) != 0)
		tw_report_refuse(problem, "not a report of the Tickwise engine "
				 "(no \"schema\": \"" TW_REPORT_SCHEMA "\")");
	version = tw_want_u64(root, "", "version", problem);
	if (version != TW_REPORT_VERSION)
		tw_report_refuse(problem, "version %llu of the report; this program reads "
				 "version %d only: run the job again with the engine of this "
				 "program", (unsigned long long)version, TW_REPORT_VERSION);
}

static void read_header(struct tw_report *report, const json_t *root,
			struct tw_report_problem *problem)
{
	json_t *clock = tw_want_object(root, "", "clock", problem);
	uint64_t digits = tw_want_u64(root, "", "digits", problem);

	if (strcmp(tw_want_string(root, "", "kind", problem), "intervals") != 0)
		tw_report_refuse(problem, "kind is not \"intervals\"");
	if (report->job_count > 1)
		tw_report_refuse(problem, "intervals are of several jobs");
	report->interval_ns = tw_want_u64(root, "", "interval_ns", problem);
	if (report->interval_ns == 0)
		tw_report_refuse(problem, "interval_ns is 0");
	if (digits < 1 || digits > 5)
		tw_report_refuse(problem, "digits is not 1 to 5");
	report->digits = (unsigned)digits;
	report->clock = json_incref(clock);
	/* The counters of the CPUs are compared when the run ends. */
	report->verdict = TW_REPORT_UNCHECKED;
	report->counter = json_pack("{ss, s[{ss, ss}]}", "verdict", "unchecked", "reasons",
				    "code", "intervals",
				    "text", "a file of intervals has no verdict, as it is "
				    "written while the job runs");
	report->clocks = json_object();
}

int tw_report_from_json(struct tw_report *report, const json_t *root, const char *path,
			struct tw_report_problem *problem)
{
	int error;

	*report = (struct tw_report) { .jobs = NULL };
	check_schema(root, problem);
	tw_facts_check(root, problem);
	error = read_jobs(report, root, path, problem);
	tw_report_add_set(&report->machines, json_object_get(root, "machines"));
	tw_report_add_set(&report->files, json_object_get(root, "files"));
	if (json_object_get(root, "kind")) {
		read_header(report, root, problem);
	} else {
		if (!error)
			error = tw_tally_from_json(&report->tally, root, problem);
		report->clocks = json_incref(tw_want_object(root, "", "clocks", problem));
		read_counter(report, root, problem);
		if (!error)
			error = read_slowest(report, root, problem) ?:
				read_attached(report, root, problem) ?:
				read_waits(report, root, problem);
		report->triggers = read_by_job(report, root, "triggers", "triggers[].", problem);
		report->others = read_by_job(report, root, "in_flight_of_others",
					     "in_flight_of_others[].", problem);
		report->commits = read_by_job(report, root, "commits", "commits[].", problem);
	}
	if (!error)
		error = read_devices(report, root, problem);
	return error || tw_json_lacked_memory() ? -ENOMEM : 0;
}

void tw_report_free(struct tw_report *report)
{
	for (size_t i = 0; i < report->job_count; i++) {
		json_decref(report->jobs[i].json);
		json_decref(report->jobs[i].common);
	}
	for (size_t i = 0; i < report->device_count; i++)
		tw_report_free_device(&report->devices[i]);
	for (size_t i = 0; i < report->slow_count; i++)
		json_decref(report->slowest[i].json);
	free(report->jobs);
	free(report->devices);
	free(report->slowest);
	json_decref(report->machines);
	json_decref(report->files);
	json_decref(report->clock);
	json_decref(report->clocks);
	json_decref(report->counter);
	json_decref(report->triggers);
	json_decref(report->others);
	json_decref(report->commits);
	json_decref(report->attached);
	if (report->waits)
		tw_waits_free(report->waits);
	free(report->waits);
	tw_tally_free(&report->tally);
	*report = (struct tw_report) { .jobs = NULL };
}
