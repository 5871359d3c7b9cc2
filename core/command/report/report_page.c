/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as a page. The order of the blocks is here, and what is short; the other
 * parts are in files of their own, which report_parts.h names. Text ends with what was
 * found, where a terminal shows it. What fills a screen without
 * being needed to see what is slow is in HTML, and in text with --all.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "latency/histogram.h"

static const double percents[] = { 50, 90, 99, 99.9, 99.99 };

/* Text has the parts of blockq from this part of lat on: a tenth. */
#define LARGE_PART	10

/* Groups that are not steady and have lines of their own, at most. */
#define MOST_UNSTEADY	3

/* ---- what was found ------------------------------------------------------ */

/* Are the causes of slow I/Os missing, as no job was told to find them? */
static int lacks_causes(const struct tw_report_group *group)
{
	for (size_t i = 0; i < group->all.job_count; i++)
		if (json_object_get(group->all.jobs[i].json, "causes"))
			return 0;
	for (size_t i = 0; i < group->all.slow_count; i++)
		if (json_object_get(group->all.slowest[i].json, "causes"))
			return 0;
	return 1;
}

/* End the page: what +- means, if it has one, and what to run to learn more. */
static void add_end(struct tw_page *page, const struct tw_report_group *groups, int lacks,
		    enum tw_media medium, unsigned with)
{
	const int attached = groups->all.attached != NULL;

	tw_page_paragraph(page, "%s", tw_page_media_with(page, "+-") & medium ? "+- at 95 %" : "");
	tw_page_only(page, medium);
	if (medium == TW_IN_TEXT && !attached && !(with & TW_REPORT_WITH_ALL))
		tw_page_also(page, "more: report --all, --html=FILE");
	if (lacks)
		tw_page_also(page, "%s --causes", attached ? "attach" : "run");
}

/* @who: "JOB: " where there are several. */
static void add_limit(struct tw_page *page, const struct tw_report_group *group, const char *who)
{
	json_t *limit = tw_report_limit_to_json(group);

	if (limit)
		tw_page_paragraph(page, "%s%s", who, tw_report_string(limit, "text"));
	json_decref(limit);
}

/* Add where the time went, what is not in it, and why the slow I/Os were slow. The rest of
 * the page is the evidence. Return: there is a tail without causes. */
static int add_answers(struct tw_page *page, const struct tw_report_group *group)
{
	int any = 0, tails = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++) {
		if (!tw_report_shows_direction(group, i))
			continue;
		tw_report_add_largest(page, group, i, tw_direction_names[i]);
		if (!group->all.tally.times[TW_LAT][i].count)
			tw_page_paragraph(page, "%s: no I/O has a latency",
					  tw_direction_names[i]);
		if (!any++)
			tw_report_add_not_split(page, group);
		if (!tw_report_has_times(&group->all.tally, i))
			tw_report_add_kinds(page, group, i);
	}
	if (!any && !group->all.attached)
		tw_page_paragraph(page, "no I/O was done");
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		const char *text = tw_report_say_tail(group, i);

		if (text)
			tw_page_paragraph(page, "%s", text);
		tails += text != NULL;
	}
	tw_report_add_deliver(page, group);
	tw_report_add_most_waited(page, group);
	return tails && lacks_causes(group);
}

/* ---- the stages ---------------------------------------------------------- */

static void add_row(struct tw_table *table, const struct tw_report_means *means,
		    const struct tw_tally *tally, unsigned time, int direction)
{
	const struct tw_histogram *histogram = &tally->times[time][direction];
	const uint64_t of = tw_tally_time_ios(tally, time, direction);
	/* The few I/Os that could not be split say nothing of the others. */
	const int is_rest = time == TW_KERNEL && tally->counts[direction].split > of;

	/* `kernel` has a mean, even if no I/O was chosen to be split. */
	if (!tw_tally_stage_ns(tally, time, direction) && !histogram->count)
		return;
	tw_table_row(table);
	tw_cell_text(table, tw_time_metrics[time].name);
	tw_cell_u64(table, of);
	tw_report_add_ns(table, of && !is_rest, (double)histogram->min_ns);
	/* Parts of lat as the sum has them, too. */
	if (tw_time_is_of_lat(time))
		tw_report_add_mean(table, means, means->digits[time]);
	else
		tw_cell_ns(table, tw_tally_mean_ns(tally, time, direction));
	tw_report_add_ns(table, histogram->count > 1 && !is_rest,
			 tw_histogram_stddev_ns(histogram));
	for (size_t j = 0; j < TW_LENGTH(percents); j++)
		tw_report_add_percentile(table, histogram, is_rest ? 0 : (double)of, percents[j]);
	tw_report_add_ns(table, of && !is_rest, (double)histogram->max_ns);
}

/* @rest: the media with what no answer needs, too. */
static void add_rows(struct tw_page *page, const struct tw_tally *tally,
		     int direction, unsigned rest)
{
	struct tw_column columns[] = {
		{ "stage", .width = 10, .flags = TW_COLUMN_LEFT },
		{ "I/Os", .media = rest },
		{ "min", .media = TW_IN_HTML }, { .heading = "mean" },
		{ "std. dev.", .media = TW_IN_HTML },
		/* The percentiles. */
		{ .heading = "" }, { .heading = "" }, { .heading = "" },
		{ .heading = "" }, { .heading = "", .media = rest },
		{ .heading = "max" },
	};
	const size_t count = TW_LENGTH(columns);
	struct tw_report_means means;
	struct tw_table *table;

	tw_report_find_means(&means, tally, TW_LAT, direction);
	for (size_t i = 0; i < TW_LENGTH(percents); i++)
		columns[5 + i].heading = tw_format("p%g", percents[i]);
	for (size_t i = 2; i < count; i++) {
		columns[i].width = 7;
		columns[i].flags = TW_COLUMN_NARROW;
	}
	table = tw_page_table(page, columns, count);
	for (unsigned n = 0; n < TW_TIMES; n++) {
		const unsigned i = n < TW_STAGES ? (unsigned)tw_stage_in_time((int)n) : n;

		if (i == TW_KERNEL && tw_report_has_sync_parts(tally, direction))
			for (unsigned part = TW_SYNC_WORKER; part <= TW_SYNC_WAKE; part++)
				add_row(table, &means, tally, part, direction);
		else if (i < TW_REPORT_ROWS || (i >= TW_COMPLETE_WORKER && i <= TW_COMPLETE_WAKE &&
						tw_report_has_write_sync(tally, direction)))
			add_row(table, &means, tally, i, direction);
	}
}

/* Of several directions: is nearly all of lat in `kernel`, which is not split? Then the
 * answers tell as much as the table does, if there are no I/Os that it tells apart. */
static int is_evident(const struct tw_report_group *group, int direction)
{
	const struct tw_tally *tally = &group->all.tally;
	int others = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		others |= i != direction && tw_report_has_times(tally, i);
	for (size_t i = 0; i < TW_COUNTS; i++)
		if (tally->counts[direction].at[i] && (tw_count_metrics[i].show == TW_APART ||
						       tw_count_metrics[i].show == TW_IN_FIO_LAT))
			return 0;
	return others && !tw_report_has_sync_parts(tally, direction) &&
	       20 * tw_tally_stage_ns(tally, TW_KERNEL, direction) >
	       19 * tw_tally_stage_ns(tally, TW_LAT, direction);
}

static void add_direction(struct tw_page *page, const struct tw_report_group *group,
			  int direction, unsigned with)
{
	const struct tw_tally *tally = &group->all.tally;

	if (!tw_report_has_times(tally, direction))
		return;
	if (is_evident(group, direction))
		tw_page_begin_only(page, tw_report_rest(with));
	tw_page_heading(page, 3, "%s: %s", tw_direction_names[direction],
			TW_SAY_COUNT(tally->counts[direction].ios, "I/O[s]"));
	add_rows(page, tally, direction, tw_report_rest(with));
	if (with & TW_REPORT_WITH_HTML)
		tw_report_add_percentiles(page, tally, direction);
	tw_report_add_sum(page, group, direction, "");
	tw_report_add_kinds(page, group, direction);
	/* A sync has no requests of its own. */
	if (direction == TW_SYNC && !group->all.attached)
		tw_report_add_unsplit_syncs(page, group);
	else if (!tw_report_has_sync_parts(tally, direction))
		tw_report_add_inside(page, group, direction, tw_report_rest(with));
	tw_report_add_parts(page, &group->all, TW_COMPLETE, direction);
	if (tw_tally_stage_ns(tally, TW_BLOCKQ, direction) <
	    tally->times[TW_LAT][direction].sum_ns / LARGE_PART)
		tw_page_begin_only(page, tw_report_rest(with));
	tw_report_add_parts(page, &group->all, TW_BLOCKQ, direction);
	tw_page_begin_only(page, tw_report_rest(with));
	tw_report_add_call(page, tally, direction);
	/* Only a job with a rate has a schedule. */
	if ((tally->times[TW_BACKLOG][direction].count ||
	     tally->times[TW_RATE_BACKLOG][direction].count) &&
	    tw_has(tally, TW_METRIC_backlog_at_end_ns))
		tw_page_remark(page, "behind the schedule at the end: %s%s (at most %s off)",
			       TW_SAY_NS(tally->counts[direction].backlog_at_end_ns),
			       group->all.job_count > 1 ? " in the job farthest behind" : "",
			       TW_SAY_ROUND(tally->scalars.schedule_ns));
	tw_page_begin_only(page, TW_IN_ALL);
	tw_report_add_others_times(page, group, direction, tw_report_rest(with));
}

/* ---- the rest of a group ------------------------------------------------- */

/* Add what made I/Os of an open loop late. */
static void add_open_loop(struct tw_page *page, const struct tw_tally *tally)
{
	const double own = tw_report_own_backlog(tally);

	if (!tw_has(tally, TW_METRIC_depth_reached))
		return;
	tw_page_paragraph(page, "open loop: %s came while iodepth I/Os were in flight",
			  TW_SAY_COUNT(tally->scalars.depth_reached, "I/O[s]"));
	if (own >= 0)
		tw_page_more(page, "; fio, the engine, its submitting calls or a missing CPU caused "
			     "%.0f %% of backlog", 100 * own);
}

/* Add what needs an engine. Reports of `tickwise attach` do not have it. */
static void add_of_engine(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with)
{
	const int of_intervals = tw_report_is_of_intervals(group);

	tw_report_add_cost(page, group, tw_report_rest(with));
	if (with & TW_REPORT_WITH_ALL)
		tw_report_add_over_time(page, group);
	tw_page_begin_only(page, TW_IN_ALL);
	tw_report_add_slowest(page, group, with);
	if (!group->span.is_wanted)
		tw_report_add_trigger(page, group, with);
	if (!of_intervals)
		tw_report_add_clocks(page, group, with);
	tw_page_begin_only(page, tw_report_rest(with));
	tw_page_gap(page);
	add_open_loop(page, &group->all.tally);
	if (!of_intervals)
		tw_report_add_counter(page, group, 0);
	tw_page_begin_only(page, TW_IN_ALL);
}

static void add_name(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *job = &group->all.jobs[0];

	tw_page_heading(page, 2, "%s, group %llu of %s", job->name,
			(unsigned long long)job->groupid, job->host);
}

/* Has it a verdict of its counter? */
static int has_counter(const struct tw_report_group *group)
{
	return !group->all.attached && (!tw_report_is_of_intervals(group) || group->fallbacks);
}

/* Add what to know before the numbers are believed. @who: as above. */
static void add_warnings(struct tw_page *page, const struct tw_report_group *group,
			 const char *who)
{
	tw_report_warn_rate(page, group, who);
	tw_report_warn_errors(page, group, who);
	tw_report_warn_apart(page, group, who);
	tw_report_warn_inside(page, group, who);
	tw_report_warn_holes(page, &group->all, who);
}

static void add_group(struct tw_page *page, const struct tw_report_group *group,
		      int is_only_one, unsigned with)
{
	int attached = group->all.attached != NULL;
	struct tw_odd odd;

	tw_page_gap(page);
	if (!is_only_one) {
		add_name(page, group);
		tw_page_only(page, TW_IN_HTML);
	}
	if (group->is_empty) {
		tw_report_add_empty(page, group);
		return;
	}
	if (has_counter(group))
		tw_report_add_counter(page, group, 1);
	if (is_only_one)
		add_warnings(page, group, "");
	tw_report_add_headline(page, group, is_only_one, with);
	add_limit(page, group, "");
	tw_report_add_intervals(page, group);
	tw_page_begin_only(page, TW_IN_HTML);
	add_answers(page, group);
	tw_page_begin_only(page, TW_IN_ALL);
	if (is_only_one) {
		tw_report_add_odd(page, &odd, group, 1, with);
		tw_odd_free(&odd);
		tw_report_add_hosts(page, group, 1);
	}
	for (int i = 0; i < TW_DIRECTIONS; i++)
		add_direction(page, group, i, with);
	tw_report_add_waits(page, group, with);
	if (!attached) {
		add_of_engine(page, group, with);
	} else {
		tw_report_add_attached(page, group);
		tw_report_add_slowest(page, group, with);
	}
}

/* ---- what the words mean ------------------------------------------------- */

static void add_legend(struct tw_page *page, const struct tw_report_group *groups,
		       size_t count)
{
	unsigned digits = 0;		/* of the coarsest histogram; 0: there is none */
	int shown[TW_TIMES] = { 0 };

	for (size_t i = 0; i < count; i++)
		for (int j = 0; j < TW_TIMES * TW_DIRECTIONS; j++) {
			const struct tw_histogram *of = &groups[i].all.tally.times
				[j / TW_DIRECTIONS][j % TW_DIRECTIONS];

			if (of->count && (!digits || of->digits < digits))
				digits = of->digits;
			shown[j / TW_DIRECTIONS] |= of->count &&
				(j / TW_DIRECTIONS != TW_WORKER || of->sum_ns);
		}
	if (digits == 0)
		return;
	tw_page_heading(page, 2, "What the words mean");
	shown[TW_BEFORE] = shown[TW_ADMISSION] = shown[TW_SCHEDULER];
	for (int i = 0; i < TW_TIMES; i++)
		if (shown[i] && (i < TW_REPORT_ROWS || tw_time_metrics[i].parent == TW_BLOCKQ ||
				 tw_time_metrics[i].parent == TW_KERNEL ||
				 tw_time_metrics[i].parent == TW_COMPLETE))
			tw_page_fact(page, tw_time_metrics[i].name, "%s",
				     tw_report_time_is(groups, count, i));
	tw_page_note(page, "min, mean and max are as stamped; percentiles are at most "
		     "%g %% above; -: too few I/Os, none lies above that percentile",
		     100 / pow(10, digits));
}

static int is_unknown(const struct tw_report_group *group)
{
	return tw_report_windows(group) && group->steady.verdict == TW_STEADY_NOT_KNOWN &&
	       !group->steady.is_apart;
}

static int is_apart(const struct tw_report_group *group)
{
	return tw_report_windows(group) && group->steady.is_apart;
}

static int has_errors(const struct tw_report_group *group)
{
	uint64_t errors = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		errors += group->all.tally.counts[i].errors;
	return errors != 0;
}

static int is_cut(const struct tw_report_group *group)
{
	return group->without_end != 0;
}

/* Return the group of one of several jobs or hosts. */
static const struct tw_report_group *group_of(const struct tw_report_group *groups,
					      const struct tw_odd_one *one)
{
	while (&groups->all != one->report)
		groups++;
	return groups;
}

/* Name the jobs or hosts that something is true of. */
static void add_names(struct tw_page *page, const struct tw_odd *odd,
		      const struct tw_report_group *groups, const char *before,
		      int (*is_true)(const struct tw_report_group *group))
{
	int any = 0;

	for (size_t i = 0; i < odd->all; i++) {
		if (!is_true(group_of(groups, &odd->list[i])))
			continue;
		if (!any++)
			tw_page_paragraph(page, "%s", before);
		tw_page_more(page, "%s %s", any > 1 ? "," : "",
			     tw_odd_name(odd, &odd->list[i]));
	}
}

/* Did none of the groups run at the same time as another? */
static int are_in_turn(const struct tw_report_group *groups, size_t count)
{
	for (size_t i = 0; i < count * count; i++) {
		const struct tw_report_group *a = &groups[i / count], *b = &groups[i % count];

		if (a < b && a->all.jobs->start_ns < b->all.jobs->start_ns + b->run_ns &&
		    b->all.jobs->start_ns < a->all.jobs->start_ns + a->run_ns)
			return 0;
	}
	return 1;
}

/* Return which of several groups it is: "JOB" or, if there are several hosts, "JOB on HOST". */
static const char *who_is(const struct tw_report_group *group,
			  const struct tw_report_group *groups, size_t count)
{
	const struct tw_report_job *job = group->all.jobs;

	for (size_t i = 0; i < count; i++)
		if (strcmp(groups[i].all.jobs->host, job->host))
			return tw_format("%s on %s", job->name, job->host);
	return job->name;
}

/* Add which part of each group that is not steady is to be quoted. */
static void add_unsteady(struct tw_page *page, const struct tw_report_group *groups, size_t count,
			 unsigned with)
{
	size_t number = 0;

	for (size_t i = 0; i < count; i++) {
		const char *who = who_is(&groups[i], groups, count);

		if (groups[i].steady.verdict == TW_STEADY_NOT_KNOWN ||
		    groups[i].steady.verdict == TW_STEADY)
			continue;
		if (++number <= MOST_UNSTEADY)
			tw_report_add_steady(page, &groups[i], tw_format("%s: ", who));
		else if (number == MOST_UNSTEADY + 1)
			tw_page_warning(page, "not steady or uneven%s: %s",
					with ? "" : " (--all)", who);
		else
			tw_page_more(page, ", %s", who);
	}
}

/* Add several groups in short: what to know before their numbers are believed, a table of
 * them, and the answers of the first in it. */
static void add_several(struct tw_page *page, const struct tw_report_group *groups, size_t count,
			const char *title, unsigned with)
{
	const struct tw_report_group *worst = NULL;	/* by its counter */
	struct tw_odd odd;
	int lat_only;

	tw_page_paragraph(page, "%s: %zu groups of jobs, %s", title, count,
			  are_in_turn(groups, count) ? "one after another" : "in part at the same "
			  "time");
	tw_report_add_shared(page, groups, count);
	lat_only = tw_report_add_part(page, groups, count);
	tw_page_only(page, TW_IN_TEXT);
	for (size_t i = 0; i < count; i++) {
		const char *who = tw_format("%s: ", who_is(&groups[i], groups, count));

		add_warnings(page, &groups[i], who);
		add_limit(page, &groups[i], who);
		if (groups[i].is_empty) {
			tw_report_add_empty(page, &groups[i]);
			tw_page_only(page, TW_IN_TEXT);
		}
		if (has_counter(&groups[i]) &&
		    (!worst || groups[i].all.verdict > worst->all.verdict ||
		     (groups[i].fallbacks && !worst->fallbacks)))
			worst = &groups[i];
	}
	if (worst)
		tw_report_add_counter(page, worst, 1);
	add_unsteady(page, groups, count, with);
	if (with & TW_REPORT_WITH_HTML)
		tw_report_add_top(page, groups, count);
	tw_page_contents(page);
	tw_report_add_odd(page, &odd, groups, count, with);
	tw_report_add_hosts(page, groups, count);
	tw_page_begin_only(page, TW_IN_TEXT);
	for (size_t i = 0; i < odd.all; i++)
		tw_report_add_waited(page, group_of(groups, &odd.list[i]),
				     tw_odd_name(&odd, &odd.list[i]));
	if (odd.kind == TW_ODD_HOSTS && !are_in_turn(groups, count) &&
	    !strcmp(groups[0].all.jobs->name, groups[1].all.jobs->name))
		tw_page_paragraph(page, "their sum: report --merge-hosts");
	add_names(page, &odd, groups, "too short, or too few I/Os, to tell whether steady:",
		  is_unknown);
	add_names(page, &odd, groups, "not judged, as the jobs of their hosts began at different "
		  "times:", is_apart);
	add_names(page, &odd, groups, "with errors:", has_errors);
	add_names(page, &odd, groups, "killed, or still running:", is_cut);
	if (odd.count && !lat_only && !(with & TW_REPORT_WITH_ALL)) {
		tw_page_gap(page);
		tw_page_paragraph(page, "%s, %s:", odd.list->is_slow ? "odd" : "largest mean lat",
				  tw_odd_name(&odd, odd.list));
		add_end(page, groups, add_answers(page, group_of(groups, odd.list)), TW_IN_TEXT,
			with);
		tw_page_begin_part(page, TW_IN_HTML);
	}
	tw_page_begin_only(page, TW_IN_ALL);
	tw_odd_free(&odd);
}

struct tw_page *tw_report_page(const struct tw_report_group *groups, size_t count,
			       unsigned with)
{
	const struct tw_report_group **list = tw_malloc(count * sizeof(*list));
	const char *title;
	struct tw_page *page;
	int lacks = 0;

	for (size_t i = 0; i < count; i++)
		list[i] = &groups[i];
	title = tw_report_title(list, count);
	page = tw_page_new(title);
	if (count > 1)
		add_several(page, groups, count, title, with);
	free(list);
	for (size_t i = 0; i < count && (count == 1 || with); i++)
		add_group(page, &groups[i], count == 1, with);
	tw_page_begin_only(page, tw_report_rest(with));
	add_legend(page, groups, count);
	tw_page_begin_only(page, TW_IN_TEXT);
	tw_page_gap(page);
	for (size_t i = 0; i < count && (count == 1 || with); i++) {
		if (groups[i].is_empty)
			continue;
		if (count > 1)
			add_name(page, &groups[i]);
		lacks |= add_answers(page, &groups[i]);
	}
	if (count == 1 || with)
		add_end(page, groups, lacks, TW_IN_TEXT, with);
	tw_page_begin_part(page, TW_IN_ALL);
	add_end(page, groups, lacks, TW_IN_HTML, with);
	return page;
}
