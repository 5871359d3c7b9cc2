/* SPDX-License-Identifier: MIT */
/*
 * tickwise diff: what its parts pass on. Reports become runs (runs.c), runs become
 * figures (figures.c), these are tested (statistics.c) and judged (verdict.c), and
 * then printed (page.c, json.c). Too few runs are cut in pieces (pieces.c).
 */
#ifndef TW_DIFF_H
#define TW_DIFF_H

#include <jansson.h>

#include "command/diff/statistics.h"
#include "command/reports/report.h"

/* With fewer runs of a side there is no verdict. */
#define TW_DIFF_FEWEST_RUNS	5
/* Percentiles beyond which a run has fewer I/Os are left out. */
#define TW_DIFF_FEWEST_BEYOND	10

/* 4 observations against 4 are the fewest that the test can show to differ. */
#define TW_DIFF_FEWEST_TESTED	4
/* One run a side is cut in 4 pieces; more runs in fewer. */
#define TW_DIFF_MAX_PIECES	TW_DIFF_FEWEST_TESTED

enum tw_diff_side { TW_DIFF_A, TW_DIFF_B, TW_DIFF_SIDES };

/* One process of fio, or one report that does not name its run. */
struct tw_diff_run {
	enum tw_diff_side side;
	const struct tw_report_job *job;	/* the one of its jobs that began first */
	uint64_t end_ns;		/* of the last of its jobs, CLOCK_REALTIME */
	const struct tw_report_group **groups;
	size_t count;
	/* lat by interval files: [group][piece][direction]; NULL: there are none. */
	struct tw_histogram *pieces;
};

/* The reports of a side, read and merged. */
struct tw_diff_reports {
	struct tw_report *reports;
	struct tw_report_group *groups;
	size_t count, group_count;
};

enum tw_diff_kind {
	TW_DIFF_IOPS,
	TW_DIFF_MEAN,			/* of lat */
	TW_DIFF_PERCENTILE,		/* of lat */
	TW_DIFF_STAGE,			/* its part of the mean of lat */
	TW_DIFF_CALL,			/* the submitting one; overlaps stages */
};

/* What is compared: a number of each run. */
struct tw_diff_figure {
	const struct tw_report_group *group;	/* of the first run, for its name */
	int direction;
	enum tw_diff_kind kind;
	const char *name;
	/* Values are natural logarithms of I/Os per second or ns; of a stage and of
	 * the call, ns. */
	int is_log;
	double resolution;		/* values are known to this */
	struct tw_diff_change change;
	double gap;			/* tw_diff_gap() */
	int is_cut;			/* it has values of the pieces */
	struct tw_diff_change of_pieces;
	/* Latency became longer or I/Os per second fewer: 1; the opposite: -1;
	 * neither is shown, or not by the threshold: 0. */
	int slower;
};

enum tw_diff_verdict {
	TW_DIFF_SAME,			/* no change that these runs can show */
	TW_DIFF_FASTER,
	TW_DIFF_SLOWER,
	TW_DIFF_MIXED,			/* both */
	TW_DIFF_DIFFER,			/* these runs; that is all that is known */
	TW_DIFF_UNDECIDED,		/* no difference, but that says little */
};

/* A thing that is not the same on both sides; to be freed. */
struct tw_diff_fact {
	const char *name;
	char *is[TW_DIFF_SIDES];
};

#define TW_DIFF_MAX_FACTS	40

struct tw_diff_facts {
	struct tw_diff_fact list[TW_DIFF_MAX_FACTS];
	size_t count;
};

struct tw_diff {
	struct tw_diff_reports reports[TW_DIFF_SIDES];
	struct tw_diff_run *runs;	/* in order of their start */
	size_t count;
	size_t of[TW_DIFF_SIDES];
	uint64_t of_b;
	int is_interleaved;
	int overlaps;			/* runs of one host, in time */
	double threshold;		/* a factor, 1 and more */
	struct tw_diff_figure *figures;
	double *values;			/* [figure * count + run] */
	size_t figure_count;
	size_t pieces;			/* of each run; 0: runs are not cut */
	double *piece_values;		/* [(figure * count + run) * pieces + piece] */
	json_t *left_out;		/* sentences */
	/* fio's, which may be what is compared; and what else differs. */
	struct tw_diff_facts options, facts;
	enum tw_diff_verdict verdict;
};

/* Files of a side. Returns an enum tw_exit with @problem. */
int tw_diff_read(struct tw_diff *diff, enum tw_diff_side side, char **paths,
		 size_t count, struct tw_report_problem *problem);
/* Put what was read together to runs. Returns the same. */
int tw_diff_find_runs(struct tw_diff *diff, struct tw_report_problem *problem);
/* Figures that all runs have, and their values. Returns the same. */
int tw_diff_find_figures(struct tw_diff *diff, struct tw_report_problem *problem);
/* Cut runs that are too few, and find the figures of the pieces; what can't be read is
 * left out. 0; -ENOMEM. The second is the first without its files. */
int tw_diff_cut(struct tw_diff *diff);
int tw_diff_find_pieces(struct tw_diff *diff);
/* Where a run has the histogram of a piece. */
struct tw_histogram *tw_diff_piece(const struct tw_diff_run *run, size_t group,
				   size_t piece, int direction);
/* What differs beside the figures: 0; -ENOMEM. */
int tw_diff_find_facts(struct tw_diff *diff);
void tw_diff_free_facts(struct tw_diff_facts *facts);
/* Test the figures, and the verdict: 0; -ENOMEM. */
int tw_diff_judge(struct tw_diff *diff);
void tw_diff_free(struct tw_diff *diff);

/* Do the sides take turns, or nearly? @runs are in order of their start. */
int tw_diff_take_turns(uint64_t of_b, size_t runs);

/* The group of a run that a figure is of: its number; and its lat. */
size_t tw_diff_group(const struct tw_diff *diff, size_t run,
		     const struct tw_diff_figure *figure);
const struct tw_histogram *tw_diff_lat(const struct tw_diff *diff, size_t run,
				       const struct tw_diff_figure *figure);

/* With its place within the bin taken from the counts; 0 when empty. */
double tw_diff_percentile_ns(const struct tw_histogram *histogram, double percent);
/* Of a figure that is one. */
double tw_diff_percent(const struct tw_diff_figure *figure);
int tw_diff_has_beyond(const struct tw_histogram *histogram, double percent);

int tw_diff_exit(enum tw_diff_verdict verdict);
const char *tw_diff_verdict_name(enum tw_diff_verdict verdict);

struct tw_page;

/* @with_plots: only HTML shows them, and they take a test of their own. */
struct tw_page *tw_diff_page(const struct tw_diff *diff, int with_plots);
/* Plots of the group and direction that @figure is of. */
void tw_diff_add_plots(struct tw_page *page, const struct tw_diff *diff,
		       const struct tw_diff_figure *figure);
json_t *tw_diff_to_json(const struct tw_diff *diff);

#endif
