/* SPDX-License-Identifier: MIT */
/*
 * The names of who had the CPU, whose requests a device had, or whose limit an I/O waited for.
 */
#include <string.h>

#include "command/analysis/analysis.h"
#include "report/waits.h"

#define MAX_PATH	36	/* of a cgroup, that is written */

const char *tw_report_say_path(const char *path)
{
	const size_t length = strlen(path);

	return length > MAX_PATH ? tw_format("...%s", path + length - MAX_PATH) : path;
}

const char *tw_report_say_reason(const char *reason, const char *function, const char *limit,
				 const char *path)
{
	const char *more = limit && *limit ? limit : tw_wait_needs_function(reason) ? function : "";

	return !*more ? reason : !path || !*path ? tw_format("%s (%s)", reason, more) :
	       tw_format("%s (%s of %s)", reason, more, tw_report_say_path(path));
}

const char *tw_report_say_holder(const json_t *had, int is_single)
{
	const char *kind = tw_report_string(had, "kind");
	const char *name = tw_report_string(had, "name");
	const unsigned long long id = tw_report_u64(had, "id");

	if (strcmp(kind, "hidden") == 0)
		return "another user's process";
	if (strcmp(kind, "cgroup") == 0 && name && strcmp(name, "/") == 0)
		return "the root cgroup";
	if (strcmp(kind, "cgroup") == 0)
		return name ? tw_report_say_path(name) : "a cgroup without a name";
	if (strcmp(kind, "softirq") == 0)
		return tw_format("softirq %s", name ? name : "");
	if (strcmp(kind, "interrupt") == 0)
		return tw_format("interrupt %llu (%s)", id, name ? name : "");
	if (strcmp(kind, "kernel") == 0)
		return name ? name : "a kernel thread";
	name = name ? name : "a process";
	return is_single && json_object_get(had, "id") ? tw_format("%s (%llu)", name, id) : name;
}
