/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as one file of HTML that needs nothing else: no script, no
 * other file, no network; its policy forbids them all. It is well-formed XML,
 * too. Names come out of files that anybody may have written, so all text
 * passes tw_html_text(), which leaves no byte that means something in HTML.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/output/format.h"
#include "command/output/html.h"
#include "command/report/attached.h"
#include "command/report/plot.h"
#include "command/report/report.h"
#include "command/report/want.h"
#include "latency/histogram_json.h"

/* Rows of the table of the slowest I/Os; all are in the JSON. */
#define MOST_SLOWEST	100

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

#define PERCENTS	(sizeof(percents) / sizeof(*percents))

/* ---- text ----------------------------------------------------------------- */

/* A name can't turn the direction of the text around it. */
static void put_name(FILE *file, const char *name)
{
	fputs("<bdi>", file);
	tw_html_text(file, name);
	fputs("</bdi>", file);
}

static void put_u64(FILE *file, uint64_t value)
{
	fprintf(file, "%llu", (unsigned long long)value);
}

static void cell(FILE *file, const char *text)
{
	fprintf(file, "<td>%s</td>", text);
}

static void cell_ns(FILE *file, double ns)
{
	char text[TW_FORMAT_SIZE];

	cell(file, tw_format_ns(text, ns));
}

/* Ticks and the like: strings in the file. */
static void cell_string(FILE *file, const json_t *object, const char *key)
{
	const char *string = json_string_value(json_object_get(object, key));

	fputs("<td>", file);
	tw_html_text(file, string ? string : "-");
	fputs("</td>", file);
}

static void cell_u64(FILE *file, const json_t *object, const char *key)
{
	fputs("<td>", file);
	put_u64(file, tw_report_u64(object, key));
	fputs("</td>", file);
}

static void key(FILE *file, int color, const char *name)
{
	fprintf(file, "<span><svg class=\"key\" viewBox=\"0 0 28 10\">"
		"<path class=\"s%d\" d=\"M0 5H28\"/></svg>%s</span>\n", color,
		name);
}

/* ---- the head of a group --------------------------------------------------- */

static void put_counter(FILE *file, const struct tw_report_group *group)
{
	char *text = tw_report_counter_text(group);

	if (!text)
		return;
	fputs(tw_report_counter_warns(group) ? "<p class=\"warn\">Warning: " :
					       "<p>Note: ", file);
	tw_html_text(file, text);
	fputs("</p>\n", file);
	free(text);
}

static void put_inside_warning(FILE *file, const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];

	if (tw_report_warn_inside(text, sizeof(text), group))
		fprintf(file, "<p class=\"warn\">Warning: %s</p>\n", text);
}

static void put_files(FILE *file, const struct tw_report_group *group)
{
	fprintf(file, "<details><summary class=\"dim\">%zu %s</summary>"
		"<p class=\"dim\">", group->size,
		group->size == 1 ? "file" : "files");
	for (size_t i = 0; i < group->size; i++) {
		put_name(file, group->members[i]->path);
		fputs(i + 1 < group->size ? ", " : "", file);
	}
	fputs("</p></details>\n", file);
}

/* Of `tickwise attach`. */
static void put_attached_head(FILE *file, const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];

	tw_report_say_attached(text, sizeof(text), group);
	fprintf(file, "<p>%s on host ", tw_format_ns((char[TW_FORMAT_SIZE]) { "" },
						     (double)group->run_ns));
	put_name(file, group->members[0]->job.host);
	fprintf(file, ", %s</p>\n", text);
}

static void put_head(FILE *file, const struct tw_report_group *group,
		     size_t number)
{
	const struct tw_report_job *job = &group->members[0]->job;
	char run[TW_FORMAT_SIZE];

	fprintf(file, "<h2 id=\"group%zu\">", number);
	put_name(file, job->name);
	fputs("</h2>\n", file);
	if (tw_report_is_attached(group)) {
		put_inside_warning(file, group);
		put_attached_head(file, group);
		put_files(file, group);
		return;
	}
	put_counter(file, group);
	put_inside_warning(file, group);
	fprintf(file, "<p>%zu %s, group %llu, iodepth %llu, %s, ", group->size,
		group->size == 1 ? "job" : "jobs merged",
		(unsigned long long)job->groupid,
		(unsigned long long)job->iodepth,
		tw_format_ns(run, (double)group->run_ns));
	put_name(file, job->fio_version);
	fputs(", engine ", file);
	put_name(file, job->engine);
	fputs(", host ", file);
	put_name(file, job->host);
	if (tw_report_other_hosts(group))
		fprintf(file, " and %zu more", tw_report_other_hosts(group));
	fputs("</p>\n", file);
	put_files(file, group);
}

/* ---- the stages of a direction -------------------------------------------- */

static void put_row(FILE *file, const struct tw_histogram *histogram, int time)
{
	fprintf(file, "<tr><td>%s</td><td>", tw_report_times[time].name);
	put_u64(file, histogram->count);
	fputs("</td>", file);
	cell_ns(file, (double)histogram->min_ns);
	cell_ns(file, tw_histogram_mean_ns(histogram));
	cell_ns(file, tw_histogram_stddev_ns(histogram));
	for (size_t i = 0; i < PERCENTS; i++) {
		/* At least one must lie above it. */
		if ((double)histogram->count * (100 - percents[i]) <
		    99.999999)
			cell(file, "-");
		else
			cell_ns(file, (double)tw_histogram_percentile(histogram,
								percents[i]));
	}
	cell_ns(file, (double)histogram->max_ns);
	fputs("</tr>\n", file);
}

static void put_rows(FILE *file, const struct tw_report_tally *tally,
		     int direction)
{
	fputs("<div class=\"wide\"><table><tr><th>stage</th><th>I/Os</th>"
	      "<th>min</th><th>mean</th><th>std. dev.</th>", file);
	for (size_t i = 0; i < PERCENTS; i++)
		fprintf(file, "<th>p%g</th>", percents[i]);
	fputs("<th>max</th></tr>\n", file);
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tally->times[i][direction].count)
			put_row(file, &tally->times[i][direction], i);
	fputs("</table></div>\n", file);
}

static void put_legend(FILE *file, const struct tw_report_tally *tally,
		       int direction)
{
	fputs("<p class=\"legend\">", file);
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tally->times[i][direction].count)
			key(file, tw_plot_color(i), tw_report_times[i].name);
	fputs("</p>\n", file);
}

static int has_over_time(const struct tw_report_group *group, int direction)
{
	for (size_t i = 0; i < group->over_time.count; i++)
		if (group->over_time.intervals[i].of[direction].count)
			return 1;
	return 0;
}

static int has_p99(const struct tw_report_group *group, int direction)
{
	for (size_t i = 0; i < group->over_time.count; i++)
		if (group->over_time.intervals[i].of[direction].p99_ns)
			return 1;
	return 0;
}

static void put_over_time(FILE *file, const struct tw_report_group *group,
			  int direction)
{
	if (!has_over_time(group, direction))
		return;
	fputs("<figure><h4>lat over time</h4>\n", file);
	tw_plot_latency_over_time(file, &group->over_time, direction);
	fputs("<p class=\"legend\">", file);
	key(file, TW_PLOT_OVER_TIME, "mean");
	if (has_p99(group, direction))
		key(file, TW_PLOT_OVER_TIME + 1, group->size == 1 ? "p99" :
		    "p99 of the worst job (that of all is not above it)");
	key(file, TW_PLOT_OVER_TIME + 2, "max");
	fputs("</p></figure>\n<figure><h4>I/Os over time</h4>\n", file);
	tw_plot_rate_over_time(file, &group->over_time, direction);
	fputs("<figcaption>by the time of completion, since each job's own "
	      "start</figcaption></figure>\n", file);
}

static void put_empty(FILE *file, uint64_t empty)
{
	if (empty == 0)
		return;
	fputs("<p>Among these: ", file);
	put_u64(file, empty);
	fputs(" that moved nothing (the device is gone, or the file ends "
	      "before)</p>\n", file);
}

static void put_direction(FILE *file, const struct tw_report_group *group,
			  int direction)
{
	const struct tw_report_tally *tally = &group->tally;
	uint64_t ios = tally->counts[TW_REPORT_IOS][direction];
	char rate[TW_FORMAT_SIZE], text[TW_REPORT_SENTENCE];

	if (!tw_report_shows_direction(group, direction))
		return;
	fprintf(file, "<h3>%s: ", tw_report_directions[direction]);
	put_u64(file, ios);
	fputs(" I/Os", file);
	if (group->run_ns)
		fprintf(file, ", %s per second", tw_format_number(rate,
			(double)ios * 1e9 / (double)group->run_ns));
	fputs("</h3>\n", file);
	if (tw_report_say_sum(text, sizeof(text), group, direction))
		fprintf(file, "<p>%s</p>\n", text);
	if (tw_report_say_call(text, sizeof(text), tally, direction))
		fprintf(file, "<p>%s</p>\n", text);
	if (!tw_report_is_attached(group) &&
	    tw_report_say_apart(text, sizeof(text), tally, direction))
		fprintf(file, "<p>%s</p>\n", text);
	put_empty(file, tally->counts[TW_REPORT_EMPTY][direction]);
	if (!tw_report_has_rows(group, direction))
		return;
	put_rows(file, tally, direction);
	if (tw_report_say_inside(text, sizeof(text), tally, direction))
		fprintf(file, "<p>%s</p>\n", text);
	if (tw_report_say_schedule(text, sizeof(text), group, direction))
		fprintf(file, "<p>%s</p>\n", text);
	fputs("<div class=\"plots\"><figure><h4>Latency by percentile</h4>\n",
	      file);
	tw_plot_percentiles(file, tally, direction);
	put_legend(file, tally, direction);
	fputs("</figure>\n<figure><h4>Stages compared</h4>\n", file);
	tw_plot_stages(file, tally, direction);
	fputs("<figcaption>thin: min to max; thick: p50 to p99; ring: mean"
	      "</figcaption></figure>\n", file);
	put_over_time(file, group, direction);
	fputs("</div>\n", file);
}

/* What comes out of a file may be in it. */
static void put_paragraph(FILE *file, const char *text)
{
	fputs("<p>", file);
	tw_html_text(file, text);
	fputs("</p>\n", file);
}

/* And frees it; NULL: nothing. */
static void put_and_free(FILE *file, char *text)
{
	if (!text)
		return;
	put_paragraph(file, text);
	free(text);
}

/* ---- single I/Os, clocks ---------------------------------------------------- */

/* A column for a stage that none of them has would say nothing. */
static int any_has_stage(const struct tw_report_group *group, int stage)
{
	const char *key = tw_report_times[stage].key;

	for (size_t i = 0; i < group->slow_count; i++)
		if (json_object_get(json_object_get(group->slowest[i].json,
						    "stages"), key))
			return 1;
	return 0;
}

static int any_has_call(const struct tw_report_group *group)
{
	for (size_t i = 0; i < group->slow_count; i++)
		if (json_object_get(group->slowest[i].json,
				    "submitting_call_ns"))
			return 1;
	return 0;
}

static void cell_json_ns(FILE *file, const json_t *object, const char *key)
{
	uint64_t ns;

	if (tw_json_to_u64(json_object_get(object, key), &ns))
		cell(file, "-");
	else
		cell_ns(file, (double)ns);
}

static int any_has_cause(const struct tw_report_group *group)
{
	for (size_t i = 0; i < group->slow_count; i++)
		if (json_object_get(group->slowest[i].json, "causes"))
			return 1;
	return 0;
}

static void cell_cause(FILE *file, const json_t *slow)
{
	char text[TW_REPORT_SENTENCE] = "-";

	tw_report_say_cause(text, sizeof(text), slow);
	fputs("<td class=\"text\">", file);
	tw_html_text(file, text);
	fputs("</td>", file);
}

static void put_stalls(FILE *file, const struct tw_report_group *group)
{
	const char *why_not = tw_report_why_not(group);
	char text[TW_REPORT_SENTENCE];

	for (size_t i = 0; i < group->stall_count; i++)
		if (tw_report_say_stall(text, sizeof(text), &group->stalls[i]))
			put_paragraph(file, text);
	if (!why_not)
		return;
	snprintf(text, sizeof(text), "Causes: not known: %s", why_not);
	put_paragraph(file, text);
}

/* Of a report of `tickwise attach`. */
static void put_whose(FILE *file, const json_t *slow)
{
	const char *name = json_string_value(json_object_get(slow, "file"));

	fputs(" of ", file);
	put_name(file, name ? name : "?");
}

static void put_slow(FILE *file, const struct tw_report_group *group,
		     const struct tw_report_slow *slow)
{
	const json_t *stages = json_object_get(slow->json, "stages");

	fputs("<tr>", file);
	cell_ns(file, (double)slow->lat_ns);
	fputs("<td class=\"text\">", file);
	put_name(file, json_string_value(json_object_get(slow->json, "ddir")));
	if (slow->report->attached)
		put_whose(file, slow->json);
	fputs("</td>", file);
	cell_u64(file, slow->json, "offset");
	cell_u64(file, slow->json, "size");
	for (int i = 0; i < TW_REPORT_STAGES; i++)
		if (any_has_stage(group, i))
			cell_json_ns(file, stages, tw_report_times[i].key);
	if (any_has_call(group))
		cell_json_ns(file, slow->json, "submitting_call_ns");
	if (any_has_cause(group))
		cell_cause(file, slow->json);
	fputs("<td>", file);
	put_u64(file, slow->report->job.thread_number);
	fputs("</td>", file);
	cell_string(file, slow->json, "monotonic_ns");
	cell_string(file, slow->json, "raw_ns");
	cell_string(file, slow->json, "ticks");
	fputs("</tr>\n", file);
}

static void put_slowest(FILE *file, const struct tw_report_group *group)
{
	size_t shown = group->slow_count < MOST_SLOWEST ? group->slow_count :
							  MOST_SLOWEST;

	if (shown == 0)
		return;
	fprintf(file, "<h3>Slowest I/Os by their lat</h3>\n"
		"<p class=\"dim\">%zu of %zu. Offsets and "
		"sizes in bytes; CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW and the "
		"counter's ticks where lat begins.</p>\n", shown,
		group->slow_count);
	fputs("<div class=\"wide\"><table><tr><th>lat</th>"
	      "<th class=\"text\">what</th><th>offset</th><th>size</th>", file);
	for (int i = 0; i < TW_REPORT_STAGES; i++)
		if (any_has_stage(group, i))
			fprintf(file, "<th>%s</th>", tw_report_times[i].name);
	if (any_has_call(group))
		fputs("<th>submitting call</th>", file);
	if (any_has_cause(group))
		fputs("<th class=\"text\">why</th>", file);
	fputs("<th>job</th><th>MONOTONIC, ns</th><th>RAW, ns</th><th>ticks"
	      "</th></tr>\n", file);
	for (size_t i = 0; i < shown; i++)
		put_slow(file, group, &group->slowest[i]);
	fputs("</table></div>\n", file);
	put_stalls(file, group);
}

/* Since the I/O began, in the whole microseconds that a stamp has. */
static void put_event(FILE *file, const struct tw_report_trigger *trigger,
		      const json_t *event)
{
	const int own = json_is_true(json_object_get(event, "own"));
	const uint64_t at_ns = tw_report_u64(event, "monotonic_ns");

	fprintf(file, "<tr><td>%lld</td>", (long long)(at_ns / 1000) -
		(long long)(trigger->begin_ns / 1000));
	cell_u64(file, event, "cpu");
	fputs("<td class=\"text\">", file);
	put_name(file, json_string_value(json_object_get(event, "task")));
	fputs("</td>", file);
	cell_u64(file, event, "pid");
	fputs(own ? "<td class=\"text\"><b>" : "<td class=\"text\">", file);
	put_name(file, json_string_value(json_object_get(event, "event")));
	fputs(own ? "</b></td>" : "</td>", file);
	fputs("<td class=\"text\">", file);
	put_name(file, json_string_value(json_object_get(event, "args")));
	fputs("</td></tr>\n", file);
}

static void put_events(FILE *file, const struct tw_report *report)
{
	const json_t *events = report->trigger.events;
	size_t count = json_array_size(events);

	if (count == 0)
		return;
	fprintf(file, "<details><summary>%zu events of the kernel around the I/O of "
		"job %llu; bold: of the I/O and of its thread</summary>"
		"<div class=\"wide\"><table><tr>"
		"<th>us since it began</th><th>CPU</th><th class=\"text\">task"
		"</th><th>pid</th><th class=\"text\">event</th>"
		"<th class=\"text\">arguments</th></tr>\n", count,
		(unsigned long long)report->job.thread_number);
	for (size_t i = 0; i < count; i++)
		put_event(file, &report->trigger, json_array_get(events, i));
	fputs("</table></div></details>\n", file);
}

static void put_trigger(FILE *file, const struct tw_report_group *group)
{
	put_and_free(file, tw_report_trigger_text(group));
	for (size_t i = 0; i < group->size; i++)
		put_events(file, group->members[i]);
}

static void put_clock(FILE *file, int which, const struct tw_report_clock *clock)
{
	char text[TW_FORMAT_SIZE];

	fputs("<tr><td>", file);
	fputs(which == TW_REPORT_MONOTONIC ? "CLOCK_MONOTONIC" :
	      tw_report_clocks_names[which], file);
	if (clock->kind[0]) {
		fputs(" (", file);
		tw_html_text(file, clock->kind);
		fputs(")", file);
	}
	fputs("</td><td class=\"text\">", file);
	tw_html_text(file, clock->against);
	fputs("</td>", file);
	cell(file, tw_format_signed(text, clock->error_ns));
	cell(file, tw_format_number(text, clock->uncertainty_ns));
	cell(file, tw_format_signed(text, clock->error_ppb));
	cell(file, tw_format_number(text, clock->uncertainty_ppb));
	cell_ns(file, (double)clock->over_ns);
	fputs("</tr>\n", file);
}

static void put_refit(FILE *file, const struct tw_report_clock *clock)
{
	char bound[TW_FORMAT_SIZE], error[TW_FORMAT_SIZE];

	if (!clock || !clock->refit.known)
		return;
	fprintf(file, "<p>Over the whole run the counter's rate was %.3f Hz, "
		"&#177; %s ppb at most: the one used, from the job's start, ran "
		"%s ppb off that.</p>\n", clock->refit.hz,
		tw_format_number(bound, clock->refit.bound_ppb),
		tw_format_signed(error, clock->refit.frozen_error_ppb));
}

static void put_clocks(FILE *file, const struct tw_report_group *group)
{
	struct tw_report_clock off;
	int any = 0;

	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		any |= group->worst[i] != NULL;
	fprintf(file, "<h3>Clocks in this run%s</h3>\n", any &&
		group->size > 1 ? ": for each, of the job it was farthest off "
		"in" : "");
	if (!any) {
		fputs("<p>None was measured.</p>\n", file);
		return;
	}
	fputs("<div class=\"wide\"><table><tr><th>clock</th><th class=\"text\">"
	      "against</th><th>off, ns</th><th>&#177; ns</th><th>off, ppb</th>"
	      "<th>&#177; ppb</th><th>over</th></tr>\n", file);
	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (group->worst[i])
			put_clock(file, i, group->worst[i]);
	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (tw_report_clock_off_monotonic(group->worst[i], &off))
			put_clock(file, i, &off);
	fputs("</table></div>\n", file);
	put_refit(file, group->worst[TW_REPORT_TICKWISE]);
	fputs("<p class=\"dim\">Plus is fast. "
	      "CLOCK_MONOTONIC_RAW is the kernel's calibration of a crystal, "
	      "not SI; how far that is off can't be seen from inside.</p>\n",
	      file);
}

static void put_missing(FILE *file, const struct tw_report_group *group)
{
	const char *name, *unknown;
	json_t *value;

	if (tw_report_missing(group, 0))
		fputs("<p class=\"dim\">Not recorded by all jobs: ", file);
	for (unsigned i = 0; (name = tw_report_missing(group, i)); i++)
		fprintf(file, "%s%s", i ? ", " : "", name);
	if (tw_report_missing(group, 0))
		fputs("</p>\n", file);
	if (group->over_time_differs)
		fputs("<p class=\"dim\">The jobs' intervals over time differ: "
		      "not shown.</p>\n", file);
	if (json_object_size(group->unknown) == 0)
		return;
	fputs("<p class=\"dim\">In the files, but unknown to this version and "
	      "left out:", file);
	json_object_foreach(group->unknown, unknown, value) {
		fputc(' ', file);
		put_name(file, unknown);
	}
	fputs("</p>\n", file);
}

/* ---- the file --------------------------------------------------------------- */

static void put_contents(FILE *file, const struct tw_report_group *groups,
			 size_t count)
{
	if (count < 2)
		return;
	fputs("<ul>\n", file);
	for (size_t i = 0; i < count; i++) {
		fprintf(file, "<li><a href=\"#group%zu\">", i + 1);
		put_name(file, groups[i].members[0]->job.name);
		fprintf(file, "</a>, group %llu of ", (unsigned long long)
			groups[i].members[0]->job.groupid);
		put_name(file, groups[i].members[0]->job.host);
		fputs("</li>\n", file);
	}
	fputs("</ul>\n", file);
}

static void put_words(FILE *file, const struct tw_report_group *groups,
		      size_t count)
{
	fputs("<h2>What the words mean</h2>\n<div class=\"wide\"><table>\n",
	      file);
	for (int i = 0; i < TW_REPORT_ROWS; i++)
		if (tw_report_shows_time(groups, count, i))
			fprintf(file, "<tr><td>%s</td><td class=\"words\">%s"
				"</td></tr>\n", tw_report_times[i].name,
				tw_report_time_is(groups, count, i));
	fputs("</table></div>\n<p class=\"dim\">min, mean and max are as "
	      "stamped; a percentile is the upper edge of its bin (0.1 % wide "
	      "with the usual 3 digits); -: too few I/Os, none lies above that "
	      "percentile.</p>\n", file);
}

static void put_why(FILE *file, const struct tw_report_group *group)
{
	char text[TW_REPORT_SENTENCE];

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		if (tw_report_say_why(text, sizeof(text), group, i))
			put_paragraph(file, text);
}

static void put_page(FILE *file, const struct tw_report_group *groups,
		     size_t count)
{
	tw_html_begin(file, "latency report", "Latency report");
	put_contents(file, groups, count);
	for (size_t i = 0; i < count; i++) {
		put_head(file, &groups[i], i + 1);
		put_why(file, &groups[i]);
		for (int j = 0; j < TW_REPORT_DIRECTIONS; j++)
			put_direction(file, &groups[i], j);
		put_and_free(file, tw_report_not_split_text(&groups[i]));
		tw_report_put_attached(file, &groups[i]);
		put_slowest(file, &groups[i]);
		put_trigger(file, &groups[i]);
		if (tw_report_is_attached(&groups[i]))
			continue;
		put_clocks(file, &groups[i]);
		put_missing(file, &groups[i]);
	}
	put_words(file, groups, count);
	tw_html_end(file);
}

int tw_report_write_html(const struct tw_report_group *groups, size_t count,
			 const char *path, struct tw_report_problem *problem)
{
	FILE *file = tw_report_open_file(path, problem);

	if (!file)
		return TW_EXIT_IO;
	put_page(file, groups, count);
	return tw_report_close_file(file, path, problem);
}
