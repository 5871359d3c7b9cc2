/* SPDX-License-Identifier: MIT */
/*
 * What tw_trigger kept of a job, as numbers. It was checked when the report was read.
 */
#include "command/answers/trigger.h"

#include <string.h>

void tw_report_trigger_at(struct tw_report_trigger *trigger,
			  const struct tw_report_group *group, size_t i)
{
	const json_t *json = json_array_get(group->all.triggers, i);
	const json_t *io = json_object_get(json, "io");
	const char *state = tw_report_string(json, "state");

	*trigger = (struct tw_report_trigger) {
		.job = &group->all.jobs[tw_report_u64(json, "job")],
		.is_on = strcmp(state, "on") == 0,
		.why = tw_report_string(json, "why"),
		.above_ns = tw_report_u64(json, "above_ns"),
		.slower = tw_report_u64(json, "slower"),
		.stopped_for = tw_report_u64(json, "stopped_for"),
		.io = io,
		.begin_ns = tw_report_u64(io, "monotonic_ns"),
		.lat_ns = tw_report_u64(io, "lat_ns"),
		.events = io ? json_object_get(json, "events") : NULL,
		.whole_from_ns = tw_report_u64(json, "whole_from_ns"),
	};
	trigger->event_count = json_object_get(json, "event_count") ?
		tw_report_u64(json, "event_count") : json_array_size(trigger->events);
}
