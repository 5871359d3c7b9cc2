/* SPDX-License-Identifier: MIT */
/*
 * The names of who had the CPU, whose requests a device had, or whose limit an I/O waited for.
 */
#include <stdio.h>
#include <string.h>

#include "command/analysis/analysis.h"
#include "report/waits.h"

#define MAX_PATH	36	/* of a cgroup, that is written */

void tw_report_say_path(char *text, size_t size, const char *path)
{
	const size_t length = strlen(path);
	const size_t cut = length > MAX_PATH ? length - MAX_PATH : 0;

	snprintf(text, size, "%s%s", cut ? "..." : "", path + cut);
}

void tw_report_say_reason(char *text, size_t size, const char *reason, const char *function,
			  const char *limit, const char *path)
{
	const char *more = limit && *limit ? limit : tw_wait_needs_function(reason) ? function : "";
	char name[TW_REPORT_NAME] = "";

	if (path)
		tw_report_say_path(name, sizeof(name), path);
	snprintf(text, size, *more ? "%s (%s%s%s)" : "%s", reason, more, *name ? " of " : "", name);
}

void tw_report_say_holder(char *text, size_t size, const json_t *had, int is_single)
{
	const char *kind = tw_report_string(had, "kind");
	const char *name = tw_report_string(had, "name");
	const unsigned long long id = tw_report_u64(had, "id");

	if (strcmp(kind, "hidden") == 0)
		snprintf(text, size, "another user's process");
	else if (strcmp(kind, "cgroup") == 0 && name && strcmp(name, "/") == 0)
		snprintf(text, size, "the root cgroup");
	else if (strcmp(kind, "cgroup") == 0)
		tw_report_say_path(text, size, name ? name : "a cgroup without a name");
	else if (strcmp(kind, "softirq") == 0)
		snprintf(text, size, "softirq %s", name ? name : "");
	else if (strcmp(kind, "interrupt") == 0)
		snprintf(text, size, "interrupt %llu (%s)", id, name ? name : "");
	else if (strcmp(kind, "kernel") == 0)
		snprintf(text, size, "%s", name ? name : "a kernel thread");
	else if (!is_single || !json_object_get(had, "id"))
		snprintf(text, size, "%s", name ? name : "a process");
	else
		snprintf(text, size, "%s (%llu)", name ? name : "a process", id);
}
