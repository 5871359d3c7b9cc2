/* SPDX-License-Identifier: MIT */
/*
 * The top of a page in HTML: in a sentence what is slow and why, the figures of a group, and
 * where its time goes as bars. Those of several jobs are in one plot, below their load.
 */
#include <ctype.h>
#include <stdlib.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"

#define MAX_BARS	30	/* in the plot of all jobs */
#define LARGE_PERCENT	10	/* stages from here on are in the sentence */

static const char *name_of(const struct tw_report_group *group)
{
	return group->all.jobs[0].name;
}

/* ---- the sentence --------------------------------------------------------- */

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

static double percent_of(const struct part *part, unsigned stage)
{
	return tw_report_percent_of_lat(&part->group->all.tally, stage, part->direction);
}

/* Add up to @most of the large stages, the largest first: "62 % in device, 26 % in complete";
 * with @is_plain also in words for those who know no stages. */
static void more_stages(struct tw_page *page, const struct part *part, int most, int is_plain)
{
	double below = 101;

	if (!tw_report_has_all_stages(&part->group->all.tally, part->direction)) {
		tw_page_more(page, "stages not known of all I/Os");
		return;
	}
	for (int i = 0; i < most; i++) {
		int largest = -1;

		for (int j = 0; j <= TW_SYNC_WAKE; j++)
			if (tw_report_adds_up(&part->group->all.tally, (unsigned)j,
					      part->direction) &&
			    percent_of(part, (unsigned)j) < below &&
			    (largest < 0 || percent_of(part, (unsigned)j) >
			     percent_of(part, (unsigned)largest)))
				largest = j;
		if (largest < 0)
			break;
		below = percent_of(part, (unsigned)largest);
		if (i && below < LARGE_PERCENT)
			break;
		tw_page_more(page, is_plain ? "%s%.0f %% %s (stage %s)" : "%s%.0f %% %s%s",
			     i ? ", " : "", below, is_plain ?
			     tw_report_where((unsigned)largest) : "in ",
			     tw_time_metrics[largest].name);
	}
}

/* Tell why the slowest I/Os were slow. What fio does with each I/O, all of them have. */
static void more_cause(struct tw_page *page, const struct part *part)
{
	const char *verify = tw_report_verify(part->group);
	const char *text = tw_report_say_main_cause(part->group, part->direction);

	if (verify && part->direction == TW_READ &&
	    percent_of(part, TW_DELIVER) >= LARGE_PERCENT)
		tw_page_more(page, ". fio verifies each I/O (verify=%s)", verify);
	if (text)
		tw_page_more(page, ". %c%s", toupper((unsigned char)text[0]), text + 1);
}

/* Tell of the only group how fast it was, and where its time went. */
static void more_of_one(struct tw_page *page, const struct part *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const char *name = tw_direction_names[list[i].direction];

		if (i)
			tw_page_more(page, ". ");
		if (list[i].group->run_ns)
			tw_page_more(page, "%s %ss a second took ",
				     TW_SAY_NUMBER(iops_of(&list[i])), name);
		else
			tw_page_more(page, "%ss took ", name);
		tw_page_more(page, "%s in the mean: ", TW_SAY_NS(list[i].mean_ns));
		more_stages(page, &list[i], 3, 1);
		more_cause(page, &list[i]);
	}
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
		const char *name = name_of(part->group);
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
			name_of(list[i].group), tw_direction_names[list[i].direction],
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

void tw_report_add_steady(struct tw_page *page, const struct tw_report_group *group,
			  const char *who)
{
	const struct tw_report_steady *steady = &group->steady;
	int any = 0;

	if (!tw_report_windows(group))
		return;
	tw_page_add(page, steady->count ? TW_BLOCK_WARNING : TW_BLOCK_PARAGRAPH, "%s%s", who,
		    tw_report_say_steady(steady));
	for (size_t i = 0; i < steady->count && steady->verdict == TW_STEADY_CHANGED && !*who;
	     i++) {
		const struct tw_report_part *part = &steady->parts[i];

		if (i == steady->quoted)
			continue;
		if (!any++)
			tw_page_item(page, "the rest:");
		tw_page_more(page, "%s %s %s", any > 1 ? ";" : "",
			     tw_report_say_span(part), part->iops > 0 ?
			     tw_format("%s IOPS, %s", TW_SAY_NUMBER(part->iops),
				       TW_SAY_NS(part->mean_ns)) : "no I/Os");
	}
}

void tw_report_add_first(struct tw_page *page, const struct tw_report_group *group)
{
	if (group->is_empty)
		return;
	tw_page_begin_only(page, TW_IN_HTML);
	tw_report_add_steady(page, group, "");
	tw_report_add_figures(page, group);
	tw_page_begin_only(page, TW_IN_ALL);
	tw_report_add_bars(page, group);
}

void tw_report_add_top(struct tw_page *page, const struct tw_report_group *groups,
		       size_t count)
{
	size_t number;
	struct part *list = list_parts(groups, count, &number);

	if (number && count == 1) {
		tw_page_paragraph(page, "%s", "");
		tw_page_only(page, TW_IN_HTML);
		more_of_one(page, list, number);
		tw_page_more(page, ".");
	}
	if (count == 1)
		tw_report_add_first(page, groups);
	for (int i = 0; i < TW_DIRECTIONS && count > 1; i++)
		add_load(page, list, number, i);
	if (number && count > 1)
		add_comparison(page, list, number);
	free(list);
}
