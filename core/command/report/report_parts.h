/* SPDX-License-Identifier: MIT */
/*
 * Merged reports as a page (command/output/page.h), for the terminal and for HTML: the
 * whole page, and its parts. Each part adds nothing to a page if it does not apply.
 */
#ifndef TW_REPORT_PARTS_H
#define TW_REPORT_PARTS_H

#include "command/analysis/analysis.h"
#include "command/output/page.h"

enum tw_report_with {
	/* Parts that only HTML shows: long tables, events, and plots, which
	 * take memory for each bin of each histogram. */
	TW_REPORT_WITH_HTML = 1,
	/* What text leaves out else, to fit a screen. */
	TW_REPORT_WITH_ALL = 2,
};

/* Return which media show what text has with --all only. */
static inline unsigned tw_report_rest(unsigned with)
{
	return with & TW_REPORT_WITH_ALL ? TW_IN_ALL : TW_IN_HTML;
}

/* Return the page, to be freed with tw_page_free(). @with: bits of enum
 * tw_report_with. */
struct tw_page *tw_report_page(const struct tw_report_group *groups, size_t count,
			       unsigned with);

/* ---- what the parts share (report_cells.c) ---------------------------------- */

/* Add a rate: per second of the longest job of a group, which is not the device's rate. "-": that
 * time is not known. */
static inline void tw_report_add_rate(struct tw_table *table, uint64_t ns, double value)
{
	if (ns && value <= 0)
		tw_cell_u64(table, 0);
	else if (ns)
		tw_cell_number(table, value * 1e9 / (double)ns);
	else
		tw_cell_none(table);
}

/* Add a time; "-": it is not known. */
static inline void tw_report_add_ns(struct tw_table *table, int is_known, double ns)
{
	if (is_known)
		tw_cell_ns(table, ns);
	else
		tw_cell_none(table);
}

/* Add a percentile; "-" where it would be the maximum of @ios I/Os. */
void tw_report_add_percentile(struct tw_table *table, const struct tw_histogram *histogram,
			      double ios, double percent);

/* Add mean, p50, p99, p99.9 and maximum. @ios: I/Os whose lat is known. */
void tw_report_add_lat(struct tw_table *table, const struct tw_histogram *lat, double ios);

/* The means of a time and of its parts, as they are printed: in one unit, as numbers of the last
 * digit. The parts of each add up to it. */
struct tw_report_means {
	struct tw_format_unit unit;
	double digit_ns;		/* the last digit, times all I/Os */
	uint64_t digits[TW_TIMES];
};

/* @of: TW_LAT, or a stage. */
void tw_report_find_means(struct tw_report_means *means, const struct tw_tally *tally,
			  unsigned of, int direction);

/* Add a cell with digits of the means. */
void tw_report_add_mean(struct tw_table *table, const struct tw_report_means *means,
			uint64_t digits);

/* Has the table of a direction a row? Is there anything to show, even if all I/Os failed? */
int tw_report_has_times(const struct tw_tally *tally, int direction);
int tw_report_shows_direction(const struct tw_report_group *group, int direction);

/* ---- the first part (headline.c, sum.c) --------------------------------------- */

/* @is_only_one: the page has one group, so its number is not needed. */
void tw_report_add_headline(struct tw_page *page, const struct tw_report_group *group,
			    int is_only_one, unsigned with);

/* The machine with that name; NULL: it is not known. */
const json_t *tw_report_machine(const struct tw_report *report, const char *host);

/* Return "direct" or "buffered"; NULL: not known. */
const char *tw_report_caching(const struct tw_report_job *job);

/* Add what all groups share to the line: ", 4k, direct, iodepth 16". */
void tw_report_add_shared(struct tw_page *page, const struct tw_report_group *groups,
			  size_t count);

/* The figures of a direction: IOPS, MiB/s, lat. @rows names the rows, or is "". */
struct tw_table *tw_report_figures(struct tw_page *page, const char *rows, int has_bytes);
void tw_report_add_figures(struct tw_page *page, const struct tw_report_group *group);
void tw_report_add_figures_row(struct tw_table *figures, const struct tw_report_group *group,
			       int direction, const char *name);

/* Below the table of stages: fio's own mean, what is not in the table, and the error of a
 * sample. @who: "depth 32, " or "". And the time in the submitting call. */
void tw_report_add_sum(struct tw_page *page, const struct tw_report_group *group,
		       int direction, const char *who);
void tw_report_add_call(struct tw_page *page, const struct tw_tally *tally,
			int direction);

/* Did a sync follow any of the writes? Add the parts of blockq, or of complete of writes that
 * are synced. */
int tw_report_has_write_sync(const struct tw_tally *tally, int direction);
void tw_report_add_parts(struct tw_page *page, const struct tw_report *report, unsigned stage,
			 int direction);

/* Add the times in the device, by what else it had in flight (tw_causes). @rest: the media
 * that show them if it was nearly always alone. */
void tw_report_add_others_times(struct tw_page *page, const struct tw_report_group *group,
				 int direction, unsigned rest);

/* Do all I/Os of a direction have the parts of syncs? */
int tw_report_has_sync_parts(const struct tw_tally *tally, int direction);

/* Is @time (enum tw_time) one of those that add up to lat? kernel is not, if its parts are known. */
int tw_report_adds_up(const struct tw_tally *tally, unsigned time, int direction);

/* Has @time a line or a bar of its own in the plots? */
int tw_report_is_drawn(const struct tw_tally *tally, unsigned time, int direction);

/* Tell why syncs have no parts. */
void tw_report_add_unsplit_syncs(struct tw_page *page, const struct tw_report_group *group);

/* Do the stages of all I/Os of a direction add up to their lat? */
int tw_report_has_all_stages(const struct tw_tally *tally, int direction);

/* ---- sentences (report_remarks.c) ----------------------------------------------- */

/* With @is_warning: warn of a counter that is bad or was not used; else tell what was not
 * checked. A guest's kernel has a clocksource of its own that uses the counter: no warning. */
void tw_report_add_counter(struct tw_page *page, const struct tw_report_group *group,
			   int is_warning);

/* Tell which option makes a large stage deliver smaller. */
void tw_report_add_deliver(struct tw_page *page, const struct tw_report_group *group);

/* Describe I/Os that no stage has; and those that only seem fast, as they moved nothing. */
void tw_report_add_kinds(struct tw_page *page, const struct tw_report_group *group,
			 int direction);

/* Tell what splitting I/Os cost the job, as it was measured in the run. @rest: the media that
 * tell it if it hardly matters. */
void tw_report_add_cost(struct tw_page *page, const struct tw_report_group *group,
			unsigned rest);

/* Tell how many I/Os of a direction were split inside the kernel; why jobs split none;
 * and warn of a defect. @rest: the media that tell that all those were that should be. */
void tw_report_add_inside(struct tw_page *page, const struct tw_report_group *group,
			  int direction, unsigned rest);
void tw_report_add_not_split(struct tw_page *page, const struct tw_report_group *group);
void tw_report_warn_inside(struct tw_page *page, const struct tw_report_group *group,
			   const char *who);

/* Warn of a job that did not keep its rate. @who: "JOB: " if there are several, here and there. */
void tw_report_warn_rate(struct tw_page *page, const struct tw_report_group *group,
			 const char *who);

/* Warn of I/Os that failed. @who: the same. */
void tw_report_warn_errors(struct tw_page *page, const struct tw_report_group *group,
			   const char *who);

/* Warn of jobs that began or ended at different times. @who: the same. */
void tw_report_warn_apart(struct tw_page *page, const struct tw_report_group *group,
			  const char *who);

/* Return which part of backlog fio, the engine, its submitting calls or a missing CPU caused, from
 * 0 to 1; -1: there is no backlog, or the job is no open loop. */
double tw_report_own_backlog(const struct tw_tally *tally);

/* Return how late I/Os began at the end of a run; 0: the job kept its rate, or has none. */
uint64_t tw_report_behind_ns(const struct tw_report_group *group);

/* Warn of a file with holes, of which no device had to read anything. */
void tw_report_warn_holes(struct tw_page *page, const struct tw_report *report,
			  const char *who);

/* ---- other parts, each in a file of its name ------------------------------------- */

/* The stage with the most time, and what it is; the answers
 * of jobs of several depths in a few lines (report_brief.c). */
void tw_report_add_largest(struct tw_page *page, const struct tw_report_group *group,
			   int direction, const char *of);
void tw_report_add_brief(struct tw_page *page, const struct tw_report_group *groups,
			 size_t count, int direction);

/* Return where the time of a stage is spent, in plain words (report_brief.c). */
const char *tw_report_where(unsigned stage);

/* The plots of several groups, which compare them (report_top.c). HTML only. */
void tw_report_add_top(struct tw_page *page, const struct tw_report_group *groups,
		       size_t count);

/* Add whether the figures are steady, which comes before them. @who: as above. */
void tw_report_add_steady(struct tw_page *page, const struct tw_report_group *group,
			  const char *who);

/* How the mean I/O, and those at percentiles, divide into stages: bars of a group, after the plots
 * of IOPS and lat over time of each direction (report_plots.c). HTML only. */
void tw_report_add_bars(struct tw_page *page, const struct tw_report_group *group);
/* The bars of a direction's mean alone. */
void tw_report_add_stack(struct tw_series *stack, const struct tw_tally *tally,
			 int direction, double scale);

/* The other plot of a direction: its stages by percentile. */
void tw_report_add_percentiles(struct tw_page *page, const struct tw_tally *tally,
			       int direction);

/* The run over time in a few rows; what files of intervals contain, and that they contain
 * nothing of what was asked for (over_time_table.c). */
void tw_report_add_over_time(struct tw_page *page, const struct tw_report_group *group);
void tw_report_add_intervals(struct tw_page *page, const struct tw_report_group *group);
/* Of several groups: that only a part was asked for. Return 1 if nothing but lat is known of it. */
int tw_report_add_part(struct tw_page *page, const struct tw_report_group *groups, size_t count);
void tw_report_add_empty(struct tw_page *page, const struct tw_report_group *group);

/* When something happened in a job's run: "0.123456 s of the run" (report_slowest.c). */
void tw_report_add_when(struct tw_page *page, const struct tw_report *report,
			const struct tw_report_job *job,
			uint64_t monotonic_ns);

/* The slowest I/Os, and what held up several of them (report_slowest.c). */
void tw_report_add_slowest(struct tw_page *page, const struct tw_report_group *group,
			   unsigned with);

/* What fired tw_trigger, and the kernel's events around it (report_trigger.c). */
void tw_report_add_trigger(struct tw_page *page, const struct tw_report_group *group,
			   unsigned with);

/* How far off each clock was (report_clocks.c). */
void tw_report_add_clocks(struct tw_page *page, const struct tw_report_group *group,
			  unsigned with);

/* Of `tickwise attach`: the processes that were watched, in the headline; the tables by
 * ring, file and operation; what a time means there (report_attached.c). */
void tw_report_add_attached_head(struct tw_page *page,
				 const struct tw_report_group *group);
void tw_report_add_attached(struct tw_page *page, const struct tw_report_group *group);
const char *tw_report_time_is(const struct tw_report_group *groups, size_t count,
			      int time);

/* What tasks waited for: a table and the slowest; of @who, in all; the most of it in a sentence
 * (report_waits.c). */
void tw_report_add_waits(struct tw_page *page, const struct tw_report_group *group,
			 unsigned with);
void tw_report_add_waited(struct tw_page *page, const struct tw_report_group *group,
			  const char *who);
void tw_report_add_most_waited(struct tw_page *page, const struct tw_report_group *group);

/* The jobs, hosts and devices of several groups, or of one, and its files, a row each; and which
 * is odd (report_odd.c). Sets @odd to the jobs or hosts, as
 * ranked by their first direction. */
void tw_report_add_odd(struct tw_page *page, struct tw_odd *odd,
		       const struct tw_report_group *groups, size_t count, unsigned with);

/* What differs between the hosts, and which did not run together; of one host nothing
 * (report_hosts.c). */
void tw_report_add_hosts(struct tw_page *page, const struct tw_report_group *groups,
			 size_t count);

/* ---- files and tables for programs ----------------------------------------------- */

/* Return the table of --csv (report_data.c). */
struct tw_table *tw_report_csv(struct tw_page *page, const struct tw_report_group *groups,
			       size_t count);

/**
 * tw_report_write_percentiles - write a file for each group, direction and
 * stage (report_data.c)
 * @prefix: the beginning of the files' names; a directory if it ends with '/'
 *
 * Return: an enum tw_exit. If it is not TW_EXIT_GOOD, @problem has the reason.
 */
int tw_report_write_percentiles(const struct tw_report_group *groups,
				size_t count, const char *prefix,
				struct tw_report_problem *problem);

/* Write the slowest I/Os as a trace (report_trace.c). Return: as above. */
int tw_report_write_trace(const struct tw_report_group *groups, size_t count,
			  const char *path, struct tw_report_problem *problem);

#endif
