/* SPDX-License-Identifier: MIT */
/*
 * Was the run of a group steady? change.c finds the parts that differ. Here are the
 * windows that it gets, and the words for its answer.
 */
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "latency/histogram_json.h"

/* Above this error a level is not to be quoted. */
#define QUOTED_ERROR	0.5

static int is_quotable(const struct tw_report_steady *steady)
{
	return fmax(steady->error[0], steady->error[1]) <= QUOTED_ERROR;
}

/* Set the parts: @first is the first of the windows that were tested. The first and the last part
 * begin and end with the run. */
static void set_parts(struct tw_report_steady *steady, const struct tw_report_group *group,
		      const struct tw_change *change, uint32_t first, const double *ios,
		      const double *sum_ns)
{
	const uint32_t all = tw_report_windows(group);

	steady->count = change->parts;
	steady->quoted = change->longest;
	for (size_t i = 0; i < change->parts; i++) {
		const size_t from = change->begin[i], to = change->begin[i + 1];
		struct tw_report_part *part = &steady->parts[i];
		double sum = 0;

		for (size_t j = from; j < to; j++) {
			part->iops += ios[j];
			sum += sum_ns[j];
		}
		part->mean_ns = part->iops > 0 ? sum / part->iops : 0;
		part->iops = part->iops * 1e9 / (double)group->all.tally.over_time.width_ns /
			     (double)(to - from);
		part->from_ns = tw_report_window_ns(group, i ? first + (uint32_t)from : 0);
		part->to_ns = tw_report_window_ns(group, i + 1 < change->parts ?
						  first + (uint32_t)to : all);
	}
	/* A first I/O within a window of the job's begin is no ramp. */
	if (steady->parts[0].from_ns < group->all.tally.over_time.width_ns)
		steady->parts[0].from_ns = 0;
}

/* Are there hosts whose jobs began at different times? What their clocks say can't be compared. */
static int are_apart(const struct tw_report *all)
{
	const struct tw_report_job *first = all->jobs;

	for (const struct tw_report_job *job = first; job < first + all->job_count; job++)
		if (strcmp(job->host, first->host) != 0 &&
		    (job->start_ns > first->start_ns ? job->start_ns - first->start_ns :
		     first->start_ns - job->start_ns) > all->tally.over_time.width_ns)
			return 1;
	return 0;
}

void tw_report_find_steady(struct tw_report_group *group)
{
	struct tw_report_steady *steady = &group->steady;
	const struct tw_windows *windows = &group->all.tally.over_time;
	double ios[TW_CHANGE_MOST] = { 0 }, sum_ns[TW_CHANGE_MOST] = { 0 };
	struct tw_change change;
	uint32_t first, last;

	*steady = (struct tw_report_steady) { .verdict = TW_STEADY_NOT_KNOWN, .with = "" };
	for (int i = 0; i < TW_DIRECTIONS; i++)
		steady->directions += tw_report_has_windows(group, i);
	tw_report_whole_windows(group, &first, &last);
	steady->is_apart = are_apart(&group->all);
	if (last <= first || last - first > TW_CHANGE_MOST || steady->is_apart)
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
	memcpy(steady->error, change.error, sizeof(change.error));
	if (change.parts > 1) {
		steady->verdict = change.is_drift ? TW_STEADY_DRIFTS : TW_STEADY_CHANGED;
		set_parts(steady, group, &change, first, ios, sum_ns);
		tw_report_find_changed_with(steady, group);
	} else {
		steady->verdict = fmax(change.error[0], change.error[1]) > TW_CHANGE_PART ?
				  TW_STEADY_UNEVEN : TW_STEADY;
	}
	tw_report_find_taken(steady, group);
}

const char *tw_report_say_span(const struct tw_report_part *part)
{
	return tw_format("from %s to %s", part->from_ns ? TW_SAY_ROUND(part->from_ns) : "0",
			 TW_SAY_ROUND(part->to_ns));
}

static const char *say_part(const struct tw_report_part *part)
{
	if (part->iops == 0)
		return tw_format("%s: no I/Os", tw_report_say_span(part));
	return tw_format("%s: %s IOPS, mean lat %s", tw_report_say_span(part),
			 TW_SAY_NUMBER(part->iops), TW_SAY_NS(part->mean_ns));
}

static const char *say_change(double from, double to)
{
	return from > 0 ? tw_format("%+.0f %%", 100 * (to / from - 1)) : "from 0";
}

const char *tw_report_say_steady(const struct tw_report_steady *steady)
{
	const struct tw_report_part *first = steady->parts, *quoted = &first[steady->quoted];
	const char *together = steady->directions > 1 ? " (all I/Os together)" : "";

	if (steady->is_apart)
		return "not judged: the jobs of its hosts began at different times";
	if (steady->verdict == TW_STEADY_NOT_KNOWN)
		return "too short, or too few I/Os, to tell whether it was steady";
	if (!steady->count)
		return tw_format("%s: IOPS +-%s, mean lat +-%s%s%s",
				 steady->verdict == TW_STEADY ? "steady" : "uneven",
				 TW_SAY_PERCENT(100 * steady->error[0]),
				 TW_SAY_PERCENT(100 * steady->error[1]), together, steady->with);
	if (steady->verdict == TW_STEADY_DRIFTS)
		return tw_format("not steady, it drifts, so quote no part; %s, then %s IOPS (%s), %s "
				 "(%s)%s%s", say_part(first), TW_SAY_NUMBER(first[1].iops),
				 say_change(first->iops, first[1].iops), TW_SAY_NS(first[1].mean_ns),
				 say_change(first->mean_ns, first[1].mean_ns), together, steady->with);
	if (quoted->iops == 0)
		return tw_format("not steady: %s%s%s", say_part(quoted), together, steady->with);
	return tw_format("not steady%s, %s: %s IOPS +-%s, mean lat %s +-%s%s%s", is_quotable(steady) ?
			 "; quote the longest part" : ", so quote no part; the longest",
			 tw_report_say_span(quoted), TW_SAY_NUMBER(quoted->iops),
			 TW_SAY_PERCENT(100 * steady->error[0]), TW_SAY_NS(quoted->mean_ns),
			 TW_SAY_PERCENT(100 * steady->error[1]),
			 together, steady->with);
}

static json_t *parts_to_json(const struct tw_report_steady *steady)
{
	json_t *list = json_array();

	for (size_t i = 0; i < steady->count; i++) {
		const struct tw_report_part *part = &steady->parts[i];

		json_array_append_new(list, json_pack("{s:o, s:o, s:f, s:o*}",
			"from_ns", tw_json_of_u64(part->from_ns),
			"to_ns", tw_json_of_u64(part->to_ns), "iops", part->iops,
			"mean_ns", part->iops > 0 ? json_real(part->mean_ns) : NULL));
	}
	return list;
}

json_t *tw_report_steady_to_json(const struct tw_report_group *group)
{
	static const char *const verdicts[] = { "not known", "steady", "uneven", "changed", "drifts" };
	const struct tw_report_steady *steady = &group->steady;
	const int is_quoted = steady->count && steady->verdict != TW_STEADY_DRIFTS &&
			      is_quotable(steady);
	const int is_level = steady->verdict != TW_STEADY_NOT_KNOWN &&
			     steady->verdict != TW_STEADY_DRIFTS;

	if (!tw_report_windows(group))
		return NULL;
	return json_pack("{s:s, s:s, s:o*, s:o*, s:o*, s:o*}",
		"verdict", verdicts[steady->verdict], "text", tw_report_say_steady(steady),
		"iops_error", is_level ? json_real(steady->error[0]) : NULL,
		"mean_error", is_level ? json_real(steady->error[1]) : NULL,
		"quoted", is_quoted ? tw_json_of_u64(steady->quoted) : NULL,
		"parts", steady->count ? parts_to_json(steady) : NULL);
}
