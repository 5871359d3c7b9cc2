/* SPDX-License-Identifier: MIT */
/*
 * Makes the JSON of groups: the merged reports, each with what is derived from it.
 */
#include "command/answers/json.h"

#include "command/answers/devices.h"
#include "command/answers/stalls.h"
#include "command/answers/why.h"
#include "latency/histogram_json.h"

static json_t *answers_of(const struct tw_report_group *group)
{
	json_t *answers = json_pack("{s:o, s:o, s:o*}", "why", tw_report_why_to_json(group),
				    "stalls", tw_report_stalls_to_json(group),
				    "slow_devices", tw_report_slow_devices_to_json(group));

	if (group->is_empty)
		json_object_set_new(answers, "span", json_null());
	else if (group->span.is_wanted)
		json_object_set_new(answers, "span", json_pack("{s:o, s:o}",
			"from_ns", tw_json_of_u64(group->span.from_ns),
			"to_ns", tw_json_of_u64(group->span.to_ns)));
	return answers;
}

json_t *tw_report_group_to_json(const struct tw_report_group *group)
{
	json_t *object = tw_report_to_json(&group->all);

	json_object_set_new(object, "answers", answers_of(group));
	return object;
}

json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count)
{
	json_t *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(list, tw_report_group_to_json(&groups[i]));
	return list;
}
