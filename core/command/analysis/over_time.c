/* SPDX-License-Identifier: MIT */
/*
 * A group over the time of its run: the windows of its tally, at times since the start
 * of its first job.
 */
#include <string.h>

#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "latency/histogram.h"

uint32_t tw_report_windows(const struct tw_report_group *group)
{
	return tw_has(&group->all.tally, TW_METRIC_OVER_TIME) ? group->all.tally.over_time.count : 0;
}

static uint64_t sum(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* Return when the first job's first I/O begins, or when the last job's last I/O ends:
 * CLOCK_REALTIME. */
static uint64_t edge_of_run(const struct tw_report_group *group, int is_end)
{
	uint64_t edge_ns = is_end ? 0 : UINT64_MAX;

	for (size_t i = 0; i < group->all.job_count; i++) {
		const struct tw_report_job *job = &group->all.jobs[i];
		const uint64_t first_ns = sum(job->start_ns, job->first_ns);
		const uint64_t end_ns = sum(first_ns, job->run_ns);

		if (is_end && end_ns > edge_ns)
			edge_ns = end_ns;
		if (!is_end && first_ns < edge_ns)
			edge_ns = first_ns;
	}
	return edge_ns;
}

uint64_t tw_report_all_ns(const struct tw_report_group *group)
{
	const uint64_t begin_ns = edge_of_run(group, 0), end_ns = edge_of_run(group, 1);

	return end_ns > begin_ns ? end_ns - begin_ns : 0;
}

uint64_t tw_report_window_ns(const struct tw_report_group *group, uint32_t i)
{
	const struct tw_windows *windows = &group->all.tally.over_time;
	const uint64_t start_ns = group->all.jobs[0].start_ns;
	uint64_t at_ns = tw_windows_from_ns(windows, i), edge_ns;

	if (i == 0) {
		edge_ns = edge_of_run(group, 0);
		if (edge_ns > at_ns && edge_ns < at_ns + windows->width_ns)
			at_ns = edge_ns;
	} else if (i == windows->count) {
		edge_ns = edge_of_run(group, 1);
		if (edge_ns < at_ns && edge_ns > at_ns - windows->width_ns)
			at_ns = edge_ns;
	}
	return at_ns > start_ns ? at_ns - start_ns : 0;
}

void tw_report_whole_windows(const struct tw_report_group *group, uint32_t *first, uint32_t *last)
{
	const uint64_t width_ns = group->all.tally.over_time.width_ns;

	*first = 0;
	*last = tw_report_windows(group);
	if (*last && tw_report_window_ns(group, 1) - tw_report_window_ns(group, 0) < width_ns)
		++*first;
	if (*last && tw_report_window_ns(group, *last) -
		     tw_report_window_ns(group, *last - 1) < width_ns)
		--*last;
}

int tw_report_has_windows(const struct tw_report_group *group, int direction)
{
	for (uint32_t i = 0; i < tw_report_windows(group); i++)
		if (tw_windows_get(&group->all.tally.over_time, i)->lat[direction].count)
			return 1;
	return 0;
}

/* The style draws lines of this colour wider. */
#define COLOR_OF_LAT	5

_Static_assert(TW_REPORT_ROWS + TW_SYNC_WAKE - TW_SYNC_WORKER < TW_PLOT_COLORS,
	       "each stage and each part of a sync has a colour of its own");

int tw_report_color_of(int time)
{
	int other = time < TW_LAT ? time : time - 1;

	if (time >= TW_SYNC_WORKER)
		return TW_REPORT_ROWS + time - TW_SYNC_WORKER;
	if (time == TW_LAT)
		return COLOR_OF_LAT;
	return other < COLOR_OF_LAT ? other : other + 1;
}

int tw_report_color_of_name(const char *name)
{
	for (int time = 0; time <= TW_SYNC_WAKE; time++)
		if ((time < TW_REPORT_ROWS || time >= TW_SYNC_WORKER) &&
		    !strcmp(tw_time_metrics[time].name, name))
			return tw_report_color_of(time);
	return tw_report_color_of(TW_REPORT_ROWS - 1);
}
