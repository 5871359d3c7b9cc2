/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write which commits of a journal a sync waited for as JSON: see sync.h.
 */
#include "sync.h"

json_t *tw_commit_to_json(const struct tw_sync *sync, const struct tw_sync_parts *parts)
{
	json_t *json, *who;

	if (!sync->commits)
		return NULL;
	json = json_pack("{sI}", "waits", (json_int_t) sync->commits);
	if (parts->known)
		json_object_update_new(json, json_pack("{sI, sI}",
			"running_ns", (json_int_t) parts->running_ns, "own_ns",
			(json_int_t) (parts->ns[TW_IN_JOURNAL] - parts->running_ns)));
	who = tw_who_to_json(&sync->who);
	if (!who)
		return json;
	json_object_set_new(who, "handles", json_integer((json_int_t) sync->who.requests));
	json_object_update_new(json, json_pack("{sI, so}", "others",
					       (json_int_t) sync->others, "who", who));
	return json;
}
