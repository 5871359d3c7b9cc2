/* SPDX-License-Identifier: MIT */
/*
 * The reports that belong together, for `tickwise report`, `diff` and `run`, and what is
 * worked out from them. core/report/ reads, checks and merges reports; tickwise-report(5)
 * describes them.
 */
#ifndef TW_ANALYSIS_H
#define TW_ANALYSIS_H

#include "base/allocate.h"
#include "command/analysis/change.h"
#include "report/report.h"

/* Times that tables and plots of stages show: the stages, lat, backlog outside lat. */
#define TW_REPORT_ROWS	TW_CALL

#define TW_REPORT_STALL_JOBS	16	/* number of jobs that are named */

/* Some of the slowest I/Os that were held up at the same time and in the same
 * stage. */
struct tw_report_stall {
	const struct tw_report_slow *slowest;
	const char *stage;
	uint64_t from_ns;		/* of the slowest I/O; CLOCK_MONOTONIC */
	uint64_t ns;
	size_t ios;
	uint64_t offset_from;		/* of all these I/Os, in bytes */
	uint64_t offset_to;
	size_t jobs[TW_REPORT_STALL_JOBS];	/* their places in the report */
	size_t job_count;
	int more_jobs;
};

/* A part of a group's run, since the start of its first job. */
struct tw_report_span {
	int is_wanted;			/* 0: the whole run */
	uint64_t from_ns, to_ns;
};

/* Was a run steady? (steady.c) */
enum tw_steady {
	TW_STEADY_NOT_KNOWN,		/* too few windows or I/Os, or hosts are apart */
	TW_STEADY,
	TW_STEADY_UNEVEN,		/* nothing changed, but the mean could be off by 10 % */
	TW_STEADY_CHANGED,		/* parts of the run differ */
	TW_STEADY_DRIFTS,		/* it changed slowly: the halves differ */
};

/* A part of a run, since the start of the group's first job. */
struct tw_report_part {
	uint64_t from_ns, to_ns;
	double iops, mean_ns;		/* of lat, of all directions together */
};

struct tw_report_steady {
	enum tw_steady verdict;
	struct tw_report_part parts[TW_CHANGE_PARTS];	/* of a run that changed */
	size_t count;
	size_t quoted;			/* the longest part */
	double error[2];		/* of that part, or of a run that did not change: see
					 * change.h */
	int is_apart;			/* 1: jobs of its hosts began at different times */
	int directions;			/* whose I/Os count together */
	const char *with;		/* "; ", a time, and what else changed then; "; " and
					 * what others had; or "" */
};

/* Jobs that belong together. Only @members needs the reports that it was made of. */
struct tw_report_group {
	struct tw_report all;		/* the jobs, merged; in the order of their start */
	uint64_t run_ns;		/* of the longest job */
	size_t fallbacks;		/* number of jobs whose times are of the system's
					 * clock */
	size_t event_times;		/* number of jobs with tw_event_time */
	size_t without_report;		/* number of jobs that have only intervals */
	size_t without_end;		/* number of jobs that were killed or still run */
	struct tw_report_stall *stalls;	/* the stall of the slowest I/O first */
	size_t stall_count;
	struct tw_report_steady steady;
	struct tw_report_span span;	/* the part that is shown */
	struct tw_report_span asked;	/* the part that was asked for */
	int is_of_windows;		/* 1: the part is of windows over time, not of lines */
	int is_empty;			/* 1: none of its lines are in the part
					 * asked for */
	const struct tw_report **members;	/* the reports that it was made of */
	size_t member_count;
	unsigned digits;		/* of their histograms; 0: not known yet */
	uint64_t end_ns;		/* end of the last line, as in a span */
};

/* Return the job of one of the group's slowest I/Os. */
static inline const struct tw_report_job *tw_report_job_of(const struct tw_report_group *group,
							   const struct tw_report_slow *slow)
{
	return &group->all.jobs[slow->job];
}

/* For how long did fio count I/Os of a direction? With the time of fsync at the end, and without
 * that of the other phase of a job that verifies. Nanoseconds; 0: not known. */
double tw_report_fio_run_ns(const struct tw_report_group *group, int direction);

/* Are fio's own IOPS others than those from the first I/O to the last one? */
int tw_report_has_fio_rate(const struct tw_report_group *group, int direction);

/* Is the group of files of intervals only? */
static inline int tw_report_is_of_intervals(const struct tw_report_group *group)
{
	return group->without_report == group->all.job_count;
}

/* ---- reading (load.c) ------------------------------------------------------- */

/**
 * tw_report_load - read files, on all CPUs
 * @paths: kept in the jobs of the reports
 * @reports: the result, in the order of the files; to be released with
 *	tw_reports_free()
 * @problem: set on failure to the path and what is wrong, of the first file with a
 *	fault
 *
 * A file may hold several reports, one after another. Of a file of intervals only the
 * header is read. Its lines are read when reports are merged. Of fio's output, the reports
 * are taken that servers sent. A message tells how many, and tw_report_load_broken() how many
 * of them, in all files so far, were broken.
 *
 * Return: an enum tw_exit.
 */
int tw_report_load(struct tw_report **reports, size_t *count, char *const *paths,
		   size_t path_count, struct tw_report_problem *problem);
void tw_reports_free(struct tw_report *reports, size_t count);
size_t tw_report_load_broken(void);

/* From now on files of other users are refused, or not. */
void tw_report_load_only_own(int is_wanted);

/* ---- groups (groups.c) -------------------------------------------------------- */

/**
 * tw_report_merge - group the reports that belong together, and merge each group
 * @reports: are sorted by start, and their jobs get the files of intervals that
 *	are among the reports; not needed afterwards
 * @of_hosts: merge jobs that ran on several hosts at the same time
 * @span: the part of the run: of the jobs' files of intervals if all have one, else of their
 *	windows over time. Intervals and windows that are only partly in it are used as a whole.
 *	NULL: the whole run
 * @groups: the result, released with tw_report_groups_free()
 *
 * Return: an enum tw_exit. If it is not TW_EXIT_GOOD, @problem has the reason:
 * the same job given twice, sums that don't fit.
 */
int tw_report_merge(struct tw_report *reports, size_t count, int of_hosts,
		    const struct tw_report_span *span, struct tw_report_group **groups,
		    size_t *group_count, struct tw_report_problem *problem);
void tw_report_groups_free(struct tw_report_group *groups, size_t count);

/* Return an array of the groups' reports, each with what is derived from it as
 * "answers". */
json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count);

/* ---- single I/Os (slow_ios.c) --------------------------------------------------- */

/* A stage of one of the slowest I/Os. */
struct tw_report_slow_stage {
	const char *name;		/* one or several: "device+complete" */
	unsigned stage;			/* enum tw_stage; several: TW_KERNEL */
	uint64_t ns;
};

/* List the stages in the order of time. Return: their number. */
int tw_report_slow_stages(const json_t *slow, struct tw_report_slow_stage list[TW_STAGES]);

/* Return how many seconds after the start of the first job a moment of a job's CLOCK_MONOTONIC is;
 * below 0: that is not known. */
double tw_report_since_start(const struct tw_report *report, const struct tw_report_job *job,
			     uint64_t monotonic_ns);

/* Return the kernel's events that tw_trigger kept around a job's first slower I/O; NULL: none. */
const json_t *tw_report_events_of(const json_t *trigger);

/* ---- names (holder.c) ------------------------------------------------------------- */

/* Return who had the CPU, or whose requests a device had: "fio (1234)". Of several I/Os,
 * processes of one name are one: they may be many and short. */
const char *tw_report_say_holder(const json_t *had, int is_single);

/* Return the path of a cgroup, of a long one only the end. */
const char *tw_report_say_path(const char *path);

/* Return what a wait with this word was for: "the journal", "the limit of /a (io.max: wiops=100)".
 * @path: of the limit's cgroup. Both may be NULL or "", also below (causes.c). */
const char *tw_report_say_wait(const char *word, const char *limit, const char *path);

/* Return why a wait was, and what belongs to it: "io.max (wiops=100 of /a)", "other (ext4_does)". */
const char *tw_report_say_reason(const char *reason, const char *function, const char *limit,
				 const char *path);

/* ---- what others had in flight, and commits (in_flight_of_others.c) --- */

/* Kinds of requests that a device has in flight for others, and alone at the end. */
#define TW_REPORT_OTHERS_KINDS	(TW_WITH_COMMANDS - TW_WITH_READS + 2)
extern const char *const tw_others_text[TW_REPORT_OTHERS_KINDS - 1];

/* Return what the device had in flight for others when it got a slow I/O: "behind writes of
 * dd"; of a single I/O with numbers. NULL: it is not known. */
const char *tw_report_say_others(const json_t *slow, int is_single);

/* Return the same of waits, also of those without I/O of others. @counted: of how many this is
 * known. NULL: of none, or nearly all were without. */
const char *tw_report_say_others_of_waits(const struct tw_waits *waits, uint64_t *counted);

/* Return who had most of the requests that the I/Os of a direction were behind, with the shares
 * of their time in the device, @all_ns: "writes of dd (1234) 90 %, flushes of jbd2/sda1-8 3 %".
 * NULL: nobody is named. */
const char *tw_report_say_others_sums(const struct tw_report *report, int direction,
				      double all_ns);

/* Return who else was in the commit that a slow sync waited for: "for a commit with handles of
 * dd"; of a single sync with numbers. NULL: nobody, or that is not known. */
const char *tw_report_say_commit(const json_t *slow, int is_single);

/* Return with whose handles the commits were that @syncs waited for, and the parts of them:
 * "dd (1234) 14 %, fio (77) 2 %". NULL: nobody is named. */
const char *tw_report_say_commits(const struct tw_report *report, uint64_t syncs);

/* ---- causes (causes.c) ---------------------------------------------------------- */

#define TW_REPORT_REASONS	64	/* different ones that are kept */
#define TW_REPORT_MIN_PERCENT	5	/* of lat: smaller shares are not named */
#define TW_REPORT_NOT_EXPLAINED	"not explained"

enum tw_report_bound {
	TW_REPORT_EXACT,
	TW_REPORT_AT_MOST,
	TW_REPORT_AT_LEAST,
};

/* What had the CPU while the job's thread waited for one; or the disk below that ended the
 * stage device. */
struct tw_report_holder {
	const char *name;
	double ns;
};

#define TW_REPORT_HOLDERS	8	/* that are kept, of a cause */

/* Time of slow I/Os in a stage for one cause. */
struct tw_report_cause {
	const char *stage;	/* also "blockq (scheduler)" */
	const char *words;	/* "": the job recorded none */
	enum tw_report_bound bound;
	double ns;
	struct tw_report_holder holders[TW_REPORT_HOLDERS];	/* the longest first */
	size_t holder_count;
	struct tw_report_holder disks[TW_REPORT_HOLDERS];
	size_t disk_count;
	size_t legs;		/* disks that the device is made of */
	double requests, bytes;	/* of others that the device had: several I/Os alone */
};

struct tw_report_causes {
	struct tw_report_cause all[TW_REPORT_REASONS];
	size_t count;
	size_t ios;
	int is_recorded;	/* by tw_causes, of any of these I/Os */
	size_t legs;		/* set before: disks that their device is made of */
	double lat_ns;		/* the sum; times that are in no cause are part of it */
	double stolen_ns;	/* at most, by the hypervisor; in other causes, too */
};

/* Add the time of an I/O. @is_single: the words may have numbers of its own. */
void tw_report_add_causes(struct tw_report_causes *into, const json_t *slow, int is_single);

/* Return the cause with most time; NULL: none has any. To get the next one, set its time
 * to 0. */
struct tw_report_cause *tw_report_next_cause(struct tw_report_causes *of);

/* Return how many of the disks, one or two, ended the stage device of almost all of these I/Os,
 * by their time. 0: more did, or these are more than half of the disks. */
size_t tw_report_disks_of(const struct tw_report_cause *cause);

/* Is this more than the name of a stage? Is it other than "not explained"? */
int tw_report_has_cause(const struct tw_report_cause *cause);
int tw_report_is_explained(const struct tw_report_cause *cause);

/* Write "71 % in device, behind writes of others". @of_ns: that is 100 %. */
void tw_report_put_cause(struct tw_growing_text *text, const struct tw_report_cause *cause,
			 double of_ns);

/* Write "; hypervisor up to 71 %", if it may have taken that part of lat. */
void tw_report_put_stolen(struct tw_growing_text *text, const struct tw_report_causes *causes);

/* Return the causes of a single I/O with their shares of its lat; the one of a stall with its
 * share of the stage. NULL: there is none. */
const char *tw_report_say_cause(const json_t *slow);
const char *tw_report_say_stall(const struct tw_report_stall *stall);

/* ---- stalls (stalls.c), and the tail (tail.c) ------------------------------------- */

/* Find the stalls. */
void tw_report_find_stalls(struct tw_report_group *group);
json_t *tw_report_stalls_to_json(const struct tw_report_group *group);

/* Return a sentence on the tail of a direction; NULL: there is nothing to be told. */
const char *tw_report_say_tail(const struct tw_report_group *group, int direction);
/* Return {DIRECTION: the sentence and its numbers}. */
json_t *tw_report_tail_to_json(const struct tw_report_group *group);

/* The I/Os from a slice of lat (latency/slices.h) up, and the sums of their stages. */
struct tw_report_slice {
	unsigned at;
	uint64_t ios;
	uint64_t chosen;	/* number of them that were split, at least; 0: all */
	uint64_t sum_ns[TW_STAGES];
};

/* Sum up the slice with @percent of a direction's lat and those above it. Return: 0: there is
 * none, or sums don't fit. */
int tw_report_slice_from(struct tw_report_slice *slice, const struct tw_tally *tally,
			 int direction, double percent);

/* ---- over time (over_time.c) ------------------------------------------------------ */

/* Return the number of windows; 0: the run over time was not recorded. */
uint32_t tw_report_windows(const struct tw_report_group *group);

/* Has any window I/Os of this direction? */
int tw_report_has_windows(const struct tw_report_group *group, int direction);

/* Return the time from the first I/O of any job to the last one of any. */
uint64_t tw_report_all_ns(const struct tw_report_group *group);

/* Return when window @i begins, since the start of the group's first job; for the number
 * of windows, when the last one ends. The first and the last window are cut to the run,
 * or to the part of it that is shown. */
uint64_t tw_report_window_ns(const struct tw_report_group *group, uint32_t i);

/* Set the part of the windows without the first and the last one where they are cut. */
void tw_report_whole_windows(const struct tw_report_group *group, uint32_t *first, uint32_t *last);

/* ---- steady or not (steady.c) ----------------------------------------------------- */

void tw_report_find_steady(struct tw_report_group *group);
const char *tw_report_say_steady(const struct tw_report_steady *steady);

/* Set what others had of the CPUs' time in all that is shown, if it is a tenth, and what the host
 * took, if it is a hundredth; of a run that changed, what did not change with it. */
void tw_report_find_taken(struct tw_report_steady *steady, const struct tw_report_group *group);

/* Set what else changed with a run that did (changed_with.c). */
void tw_report_find_changed_with(struct tw_report_steady *steady,
				 const struct tw_report_group *group);

/* Return "from 1.92 s to 3.84 s". */
const char *tw_report_say_span(const struct tw_report_part *part);

/* Return {verdict, text, parts, quoted, iops_error, mean_error}; NULL: there are no windows. */
json_t *tw_report_steady_to_json(const struct tw_report_group *group);

/* ---- a limit above the device (limit.c) -------------------------------------------- */

/* Return {directions, iops, bytes_per_second, hold_ns, text}; NULL: no limit is seen. */
json_t *tw_report_limit_to_json(const struct tw_report_group *group);

/* ---- the odd one of several (odd.c) ------------------------------------------------ */

#define TW_ODD_PARTS	16	/* of a run */

enum tw_odd_kind {
	TW_ODD_DEVICES,
	TW_ODD_JOBS,			/* becomes TW_ODD_HOSTS if each is on another host */
	TW_ODD_HOSTS,
	TW_ODD_FILES,			/* of tickwise attach */
	TW_ODD_KINDS,
};

extern const char *const tw_odd_kinds[TW_ODD_KINDS];	/* their words */

/* A device, job, host or file. */
struct tw_odd_one {
	const char *name, *host;
	const struct tw_report_device *device;	/* with its numbers, also of a file; or NULL */
	const struct tw_report *report;		/* of a job or host; or NULL */
	uint64_t run_ns;			/* the same */
	const struct tw_histogram *lat, *in_device;	/* by direction */
	const struct tw_windows *windows;
	uint64_t bytes[TW_DIRECTIONS];		/* of a file */
	double mean_ns[TW_ODD_PARTS];	/* of lat; 0: not known, as no I/O is in the part */
	size_t parts;			/* for which it is known */
	int has_windows;
	/* The order. */
	int is_slow;
	size_t work;			/* equal for those that can be compared */
	double lat_ns;			/* the median of @mean_ns; once judged, the mean */
};

struct tw_odd {
	enum tw_odd_kind kind;
	struct tw_odd_one *list;
	size_t all;
	struct tw_report *own;		/* what was merged for the list */
	size_t own_count;
	const char *difference;		/* of what all do; or NULL */
	int has_hosts;			/* 1: names need the host */
	/* Of the direction that was ranked last. In the list the slow ones come first, then by
	 * the mean of lat. */
	int direction;
	size_t count;			/* with I/Os */
	size_t slow;
	size_t judged;			/* that were compared with others */
	const char *text;		/* which are slow, or why this is not judged */
};

/* List the devices, jobs or hosts, or files of groups. Of one group, jobs are its members. */
void tw_odd_find(struct tw_odd *odd, enum tw_odd_kind kind,
		 const struct tw_report_group *groups, size_t count);
void tw_odd_free(struct tw_odd *odd);

/* Return its name, with its host if the names need it. */
const char *tw_odd_name(const struct tw_odd *odd, const struct tw_odd_one *one);

/* Rank those with I/Os of a direction. Return their number; 0: there is nothing to compare. */
size_t tw_odd_rank(struct tw_odd *odd, int direction);

/* Sort by the median of @mean_ns, and return how many of them are slow. */
size_t tw_odd_judge(struct tw_odd_one *list, size_t count);

/* Return {KIND: {DIRECTION: {order, slow, text}}} of the devices and files of group @i, and at
 * the first of several groups of all jobs or hosts; NULL: there is one of each. What was
 * merged to one group leaves nothing in JSON, so that merging it again changes no byte. */
json_t *tw_odd_to_json(const struct tw_report_group *groups, size_t count, size_t i);

/* Return the number of hosts, without that of the first job (title.c). */
size_t tw_report_other_hosts(const struct tw_report_group *group);

/* Return the title of a page about groups: "JOB on HOST, DATE" (title.c). */
const char *tw_report_title(const struct tw_report_group *const *groups, size_t count);

/* The colour of a stage, which is the same in all plots. @time: below TW_REPORT_ROWS, or a part
 * of a sync. */
int tw_report_color_of(int time);
int tw_report_color_of_name(const char *name);

#endif
