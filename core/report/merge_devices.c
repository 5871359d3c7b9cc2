/* SPDX-License-Identifier: MIT */
/*
 * Merges the devices of reports. Most reports have one device, and their metrics are its
 * numbers. As soon as there are several devices, each gets its own.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "latency/histogram.h"
#include "report/facts.h"
#include "report/report_json.h"

/* A device is told apart from others with few digits. */
#define MOST_DIGITS	2U

int tw_report_compare_devices(const struct tw_report_device *a,
			      const struct tw_report_device *b)
{
	return strcmp(a->host, b->host) ?: strcmp(a->number, b->number);
}

static int compare(const void *left, const void *right)
{
	return tw_report_compare_devices(left, right);
}

void tw_report_sort_devices(struct tw_report *report)
{
	qsort(report->devices, report->device_count, sizeof(*report->devices), compare);
}

/* ---- facts -------------------------------------------------------------------- */

/* Return the facts of the same device in two reports: those of both, or of the one that has
 * them. */
static json_t *merge_facts(const json_t *a, const json_t *b)
{
	json_t *facts = json_object();

	for (const struct tw_fact *fact = tw_facts_of_device; fact->key; fact++) {
		json_t *of_a = json_object_get(a, fact->key);
		json_t *of_b = json_object_get(b, fact->key);

		if (of_a && of_b && !json_equal(of_a, of_b))
			json_object_set_new(facts, fact->key, json_string(TW_DIFFERS));
		else if (of_a || of_b)
			json_object_set(facts, fact->key, of_a ? of_a : of_b);
	}
	return facts;
}

/* Facts that are not there, of a report that will be refused, are "". */
void tw_report_take_facts(struct tw_report_device *device, json_t *facts)
{
	json_decref(device->json);
	device->json = facts;
	device->host = tw_report_string(facts, "host") ?: "";
	device->number = tw_report_string(facts, "device") ?: "";
	device->name = tw_report_string(facts, "name") ?: device->number;
}

void tw_report_free_device(struct tw_report_device *device)
{
	json_decref(device->json);
	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		tw_histogram_free(&device->lat[i]);
		tw_histogram_free(&device->in_device[i]);
	}
	tw_windows_free(&device->over_time);
}

/* ---- numbers -------------------------------------------------------------------- */

/* Add a histogram. The result has the fewest digits of both and MOST_DIGITS. */
static int add_histogram(struct tw_histogram *into, const struct tw_histogram *from)
{
	const unsigned digits = from->digits < MOST_DIGITS ? from->digits : MOST_DIGITS;
	struct tw_histogram coarser;
	int error = 0;

	if (!from->count)
		return 0;
	if (!into->bins || into->digits > digits) {
		error = tw_histogram_init(&coarser, digits);
		if (!error && into->bins)
			error = tw_histogram_add_finer(&coarser, into);
		if (error)
			return error;
		tw_histogram_free(into);
		*into = coarser;
	}
	return tw_histogram_add_finer(into, from);
}

/* Add numbers to a device: those of @from, or of the report if it has all its I/Os. */
static int add_numbers(struct tw_report_device *into, const struct tw_report_device *from,
		       const struct tw_report *report)
{
	const struct tw_tally *tally = from->has_all ? &report->tally : NULL;
	const struct tw_histogram *lat = tally ? tally->times[TW_LAT] : from->lat;
	const struct tw_histogram *in_device = tally ? tally->times[TW_DEVICE] :
						       from->in_device;
	int error = tw_windows_merge(&into->over_time, tally ? &tally->over_time :
							       &from->over_time);

	for (unsigned i = 0; i < TW_DIRECTIONS && !error; i++) {
		error = add_histogram(&into->lat[i], &lat[i]);
		if (!error)
			error = add_histogram(&into->in_device[i], &in_device[i]);
		if (__builtin_add_overflow(into->ios[i], tally ? tally->counts[i].ios :
					   from->ios[i], &into->ios[i]))
			error = -EOVERFLOW;
	}
	into->jobs += tally ? report->job_count : from->jobs;
	into->has_ios |= tally || from->has_ios;
	return error;
}

int tw_report_fill_devices(struct tw_report *report)
{
	struct tw_report_device *device = report->devices;
	const struct tw_report_device all = { .has_all = 1 };

	if (report->device_count != 1 || !device->has_all)
		return 0;
	device->has_all = 0;
	device->jobs = 0;
	return add_numbers(device, &all, report);
}

/* ---- lists ---------------------------------------------------------------------- */

/* True if both have the metrics of a device's numbers, or both lack them. Otherwise their sum
 * lacks what the device has. */
static int has_same_metrics(const struct tw_tally *a, const struct tw_tally *b)
{
	static const unsigned metrics[] = {
		TW_METRIC_ios, TW_METRIC_TIMES + TW_LAT, TW_METRIC_TIMES + TW_DEVICE,
		TW_METRIC_OVER_TIME,
	};

	for (size_t i = 0; i < sizeof(metrics) / sizeof(*metrics); i++)
		if (tw_has(a, metrics[i]) != tw_has(b, metrics[i]))
			return 0;
	return 1;
}

/* True if one device has all I/Os of the sum. */
static int keeps_all(const struct tw_report *into, const struct tw_report *from)
{
	if (from->device_count != 1 || !from->devices->has_all)
		return 0;
	return !into->job_count ||
	       (into->device_count == 1 && into->devices->has_all &&
		has_same_metrics(&into->tally, &from->tally) &&
		tw_report_compare_devices(into->devices, from->devices) == 0);
}

/* Add a device of @from. @all: it has all I/Os of the sum. */
static int add_device(struct tw_report_device *into, const struct tw_report_device *device,
		      const struct tw_report *from, int all)
{
	tw_report_take_facts(into, into->json ? merge_facts(into->json, device->json) :
						json_incref(device->json));
	into->has_all = all;
	if (!all)
		return add_numbers(into, device, from);
	into->jobs += device->jobs;
	return 0;
}

/* Add the devices of @from. Both lists are sorted, so one walk is enough. */
static int add_list(struct tw_report *into, const struct tw_report *from, int all)
{
	const struct tw_report_device *own = into->devices, *other = from->devices;
	/* An empty list is NULL. */
	const struct tw_report_device *const own_end = own ? own + into->device_count : NULL;
	const struct tw_report_device *const other_end = other ? other + from->device_count :
							 NULL;
	struct tw_report_device *devices = calloc(into->device_count + from->device_count + 1,
						  sizeof(*devices));
	size_t count = 0;
	int error = 0;

	if (!devices)
		return -ENOMEM;
	/* After an error the others only move. */
	for (; own < own_end || (other < other_end && !error); count++) {
		const int by = own == own_end ? 1 : other == other_end || error ? -1 :
			       tw_report_compare_devices(own, other);

		if (by <= 0)
			devices[count] = *own++;
		if (by >= 0)
			error = add_device(&devices[count], other++, from, all);
	}
	free(into->devices);
	into->devices = devices;
	into->device_count = count;
	return error ? error : tw_json_lacked_memory() ? -ENOMEM : 0;
}

int tw_report_merge_devices(struct tw_report *into, const struct tw_report *from)
{
	const int all = keeps_all(into, from);
	const int error = all ? 0 : tw_report_fill_devices(into);

	return error ? error : add_list(into, from, all);
}

int tw_report_collect_devices(struct tw_report *into, const struct tw_report *from)
{
	return add_list(into, from, 0);
}
