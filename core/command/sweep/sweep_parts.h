/* SPDX-License-Identifier: MIT */
/*
 * The parts of tickwise sweep. search.h chooses loads and finds the bounds. sweep_trial.c makes a
 * trial: fio runs a job by itself, and its reports are read. sweep_page.c shows the result.
 */
#ifndef TW_SWEEP_PARTS_H
#define TW_SWEEP_PARTS_H

#include "command/analysis/analysis.h"
#include "command/output/page.h"
#include "command/run/run_parts.h"
#include "command/sweep/search.h"

#define TW_SWEEP		"sweep"
#define TW_SWEEP_WINDOWS	TW_WINDOWS_MOST

/* All trials of a rate, or of none. */
struct tw_sweep_trials {
	double seconds;
	double done, done_s;		/* I/Os in whole windows, and the length of these */
	struct tw_tally tally;
	struct tw_histogram response;	/* of all directions */
	const struct tw_report_group *last;	/* the last trial */
};

/* I/Os of a trial over its time. */
struct tw_sweep_windows {
	struct tw_search_window list[TW_SWEEP_WINDOWS];
	double rates[TW_SWEEP_WINDOWS], means_ns[TW_SWEEP_WINDOWS];
	size_t count;
	double width_s;
};

struct tw_sweep {
	const char *path;
	struct tw_run_engines engines;
	struct tw_run_arguments arguments;
	struct tw_run_target target;	/* path NULL: a job file */
	int may_write;			/* of a job */
	double threads;			/* of all jobs; each has as large a part of the load */
	size_t first_burst;		/* the first section that is such a copy */
	int has_goal;			/* 0: where p99 doubles */
	struct tw_search search;	/* each load has struct tw_sweep_trials */
	struct tw_sweep_trials capacity;
	double sure_s;			/* length of a trial that can tell the load that was found */
	double for_s;			/* --for that has time for such trials; 0: as given */
	struct tw_drift drift, low_drift;	/* of the capacity; of the response */
};

/* Get ready to run jobs that read @path, or those of a job file. @folder: where reports go.
 * Return: an enum tw_exit. */
int tw_sweep_prepare(struct tw_sweep *sweep, const char *path, const char *folder);

#define TW_SWEEP_DEPTH		128	/* I/Os in flight without a rate */

/* How to run the jobs: first so long copies of them that have no rate, which use up the burst that
 * a limit has saved; when the I/Os of these have ended, the jobs, until the queue is what it is in
 * the long run; and then what counts. */
struct tw_sweep_how {
	double rate;			/* 0: as fast as they can */
	double burst_s, drain_s, settle_s, seconds;
};

/* Run the jobs. @group: set to their report. Return: an enum tw_exit: TW_EXIT_UNDECIDED after
 * Ctrl-C. */
int tw_sweep_run(struct tw_sweep *sweep, const struct tw_sweep_how *how,
		 struct tw_report_group **group);

/* Add a trial to the others of its load. */
void tw_sweep_add(struct tw_sweep_trials *trials, const struct tw_report_group *group);
/* Get what a trial did over time. @goal_ns: slow I/Os take longer. */
void tw_sweep_windows_of(struct tw_sweep_windows *windows, const struct tw_report_group *group,
			 double goal_ns);

/* What gives way (sweep_page.c): a sentence; NULL: no load fails. */
const char *tw_sweep_gives_way(const struct tw_sweep *sweep);

struct tw_page *tw_sweep_page(const struct tw_sweep *sweep);
json_t *tw_sweep_to_json(const struct tw_sweep *sweep);

#endif
