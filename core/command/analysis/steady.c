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

/* Add the I/Os and the sum of lat of windows, of all directions. */
static void add_up(const struct tw_report_group *group, uint32_t from, uint32_t to, double *ios,
		   double *sum_ns)
{
	*ios = *sum_ns = 0;
	for (uint32_t i = from; i < to; i++)
		for (int j = 0; j < TW_DIRECTIONS; j++) {
			const struct tw_histogram *lat =
				&tw_windows_get(&group->all.tally.over_time, i)->lat[j];

			*ios += (double)lat->count;
			*sum_ns += (double)lat->sum_ns;
		}
}

/* Set IOPS and mean lat of the windows from @from to before @to, and of the other ones from
 * @first to before @last. */
static void set_levels(struct tw_report_steady *steady, const struct tw_report_group *group,
		       uint32_t first, uint32_t last, uint32_t from, uint32_t to)
{
	const uint32_t windows[] = { to - from, last - first - (to - from) };
	double ios[2], sum_ns[2], all_ios, all_ns;

	add_up(group, first, last, &all_ios, &all_ns);
	add_up(group, from, to, &ios[0], &sum_ns[0]);
	ios[1] = all_ios - ios[0];
	sum_ns[1] = all_ns - sum_ns[0];
	for (int i = 0; i < 2; i++) {
		steady->iops[i] = ios[i] * 1e9 / (double)group->all.tally.over_time.width_ns /
				  windows[i];
		steady->mean_ns[i] = ios[i] > 0 ? sum_ns[i] / ios[i] : 0;
	}
}

void tw_report_find_steady(struct tw_report_steady *steady, const struct tw_report_group *group)
{
	double ios[TW_CHANGE_MOST], sum_ns[TW_CHANGE_MOST];
	struct tw_change change;
	uint32_t first, last;

	*steady = (struct tw_report_steady) { .verdict = TW_STEADY_NOT_KNOWN };
	tw_report_whole_windows(group, &first, &last);
	if (last <= first || last - first > TW_CHANGE_MOST)
		return;
	for (uint32_t i = first; i < last; i++)
		add_up(group, i, i + 1, &ios[i - first], &sum_ns[i - first]);
	tw_change_find(&change, ios, sum_ns, last - first);
	if (!change.is_tested)
		return;
	steady->verdict = !change.is_found ? TW_STEADY :
			  change.is_drift ? TW_STEADY_DRIFTS : TW_STEADY_CHANGED;
	if (!change.is_found) {
		memcpy(steady->error, change.error, sizeof(change.error));
		if (fmax(change.error[0], change.error[1]) > TW_CHANGE_PART)
			steady->verdict = TW_STEADY_UNEVEN;
		return;
	}
	steady->from_ns = change.from ?
		tw_report_window_ns(group, first + (uint32_t)change.from) : 0;
	steady->to_ns = change.to + first < last ?
		tw_report_window_ns(group, first + (uint32_t)change.to) : UINT64_MAX;
	set_levels(steady, group, first, last, first + (uint32_t)change.from,
		   first + (uint32_t)change.to);
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
	const char *what = steady->verdict == TW_STEADY_DRIFTS ? "not steady, it drifts" :
			   "not steady";

	switch (steady->verdict) {
	case TW_STEADY_NOT_KNOWN:
		snprintf(text, size, "too short, or too few I/Os, to tell whether it was steady");
		break;
	case TW_STEADY:
	case TW_STEADY_UNEVEN:
		snprintf(text, size, "%s: IOPS +-%.2g %%, mean lat +-%.2g %%",
			 steady->verdict == TW_STEADY ? "steady" : "uneven",
			 100 * steady->error[0], 100 * steady->error[1]);
		break;
	default:
		if (!steady->from_ns)
			snprintf(text, size, "%s: until %s %s; then %s", what,
				 TW_SAY_ROUND(steady->to_ns), say_level(steady, 0),
				 say_level(steady, 1));
		else if (steady->to_ns == UINT64_MAX)
			snprintf(text, size, "%s: until %s %s; then %s", what,
				 TW_SAY_ROUND(steady->from_ns), say_level(steady, 1),
				 say_level(steady, 0));
		else
			snprintf(text, size, "%s: from %s to %s %s; before and after %s", what,
				 TW_SAY_ROUND(steady->from_ns), TW_SAY_ROUND(steady->to_ns),
				 say_level(steady, 0), say_level(steady, 1));
		snprintf(text + strlen(text), size - strlen(text), "%s", steady->with);
	}
}

json_t *tw_report_steady_to_json(const struct tw_report_group *group)
{
	static const char *const verdicts[] = { "not known", "steady", "uneven", "changed", "drifts" };
	struct tw_report_steady steady;
	char text[TW_REPORT_SENTENCE];
	json_t *json;

	if (!tw_report_windows(group))
		return NULL;
	tw_report_find_steady(&steady, group);
	tw_report_say_steady(text, sizeof(text), &steady);
	json = json_pack("{s:s, s:s}", "verdict", verdicts[steady.verdict], "text", text);
	if (steady.verdict == TW_STEADY_NOT_KNOWN)
		return json;
	if (steady.verdict < TW_STEADY_CHANGED) {
		json_object_set_new(json, "iops_error", json_real(steady.error[0]));
		json_object_set_new(json, "mean_error", json_real(steady.error[1]));
		return json;
	}
	json_object_set_new(json, "from_ns", tw_json_of_u64(steady.from_ns));
	if (steady.to_ns != UINT64_MAX)
		json_object_set_new(json, "to_ns", tw_json_of_u64(steady.to_ns));
	for (int i = 0; i < 2; i++)
		json_object_set_new(json, i ? "rest" : "part",
				    json_pack("{s:f, s:f}", "iops", steady.iops[i],
					      "mean_ns", steady.mean_ns[i]));
	return json;
}
