/* SPDX-License-Identifier: MIT */
/*
 * The top of a page of several jobs in HTML: their load, and where their time goes as bars in
 * one plot. Here is also the line on whether a job was steady.
 */
#include <stdlib.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"

#define MOST_OTHERS	2	/* parts of a run, with figures */
#define MAX_BARS	30	/* in the plot of all jobs */

/* A direction of a group, with a latency. */
struct part {
	const struct tw_report_group *group;
	int direction;
	double mean_ns;
};

/* List them. The list is to be freed. */
static struct part *list_parts(const struct tw_report_group *groups, size_t count,
			       size_t *number)
{
	struct part *list = tw_malloc(count * TW_DIRECTIONS * sizeof(*list));

	*number = 0;
	for (size_t i = 0; i < count * TW_DIRECTIONS; i++) {
		const struct tw_report_group *group = &groups[i / TW_DIRECTIONS];
		const int direction = (int)(i % TW_DIRECTIONS);
		const struct tw_histogram *lat = &group->all.tally.times[TW_LAT][direction];

		if (lat->count)
			list[(*number)++] = (struct part) {
				group, direction, tw_histogram_mean_ns(lat),
			};
	}
	return list;
}

static double iops_of(const struct part *part)
{
	return (double)part->group->all.tally.counts[part->direction].ios * 1e9 /
	       (double)part->group->run_ns;
}

/* ---- the load ------------------------------------------------------------- */

/* Add a point for each group, at its IOPS and lat. Lines connect groups of several depths. */
static void add_load(struct tw_page *page, const struct part *list, size_t count, int direction)
{
	const struct part *first = NULL;
	struct tw_series *mean, *p99;
	int groups = 0, depths = 1;
	struct tw_plot *plot;

	for (size_t i = 0; i < count; i++) {
		if (list[i].direction != direction || !list[i].group->run_ns)
			continue;
		first = groups++ ? first : &list[i];
		depths += list[i].group->all.jobs[0].iodepth != first->group->all.jobs[0].iodepth;
	}
	if (groups < 2)
		return;
	plot = tw_page_plot(page, .title = tw_format("%s: IOPS and lat of each job",
						     tw_direction_names[direction]),
			    .x = { TW_PLOT_NUMBER, "I/Os completed per second" },
			    .y = { TW_PLOT_NS, "lat" });
	mean = tw_plot_line(plot, "mean", TW_PLOT_MEAN);
	p99 = tw_plot_line(plot, "p99", TW_PLOT_P99);
	for (size_t i = 0; i < count; i++) {
		const struct part *part = &list[i];
		const struct tw_histogram *lat = &part->group->all.tally.times[TW_LAT][direction];
		const char *name = part->group->all.jobs[0].name;
		double iops, p99_ns;

		if (part->direction != direction || !part->group->run_ns)
			continue;
		iops = iops_of(part);
		p99_ns = (double)tw_histogram_percentile(lat, 99);
		tw_plot_tag(mean, iops, part->mean_ns, name, "%s: %s IOPS, mean %s", name,
			    TW_SAY_NUMBER(iops), TW_SAY_NS(part->mean_ns));
		if (depths > 1)
			tw_plot_point(mean, iops, part->mean_ns);
		if (!tw_has_percentile((double)lat->count, 99))
			continue;
		tw_plot_tag(p99, iops, p99_ns, NULL, "%s: %s IOPS, p99 %s", name,
			    TW_SAY_NUMBER(iops), TW_SAY_NS(p99_ns));
		if (depths > 1)
			tw_plot_point(p99, iops, p99_ns);
	}
}

/* ---- the bars ------------------------------------------------------------- */

/* Add a bar for each direction of each group, all with one scale. */
static void add_comparison(struct tw_page *page, const struct part *list, size_t count)
{
	struct tw_plot *plot = tw_page_plot(page, .title = "Where the time of the mean I/O goes",
					    .has_same_scale = 1);

	for (size_t i = 0; i < count && i < MAX_BARS; i++) {
		const struct tw_tally *tally = &list[i].group->all.tally;
		const struct tw_histogram *lat =
			&tally->times[TW_LAT][list[i].direction];
		struct tw_series *stack = tw_plot_stack(plot, "%s, %s: mean %s",
			list[i].group->all.jobs[0].name, tw_direction_names[list[i].direction],
			TW_SAY_NS(list[i].mean_ns));

		if (tw_report_has_all_stages(tally, list[i].direction))
			tw_report_add_stack(stack, tally, list[i].direction,
					    1 / (double)lat->count);
		else
			tw_plot_part(stack, "unknown", tw_report_color_of(TW_KERNEL),
				     list[i].mean_ns);
	}
	if (count > MAX_BARS)
		tw_plot_caption(plot, "The other jobs are below.");
}

/* ---- all ------------------------------------------------------------------ */

/* Return the part with the fewest I/Os a second of those that are not quoted; @sign -1: the most. */
static size_t slowest_other(const struct tw_report_steady *steady, int sign)
{
	size_t slowest = steady->quoted ? 0 : 1;

	for (size_t i = slowest + 1; i < steady->count; i++)
		if (i != steady->quoted &&
		    sign * steady->parts[i].iops < sign * steady->parts[slowest].iops)
			slowest = i;
	return slowest;
}

void tw_report_add_steady(struct tw_page *page, const struct tw_report_group *group,
			  const char *who)
{
	const struct tw_report_steady *steady = &group->steady;
	const size_t others = steady->count - 1;
	int any = 0;

	if (!tw_report_windows(group))
		return;
	tw_page_add(page, steady->count ? TW_BLOCK_WARNING : TW_BLOCK_PARAGRAPH, "%s%s", who,
		    tw_report_say_steady(steady));
	for (size_t i = 0; i < steady->count && steady->verdict == TW_STEADY_CHANGED; i++) {
		const struct tw_report_part *part = &steady->parts[i];

		if (i == steady->quoted || (others > MOST_OTHERS && i != slowest_other(steady, 1) &&
					    i != slowest_other(steady, -1)))
			continue;
		if (!any++)
			tw_page_item(page, others > MOST_OTHERS ? "of the %zu other parts" :
				     "the rest:", others);
		else
			tw_page_more(page, ";");
		if (others > MOST_OTHERS)
			tw_page_more(page, " the %s had", i == slowest_other(steady, 1) ? "slowest" :
				     "fastest");
		tw_page_more(page, " %s (%s)", part->iops > 0 ?
			     tw_format("%s IOPS, %s", TW_SAY_NUMBER(part->iops),
				       TW_SAY_NS(part->mean_ns)) : "no I/Os",
			     tw_report_say_span(part));
	}
}

void tw_report_add_top(struct tw_page *page, const struct tw_report_group *groups,
		       size_t count)
{
	size_t number;
	struct part *list = list_parts(groups, count, &number);

	for (int i = 0; i < TW_DIRECTIONS; i++)
		add_load(page, list, number, i);
	if (number)
		add_comparison(page, list, number);
	free(list);
}
