/* SPDX-License-Identifier: MIT */
/*
 * What the parts of tickwise diff pass on. Reports become runs (diff_runs.c),
 * and runs become figures (diff_figures.c). Figures are tested (statistics.c), judged
 * (verdict.c) and printed (diff_page.c, diff_data.c).
 */
#ifndef TW_DIFF_H
#define TW_DIFF_H

#include <jansson.h>

#include "command/diff/statistics.h"
#include "command/analysis/analysis.h"

/* With fewer runs of a side there is no verdict. */
#define TW_DIFF_FEWEST_RUNS	5
/* "Same" excludes changes above this, unless --threshold gives another limit. */
#define TW_DIFF_NOISE_LIMIT	1.1
/* A percentile is left out if a run has fewer I/Os beyond it. */
#define TW_DIFF_FEWEST_BEYOND	10

enum tw_diff_side { TW_DIFF_A, TW_DIFF_B, TW_DIFF_SIDES };

/* One process of fio, or one report that does not name its run. */
struct tw_diff_run {
	enum tw_diff_side side;
	const struct tw_report_job *job;	/* the job that began first */
	uint64_t end_ns;		/* of the job that ended last, CLOCK_REALTIME */
	const struct tw_report_group **groups;	/* released with all texts */
	size_t count;
};

/* The reports of a side, merged. */
struct tw_diff_groups {
	struct tw_report_group *list;
	size_t count;
};

enum tw_diff_kind {
	TW_DIFF_IOPS,
	TW_DIFF_MEAN,			/* of lat */
	TW_DIFF_PERCENTILE,		/* of lat */
	TW_DIFF_STAGE,			/* the stage's part of the mean of lat */
	TW_DIFF_CALL,			/* the submitting call; it overlaps stages */
};

/* A figure that is compared: one number of each run. */
struct tw_diff_figure {
	const struct tw_report_group *group;	/* of the first run; has its name */
	int direction;
	enum tw_diff_kind kind;
	const char *name;
	/* 1: values are natural logarithms of I/Os per second or of ns. 0:
	 * values are ns, for stages and the call. */
	int is_log;
	double resolution;		/* values are this precise */
	double error_ns;		/* of the change of a stage, by sampling, of one run a side */
	struct tw_diff_change change;
	/* 1: latency became longer or I/Os per second fewer. -1: the opposite.
	 * 0: no change is shown, or none above the threshold. */
	int slower;
};

/* What programs waited for: means of the runs of each side. */
struct tw_diff_wait {
	const char *call, *reason;
	double waits[TW_DIFF_SIDES], ns[TW_DIFF_SIDES];
};

enum tw_diff_verdict {
	TW_DIFF_SAME,			/* a change above the limit is excluded */
	TW_DIFF_NOISY,			/* no change is shown, but none excluded */
	TW_DIFF_FASTER,
	TW_DIFF_SLOWER,
	TW_DIFF_MIXED,			/* some figures slower, some faster */
	TW_DIFF_DIFFER,			/* these runs differ; more is not known */
	TW_DIFF_UNDECIDED,		/* no difference shown, which proves little */
};

/* A fact that differs between the sides. */
struct tw_diff_fact {
	const char *name;
	const char *is[TW_DIFF_SIDES];
};

/* They are released with all texts. */
struct tw_diff_facts {
	struct tw_diff_fact *list;
	size_t count;
};

struct tw_diff {
	struct tw_diff_groups groups[TW_DIFF_SIDES];
	struct tw_diff_run *runs;	/* in the order of their start */
	size_t count;
	size_t of[TW_DIFF_SIDES];
	uint64_t of_b;
	int is_interleaved;
	int are_pairs;			/* runs that follow each other are of both sides */
	int overlaps;			/* 1: runs of one host overlap in time */
	double threshold;		/* a factor, at least 1 */
	double level;			/* of false alarms: TW_DIFF_LEVEL, or less */
	struct tw_diff_figure *figures;
	double *values;			/* [figure * count + run] */
	size_t figure_count;
	/* The sum of all first, then the largest changes. Empty, if not all runs have waits. It is
	 * released with all texts. */
	struct tw_diff_wait *waits;
	size_t wait_count;
	json_t *left_out;		/* sentences */
	/* Options of fio that differ, which may be what is compared; and other
	 * facts that differ. */
	struct tw_diff_facts options, facts;
	enum tw_diff_verdict verdict;
};

/* Are two figures of the same group and direction? */
static inline int tw_diff_is_of(const struct tw_diff_figure *one,
				const struct tw_diff_figure *other)
{
	return one->group == other->group && one->direction == other->direction;
}

static inline const struct tw_report_job *tw_diff_job(const struct tw_diff_figure *figure)
{
	return &figure->group->all.jobs[0];
}

/* Read the reports of both sides and compare them. Set the threshold and the level before, and
 * call tw_diff_free() also after a failure. Return: as tw_diff_read(). */
int tw_diff_compare(struct tw_diff *diff, char **a, size_t a_count, char **b, size_t b_count,
		    struct tw_report_problem *problem);

/* Read the files of a side. Return: an enum tw_exit, with @problem set. */
int tw_diff_read(struct tw_diff *diff, enum tw_diff_side side, char **paths,
		 size_t count, struct tw_report_problem *problem);
/* Group what was read into runs. Refuse reports of tickwise attach against those of the engine.
 * Return: as tw_diff_read(). */
int tw_diff_find_runs(struct tw_diff *diff, struct tw_report_problem *problem);
/* Find the waits, and the figures that all runs have, and their values. Return: as
 * tw_diff_read(); no figures are no failure if there are waits. */
int tw_diff_find_figures(struct tw_diff *diff, struct tw_report_problem *problem);
void tw_diff_find_waits(struct tw_diff *diff);
void tw_diff_find_facts(struct tw_diff *diff);
void tw_diff_judge(struct tw_diff *diff);
void tw_diff_free(struct tw_diff *diff);

/* Do the sides take turns, or nearly so? @runs are in the order of their
 * start. */
int tw_diff_take_turns(uint64_t of_b, size_t runs);

/* Return the lat of a run that a figure is for. */
const struct tw_histogram *tw_diff_lat(const struct tw_diff *diff, size_t run,
				       const struct tw_diff_figure *figure);

/* Return a percentile. Its place within a bin is interpolated from the counts.
 * 0 if the histogram is empty. */
double tw_diff_percentile_ns(const struct tw_histogram *histogram, double percent);

/* Return the figure for which the largest change is possible, of those that decide whether
 * there is no change: I/Os per second and the mean. NULL: all of these changed. */
const struct tw_diff_figure *tw_diff_least_certain(const struct tw_diff *diff);
/* Return the largest factor, upward or downward, by which a figure may have
 * changed. */
double tw_diff_possible(const struct tw_diff_figure *figure);
/* Return the factor that is excluded where there is no change. */
double tw_diff_limit(const struct tw_diff *diff);
/* Return about how many runs of each side show a change of a figure by this factor, if they vary
 * as these do. */
double tw_diff_runs_for(const struct tw_diff *diff, const struct tw_diff_figure *figure,
			double factor);
/* Return the stage that makes most of the noise of the mean, of the same group and direction;
 * NULL: none. @part: set to its part of the mean's variance from run to run. */
const struct tw_diff_figure *tw_diff_noisiest(const struct tw_diff *diff,
					      const struct tw_diff_figure *of, double *part);
/* Stages show where a change is, not whether there is one. */
int tw_diff_is_judged(const struct tw_diff_figure *figure);
/* Are there enough runs for a verdict, and did they take turns? */
int tw_diff_is_decided(const struct tw_diff *diff);
/* Return 1: a figure that decides may have changed by more, unseen. Always 0 if
 * there are too few runs for a verdict. */
int tw_diff_is_noisy(const struct tw_diff *diff);

/* By enum tw_diff_verdict. */
extern const struct tw_diff_verdict_words {
	const char *name;
	int exit;
} tw_diff_verdicts[];

struct tw_page;
struct tw_table;

/* Plots are for HTML. */
enum { TW_DIFF_WITH_PLOTS = 1, TW_DIFF_WITH_ALL = 2 };

struct tw_page *tw_diff_page(const struct tw_diff *diff, unsigned with);
/* Add the stages of both sides; and the plot of the group and direction that @figure is for. */
void tw_diff_add_bars(struct tw_page *page, const struct tw_diff *diff);
void tw_diff_add_plots(struct tw_page *page, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure);
void tw_diff_add_waits(struct tw_page *page, const struct tw_diff *diff, int all);
json_t *tw_diff_to_json(const struct tw_diff *diff);
/* Add a table of the figures to @page. Only CSV shows it. */
struct tw_table *tw_diff_csv(struct tw_page *page, const struct tw_diff *diff);

#endif
