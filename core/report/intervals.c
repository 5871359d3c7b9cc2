/* SPDX-License-Identifier: MIT */
/*
 * A line of a file of intervals as JSON, and back.
 */
#include <errno.h>

#include "latency/histogram_json.h"
#include "report/facts.h"
#include "report/report_json.h"

/* The times come first, so that a reader can skip a line without parsing it. */
json_t *tw_report_line_to_json(const struct tw_report_line *line,
			       const struct tw_tally *tally)
{
	json_t *json = json_pack("{so, so, so, so}",
				 "interval", tw_json_of_u64(line->number),
				 "from_ns", tw_json_of_u64(line->from_ns),
				 "to_ns", tw_json_of_u64(line->to_ns),
				 "realtime_ns", tw_json_digits(line->realtime_ns));

	if (line->has_run) {
		json_object_set_new(json, "first_ns", tw_json_of_u64(line->first_ns));
		json_object_set_new(json, "run_ns", tw_json_of_u64(line->run_ns));
	}
	if (line->is_end)
		json_object_set_new(json, "end", json_true());
	if (line->restarts)
		json_object_set_new(json, "restart", json_true());
	tw_tally_to_json(json, tally, 0);
	return tw_json_done(json);
}

int tw_report_line_from_json(struct tw_report_line *line, struct tw_tally *tally,
			     const json_t *json, struct tw_report_problem *problem)
{
	uint64_t end_ns;
	int error;

	*line = (struct tw_report_line) {
		.number = tw_want_u64(json, "", "interval", problem),
		.from_ns = tw_want_u64(json, "", "from_ns", problem),
		.to_ns = tw_want_u64(json, "", "to_ns", problem),
		.realtime_ns = tw_want_u64(json, "", "realtime_ns", problem),
		.is_end = json_object_get(json, "end") &&
			  tw_want_boolean(json, "", "end", problem),
		.restarts = json_object_get(json, "restart") &&
			    tw_want_boolean(json, "", "restart", problem),
	};
	if (line->to_ns < line->from_ns)
		tw_report_refuse(problem, "it ends before it begins");
	/* A line without this is of the ramp time. */
	line->has_run = json_object_get(json, "first_ns") != NULL;
	if (line->has_run) {
		line->first_ns = tw_want_u64(json, "", "first_ns", problem);
		line->run_ns = tw_want_u64(json, "", "run_ns", problem);
		if (__builtin_add_overflow(line->first_ns, line->run_ns, &end_ns))
			tw_report_refuse(problem, "run_ns is too large");
	}
	error = tw_tally_from_json(tally, json, problem);
	if (tw_tally_is_empty(tally))
		tw_report_refuse(problem, "it has no numbers");
	return error || tw_json_lacked_memory() ? -ENOMEM : 0;
}
