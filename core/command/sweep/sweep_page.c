/* SPDX-License-Identifier: MIT */
/*
 * The result of tickwise sweep as a page and as JSON: the bounds, what gives way, whether the
 * device changed meanwhile, and the response at each load.
 */
#include <math.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"
#include "command/sweep/sweep_parts.h"
#include "latency/histogram.h"

#define SMALL_BYTES	(1ULL << 30)	/* a drive's own cache may have as much */
#define GENERATOR_PART	0.5		/* of the backlog */
#define BACKLOG_PART	0.2		/* of the response */
#define NEAR_LIMIT	0.9		/* the rate that fails, for a limit to be why */
#define LIMIT_ERROR	1.03		/* times a limit, which is known to 3 % */

static const double percents[] = { 50, 99, 99.9 };

static const char *const bound_names[] = { "undecided", "yes", "no" };

/* ---- what was found ---- */

/* Return the mean of all directions together, as the goal is. */
static double mean_ns(const struct tw_sweep_trials *trials, unsigned stage)
{
	const struct tw_tally *tally = &trials->tally;
	double sum_ns = 0, ios = 0;

	for (int i = 0; i < TW_SYNC; i++) {
		sum_ns += tw_tally_mean_ns(tally, stage, i) * (double)tally->counts[i].ios;
		ios += (double)tally->counts[i].ios;
	}
	return ios > 0 ? sum_ns / ios : 0;
}

/* Return the stage whose mean is the largest, or the most above that of @than, if that is not
 * NULL. A backlog is not meant: it follows from whatever gives way. */
static unsigned largest_stage(const struct tw_sweep_trials *trials,
			      const struct tw_sweep_trials *than)
{
	unsigned largest = TW_QUEUE;

	for (unsigned i = 0; i < TW_BACKLOG; i++)
		if (mean_ns(trials, i) - (than ? mean_ns(than, i) : 0) >
		    mean_ns(trials, largest) - (than ? mean_ns(than, largest) : 0))
			largest = i;
	return largest;
}

static double done_of(const struct tw_sweep_trials *trials)
{
	return trials->done > 0 ? trials->done / trials->done_s :
	       (double)trials->response.count / trials->seconds;
}

const char *tw_sweep_gives_way(const struct tw_sweep *sweep)
{
	const struct tw_search *search = &sweep->search;
	const struct tw_sweep_trials *fails = NULL, *low = search->loads[0].trials;
	const char *text, *where;
	json_t *limit;
	unsigned stage;

	for (size_t i = 0; i < search->count; i++)
		if (search->loads[i].rate == search->fails)
			fails = search->loads[i].trials;
	if (!fails)
		return NULL;
	/* A short backlog is the job's own at each rate. */
	if (tw_report_own_backlog(&fails->tally) > GENERATOR_PART &&
	    mean_ns(fails, TW_BACKLOG) * (double)fails->response.count >
		    BACKLOG_PART * (double)fails->response.sum_ns)
		return "the generator: fio and the engine, or the CPU that they lacked, made the "
		       "I/Os late, and not the device";
	limit = tw_report_limit_to_json(sweep->capacity.last);
	/* A goal may fail far below it. */
	if (search->fails < NEAR_LIMIT * json_real_value(json_object_get(limit, "iops"))) {
		json_decref(limit);
		limit = NULL;
	}
	limit = limit ? limit : tw_report_limit_to_json(fails->last);
	if (limit) {
		text = tw_format("%s", tw_report_string(limit, "text"));
		if (search->holds > LIMIT_ERROR *
				    json_real_value(json_object_get(limit, "iops")))
			text = tw_format("%s. Quote the limit: what is above it was borne only in "
					 "a trial, as a limit lets more through at first", text);
		json_decref(limit);
		return text;
	}
	stage = largest_stage(fails, fails == low ? NULL : low);
	where = stage == TW_COMPLETE && tw_report_has_write_sync(&fails->tally, TW_WRITE) ?
		"the sync after the write, and until the thread runs" : tw_report_where(stage);
	return tw_format("%s, which %s %s: %s", tw_time_metrics[stage].name, fails == low ? "takes" :
			 tw_format("grows from %s to", TW_SAY_NS(mean_ns(low, stage))),
			 TW_SAY_NS(mean_ns(fails, stage)), where);
}

static const char *say_goal(const struct tw_sweep *sweep)
{
	const struct tw_goal *goal = &sweep->search.goal;

	return !(goal->ns > 0) ? tw_format("p%g", goal->percent) :
	       tw_format("p%g <= %s", goal->percent, TW_SAY_ROUND(goal->ns));
}

/* ---- the page ---- */

static unsigned long long in_flight(const struct tw_report *all)
{
	unsigned long long sum = 0;

	for (size_t i = 0; i < all->job_count; i++)
		sum += all->jobs[i].iodepth;
	return sum;
}

static int directions_of(const struct tw_tally *tally)
{
	int count = 0;

	for (int i = 0; i < TW_SYNC; i++)
		count += tally->counts[i].ios > 0;
	return count;
}

/* Return how large the file is that is read, or all files of a job; UINT64_MAX: not known. */
static uint64_t read_bytes(const struct tw_sweep *sweep)
{
	const struct tw_report *all = &sweep->capacity.last->all;
	uint64_t sum = 0;
	size_t i;
	json_t *file;

	if (sweep->target.path)
		return sweep->target.bytes;
	json_array_foreach(all->files, i, file)
		sum += tw_report_u64(file, "size");
	return sum && !all->tally.scalars.files_left_out ? sum : UINT64_MAX;
}

static void add_head(struct tw_page *page, const struct tw_sweep *sweep)
{
	const struct tw_run_target *target = &sweep->target;

	tw_page_paragraph(page, "%s: ", strcmp(sweep->path, ".") ? sweep->path : "this folder");
	if (target->path)
		tw_page_more(page, "random %u KiB reads%s%s, ", target->block_bytes / 1024,
			     target->is_made ? tw_format(" of a temporary file of %s",
							 TW_SAY_BYTES(target->bytes)) : "",
			     target->is_direct ? ", direct" : ", through the page cache, as there "
			     "is no direct I/O here");
	tw_page_more(page, "arrivals at random times; goal %s%s%s", say_goal(sweep),
		     sweep->has_goal ? "" : ", twice the p99 of the lowest load",
		     directions_of(&sweep->capacity.tally) > 1 ?
		     ", of reads and writes together" : "");
	if (read_bytes(sweep) < SMALL_BYTES)
		tw_page_remark(page, "%s may fit into a drive's own cache: for all of the drive, "
			       "sweep its device", TW_SAY_BYTES(read_bytes(sweep)));
}

static void add_bounds(struct tw_page *page, const struct tw_sweep *sweep)
{
	const struct tw_search *search = &sweep->search;
	const struct tw_load *low = search->count ? &search->loads[0] : NULL;
	const char *gives_way = tw_sweep_gives_way(sweep);
	const double apart = search->fails / search->holds - 1;
	double idle = 0;

	if (search->holds > 0 && search->fails > 0)
		tw_page_paragraph(page, "It bears %s I/Os a second, and %s are too many: %.1f %% "
				  "apart%s", TW_SAY_NUMBER(search->holds),
				  TW_SAY_NUMBER(search->fails),
				  100 * apart, tw_search_is_done(search) ? "" :
				  tw_format("; %.1f %% were wanted", 100 * search->width));
	else if (search->holds > 0)
		tw_page_paragraph(page, "It bears %s I/Os a second. No rate that was tried is "
				  "surely too much", TW_SAY_NUMBER(search->holds));
	else if (low && tw_search_first_good(search) == search->count)
		tw_page_paragraph(page, "No load that was tried met the goal: the lowest was %s "
				  "I/Os a second", TW_SAY_NUMBER(low->rate));
	else if (search->fails > 0)
		tw_page_paragraph(page, "%s I/Os a second are too many. No rate that was tried "
				  "surely keeps the goal", TW_SAY_NUMBER(search->fails));
	else
		tw_page_paragraph(page, "Undecided: no rate that was tried surely keeps the goal, "
				  "or fails");
	if (sweep->for_s > 0 && !tw_search_is_done(search))
		tw_page_remark(page, "p%g is of few I/Os here: a trial of %s would tell more, for "
			       "which --for=%.0fmin has the time", search->goal.percent,
			       TW_SAY_ROUND(1e9 * sweep->sure_s), ceil(sweep->for_s / 60));
	for (size_t i = 0; i < search->count && search->loads[i].rate < search->holds; i++)
		if (search->loads[i].bound == TW_BOUND_FAILS)
			idle = search->loads[i].rate;
	if (idle > 0)
		tw_page_warning(page, "at %s I/Os a second the goal is not kept either: an idle "
				"device may be slow.", TW_SAY_NUMBER(idle));
	if (gives_way)
		tw_page_paragraph(page, "Then gives way: %s", gives_way);
	if (sweep->capacity.response.count)
		tw_page_paragraph(page, "As fast as it can, with %llu in flight: %s IOPS, p99 %s",
				  in_flight(&sweep->capacity.last->all),
				  TW_SAY_NUMBER(search->capacity), TW_SAY_NS(
				  tw_histogram_percentile(&sweep->capacity.response, 99)));
}

static void add_drift(struct tw_page *page, const struct tw_sweep *sweep)
{
	const struct tw_drift *capacity = &sweep->drift, *response = &sweep->low_drift;

	if (capacity->is_named)
		tw_page_warning(page, "the capacity changed: at the end of the sweep it was %.0f %% "
				"(+-%s) %s than at the start. The bounds can be off by as much.",
				100 * fabs(capacity->change), TW_SAY_PERCENT(100 * capacity->error),
				capacity->change < 0 ? "lower" : "higher");
	if (response->is_named)
		tw_page_warning(page, "times in the table can be off by %.0f %%: the "
				"lowest load had a mean response %.0f +-%.0f %% %s at the end than "
				"at the start.", 100 * fabs(response->change),
				100 * fabs(response->change), 100 * response->error,
				response->change < 0 ? "shorter" : "longer");
	if (sweep->search.count && !capacity->is_known)
		tw_page_remark(page, "the capacity was measured only once: whether it changed "
			       "during the sweep is not known");
}

/* @load: NULL: they had no rate. */
static void add_row(struct tw_table *table, const struct tw_search *search,
		    const struct tw_sweep_trials *trials, const struct tw_load *load)
{
	const unsigned stage = largest_stage(trials, NULL);

	tw_table_row(table);
	if (load)
		tw_cell_number(table, load->rate);
	else
		tw_cell_text(table, "all");
	tw_cell_number(table, load ? done_of(trials) : search->capacity);
	tw_cell_number(table, trials->seconds);
	for (size_t i = 0; i < TW_LENGTH(percents); i++)
		tw_report_add_percentile(table, &trials->response, (double)trials->response.count,
					 percents[i]);
	tw_cell_text(table, !load ? "" :
		     tw_search_is_behind(search, load) ? "no, late" :
		     load->bound != TW_BOUND_UNDECIDED ? bound_names[load->bound] :
		     tw_search_seems_good(search, load) ? "seems so" : "seems not");
	tw_cell_text(table, tw_time_metrics[mean_ns(trials, TW_BACKLOG) > mean_ns(trials, stage) ?
					    TW_BACKLOG : stage].name);
}

static void add_table(struct tw_page *page, const struct tw_sweep *sweep)
{
	static const struct tw_column columns[] = {
		{ "I/Os due", .key = "rate", .width = 8 }, { "done", .width = 8 },
		{ "s", .width = 5 },
		{ "p50", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "p99", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "p99.9", .width = 8, .flags = TW_COLUMN_NARROW },
		{ "bears it", .width = 9, .flags = TW_COLUMN_LEFT },
		{ "largest stage", .width = 9, .flags = TW_COLUMN_LEFT },
	};
	struct tw_table *table;
	int is_late = 0;

	tw_page_gap(page);
	table = tw_page_table(page, columns, TW_LENGTH(columns));
	for (size_t i = 0; i < sweep->search.count; i++) {
		const struct tw_load *load = &sweep->search.loads[i];

		add_row(table, &sweep->search, load->trials, load);
		is_late |= tw_search_is_behind(&sweep->search, load);
	}
	if (sweep->capacity.response.count)
		add_row(table, &sweep->search, &sweep->capacity, NULL);
	tw_page_note(page, "A response begins when its I/O is due. A row has all trials of its rate, "
		     "which is in I/Os a second. \"seems\": they were too short to be sure.%s",
		     is_late ? " \"late\": I/Os began ever later, or fewer than were due were done."
		     : "");
}

static void add_borders(struct tw_plot *plot, const struct tw_search *search)
{
	/* The bounds are mostly too near for two words. */
	if (search->holds > 0)
		tw_plot_border(plot, search->holds, search->fails > 0 ? "bounds" : "bears it");
	if (search->fails > 0)
		tw_plot_border(plot, search->fails, search->holds > 0 ? "" : "too much");
}

static void add_plots(struct tw_page *page, const struct tw_sweep *sweep)
{
	static const int colors[TW_LENGTH(percents)] = { TW_PLOT_MEAN, TW_PLOT_P99, TW_PLOT_MAX };
	const struct tw_search *search = &sweep->search;
	struct tw_plot *plot = tw_page_plot(page, .title = "Response by load",
		.x = { TW_PLOT_NUMBER, "I/Os due per second" }, .y = { TW_PLOT_NS, "response" });

	for (size_t i = TW_LENGTH(percents); i-- > 0;) {
		struct tw_series *line = tw_plot_line(plot, tw_format("p%g", percents[i]),
						      colors[i]);

		for (size_t j = 0; j < search->count; j++) {
			const struct tw_sweep_trials *trials = search->loads[j].trials;

			if (tw_has_percentile((double)trials->response.count, percents[i]))
				tw_plot_point(line, search->loads[j].rate, (double)
					tw_histogram_percentile(&trials->response, percents[i]));
		}
	}
	add_borders(plot, search);
	/* Above the bounds the backlog would hide all other stages. */
	plot = tw_page_plot(page, .title = "Mean response by load, and its stages",
		.x = { TW_PLOT_NUMBER, "I/Os due per second" },
		.y = { TW_PLOT_NUMBER, "mean response, us" },
		/* As the plot of p99.9, whose scale would make stages flat. */
		.reaches_x = search->loads[search->count - 1].rate);
	for (int n = 0; n < TW_STAGES; n++) {
		const unsigned stage = (unsigned)tw_stage_in_time(n);
		struct tw_series *band = NULL;

		for (size_t j = 0; j < search->count; j++) {
			const struct tw_sweep_trials *trials = search->loads[j].trials;
			const double rate = search->loads[j].rate;
			double low_ns = 0;

			if (search->fails > 0 && rate > search->fails)
				break;
			for (int below = 0; below < n; below++)
				low_ns += mean_ns(trials, (unsigned)tw_stage_in_time(below));
			if (!band && mean_ns(trials, stage) > 0)
				band = tw_plot_line(plot, tw_time_metrics[stage].name,
						    tw_report_color_of((int)stage));
			if (band)
				tw_plot_band_point(band, rate, low_ns / 1e3,
						   (low_ns + mean_ns(trials, stage)) / 1e3);
		}
	}
	add_borders(plot, search);
}

struct tw_page *tw_sweep_page(const struct tw_sweep *sweep)
{
	struct tw_page *page = tw_page_new(tw_format("Load of %s", sweep->path));

	add_head(page, sweep);
	add_bounds(page, sweep);
	add_drift(page, sweep);
	if (sweep->capacity.last)
		tw_report_warn_holes(page, &sweep->capacity.last->all, "");
	add_table(page, sweep);
	if (sweep->search.count)
		add_plots(page, sweep);
	return page;
}

/* ---- JSON ---- */

static json_t *load_to_json(const struct tw_load *load)
{
	const struct tw_sweep_trials *trials = load->trials;
	json_t *stages = json_object(), *response = json_object();

	for (unsigned i = 0; i < TW_STAGES; i++)
		if (mean_ns(trials, i) > 0)
			json_object_set_new(stages, tw_time_metrics[i].name,
					    json_real(mean_ns(trials, i)));
	for (size_t i = 0; i < TW_LENGTH(percents); i++)
		if (tw_has_percentile((double)trials->response.count, percents[i]))
			json_object_set_new(response, tw_format("p%g_ns", percents[i]),
				json_real((double)tw_histogram_percentile(&trials->response,
									  percents[i])));
	return json_pack("{sf, sf, sf, sI, sf, sb, ss, so, so}", "rate", load->rate,
			 "done", done_of(trials), "seconds", trials->seconds,
			 "ios", (json_int_t)trials->response.count, "slow", load->slow,
			 "grows", load->grows, "bears_it", bound_names[load->bound],
			 "response", response, "mean_stages_ns", stages);
}

static json_t *drift_to_json(const struct tw_drift *drift)
{
	return !drift->is_known ? json_null() :
	       json_pack("{sf, sf, sb}", "change", drift->change, "error", drift->error,
			 "is_named", drift->is_named);
}

json_t *tw_sweep_to_json(const struct tw_sweep *sweep)
{
	const struct tw_search *search = &sweep->search;
	json_t *loads = json_array();

	for (size_t i = 0; i < search->count; i++)
		json_array_append_new(loads, load_to_json(&search->loads[i]));
	return json_pack("{ss, si, so, s{sf, sf, sb}, sf, so, so, sf, so, ss?, so, so, so}",
		"schema", "tickwise-sweep", "version", 1, "path", tw_json_text(sweep->path),
		"goal", "percent", search->goal.percent, "ns", search->goal.ns,
		"is_given", sweep->has_goal, "capacity", search->capacity,
		"bears", tw_json_known(search->holds),
		"too_much", tw_json_known(search->fails),
		"wanted_width", search->width,
		"needed_s", tw_json_known(sweep->for_s),
		"gives_way", tw_sweep_gives_way(sweep),
		"capacity_drift", drift_to_json(&sweep->drift),
		"response_drift", drift_to_json(&sweep->low_drift), "loads", loads);
}
