/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write which commits of a journal a sync waited for as JSON: see sync.h.
 */
#include "sync.h"

json_t *tw_commit_to_json(const struct tw_sync *sync)
{
	json_t *json, *who;

	if (!sync->commits)
		return NULL;
	json = json_pack("{sI}", "waits", (json_int_t) sync->commits);
	who = tw_who_to_json(&sync->who);
	if (!who)
		return json;
	json_object_set_new(who, "handles", json_integer((json_int_t) sync->who.requests));
	json_object_update_new(json, json_pack("{sI, so}", "others",
					       (json_int_t) sync->others, "who", who));
	return json;
}
