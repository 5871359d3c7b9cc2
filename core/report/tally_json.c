/* SPDX-License-Identifier: MIT */
/*
 * A tally as JSON, and back. Both directions go by the metrics: see tally.h.
 *
 * The reader does not trust its input. What it accepts could have been counted, and a
 * number that the metrics do not have is named.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "report/tally.h"
#include "report/report_json.h"

/* Room for the path of any metric, and for a direction. */
#define PATH_BYTES	128

/* ---- writing --------------------------------------------------------------- */

/* Return the object that has the last part of @path as a key. It is made if it is not
 * there. */
static json_t *place_of(json_t *object, const char *path)
{
	const char *dot;

	while ((dot = strchr(path, '.'))) {
		char part[PATH_BYTES];
		json_t *inner;

		snprintf(part, sizeof(part), "%.*s", (int)(dot - path), path);
		inner = json_object_get(object, part);
		if (!inner) {
			inner = json_object();
			/* Without memory it is freed. */
			if (json_object_set_new(object, part, inner))
				inner = NULL;
		}
		object = inner;
		path = dot + 1;
	}
	return object;
}

json_t *tw_times_to_json(const struct tw_histogram by_direction[TW_DIRECTIONS],
			 const double *means_ns)
{
	json_t *object = json_object();

	for (int i = 0; i < TW_DIRECTIONS; i++)
		/* `kernel` has a mean, even if no I/O was chosen to be split. */
		if (by_direction[i].count || (means_ns && means_ns[i] > 0))
			json_object_set_new(object, tw_direction_names[i], means_ns ?
				tw_histogram_to_json(&by_direction[i], means_ns[i]) :
				tw_histogram_to_lean_json(&by_direction[i]));
	return object;
}

static json_t *slices_to_json(const struct tw_by_lat *by_lat, const struct tw_histogram *lat)
{
	const unsigned last = tw_lat_slice(lat->max_ns);
	json_t *array = json_array();
	uint32_t bin = 0;

	for (unsigned slice = 0; slice <= last; slice++) {
		const uint64_t ios = tw_lat_slice_ios(lat, slice, &bin);
		json_t *stages;

		if (!ios)
			continue;
		stages = json_object();
		for (int i = 0; i < TW_STAGES; i++)
			if (by_lat->sum_ns[slice][i])
				json_object_set_new(stages, tw_time_metrics[i].name,
						    tw_json_of_u64(by_lat->sum_ns[slice][i]));
		json_array_append_new(array, json_pack("{so, so, so, so}",
			"from_ns", tw_json_of_u64(tw_lat_slice_low(slice)),
			"to_ns", tw_json_of_u64(tw_lat_slice_high(slice)),
			"ios", tw_json_of_u64(ios), "stages", stages));
	}
	return array;
}

static json_t *metric_to_json(const struct tw_tally *tally, unsigned metric, int derived)
{
	const struct tw_histogram none = { .digits = (uint8_t)tw_tally_digits(tally),
					   .min_ns = UINT64_MAX };
	struct tw_histogram times[TW_DIRECTIONS];
	double means_ns[TW_DIRECTIONS];
	json_t *object;

	if (metric >= TW_COUNTS && metric < TW_METRIC_TIMES)
		return tw_json_of_u64(tally->scalars.at[metric - TW_COUNTS]);
	for (int i = 0; i < TW_DIRECTIONS && metric >= TW_METRIC_TIMES &&
	     metric < TW_METRIC_BY_LAT; i++) {
		means_ns[i] = tw_tally_mean_ns(tally, metric - TW_METRIC_TIMES, i);
		times[i] = tally->times[metric - TW_METRIC_TIMES][i];
		times[i] = times[i].count ? times[i] : none;
	}
	if (metric >= TW_METRIC_TIMES && metric < TW_METRIC_BY_LAT)
		return tw_times_to_json(times, derived ? means_ns : NULL);
	if (metric == TW_METRIC_OVER_TIME)
		return tw_windows_to_json(&tally->over_time);
	object = json_object();
	for (int i = 0; i < TW_DIRECTIONS; i++)
		if (metric < TW_COUNTS && tw_count_metrics[metric].directions >> i & 1)
			json_object_set_new(object, tw_direction_names[i], tw_json_of_u64(
				tally->counts[i].at[metric]));
		else if (metric == TW_METRIC_BY_LAT && tally->by_lat[i].sum_ns &&
			 tally->times[TW_LAT][i].count)
			json_object_set_new(object, tw_direction_names[i],
				slices_to_json(&tally->by_lat[i],
					       &tally->times[TW_LAT][i]));
	return object;
}

void tw_io_times_to_json(json_t *io, const struct tw_io_times *times)
{
	for (unsigned time = 0; time < TW_TIMES; time++) {
		const char *path = tw_time_metrics[time].path;

		/* Not kernel_stages.in_flight_of_others: it has other facts here. */
		if (tw_io_has(times, time) && strchr(path, '.') == strrchr(path, '.') &&
		    (time == TW_LAT || tw_time_metrics[time].parent <= TW_LAT))
			json_object_set_new(place_of(io, path), tw_metric_key(path),
					    tw_json_of_u64(times->ns[time]));
	}
}

void tw_tally_to_json(json_t *object, const struct tw_tally *tally, int derived)
{
	json_t *lacks = json_array();

	for (unsigned metric = 0; metric < TW_METRICS; metric++) {
		const char *path = tw_metric_path(metric);

		if (metric != TW_METRIC_SLOWEST && tw_has(tally, metric))
			json_object_set_new(place_of(object, path), tw_metric_key(path),
					    metric_to_json(tally, metric, derived));
		if (tw_metric_is_in(&tally->lacks, metric))
			json_array_append_new(lacks, json_string(path));
	}
	if (json_array_size(lacks))
		json_object_set(object, "lacks", lacks);
	json_decref(lacks);
}

void tw_counts_to_json(json_t *object, const struct tw_metric_set *has,
		       const struct tw_counts *counts)
{
	for (unsigned metric = 0; metric < TW_COUNTS; metric++)
		if (tw_metric_is_in(has, metric))
			json_object_set_new(object, tw_metric_key(tw_count_metrics[metric].path),
					    tw_json_of_u64(counts->at[metric]));
}

/* ---- reading --------------------------------------------------------------- */

struct reader {
	struct tw_tally *tally;
	struct tw_report_problem *problem;
};

static void read_count(struct reader *reader, unsigned metric, const json_t *object)
{
	const struct tw_count_metric *is = &tw_count_metrics[metric];
	char where[PATH_BYTES];

	if (!json_is_object(object))
		tw_report_refuse(reader->problem, "%s is not an object", is->path);
	snprintf(where, sizeof(where), "%s.", is->path);
	for (int i = 0; i < TW_DIRECTIONS; i++)
		if (is->directions >> i & 1)
			reader->tally->counts[i].at[metric] = tw_want_u64(
				object, where, tw_direction_names[i], reader->problem);
}

int tw_times_from_json(struct tw_histogram by_direction[TW_DIRECTIONS], const json_t *object,
		       const char *where, struct tw_report_problem *problem)
{
	const char *wrong = "";

	if (!json_is_object(object))
		tw_report_refuse(problem, "%s is not an object", where);
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		const json_t *value = json_object_get(object, tw_direction_names[i]);
		const int error = value ? tw_histogram_from_json(&by_direction[i], value,
								 &wrong) : 0;

		if (error == -ENOMEM)
			return error;
		if (error)
			tw_report_refuse(problem, "%s.%s: %s", where, tw_direction_names[i], wrong);
	}
	return 0;
}

static int read_metric(struct reader *reader, unsigned metric, const json_t *value)
{
	struct tw_tally *tally = reader->tally;

	tw_metric_put(&tally->has, metric);
	if (metric < TW_COUNTS) {
		read_count(reader, metric, value);
	} else if (metric < TW_METRIC_TIMES) {
		if (tw_json_to_u64(value, &tally->scalars.at[metric - TW_COUNTS]))
			tw_report_refuse(reader->problem, "%s is not a whole number of 0 or "
					 "more", tw_metric_path(metric));
	} else if (metric < TW_METRIC_BY_LAT) {
		return tw_times_from_json(tally->times[metric - TW_METRIC_TIMES], value,
					  tw_metric_path(metric), reader->problem);
	} else if (metric == TW_METRIC_OVER_TIME) {
		return tw_windows_from_json(&tally->over_time, value, "over_time", reader->problem);
	}
	return 0;
}

/* Return 1 if metrics are inside of this path: "batches", "kernel_stages.not_split". */
static int is_container(const char *path)
{
	const size_t length = strlen(path);

	for (unsigned metric = 0; metric < TW_METRICS; metric++)
		if (strncmp(tw_metric_path(metric), path, length) == 0 &&
		    tw_metric_path(metric)[length] == '.')
			return 1;
	return 0;
}

/* Read the metrics in an object, and those in its containers. @in: its path, or "". */
static int read_metrics(struct reader *reader, const json_t *object, const char *in)
{
	const char *key;
	json_t *value;
	int error = 0;

	json_object_foreach((json_t *)object, key, value) {
		char path[PATH_BYTES];
		int metric;

		snprintf(path, sizeof(path), "%s%s%s", in, *in ? "." : "", key);
		/* A key with a dot is no path of two parts. */
		metric = strchr(key, '.') ? -1 : tw_metric_find(path);
		if (metric >= 0)
			error = read_metric(reader, (unsigned)metric, value);
		else if (!strchr(key, '.') && is_container(path))
			error = read_metrics(reader, value, path);
		if (error)
			return error;
	}
	if (!json_is_object(object))
		tw_report_refuse(reader->problem, "%s is not an object", in);
	return 0;
}

static void read_lacks(struct reader *reader, const json_t *object)
{
	const json_t *lacks = json_object_get(object, "lacks");

	if (lacks && !json_is_array(lacks))
		tw_report_refuse(reader->problem, "lacks is not an array");
	for (size_t i = 0; i < json_array_size(lacks); i++) {
		const char *path = json_string_value(json_array_get(lacks, i));
		int metric = path ? tw_metric_find(path) : -1;

		if (!path)
			tw_report_refuse(reader->problem, "lacks[] is not a string");
		else if (metric >= 0 && tw_has(reader->tally, (unsigned)metric))
			tw_report_refuse(reader->problem, "lacks names %s, which is there",
					 path);
		else if (metric >= 0)
			tw_metric_put(&reader->tally->lacks, (unsigned)metric);
	}
}

/* ---- the sums of stages by lat ----------------------------------------------- */

#define WHERE	"stages_by_lat.DIRECTION[]."

/* Read the sums of a slice. Its other numbers follow from lat. */
static void read_slice(struct reader *reader, struct tw_by_lat *by_lat, const json_t *json)
{
	const json_t *stages = tw_want_object(json, WHERE, "stages", reader->problem);
	const unsigned slice = tw_lat_slice(tw_want_u64(json, WHERE, "from_ns", reader->problem));

	tw_want_u64(json, WHERE, "to_ns", reader->problem);
	tw_want_u64(json, WHERE, "ios", reader->problem);
	for (int stage = 0; stage < TW_STAGES; stage++) {
		const char *key = tw_time_metrics[stage].name;

		if (json_object_get(stages, key))
			by_lat->sum_ns[slice][stage] = tw_want_u64(stages, WHERE "stages.", key,
								   reader->problem);
	}
}

static int read_slices(struct reader *reader, int direction, const json_t *array)
{
	struct tw_by_lat *by_lat = &reader->tally->by_lat[direction];

	if (array && !json_is_array(array))
		tw_report_refuse(reader->problem, "stages_by_lat.%s is not an array",
				 tw_direction_names[direction]);
	if ((json_array_size(array) || reader->tally->times[TW_LAT][direction].count) &&
	    tw_by_lat_init(by_lat))
		return -ENOMEM;
	for (size_t i = 0; i < json_array_size(array); i++)
		read_slice(reader, by_lat, json_array_get(array, i));
	return 0;
}

static int read_by_lat(struct reader *reader, const json_t *object)
{
	int error = 0;

	if (!tw_has(reader->tally, TW_METRIC_BY_LAT))
		return 0;
	if (!json_is_object(object))
		tw_report_refuse(reader->problem, "stages_by_lat is not an object");
	for (int i = 0; i < TW_DIRECTIONS && !error; i++)
		error = read_slices(reader, i, json_object_get(object,
							       tw_direction_names[i]));
	return error;
}

/* ---- checks ------------------------------------------------------------------ */

static void check_digits(const struct tw_tally *tally, struct tw_report_problem *problem)
{
	const unsigned digits = tw_tally_digits(tally);

	for (int time = 0; time < TW_TIMES; time++)
		for (int i = 0; i < TW_DIRECTIONS; i++)
			if (tally->times[time][i].bins &&
			    tally->times[time][i].digits != digits)
				tw_report_refuse(problem, "%s.%s has other digits than the "
						 "histograms before it",
						 tw_time_metrics[time].path,
						 tw_direction_names[i]);
}

/* Check that a count is not more than the one that it is of, and that the parts of a count
 * do not add up to more than it. */
static void check_counts(const struct tw_tally *tally, int direction,
			 struct tw_report_problem *problem)
{
	const struct tw_counts *counts = &tally->counts[direction];
	const char *name = tw_direction_names[direction];
	uint64_t parts[TW_COUNTS] = { 0 };

	for (unsigned metric = 0; metric < TW_COUNTS; metric++) {
		const unsigned of = tw_count_metrics[metric].of;

		if (of != TW_NONE && counts->at[metric] > counts->at[of])
			tw_report_refuse(problem, "%s.%s counts more than %s.%s",
					 tw_metric_path(metric), name, tw_metric_path(of), name);
	}
	for (unsigned metric = 0; metric < TW_COUNTS; metric++) {
		const unsigned of = tw_count_metrics[metric].of;

		if (tw_count_metrics[metric].is_part &&
		    (__builtin_add_overflow(parts[of], counts->at[metric], &parts[of]) ||
		     parts[of] > counts->at[of]))
			tw_report_refuse(problem, "%s.%s and the parts before it count more "
					 "than %s.%s", tw_metric_path(metric), name,
					 tw_metric_path(of), name);
	}
}

/* Check that a time counts no more I/Os than there were, or were chosen. It may count fewer. */
static void check_time(const struct tw_tally *tally, unsigned time, int direction,
		       struct tw_report_problem *problem)
{
	const char *name = tw_direction_names[direction];
	const uint64_t count = tw_tally_time_ios(tally, time, direction);

	if (count && !(tw_time_metrics[time].directions >> direction & 1))
		tw_report_refuse(problem, "%s is not for %s", tw_time_metrics[time].path, name);
	if (tw_tally_is_of_chosen(tally, time, direction) &&
	    count > tw_tally_chosen(tally, direction))
		tw_report_refuse(problem, "%s.%s counts more than the I/Os that were chosen",
				 tw_time_metrics[time].path, name);
	if (count > tally->counts[direction].ios)
		tw_report_refuse(problem, "%s.%s counts more than ios.%s",
				 tw_time_metrics[time].path, name, name);
}

/* Check that the parts of a time do not add up to more than it. */
static void check_parts(const struct tw_tally *tally, unsigned parent, int direction,
			struct tw_report_problem *problem)
{
	uint64_t sum_ns = 0;
	int over = 0;

	for (int time = 0; time < TW_TIMES; time++)
		if (tw_time_metrics[time].parent == parent &&
		    !tw_tally_is_of_chosen(tally, (unsigned)time, direction))
			over |= __builtin_add_overflow(sum_ns,
				tally->times[time][direction].sum_ns, &sum_ns);
	if (over || sum_ns > tally->times[parent][direction].sum_ns)
		tw_report_refuse(problem, "the parts of %s.%s add up to more than it",
				 tw_time_metrics[parent].path, tw_direction_names[direction]);
}

int tw_tally_from_json(struct tw_tally *tally, const json_t *object,
		       struct tw_report_problem *problem)
{
	struct reader reader = { .tally = tally, .problem = problem };
	int error = read_metrics(&reader, object, "");

	read_lacks(&reader, object);
	for (unsigned metric = 0; metric < TW_METRICS && !tw_tally_is_empty(tally); metric++)
		if (tw_metric_is_required(metric) && !tw_has(tally, metric))
			tw_report_refuse(problem, "%s is missing", tw_metric_path(metric));
	if (!error)
		error = read_by_lat(&reader, json_object_get(object, "stages_by_lat"));
	check_digits(tally, problem);
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		check_counts(tally, i, problem);
		for (unsigned time = 0; time < TW_TIMES; time++)
			check_time(tally, time, i, problem);
		for (unsigned time = 0; time < TW_TIMES; time++)
			if (tw_has_time(tally, time))
				check_parts(tally, time, i, problem);
	}
	return error;
}
