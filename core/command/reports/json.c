/* SPDX-License-Identifier: MIT */
/*
 * Makes the JSON of merged reports: `tickwise report --json`.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/json_text.h"
#include "command/reports/attached.h"
#include "command/reports/by_lat.h"
#include "command/reports/devices.h"
#include "command/reports/facts.h"
#include "command/reports/json.h"
#include "command/reports/merge.h"
#include "command/reports/response.h"
#include "command/reports/stalls.h"
#include "command/reports/trigger.h"
#include "command/reports/why.h"
#include "latency/histogram_json.h"

/* Add a value. Without memory the container becomes NULL and stays NULL, and
 * json_pack() makes NULL of it. So the output is complete or missing. */
static void put(json_t **object, const char *key, json_t *value)
{
	if (json_object_set_new(*object, key, value) == 0)
		return;
	json_decref(*object);
	*object = NULL;
}

static void append(json_t **array, json_t *value)
{
	if (json_array_append_new(*array, value) == 0)
		return;
	json_decref(*array);
	*array = NULL;
}

static json_t *ns_string(uint64_t ns)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)ns);
	return json_string(digits);
}

static json_t *job_to_json(const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->members[0]->job;
	json_t *threads = json_array();

	for (size_t i = 0; i < group->size; i++)
		append(&threads, tw_json_of_u64(
			group->members[i]->job.thread_number));
	return json_pack("{s:s, s:o, s:o, s:o, s:s, s:s, s:o, s:s, s:o, s:s,"
			 " s:o, s:o}",
			 "name", job->name,
			 "groupid", tw_json_of_u64(job->groupid),
			 "jobs", tw_json_of_u64(group->size),
			 "thread_numbers", threads,
			 "run", job->run,
			 "host", job->host,
			 "other_hosts",
			 tw_json_of_u64(tw_report_other_hosts(group)),
			 "fio_version", job->fio_version,
			 "iodepth", tw_json_of_u64(job->iodepth),
			 "engine", job->engine,
			 "start", ns_string(job->start_ns),
			 "run_ns", tw_json_of_u64(group->run_ns));
}

/* Return null if some jobs have not counted: the others' sum would not be the
 * group's. */
static json_t *counts_to_json(const uint64_t *counts, unsigned missing)
{
	json_t *object = missing ? json_null() : json_object();

	if (missing)
		return object;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		put(&object, tw_report_directions[i],
		    tw_json_of_u64(counts[i]));
	return object;
}

static json_t *time_to_json(const struct tw_histogram *by_direction)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (by_direction[i].count)
			put(&object, tw_report_directions[i],
			    tw_histogram_to_json(&by_direction[i]));
	return object;
}

/* Return the times that a report has in the object @in. */
static json_t *times_to_json(const struct tw_report_tally *tally,
			     const char *in)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_REPORT_TIMES; i++) {
		json_t *time;

		if (strcmp(tw_report_times[i].in, in) != 0)
			continue;
		time = time_to_json(tally->times[i]);
		if (!time || json_object_size(time))
			put(&object, tw_report_times[i].key, time);
		else
			json_decref(time);
	}
	return object;
}

/* Return the worst clocks as they were read, and out of how many jobs. */
static json_t *clocks_to_json(const struct tw_report_group *group)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_REPORT_CLOCKS; i++) {
		json_t *clock;

		if (!group->worst[i])
			continue;
		clock = json_copy(group->worst[i]->json);
		put(&clock, "worst_of_jobs", tw_json_of_u64(group->size));
		put(&object, tw_report_clocks_names[i], clock);
	}
	return object;
}

static json_t *counter_to_json(const struct tw_report_group *group)
{
	return json_pack("{s:s, s:b, s:o, s:O}",
			 "verdict", tw_report_verdicts[group->verdict],
			 "fallback", group->fallbacks != 0,
			 "fallback_jobs", tw_json_of_u64(group->fallbacks),
			 "reasons", group->reasons);
}

/* Return null if the jobs differ. */
static json_t *fio_times_to_json(const struct tw_report_group *group)
{
	if (group->event_times && group->event_times < group->size)
		return json_pack("{s:n}", "event_time");
	return json_pack("{s:b}", "event_time", group->event_times != 0);
}

static json_t *paths_to_json(const struct tw_report_group *groups, size_t count)
{
	json_t *paths = json_array();

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < groups[i].size; j++) {
			const struct tw_report *member = groups[i].members[j];

			append(&paths, tw_json_text(member->path));
			if (member->intervals)
				append(&paths, tw_json_text(member->intervals));
		}
	return paths;
}

/* Return the slowest I/Os as they were read, each with its job. */
static json_t *slowest_to_json(const struct tw_report_group *group)
{
	json_t *all = json_array();

	for (size_t i = 0; i < group->slow_count; i++) {
		const struct tw_report_slow *slow = &group->slowest[i];
		json_t *json = json_copy((json_t *)slow->json);

		put(&json, "thread_number",
		    tw_json_of_u64(slow->report->job.thread_number));
		append(&all, json);
	}
	return all;
}

static json_t *response_to_json(const struct tw_report_tally *tally)
{
	json_t *object = times_to_json(tally, "response");

	if (tw_report_schedule_to_json(object, &tally->schedule) == 0)
		return object;
	json_decref(object);
	return NULL;
}

static json_t *unsplit_to_json(const struct tw_report_inside *inside)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_REPORT_UNSPLIT; i++)
		put(&object, tw_report_unsplit_names[i],
		    counts_to_json(inside->unsplit[i], 0));
	return object;
}

/* Return null if no report has it. */
static json_t *inside_to_json(const struct tw_report_tally *tally)
{
	const struct tw_report_inside *inside = &tally->inside;
	json_t *object;

	if (inside->jobs == 0)
		return json_null();
	object = json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"state", inside->off < inside->jobs ? "on" : "off",
		"jobs", tw_json_of_u64(inside->jobs),
		"off_jobs", tw_json_of_u64(inside->off),
		"split", counts_to_json(inside->split, 0),
		"not_split", unsplit_to_json(inside),
		"negative_within", tw_json_of_u64(inside->negative_within),
		"negative_beyond", tally->missing & TW_REPORT_NO_BEYOND ?
			json_null() : tw_json_of_u64(inside->negative_beyond),
		"requests", tw_json_of_u64(inside->requests),
		"retries", tw_json_of_u64(inside->retries));
	if (inside->why)
		put(&object, "why", json_string(inside->why));
	if (inside->by_helper)
		put(&object, "helper_jobs", tw_json_of_u64(inside->by_helper));
	if (inside->missed_runs)
		put(&object, "missed_runs", tw_json_of_u64(inside->missed_runs));
	if (inside->clock_error_ns > 0)
		put(&object, "clock_error_ns",
		    json_real(inside->clock_error_ns));
	return object;
}

/* Add percentiles, which files of intervals have. Else there is the largest of
 * the jobs' own. */
static void put_percentiles(json_t **object, const struct tw_report_interval_of *of)
{
	if (of->p50_ns)
		put(object, "percentiles", json_pack("{s:o, s:o, s:o}",
			"50.000000", tw_json_of_u64(of->p50_ns),
			"99.000000", tw_json_of_u64(of->p99_ns),
			"99.900000", tw_json_of_u64(of->p999_ns)));
	else if (of->p99_ns)
		put(object, "p99_of_worst_job_ns", tw_json_of_u64(of->p99_ns));
}

static json_t *interval_to_json(const struct tw_report_interval *interval)
{
	json_t *object = json_pack("{s:o, s:o}",
		"from_ns", tw_json_of_u64(interval->from_ns),
		"over_ns", tw_json_of_u64(interval->over_ns));

	if (interval->run_ns)
		put(&object, "run_ns", tw_json_of_u64(interval->run_ns));
	if (interval->run_ns)
		put(&object, "backwards", tw_json_of_u64(interval->backwards));
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const struct tw_report_interval_of *of = &interval->of[i];
		json_t *json;

		if (of->count == 0 && of->errors == 0)
			continue;
		json = json_pack("{s:o, s:o, s:o, s:o}",
				 "count", tw_json_of_u64(of->count),
				 "sum_ns", tw_json_of_u64(of->sum_ns),
				 "min_ns", tw_json_of_u64(of->min_ns),
				 "max_ns", tw_json_of_u64(of->max_ns));
		if (interval->run_ns)
			put(&json, "errors", tw_json_of_u64(of->errors));
		put_percentiles(&json, of);
		put(&object, tw_report_directions[i], json);
	}
	return object;
}

/* Return null if some jobs recorded none, or their intervals do not match. */
static json_t *over_time_to_json(const struct tw_report_group *group)
{
	json_t *array = json_array();

	if (group->tally.missing & TW_REPORT_NO_OVER_TIME ||
	    group->over_time_differs) {
		json_decref(array);
		return json_null();
	}
	for (size_t i = 0; i < group->over_time.count; i++)
		append(&array,
		       interval_to_json(&group->over_time.intervals[i]));
	return array;
}

static json_t *unknown_to_json(const struct tw_report_group *group)
{
	json_t *array = json_array();
	const char *key;
	json_t *value;

	json_object_foreach(group->unknown, key, value)
		append(&array, json_string(key));
	return array;
}

static json_t *batches_to_json(const struct tw_report_tally *tally)
{
	if (tally->missing & TW_REPORT_NO_BATCHES)
		return json_null();
	return json_pack("{s:o, s:o, s:o}",
			 "enters", tw_json_of_u64(tally->enters),
			 "tails", tw_json_of_u64(tally->tails),
			 "largest_tail", tw_json_of_u64(tally->largest_tail));
}

/* Add what `tickwise attach` counted. Such a group is one report. */
static void put_attached(json_t **object, const struct tw_report_group *group)
{
	if (!tw_report_is_attached(group))
		return;
	put(object, "attached", json_copy((json_t *)group->members[0]->attached));
}

/* Add the devices of a group, or of all groups together. */
static void put_devices(json_t **object, const struct tw_report_group *groups,
			size_t count)
{
	if (!tw_report_devices_to_json(*object, groups, count))
		return;
	json_decref(*object);
	*object = NULL;
}

static json_t *group_to_json(const struct tw_report_group *group)
{
	const struct tw_report_tally *tally = &group->tally;
	json_t *object = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o,"
		" s:o}",
		"job", job_to_json(group),
		"files", paths_to_json(group, 1),
		"counter", counter_to_json(group),
		"clocks", clocks_to_json(group),
		"batches", batches_to_json(tally),
		"stages", times_to_json(tally, "stages"),
		"submitting_call", time_to_json(tally->times[TW_REPORT_CALL]),
		"kernel_stages", inside_to_json(tally),
		"response", response_to_json(tally),
		"fio_times", fio_times_to_json(group),
		"slowest", slowest_to_json(group),
		"stalls", tw_report_stalls_to_json(group),
		"why", tw_report_why_to_json(group),
		"over_time", over_time_to_json(group),
		"unknown", unknown_to_json(group));

	for (int i = 0; i < TW_REPORT_COUNTS; i++)
		put(&object, tw_report_counts_names[i],
		    counts_to_json(tally->counts[i],
				   (tally->missing >> i) & 1));
	put(&object, "fio_lat", tw_report_fio_lat_to_json(tally));
	put(&object, "facts", tw_report_facts_to_json(group));
	if (group->span.is_wanted)
		put(&object, "span", group->is_empty ? json_null() : json_pack("{s:o, s:o}",
			"from_ns", tw_json_of_u64(group->span.from_ns),
			"to_ns", tw_json_of_u64(group->span.to_ns)));
	put(&object, "trigger", tw_report_trigger_to_json(group));
	if (tw_report_has_by_lat(tally))
		put(&object, "stages_by_lat", tw_report_by_lat_to_json(tally));
	put_devices(&object, group, 1);
	put_attached(&object, group);
	return object;
}

json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count)
{
	json_t *list = json_array(), *object;

	for (size_t i = 0; i < count; i++)
		append(&list, group_to_json(&groups[i]));
	object = json_pack("{s:s, s:i, s:s, s:o, s:o}",
			   "schema", "tickwise-report-merged",
			   "version", TW_REPORT_VERSION,
			   "tickwise_version", TW_VERSION,
			   "files", paths_to_json(groups, count),
			   "groups", list);
	if (count > 1)
		put_devices(&object, groups, count);
	return object;
}
