/* SPDX-License-Identifier: MIT */
/*
 * Was the run of a group steady? change.c finds the part of it that differs. Here are the
 * windows that it gets, and the words for its answer.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/analysis/change.h"
#include "command/output/page.h"
#include "latency/histogram_json.h"

/* Set IOPS and mean lat of the part, and of the rest. */
static void set_levels(struct tw_report_steady *steady, const struct tw_change *change,
		       const double *ios, const double *sum_ns, size_t count, double width_ns)
{
	double windows[2] = { 0 };

	for (size_t i = 0; i < count; i++) {
		const int rest = i < change->from || i >= change->to;

		steady->iops[rest] += ios[i];
		steady->mean_ns[rest] += sum_ns[i];
		windows[rest]++;
	}
	for (int i = 0; i < 2; i++) {
		if (steady->iops[i] > 0)
			steady->mean_ns[i] /= steady->iops[i];
		steady->iops[i] = steady->iops[i] * 1e9 / width_ns / windows[i];
	}
}

void tw_report_find_steady(struct tw_report_group *group)
{
	struct tw_report_steady *steady = &group->steady;
	const struct tw_windows *windows = &group->all.tally.over_time;
	double ios[TW_CHANGE_MOST] = { 0 }, sum_ns[TW_CHANGE_MOST] = { 0 };
	struct tw_change change;
	uint32_t first, last;

	*steady = (struct tw_report_steady) { .verdict = TW_STEADY_NOT_KNOWN };
	for (int i = 0; i < TW_DIRECTIONS; i++)
		steady->directions += tw_report_has_windows(group, i);
	tw_report_whole_windows(group, &first, &last);
	if (last <= first || last - first > TW_CHANGE_MOST)
		return;
	for (uint32_t i = first; i < last; i++)
		for (int j = 0; j < TW_DIRECTIONS; j++) {
			const struct tw_histogram *lat = &tw_windows_get(windows, i)->lat[j];

			ios[i - first] += (double)lat->count;
			sum_ns[i - first] += (double)lat->sum_ns;
		}
	tw_change_find(&change, ios, sum_ns, last - first);
	if (!change.is_tested)
		return;
	steady->verdict = !change.is_found ? TW_STEADY :
			  change.is_drift ? TW_STEADY_DRIFTS : TW_STEADY_CHANGED;
	if (!change.is_found) {
		memcpy(steady->error, change.error, sizeof(change.error));
		if (fmax(change.error[0], change.error[1]) > TW_CHANGE_PART)
			steady->verdict = TW_STEADY_UNEVEN;
		tw_report_find_taken(steady, group);
		return;
	}
	steady->from_ns = change.from ?
		tw_report_window_ns(group, first + (uint32_t)change.from) : 0;
	steady->to_ns = change.to + first < last ?
		tw_report_window_ns(group, first + (uint32_t)change.to) : UINT64_MAX;
	set_levels(steady, &change, ios, sum_ns, last - first, (double)windows->width_ns);
	tw_report_find_changed_with(steady, group, (double[]) {
		(double)tw_report_window_ns(group, first),
		(double)tw_report_window_ns(group, last) });
}

static const char *say_level(const struct tw_report_steady *steady, int rest)
{
	return tw_format("%s IOPS, mean lat %s", TW_SAY_NUMBER(steady->iops[rest]),
			 TW_SAY_NS(steady->mean_ns[rest]));
}

void tw_report_say_steady(char *text, size_t size, const struct tw_report_steady *steady)
{
	const char *what = tw_format("not steady%s%s", steady->verdict == TW_STEADY_DRIFTS ?
				     ", it drifts" : "", steady->directions > 1 ?
				     " (all I/Os together)" : "");
	const int is_at_begin = !steady->from_ns;

	switch (steady->verdict) {
	case TW_STEADY_NOT_KNOWN:
		snprintf(text, size, "too short, or too few I/Os, to tell whether it was steady");
		break;
	case TW_STEADY:
	case TW_STEADY_UNEVEN:
		snprintf(text, size, "%s: IOPS +-%.2g %%, mean lat +-%.2g %%%s",
			 steady->verdict == TW_STEADY ? "steady" : "uneven",
			 100 * steady->error[0], 100 * steady->error[1], steady->with);
		break;
	default:
		if (!is_at_begin && steady->to_ns != UINT64_MAX)
			snprintf(text, size, "%s: from %s to %s %s; before and after %s%s", what,
				 TW_SAY_ROUND(steady->from_ns), TW_SAY_ROUND(steady->to_ns),
				 say_level(steady, 0), say_level(steady, 1), steady->with);
		else
			snprintf(text, size, "%s: until %s %s; then %s%s", what,
				 TW_SAY_ROUND(is_at_begin ? steady->to_ns : steady->from_ns),
				 say_level(steady, !is_at_begin), say_level(steady, is_at_begin),
				 steady->with);
	}
}

/* Return what is in the part, or in the rest. */
static json_t *level_to_json(const struct tw_report_steady *steady, int rest)
{
	return json_pack("{s:f, s:f}", "iops", steady->iops[rest],
			 "mean_ns", steady->mean_ns[rest]);
}

json_t *tw_report_steady_to_json(const struct tw_report_group *group)
{
	static const char *const verdicts[] = { "not known", "steady", "uneven", "changed", "drifts" };
	const struct tw_report_steady *steady = &group->steady;
	char text[TW_REPORT_SENTENCE];
	int is_level, is_changed;

	if (!tw_report_windows(group))
		return NULL;
	tw_report_say_steady(text, sizeof(text), steady);
	is_changed = steady->verdict >= TW_STEADY_CHANGED;
	is_level = steady->verdict != TW_STEADY_NOT_KNOWN && !is_changed;
	return json_pack("{s:s, s:s, s:o*, s:o*, s:o*, s:o*, s:o*, s:o*}",
		"verdict", verdicts[steady->verdict], "text", text,
		"iops_error", is_level ? json_real(steady->error[0]) : NULL,
		"mean_error", is_level ? json_real(steady->error[1]) : NULL,
		"from_ns", is_changed ? tw_json_of_u64(steady->from_ns) : NULL,
		"to_ns", is_changed && steady->to_ns != UINT64_MAX ?
			 tw_json_of_u64(steady->to_ns) : NULL,
		"part", is_changed ? level_to_json(steady, 0) : NULL,
		"rest", is_changed ? level_to_json(steady, 1) : NULL);
}
