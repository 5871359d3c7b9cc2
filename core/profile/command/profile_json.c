/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile --json` and --trace: prints a profile as JSON.
 */

#include "command/command.h"
#include "command/output/page.h"
#include "base/allocate.h"
#include "latency/histogram.h"
#include "profile/command/profiles.h"

static json_t *time_object(const struct profile_file *file,
			   const struct profile_time *time)
{
	return json_pack("{s:f, s:f, s:f, s:b}",
			 "raw_ns", profile_ns(file, time->raw_ticks),
			 "ns", profile_ns(file, time->ticks),
			 "uncertainty_ns",
			 profile_ns(file, time->uncertainty_ticks),
			 "below_resolution", tw_profile_below_resolution(time));
}

/* Return an object of a histogram. Its percentiles are upper edges of bins of ticks. */
static json_t *histogram_object(const struct profile_file *file,
				const struct profile_histogram *from)
{
	static const double percents[] = { 50, 90, 99, 99.9, 99.99, 99.999 };
	struct tw_histogram histogram;
	json_t *object = json_object();

	tw_must(tw_histogram_init(&histogram, from->digits));
	for (size_t i = from->first_bin; i < from->first_bin + from->bins; i++)
		if (tw_histogram_add_bin(&histogram, file->bins[i].bin, file->bins[i].count))
			break;
	histogram.min_ns = from->min_ticks;
	histogram.max_ns = from->max_ticks;
	histogram.sum_ns = from->sum_ticks;
	for (size_t i = 0; i < TW_LENGTH(percents); i++)
		json_object_set_new(object, tw_format("%f", percents[i]), json_real(profile_ns(
			file, (double)tw_histogram_percentile(&histogram, percents[i]))));
	tw_histogram_free(&histogram);
	return object;
}

static json_t *function_object(const struct profile_file *file,
			       const struct profile_function *it)
{
	json_t *object;

	object = json_pack("{s:s, s:s, s:I, s:I, s:I, s:I, s:o, s:o, s:f, s:f}",
			   "name", it->name, "object", it->object,
			   "calls", (json_int_t)it->calls,
			   "not_timed", (json_int_t)it->not_timed,
			   "abandoned", (json_int_t)it->abandoned,
			   "not_returned", (json_int_t)it->open,
			   "self", time_object(file, &it->self),
			   "inclusive", time_object(file, &it->inclusive),
			   "least_ns", profile_ns(file,
						  (double)it->min_ticks),
			   "most_ns", profile_ns(file,
						 (double)it->max_ticks));
	if (object && it->histogram)
		json_object_set_new(object, "percentiles_ns",
				    histogram_object(file, it->histogram));
	return object;
}

void tw_profile_print_json(const struct profile_result *result)
{
	const struct profile_file *file = result->file;
	const struct tw_profile_cost *cost = &file->cost;
	json_t *root, *functions = json_array(), *dropped = json_object();

	for (size_t i = 0; i < result->function_count; i++)
		json_array_append_new(functions, function_object(file, result->by_self[i]));
	for (size_t i = 0; i < PROFILE_LOSSES; i++)
		json_object_set_new(dropped, tw_profile_losses[i].key,
				    json_integer((json_int_t)file->losses[i]));
	root = json_pack("{s:s, s:i, s:s, s:i, s:i, s:s, s:s, s:s, s:f, s:f, "
			 "s:f, s:I, s:I, s:{s:f, s:f, s:f, s:f, s:f, s:i}, s:o, s:o, s:o}",
			 "schema", "tickwise-profile", "version", 1,
			 "program", file->program ? file->program : "",
			 "pid", file->pid, "threads", (int)file->thread_count,
			 "fence", file->fence, "against", file->against,
			 "source", file->source, "hz", file->hz,
			 "hz_uncertainty_ppb", file->hz_uncertainty_ppb,
			 "wall_ns", profile_ns(file, (double)(file->end_ticks -
							      file->begin_ticks)),
			 "cpu_ns", (json_int_t)file->cpu_ns,
			 "preemptions", (json_int_t)file->preemptions,
			 "hooks",
			 "inside_ns", profile_ns(file, cost->inside),
			 "inside_spread_ns", profile_ns(file, cost->inside_spread),
			 "outside_ns", profile_ns(file, cost->outside),
			 "outside_spread_ns", profile_ns(file, cost->outside_spread),
			 "beyond_ns", profile_ns(file, cost->beyond),
			 "samples", (int)cost->samples,
			 "self_sum", time_object(file, &result->total),
			 "dropped", dropped, "functions", functions);
	tw_output_json(root, stdout, JSON_INDENT(2));
}

/* Print Chrome's trace events: complete ones ("X"), in microseconds. */
void tw_profile_print_trace(const struct profile_result *result)
{
	const struct profile_file *file = result->file;
	json_t *events = json_array();

	if (!file->event_count)
		tw_command_fail(TW_PROFILE_NAME, 0, "no calls were kept to be drawn: record with "
				"--record=events");
	for (size_t i = 0; i < file->event_count; i++) {
		const struct profile_event *event = &file->events[i];
		const struct profile_function *function =
			tw_profile_function_at(result, event->address);
		double start_ticks = (double)(int64_t)(event->start_ticks - file->begin_ticks);

		json_array_append_new(events, json_pack(
			"{s:s, s:s, s:f, s:f, s:i, s:i}", "ph", "X",
			"name", function ? function->name : "?",
			"ts", profile_ns(file, start_ticks) / 1000,
			"dur", profile_ns(file, (double)event->ticks) / 1000,
			"pid", file->pid, "tid", event->tid));
	}
	tw_output_json(json_pack("{s:o, s:s}", "traceEvents", events, "displayTimeUnit", "ns"),
		       stdout, JSON_INDENT(2));
}
