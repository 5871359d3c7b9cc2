/* SPDX-License-Identifier: MIT */
/*
 * Describes in JSON which devices are slow.
 */
#include "command/answers/devices.h"

/* Return the numbers and hosts of the first devices of a ranking. */
static json_t *names_of(const struct tw_report_ranking *ranking, size_t count)
{
	json_t *array = json_array();

	for (size_t i = 0; i < count; i++)
		json_array_append_new(array, json_pack("{s:s, s:s}",
			"device", ranking->list[i].device->number,
			"host", ranking->list[i].device->host));
	return array;
}

static json_t *ranking_to_json(const struct tw_report_ranking *ranking)
{
	return json_pack("{s:f, s:o, s:o, s:s}", "percent", ranking->percent,
			 "order", names_of(ranking, ranking->count),
			 "slow", ranking->is_judged ? names_of(ranking, ranking->slow) :
						      json_null(),
			 "text", ranking->text);
}

json_t *tw_report_slow_devices_to_json(const struct tw_report_group *group)
{
	struct tw_report_ranking ranking;
	json_t *object;

	if (group->all.device_count < 2)
		return NULL;
	object = json_object();
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		tw_report_rank_devices(&ranking, &group->all, i, group, 1);
		if (ranking.count > 1)
			json_object_set_new(object, tw_direction_names[i],
					    ranking_to_json(&ranking));
		tw_report_ranking_free(&ranking);
	}
	return object;
}
