/* SPDX-License-Identifier: MIT */
/*
 * Reads what a report has about fio's schedule, besides the histograms of slip
 * and response. It is how well the schedule is known, and how far behind it the
 * job was at its end. Of several jobs, the one farthest behind counts.
 */
#include <stdio.h>

#include "command/output/format.h"
#include "command/reports/response.h"
#include "latency/histogram_json.h"
#include "report/want.h"

void tw_report_read_schedule(struct tw_report_schedule *schedule,
			     const json_t *response,
			     struct tw_report_problem *problem)
{
	const char *const where = "response.slip_at_end_ns.";
	const json_t *at_end = json_object_get(response, "slip_at_end_ns");

	if (json_object_get(response, "resolution_ns"))
		schedule->resolution_ns = tw_want_u64(response, "response.",
						      "resolution_ns", problem);
	if (at_end && !json_is_object(at_end))
		tw_report_refuse(problem, "response.slip_at_end_ns is not an "
				 "object");
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (json_object_get(at_end, tw_report_directions[i])) {
			schedule->has_at_end[i] = 1;
			schedule->at_end_ns[i] = tw_want_u64(at_end, where,
				tw_report_directions[i], problem);
		}
}

static void take_larger(uint64_t *into, uint64_t from)
{
	if (from > *into)
		*into = from;
}

void tw_report_merge_schedule(struct tw_report_schedule *into,
			      const struct tw_report_schedule *from)
{
	take_larger(&into->resolution_ns, from->resolution_ns);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		into->has_at_end[i] |= from->has_at_end[i];
		take_larger(&into->at_end_ns[i], from->at_end_ns[i]);
	}
}

void tw_report_add_schedule(struct tw_page *page, const struct tw_report_group *group,
			    int direction)
{
	const struct tw_report_schedule *schedule = &group->tally.schedule;
	const struct tw_histogram *slip =
		&group->tally.times[TW_REPORT_SLIP][direction];
	char most[TW_FORMAT_SIZE], at_end[TW_FORMAT_SIZE], known[TW_FORMAT_SIZE];

	if (!slip->count || !schedule->has_at_end[direction])
		return;
	tw_page_remark(page, "behind fio's schedule: at most %s, at the end %s%s; the "
		       "schedule is known to %s",
		       tw_format_ns(most, (double)slip->max_ns),
		       tw_format_ns(at_end, (double)schedule->at_end_ns[direction]),
		       group->size > 1 ? " in the job farthest behind" : "",
		       tw_format_ns(known, (double)schedule->resolution_ns));
}

/* Add the schedule to the group's "response". Return: 0; -1 without memory. */
int tw_report_schedule_to_json(json_t *response,
			       const struct tw_report_schedule *schedule)
{
	json_t *at_end = json_object();
	int error = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (schedule->has_at_end[i])
			error |= json_object_set_new(at_end,
				tw_report_directions[i],
				tw_json_of_u64(schedule->at_end_ns[i]));
	if (schedule->resolution_ns)
		error |= json_object_set_new(response, "resolution_ns",
			tw_json_of_u64(schedule->resolution_ns));
	if (!at_end || json_object_size(at_end))
		return error | json_object_set_new(response, "slip_at_end_ns",
						   at_end);
	json_decref(at_end);
	return error;
}
