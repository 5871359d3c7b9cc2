/* SPDX-License-Identifier: MIT */
/*
 * Writes a report as JSON. The order of the keys is always the same.
 */
#include "latency/histogram_json.h"
#include "report/report_json.h"
#include "report/facts.h"
#include "report/waits.h"

/* ---- jobs ---------------------------------------------------------------------- */

/* Return the options that all jobs have, of those whose options are known, in the order of
 * the first job. Return NULL if no job's are known. */
static json_t *common_options(const struct tw_report *report)
{
	json_t *common = NULL, *value;
	const char *key;
	void *next;

	for (size_t i = 0; i < report->job_count; i++) {
		const struct tw_report_job *job = &report->jobs[i];

		if (!json_object_get(job->json, "options"))
			continue;
		if (!common)
			common = tw_job_options(job);
		json_object_foreach_safe(common, next, key, value)
			if (!json_equal(tw_job_option(job, key), value))
				json_object_del(common, key);
	}
	return common;
}

static json_t *jobs_to_json(const struct tw_report *report, const json_t *common)
{
	json_t *jobs = json_array();

	for (size_t i = 0; i < report->job_count; i++) {
		json_t *json = json_copy(report->jobs[i].json), *own, *value;
		const char *key;

		if (json_array_append_new(jobs, json) || !json_object_get(json, "options"))
			continue;
		own = tw_job_options(&report->jobs[i]);
		json_object_foreach((json_t *)common, key, value)
			json_object_del(own, key);
		/* Their order does not depend on the merges before. */
		json_object_set_new(json, "options", tw_json_sorted(own));
		json_decref(own);
	}
	return jobs;
}

/* ---- devices --------------------------------------------------------------------- */

/* How much of the device's lat a sample of this stage is, is not known. */
static const double no_means[TW_DIRECTIONS] = { -1, -1, -1, -1 };

/* @is_only: without numbers, this device would have all I/Os. */
static json_t *device_to_json(const struct tw_report_device *device, int is_only)
{
	json_t *json = json_copy(device->json), *ios;
	double means_ns[TW_DIRECTIONS];

	if (device->has_all)
		return json;
	if (!device->has_ios) {
		if (is_only)
			json_object_set_new(json, "jobs", json_integer(0));
		return json;
	}
	ios = json_object();
	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		json_object_set_new(ios, tw_direction_names[i], tw_json_of_u64(device->ios[i]));
		means_ns[i] = tw_histogram_mean_ns(&device->lat[i]);
	}
	json_object_set_new(json, "jobs", tw_json_of_u64(device->jobs));
	json_object_set_new(json, "ios", ios);
	json_object_set_new(json, "lat", tw_times_to_json(device->lat, means_ns));
	json_object_set_new(json, "device_time", tw_times_to_json(device->in_device, no_means));
	if (device->over_time.count)
		json_object_set_new(json, "over_time",
				    tw_windows_to_json(&device->over_time));
	return json;
}

/* ---- lists ------------------------------------------------------------------------- */

static json_t *slowest_to_json(const struct tw_report *report)
{
	json_t *array = json_array();

	for (size_t i = 0; i < report->slow_count; i++) {
		const struct tw_report_slow *slow = &report->slowest[i];
		json_t *json = json_pack("{so}", "job", tw_json_of_u64(slow->job));

		json_object_update(json, slow->json);
		json_array_append_new(array, json);
	}
	return array;
}

/* Set an array, unless it is empty. */
static void put_list(json_t *root, const char *key, json_t *list)
{
	if (json_array_size(list))
		json_object_set(root, key, list);
	json_decref(list);
}

/* ---- all ------------------------------------------------------------------------------ */

static json_t *begin(void)
{
	return json_pack("{ss, si}", "schema", TW_REPORT_SCHEMA, "version",
			 TW_REPORT_VERSION);
}

static void put_facts(json_t *root, const struct tw_report *report)
{
	json_t *common = common_options(report), *devices = json_array();

	for (size_t i = 0; i < report->device_count; i++)
		json_array_append_new(devices, device_to_json(&report->devices[i],
							      report->device_count == 1));
	json_object_set_new(root, "jobs", jobs_to_json(report, common));
	if (common)
		json_object_set_new(root, "options", common);
	put_list(root, "machines", json_incref(report->machines));
	put_list(root, "files", json_incref(report->files));
	put_list(root, "devices", devices);
}

static json_t *report_to_json(const struct tw_report *report, int derived)
{
	json_t *root = begin();

	put_facts(root, report);
	json_object_set(root, "clocks", report->clocks);
	json_object_set(root, "counter", report->counter);
	tw_tally_to_json(root, &report->tally, derived);
	if (tw_has(&report->tally, TW_METRIC_SLOWEST))
		json_object_set_new(root, "slowest", slowest_to_json(report));
	/* A list that is not known is NULL, which sets nothing. */
	json_object_set(root, "triggers", report->triggers);
	json_object_set(root, "in_flight_of_others", report->others);
	json_object_set(root, "commits", report->commits);
	if (report->attached && !json_object_get(root, "attached"))
		json_object_set_new(root, "attached", json_object());
	json_object_update(json_object_get(root, "attached"), report->attached);
	if (report->waits && !json_object_get(root, "waits"))
		json_object_set_new(root, "waits", json_object());
	if (report->waits)
		json_object_update_new(json_object_get(root, "waits"), json_pack("{so, sO*}",
				       "rows", tw_waits_to_json(report->waits),
				       "slowest", report->waits->slowest));
	return tw_json_done(root);
}

json_t *tw_report_to_json(const struct tw_report *report)
{
	return report_to_json(report, 1);
}

json_t *tw_report_to_lean_json(const struct tw_report *report)
{
	return report_to_json(report, 0);
}

json_t *tw_report_header_to_json(const struct tw_report *report)
{
	json_t *root = begin();

	json_object_set_new(root, "kind", json_string("intervals"));
	json_object_set_new(root, "interval_ns", tw_json_of_u64(report->interval_ns));
	json_object_set_new(root, "digits", json_integer(report->digits));
	json_object_set(root, "clock", report->clock);
	put_facts(root, report);
	return tw_json_done(root);
}
