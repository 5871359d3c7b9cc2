/* SPDX-License-Identifier: MIT */
/*
 * What is known of single slow I/Os, as numbers: their stages, and what tw_trigger kept. The
 * JSON of a report has it, and was checked when the report was read.
 */
#include "command/analysis/analysis.h"

double tw_report_since_start(const struct tw_report *report, const struct tw_report_job *job,
			     uint64_t monotonic_ns)
{
	const uint64_t start_ns = job->start_monotonic_ns;

	if (!start_ns || monotonic_ns < start_ns)
		return -1;
	return ((double)(monotonic_ns - start_ns) +
		(double)(int64_t)(job->start_ns - report->jobs[0].start_ns)) / 1e9;
}

/* ---- stages -------------------------------------------------------------- */

/* Name the kernel's time. In an I/O that lacks a stamp, it consists of the
 * stages that are missing. */
static const char *name_kernel(const json_t *stages)
{
	const char *name = "";
	size_t all = 0, missing = 0;

	for (int i = 0; i < TW_STAGES; i++) {
		if (!tw_stage_is_inside(i))
			continue;
		all++;
		if (json_object_get(stages, tw_time_metrics[i].name))
			continue;
		name = tw_format("%s%s%s", name, missing++ ? "+" : "", tw_time_metrics[i].name);
	}
	return missing == 0 || missing == all ? "kernel" : name;
}

int tw_report_slow_stages(const json_t *slow, struct tw_report_slow_stage list[TW_STAGES])
{
	const json_t *stages = json_object_get(slow, "stages");
	const char *kernel = json_object_get(stages, "kernel") ? "kernel" : NULL;
	int count = 0;

	for (int n = 0; n < TW_STAGES; n++) {
		const int i = tw_stage_in_time(n);
		struct tw_report_slow_stage *at = &list[count];
		const char *name = tw_time_metrics[i].name;

		at->stage = (unsigned)i;
		if (i != TW_KERNEL && json_object_get(stages, name)) {
			at->name = name;
		} else if (kernel && (tw_stage_is_inside(i) || i == TW_KERNEL)) {
			at->name = name_kernel(stages);
			name = kernel;
			kernel = NULL;
			at->stage = TW_KERNEL;
		} else {
			continue;
		}
		at->ns = tw_report_u64(stages, name);
		count++;
	}
	return count;
}

/* ---- triggers ---------------------------------------------------------------- */

const json_t *tw_report_events_of(const json_t *trigger)
{
	return json_object_get(trigger, "io") ? json_object_get(trigger, "events") : NULL;
}
