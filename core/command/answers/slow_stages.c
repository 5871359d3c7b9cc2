/* SPDX-License-Identifier: MIT */
/*
 * The stages of one of the slowest I/Os.
 */
#include <stdio.h>

#include "command/answers/slow_stages.h"
#include "report/want.h"

static int has(const json_t *stages, int stage)
{
	return json_object_get(stages, tw_time_rows[stage].name) != NULL;
}

/* Name the kernel's time. In an I/O that lacks a stamp, it consists of the
 * stages that are missing. */
static void name_kernel(char *name, size_t size, const json_t *stages)
{
	size_t used = 0, all = 0, missing = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		if (!tw_stage_is_inside(i))
			continue;
		all++;
		if (has(stages, i))
			continue;
		missing++;
		used += (size_t)snprintf(name + used, size - used, "%s%s",
					 used ? "+" : "",
					 tw_time_rows[i].name);
	}
	if (missing == 0 || missing == all)
		snprintf(name, size, "kernel");
}

int tw_report_slow_stages(const json_t *stages,
			  struct tw_report_slow_stage list[TW_STAGES])
{
	int kernel = has(stages, TW_KERNEL);
	int count = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		struct tw_report_slow_stage *at = &list[count];

		if (i != TW_KERNEL && has(stages, i)) {
			snprintf(at->name, sizeof(at->name), "%s",
				 tw_time_rows[i].name);
			at->ns = tw_report_u64(stages, tw_time_rows[i].name);
			count++;
		} else if (kernel && (tw_stage_is_inside(i) || i == TW_KERNEL)) {
			name_kernel(at->name, sizeof(at->name), stages);
			at->ns = tw_report_u64(stages, "kernel");
			kernel = 0;
			count++;
		}
	}
	return count;
}
