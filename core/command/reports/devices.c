/* SPDX-License-Identifier: MIT */
/*
 * Reads and merges the I/Os of reports by device. A report has them if the
 * files of its job are on several devices. If they are on one device, the
 * histograms of the job are those of the device.
 */
#include "command/reports/devices.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "command/reports/read.h"
#include "latency/histogram.h"
#include "report/want.h"

#define WHERE		"devices[]."
#define WHERE_PART	"devices[].over_time[]."

/* From the first I/O to the end of the window of the last. It is divided into
 * the parts of a run. */
struct span {
	uint64_t from_ns, to_ns;
};

static void widen(struct span *span, uint64_t from_ns, uint64_t over_ns)
{
	if (from_ns < span->from_ns)
		span->from_ns = from_ns;
	if (from_ns + over_ns > span->to_ns)
		span->to_ns = from_ns + over_ns;
}

static const struct span nothing = { UINT64_MAX, 0 };

/* Return the part of the span that has the middle of a window. */
static size_t part_at(const struct span *span, uint64_t from_ns, uint64_t over_ns)
{
	double at = (double)(from_ns - span->from_ns) + (double)over_ns / 2;
	double all = (double)(span->to_ns - span->from_ns);
	size_t part = all > 0 ? (size_t)(at / all * TW_REPORT_DEVICE_PARTS) : 0;

	return part < TW_REPORT_DEVICE_PARTS ? part : TW_REPORT_DEVICE_PARTS - 1;
}

static int add_part(struct tw_report_device_part *into, uint64_t count, uint64_t sum_ns)
{
	int over = __builtin_add_overflow(into->count, count, &into->count);

	over |= __builtin_add_overflow(into->sum_ns, sum_ns, &into->sum_ns);
	return over;
}

/* ---- reading ------------------------------------------------------------- */

static void check_object(const json_t *json, const char *where, const char *key,
			 struct tw_report_problem *problem)
{
	if (json_object_get(json, key))
		tw_want_object(json, where, key, problem);
}

/* Return: 0; -ENOMEM. */
static int read_histogram(struct tw_histogram *histogram, const json_t *device,
			  const char *key, int direction,
			  struct tw_report_problem *problem)
{
	const char *name = tw_report_directions[direction], *wrong = "";
	const json_t *json = json_object_get(json_object_get(device, key), name);
	int error = json ? tw_histogram_from_json(histogram, json, &wrong) : 0;

	if (error == -EINVAL)
		tw_report_refuse(problem, WHERE "%s.%s: %s", key, name, wrong);
	return error == -EINVAL ? 0 : error;
}

/* Check a window and its counts. */
static void check_window(const json_t *window, struct tw_report_problem *problem)
{
	uint64_t from_ns = tw_want_u64(window, WHERE_PART, "from_ns", problem);
	uint64_t over_ns = tw_want_u64(window, WHERE_PART, "over_ns", problem);
	uint64_t to_ns;

	if (__builtin_add_overflow(from_ns, over_ns, &to_ns))
		tw_report_refuse(problem, WHERE_PART "over_ns is too large");
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const json_t *of = json_object_get(window, tw_report_directions[i]);

		if (!of)
			continue;
		check_object(window, WHERE_PART, tw_report_directions[i], problem);
		tw_want_u64(of, WHERE_PART "DIRECTION.", "count", problem);
		tw_want_u64(of, WHERE_PART "DIRECTION.", "sum_ns", problem);
	}
}

static int has_any(const json_t *window)
{
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tw_report_u64(json_object_get(window, tw_report_directions[i]),
				  "count"))
			return 1;
	return 0;
}

static void widen_by(struct span *span, const json_t *device)
{
	const json_t *windows = json_object_get(device, "over_time");

	for (size_t i = 0; i < json_array_size(windows); i++) {
		const json_t *window = json_array_get(windows, i);

		if (has_any(window))
			widen(span, tw_report_u64(window, "from_ns"),
			      tw_report_u64(window, "over_ns"));
	}
}

static void read_window(struct tw_report_device *device, const json_t *window,
			const struct span *span, struct tw_report_problem *problem)
{
	size_t part = part_at(span, tw_report_u64(window, "from_ns"),
			      tw_report_u64(window, "over_ns"));
	int over = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const json_t *of = json_object_get(window, tw_report_directions[i]);

		over |= add_part(&device->parts[part][i], tw_report_u64(of, "count"),
				 tw_report_u64(of, "sum_ns"));
		device->intervals[i] += tw_report_u64(of, "count") != 0;
	}
	if (over)
		tw_report_refuse(problem, "devices[].over_time adds up to more than "
				 "64 bits");
}

static void read_parts(struct tw_report_device *device, const struct span *span,
		       struct tw_report_problem *problem)
{
	const json_t *windows = json_object_get(device->json, "over_time");

	for (size_t i = 0; i < json_array_size(windows); i++)
		if (has_any(json_array_get(windows, i)))
			read_window(device, json_array_get(windows, i), span, problem);
}

/* Check that no device has more I/Os than the job, and no histogram more than
 * the device. */
static void check_counts(const struct tw_report *report,
			 const struct tw_report_device *device,
			 struct tw_report_problem *problem)
{
	const json_t *json = tw_want_object(device->json, WHERE, "ios", problem);

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const char *name = tw_report_directions[i];
		uint64_t ios = tw_want_u64(json, WHERE "ios.", name, problem);

		if (ios > report->tally.counts[TW_REPORT_IOS][i] ||
		    device->lat[i].count > ios || device->in_device[i].count > ios)
			tw_report_refuse(problem, "devices[] counts more of %s than "
					 "ios.%s", name, name);
	}
}

/* Return: 0; -ENOMEM. */
static int read_device(struct tw_report *report, struct tw_report_device *device,
		       const json_t *json, struct tw_report_problem *problem)
{
	const json_t *windows;

	device->json = json;
	device->number = tw_want_string(json, WHERE, "device", problem);
	device->name = json_object_get(json, "name") ?
		       tw_want_string(json, WHERE, "name", problem) : device->number;
	device->host = report->job.host;
	device->jobs = 1;
	device->has_ios = json_object_get(json, "ios") != NULL;
	if (!device->has_ios)
		return 0;
	check_object(json, WHERE, "lat", problem);
	check_object(json, WHERE, "device_time", problem);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (read_histogram(&device->lat[i], json, "lat", i, problem) ||
		    read_histogram(&device->in_device[i], json, "device_time", i,
				   problem))
			return -ENOMEM;
	check_counts(report, device, problem);
	windows = json_object_get(json, "over_time") ?
		  tw_want_array(json, WHERE, "over_time", problem) : NULL;
	for (size_t i = 0; i < json_array_size(windows); i++)
		check_window(json_array_get(windows, i), problem);
	return 0;
}

/* Remove from the JSON what histograms and parts hold now. */
static void forget_ios(json_t *json)
{
	json_object_del(json, "lat");
	json_object_del(json, "device_time");
	json_object_del(json, "over_time");
}

int tw_report_read_devices(struct tw_report *report, struct tw_report_problem *problem)
{
	struct tw_report_devices *devices;
	struct span span = nothing;
	const json_t *list;

	if (!json_object_get(report->root, "devices"))
		return 0;
	list = tw_want_array(report->root, "", "devices", problem);
	devices = calloc(1, sizeof(*devices));
	if (!devices)
		return -ENOMEM;
	report->devices = devices;
	if (json_object_get(report->root, "devices_other_files"))
		devices->other_files = tw_want_u64(report->root, "",
						   "devices_other_files", problem);
	devices->list = calloc(json_array_size(list) + 1, sizeof(*devices->list));
	if (!devices->list)
		return -ENOMEM;
	for (; devices->count < json_array_size(list); devices->count++)
		if (read_device(report, &devices->list[devices->count],
				json_array_get(list, devices->count), problem))
			return -ENOMEM;
	for (size_t i = 0; i < devices->count && !problem->text[0]; i++)
		widen_by(&span, devices->list[i].json);
	for (size_t i = 0; i < devices->count && !problem->text[0]; i++)
		read_parts(&devices->list[i], &span, problem);
	for (size_t i = 0; i < devices->count; i++)
		forget_ios(json_array_get(list, i));
	return 0;
}

void tw_report_devices_free(struct tw_report_devices *devices)
{
	for (size_t i = 0; i < devices->count; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++) {
			tw_histogram_free(&devices->list[i].lat[j]);
			tw_histogram_free(&devices->list[i].in_device[j]);
		}
	free(devices->list);
}

/* ---- merging ------------------------------------------------------------- */

/* Replace a histogram by one with fewer digits. */
static int make_coarser(struct tw_histogram *histogram, unsigned digits)
{
	struct tw_histogram coarser;
	int error = tw_histogram_init(&coarser, digits);

	if (error)
		return error;
	error = tw_histogram_add_finer(&coarser, histogram);
	tw_histogram_free(histogram);
	*histogram = coarser;
	return error;
}

/* Add a histogram. The result has the lower number of digits of both. */
static int add_histogram(struct tw_histogram *into, const struct tw_histogram *from)
{
	int error = 0;

	if (!from->count)
		return 0;
	if (!into->bins)
		error = tw_histogram_init(into, from->digits);
	else if (into->digits > from->digits)
		error = make_coarser(into, from->digits);
	if (error)
		return error;
	return into->digits == from->digits ? tw_histogram_merge(into, from) :
					      tw_histogram_add_finer(into, from);
}

/* Take the larger number of intervals, since jobs run at the same time. */
static void add_intervals(struct tw_report_device *into,
			  const size_t from[TW_REPORT_DIRECTIONS])
{
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (from[i] > into->intervals[i])
			into->intervals[i] = from[i];
}

/* Add the parts of a job with one device: the job's own. */
static int add_job_parts(struct tw_report_device *into,
			 const struct tw_report_over_time *all)
{
	size_t intervals[TW_REPORT_DIRECTIONS] = { 0 };
	struct span span = nothing;
	int over = 0;

	for (size_t i = 0; i < all->count; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (all->intervals[i].of[j].count) {
				widen(&span, all->intervals[i].from_ns,
				      all->intervals[i].over_ns);
				intervals[j]++;
			}
	add_intervals(into, intervals);
	for (size_t i = 0; i < all->count; i++) {
		const struct tw_report_interval *at = &all->intervals[i];

		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			if (at->of[j].count)
				over |= add_part(&into->parts[part_at(&span,
					at->from_ns, at->over_ns)][j],
					at->of[j].count, at->of[j].sum_ns);
	}
	return over ? -EOVERFLOW : 0;
}

static int add_parts(struct tw_report_device *into, const struct tw_report_device *from)
{
	int over = 0;

	add_intervals(into, from->intervals);
	for (size_t i = 0; i < TW_REPORT_DEVICE_PARTS; i++)
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			over |= add_part(&into->parts[i][j], from->parts[i][j].count,
					 from->parts[i][j].sum_ns);
	return over ? -EOVERFLOW : 0;
}

static int add_own(struct tw_report_device *into, const struct tw_report_device *from)
{
	int error = add_parts(into, from);

	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++) {
		error = add_histogram(&into->lat[i], &from->lat[i]);
		if (!error)
			error = add_histogram(&into->in_device[i], &from->in_device[i]);
	}
	return error;
}

/* Add jobs that have only this device. */
static int add_jobs(struct tw_report_device *into, const struct tw_report_tally *tally,
		    const struct tw_report_over_time *over_time)
{
	int error = add_job_parts(into, over_time);

	for (int i = 0; i < TW_REPORT_DIRECTIONS && !error; i++) {
		error = add_histogram(&into->lat[i], &tally->times[TW_REPORT_LAT][i]);
		if (!error)
			error = add_histogram(&into->in_device[i],
					      &tally->times[TW_DEVICE][i]);
	}
	return error;
}

static int is_same(const struct tw_report_device *a, const struct tw_report_device *b)
{
	return !strcmp(a->number, b->number) && !strcmp(a->host, b->host);
}

/* Return the same device in the list, appended if it is new; NULL: out of
 * memory. */
static struct tw_report_device *place_of(struct tw_report_devices *devices,
					 const struct tw_report_device *like)
{
	struct tw_report_device *list;

	for (size_t i = 0; i < devices->count; i++)
		if (is_same(&devices->list[i], like))
			return &devices->list[i];
	list = realloc(devices->list, (devices->count + 1) * sizeof(*list));
	if (!list)
		return NULL;
	devices->list = list;
	list[devices->count] = (struct tw_report_device) {
		.number = like->number, .name = like->name, .host = like->host,
		.json = like->json,
	};
	return &list[devices->count++];
}

static int add_report(struct tw_report_devices *devices, const struct tw_report *report)
{
	const struct tw_report_devices *from = report->devices;
	int error = 0;

	if (!from)
		return 0;
	devices->other_files += from->other_files;
	for (size_t i = 0; i < from->count && !error; i++) {
		struct tw_report_device *into;

		/* It is not known which of several devices had the I/Os. */
		if (!from->list[i].has_ios && from->count > 1)
			continue;
		into = place_of(devices, &from->list[i]);
		if (!into)
			return -ENOMEM;
		error = from->list[i].has_ios ? add_own(into, &from->list[i]) :
			add_jobs(into, &report->tally, &report->over_time);
		into->jobs++;
	}
	return error;
}

int tw_report_devices_add_lines(struct tw_report_devices *devices,
				const struct tw_report *report,
				const struct tw_report_tally *tally,
				const struct tw_report_over_time *over_time)
{
	const struct tw_report_devices *own = report->devices;
	struct tw_report_device *into;

	if (!own || !own->count)
		return 0;
	if (own->count > 1) {
		devices->other_jobs++;
		return 0;
	}
	into = place_of(devices, own->list);
	if (!into)
		return -ENOMEM;
	into->jobs++;
	return add_jobs(into, tally, over_time);
}

static int add_all(struct tw_report_devices *devices,
		   const struct tw_report_devices *from)
{
	int error = 0;

	devices->other_jobs += from->other_jobs;
	for (size_t i = 0; i < from->count && !error; i++) {
		struct tw_report_device *into = place_of(devices, &from->list[i]);

		if (!into)
			return -ENOMEM;
		into->jobs += from->list[i].jobs;
		error = add_own(into, &from->list[i]);
	}
	return error;
}

/* Add a group. Jobs whose lines were added up count by their lines, the others
 * by their reports. */
static int add_group(struct tw_report_devices *devices,
		     const struct tw_report_group *group)
{
	int error = group->of_lines ? add_all(devices, group->of_lines) : 0;

	for (size_t i = 0; i < group->size && !error; i++)
		if (!group->span.is_wanted && !group->members[i]->is_intervals)
			error = add_report(devices, group->members[i]);
	return error;
}

int tw_report_merge_devices(struct tw_report_devices *devices,
			    const struct tw_report_group *groups, size_t count)
{
	int error = 0;

	*devices = (struct tw_report_devices) { .count = 0 };
	for (size_t i = 0; i < count && !error; i++)
		error = add_group(devices, &groups[i]);
	if (error)
		tw_report_devices_free(devices);
	return error;
}
