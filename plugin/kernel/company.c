/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Write whose requests a device had in flight as JSON: see company.h.
 */
#include "kernel/company.h"

#include <string.h>

#include "base/plain_text.h"
#include "kernel/cgroup.h"

json_t *tw_who_to_json(const struct tw_who *who)
{
	static const char *const kinds[TW_WHO_KINDS] = {
		[TW_WHO_PROCESS] = "process",
		[TW_WHO_KERNEL_THREAD] = "kernel",
		[TW_WHO_CGROUP] = "cgroup",
		[TW_WHO_HIDDEN] = "hidden",
	};
	char name[TW_CGROUP_PATH] = "";
	json_t *json;

	if (who->kind == TW_WHO_UNKNOWN || who->kind >= TW_WHO_KINDS)
		return NULL;
	json = json_pack("{ss}", "kind", kinds[who->kind]);
	if (who->kind == TW_WHO_CGROUP)
		tw_cgroup_path(name, who->cgroup);
	else
		tw_plain_text(memcpy(name, who->name, sizeof(who->name)));
	if (who->id)
		json_object_set_new(json, "id", json_integer((json_int_t) who->id));
	if (name[0])
		json_object_set_new(json, "name", json_string(name));
	return json;
}
