/* SPDX-License-Identifier: MIT */
/*
 * Writes lat and errors over time as JSON, and reads them back. The reader does not trust
 * its input: what it accepts could have been made by filling windows.
 */
#include <errno.h>

#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "report/report_json.h"
#include "report/windows.h"

/* ---- writing ---------------------------------------------------------------- */

static json_t *window_to_json(const struct tw_window *window, uint64_t from_ns)
{
	json_t *object = json_pack("{so}", "start", tw_json_digits(from_ns));
	json_t *errors = json_object();

	for (unsigned i = 0; i < TW_DIRECTIONS; i++) {
		if (window->lat[i].count)
			json_object_set_new(object, tw_direction_names[i],
					    tw_histogram_to_lean_json(&window->lat[i]));
		if (window->errors[i])
			json_object_set_new(errors, tw_direction_names[i],
					    tw_json_of_u64(window->errors[i]));
	}
	if (json_object_size(errors))
		json_object_set(object, "errors", errors);
	json_decref(errors);
	return object;
}

json_t *tw_windows_to_json(const struct tw_windows *windows)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < windows->count; i++) {
		const struct tw_window *window = tw_windows_get(windows, i);

		if (!tw_window_is_empty(window))
			json_array_append_new(array, window_to_json(window,
				tw_windows_from_ns(windows, i)));
	}
	return json_pack("{so, so}", "width_ns", tw_json_of_u64(windows->count ?
				windows->width_ns : TW_WINDOWS_NS),
			 "windows", array);
}

/* ---- reading ---------------------------------------------------------------- */

/* Read a window's start, and let the windows reach to it. */
static int read_start(struct tw_windows *windows, const json_t *json,
		      const char **problem)
{
	const json_t *start = json_object_get(json, "start");
	uint64_t start_ns, number;

	if (!json_is_string(start) || tw_json_to_u64(start, &start_ns))
		return tw_refuse(problem, "start is not a text of digits");
	if (start_ns % windows->width_ns || start_ns > TW_WINDOWS_END_NS)
		return tw_refuse(problem, "start is not where a window begins");
	number = start_ns / windows->width_ns;
	if (windows->count == 0)
		windows->first = number;
	else if (number < windows->first + windows->count)
		return tw_refuse(problem, "the windows are not in ascending order");
	if (number - windows->first >= windows->most)
		return tw_refuse(problem, "the windows are more than 128 widths apart");
	windows->count = (uint32_t)(number - windows->first) + 1;
	return 0;
}

static int read_window(struct tw_windows *windows, const json_t *json,
		       const char **problem)
{
	const json_t *errors = json_object_get(json, "errors");
	int error = read_start(windows, json, problem);
	struct tw_window *window;

	if (error)
		return error;
	window = tw_windows_get(windows, windows->count - 1);
	for (unsigned i = 0; i < TW_DIRECTIONS && !error; i++) {
		const json_t *lat = json_object_get(json, tw_direction_names[i]);

		if (lat)
			error = tw_histogram_fill_from_json(&window->lat[i], lat, problem);
	}
	for (unsigned i = 0; i < TW_DIRECTIONS && !error; i++) {
		const json_t *count = json_object_get(errors, tw_direction_names[i]);

		if (count && tw_json_to_u64(count, &window->errors[i]))
			error = tw_refuse(problem, "errors is not a whole number");
	}
	if (!error && errors && !json_is_object(errors))
		error = tw_refuse(problem, "errors is not an object");
	if (!error && tw_window_is_empty(window))
		error = tw_refuse(problem, "a window has no I/O and no error");
	return error;
}

static int read_windows(struct tw_windows *windows, const json_t *json,
			const char **problem)
{
	const json_t *array = json_object_get(json, "windows"), *window;
	uint64_t width_ns, times;
	int error = 0;
	size_t i;

	if (!json_is_object(json))
		return tw_refuse(problem, "not an object");
	if (tw_json_to_u64(json_object_get(json, "width_ns"), &width_ns))
		return tw_refuse(problem, "width_ns is not a whole number");
	times = width_ns / TW_WINDOWS_NS;
	if (width_ns % TW_WINDOWS_NS || times == 0 || times & (times - 1) ||
	    width_ns > TW_WINDOWS_END_NS)
		return tw_refuse(problem, "width_ns is not 1 ms, doubled some times");
	if (!json_is_array(array))
		return tw_refuse(problem, "windows is not an array");
	windows->width_ns = width_ns;
	json_array_foreach(array, i, window)
		if (!error)
			error = read_window(windows, window, problem);
	if (windows->count == 0)
		windows->width_ns = 0;
	return error;
}

int tw_windows_from_json(struct tw_windows *windows, const json_t *json, const char *where,
			 struct tw_report_problem *problem)
{
	struct tw_windows read;
	const char *wrong = "";
	int error = tw_windows_init(&read, TW_WINDOWS_MOST);

	if (error)
		return error;
	error = read_windows(&read, json, &wrong);
	if (error)
		tw_windows_free(&read);
	else
		*windows = read;
	if (error == -EINVAL)
		tw_report_refuse(problem, "%s: %s", where, wrong);
	return error == -ENOMEM ? error : 0;
}
