/* SPDX-License-Identifier: MIT */
/*
 * The engine's reports, read: what `tickwise report` passes from its reader
 * (load.c, read.c) to the merging (merge.c) and on to the page (page.c), the
 * JSON (json.c), the percentile files (percentiles.c) or the HTML (html.c).
 * What a report holds is in tickwise-report(5).
 *
 * Strings belong to the JSON they were read from, which lives as long as the
 * struct tw_report does.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <jansson.h>
#include <stdio.h>

#include "latency/histogram_json.h"
#include "latency/stages.h"
#include "tickwise.h"

enum tw_report_counts {
	TW_REPORT_IOS,
	TW_REPORT_REQUEUED,
	TW_REPORT_EMPTY,	/* among the I/Os, but they moved nothing */
	TW_REPORT_ERRORS,	/* from here on: not among the I/Os */
	TW_REPORT_SHORT,
	TW_REPORT_UNACCOUNTED,		/* fio didn't count them either */
	TW_REPORT_BACKWARDS,		/* a later stamp was smaller */
	TW_REPORT_COUNTS,
};

enum tw_report_clocks {
	TW_REPORT_TICKWISE,
	TW_REPORT_FIO,
	TW_REPORT_MONOTONIC,
	TW_REPORT_CLOCKS,
};

/* Each has a histogram for a direction. The rows of its table come first. */
enum tw_report_times {
	TW_REPORT_STAGES = TW_STAGES,	/* below: those of enum tw_stage */
	TW_REPORT_LAT = TW_STAGES,
	TW_REPORT_SLIP,			/* of jobs with a rate, as the next */
	TW_REPORT_RESPONSE,
	TW_REPORT_CALL,			/* the submitting one */
	TW_REPORT_ROWS = TW_REPORT_CALL,
	TW_REPORT_TIMES,
};

#define TW_REPORT_DIRECTIONS	4	/* read, write, trim, sync */
#define TW_REPORT_SYNC		3

struct tw_report_time {
	const char *name;
	const char *in;			/* the object it is in; "": the report */
	const char *key;		/* under which key */
	const char *path;		/* both */
	const char *is;			/* from when to when */
};

/* In the file's order and the page's. */
extern const struct tw_report_time tw_report_times[TW_REPORT_TIMES];
extern const char *const tw_report_directions[TW_REPORT_DIRECTIONS];
extern const char *const tw_report_counts_names[TW_REPORT_COUNTS];
extern const char *const tw_report_clocks_names[TW_REPORT_CLOCKS];

/* What a report need not hold: bits of @missing. Those below are 1 << an enum
 * tw_report_counts. */
#define TW_REPORT_NO_BATCHES	(1U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_SLOWEST	(2U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_OVER_TIME	(4U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_RESPONSE	(8U << TW_REPORT_COUNTS)
#define TW_REPORT_MAY_MISS	(TW_REPORT_COUNTS + 4)

/* fio's, in jobs with a rate. */
struct tw_report_schedule {
	uint64_t resolution_ns;		/* 0: not said */
	uint64_t at_end_ns[TW_REPORT_DIRECTIONS];	/* behind it */
	int has_at_end[TW_REPORT_DIRECTIONS];
};

/* Why an I/O is not split inside the kernel. */
enum tw_report_unsplit {
	TW_REPORT_NO_REQUEST,		/* no block request was its own */
	TW_REPORT_MISSING_STAMP,	/* all but the stages around it are */
	TW_REPORT_SYNC_WRITE,		/* device and complete are one */
	TW_REPORT_NO_STAMPS,
	TW_REPORT_UNSPLIT,
};

extern const char *const tw_report_unsplit_names[TW_REPORT_UNSPLIT];

/* How the stages from submit to reap came about: kernel_stages in the file. */
struct tw_report_inside {
	size_t jobs;			/* that have it in their report; */
	size_t off;			/* of these, those that split nothing */
	const char *why;		/* in the first of those; or NULL */
	size_t by_helper;		/* that had their stamps by the helper */
	uint64_t split[TW_REPORT_DIRECTIONS];
	uint64_t unsplit[TW_REPORT_UNSPLIT][TW_REPORT_DIRECTIONS];
	double clock_error_ns;		/* of the kernel's stamps; 0: not given */
	uint64_t negative_within;	/* stages: that error explains them */
	uint64_t negative_beyond;	/* or does not */
	uint64_t requests;
	uint64_t retries;
};

/* What adds up when jobs are merged. Histograms without bins are absent. */
struct tw_report_tally {
	unsigned missing;		/* in at least one of the jobs */
	uint64_t counts[TW_REPORT_COUNTS][TW_REPORT_DIRECTIONS];
	uint64_t enters;
	uint64_t tails;
	uint64_t largest_tail;
	struct tw_histogram times[TW_REPORT_TIMES][TW_REPORT_DIRECTIONS];
	struct tw_report_schedule schedule;
	struct tw_report_inside inside;
};

struct tw_report_job {
	const char *run;		/* the fio run it was part of; "" */
	const char *name;
	const char *host;
	const char *fio_version;
	const char *engine;
	uint64_t groupid;
	uint64_t thread_number;
	uint64_t subjob_number;
	uint64_t pid;
	uint64_t start_ns;		/* CLOCK_REALTIME */
	uint64_t iodepth;
	uint64_t run_ns;
};

/* The lat of the I/Os that fio got in a part of a run. */
struct tw_report_interval {
	uint64_t from_ns;		/* since the job's start */
	uint64_t over_ns;
	struct tw_report_interval_of {
		uint64_t count, sum_ns, min_ns, max_ns;
		uint64_t p99_ns;	/* 0: not in the file */
	} of[TW_REPORT_DIRECTIONS];
};

struct tw_report_over_time {
	struct tw_report_interval *intervals;	/* ascending */
	size_t count;
};

/* The same clock against CLOCK_MONOTONIC. */
struct tw_report_off {
	int known;
	double error_ns;
	double error_ppb;
	double uncertainty_ns;
	double uncertainty_ppb;
};

/* Tickwise's rate, from the whole of the run. */
struct tw_report_refit {
	int known;
	double hz;
	double uncertainty_ppb;		/* 1 sigma */
	double bound_ppb;		/* hard */
	double frozen_error_ppb;	/* of the rate that was used */
};

/* A clock's error in a run: positive = it ran fast of @against. */
struct tw_report_clock {
	json_t *json;			/* NULL: not in the file */
	const char *against;
	const char *kind;		/* source or clocksource; "" */
	double error_ns;
	double error_ppb;
	double uncertainty_ns;
	double uncertainty_ppb;
	double hz;			/* tickwise only; 0: not said */
	double bound_ppb;		/* of hz, hard; 0: not said */
	double window_ns;		/* calibrated over this; 0: not said */
	uint64_t over_ns;
	struct tw_report_off off_monotonic;
	struct tw_report_refit refit;
};

/* What the kernel's trace shows of a slow I/O: tw_trigger. */
struct tw_report_trigger {
	int is_there;
	int is_on;
	const char *why;		/* it is not; else NULL */
	uint64_t above_ns;
	uint64_t slower;		/* I/Os of the job */
	uint64_t stopped_for;		/* the ring was, for this job; or 0 */
	const json_t *io;		/* the first of them; or NULL: */
	uint64_t begin_ns;		/* CLOCK_MONOTONIC */
	uint64_t lat_ns;
	const json_t *events;		/* or NULL */
	uint64_t event_count;		/* also those that are not in there */
	uint64_t whole_from_ns;		/* 0: none is missing */
};

/* In order of how much has to be said about them. */
enum tw_report_verdict {
	TW_REPORT_RELIABLE,
	TW_REPORT_UNCHECKED,
	TW_REPORT_UNDECIDED,
	TW_REPORT_UNRELIABLE,
	TW_REPORT_VERDICTS,
};

extern const char *const tw_report_verdicts[TW_REPORT_VERDICTS];

struct tw_report {
	const char *path;
	json_t *root;
	struct tw_report_job job;
	struct tw_report_tally tally;
	struct tw_report_clock clocks[TW_REPORT_CLOCKS];
	enum tw_report_verdict verdict;
	int fallback;			/* times are the system clock's */
	json_t *reasons;		/* [{code, text}] */
	int event_time;			/* fio's lat is lat without deliver */
	const json_t *slowest;		/* in the file's order; or NULL */
	const char *not_followed;	/* why the causes of slow I/Os are not known;
					 * NULL: they are, or it is not in the file */
	struct tw_report_over_time over_time;
	struct tw_report_trigger trigger;
	json_t *unknown;		/* {"stages.NAME": null}: left out */
	const json_t *attached;		/* of `tickwise attach`; or NULL */
};

/* One of the slowest I/Os of a group. */
struct tw_report_slow {
	const json_t *json;
	const struct tw_report *report;
	size_t at;			/* in its report's list */
	uint64_t lat_ns;
};

/* A stage of such an I/O. */
struct tw_report_slow_stage {
	char name[48];			/* or several: "device+complete" */
	uint64_t ns;
};

#define TW_REPORT_STALL_JOBS	16	/* that are named */

/* Some of the slowest I/Os, hit at the same time and in the same stage. */
struct tw_report_stall {
	const struct tw_report_slow *slowest;
	char stage[48];
	uint64_t from_ns;		/* of CLOCK_MONOTONIC; of the slowest */
	uint64_t ns;
	size_t ios;
	uint64_t offset_from;		/* of all, in bytes */
	uint64_t offset_to;
	uint64_t jobs[TW_REPORT_STALL_JOBS];	/* their thread numbers */
	size_t job_count;
	int more_jobs;
};

/* Jobs that belong together; members in order of their start. */
struct tw_report_group {
	const struct tw_report **members;
	size_t size;
	struct tw_report_tally tally;
	const struct tw_report_clock *worst[TW_REPORT_CLOCKS];	/* or NULL */
	enum tw_report_verdict verdict;	/* the worst of the members' */
	size_t fallbacks;
	size_t event_times;		/* members with tw_event_time */
	json_t *reasons;		/* the members', each code once */
	json_t *unknown;		/* the members' */
	uint64_t run_ns;		/* the longest of the members' */
	struct tw_report_slow *slowest;	/* the slowest first */
	size_t slow_count;
	struct tw_report_stall *stalls;	/* the one of the slowest I/O first */
	size_t stall_count;
	struct tw_report_over_time over_time;
	int over_time_differs;		/* no common intervals: none */
};

/* The first thing found wrong, for people. */
struct tw_report_problem {
	char text[2048];
};

/* Set @problem unless it is set already. */
void tw_report_refuse(struct tw_report_problem *problem,
		      const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A new or emptied file (file.c). NULL with a @problem if there is none
 * to be had. */
FILE *tw_report_open_file(const char *path, struct tw_report_problem *problem);

/* Return: TW_EXIT_GOOD; TW_EXIT_IO with a @problem if not all of it could be
 * written. The file is closed either way. */
int tw_report_close_file(FILE *file, const char *path,
			 struct tw_report_problem *problem);

/* A page as a file of HTML. Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem
 * says why. */
struct tw_page;
int tw_report_write_html(const struct tw_page *page, const char *path,
			 struct tw_report_problem *problem);

/* Name what the file has and this version can't show: 0; -ENOMEM. */
int tw_report_leave_out(struct tw_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * tw_report_read - read and validate one file
 * @report: released with tw_report_free(), also after a failure
 * @path: kept in the report
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why.
 */
int tw_report_read(struct tw_report *report, const char *path,
		   struct tw_report_problem *problem);

/**
 * tw_report_read_all - tw_report_read() of many files, on all CPUs
 * @reports: as many as @paths; all to be released, also after a failure
 * @problem: on failure what is wrong, the path before it: of the first of the
 *           files with a fault
 *
 * Return: an enum tw_exit.
 */
int tw_report_read_all(struct tw_report *reports, char *const *paths,
		       size_t count, struct tw_report_problem *problem);
void tw_report_free(struct tw_report *report);
void tw_report_tally_free(struct tw_report_tally *tally);

/**
 * tw_report_merge - put jobs together that belong together
 * @reports: re-ordered by start; must outlive the groups
 * @of_hosts: also jobs that ran on several hosts at the same time
 * @groups: the result, released with tw_report_groups_free()
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why: the same
 * job given twice, sums that don't fit, no memory.
 */
int tw_report_merge(struct tw_report *reports, size_t count, int of_hosts,
		    struct tw_report_group **groups, size_t *group_count,
		    struct tw_report_problem *problem);

/* Has any of the groups I/Os with this time? */
int tw_report_shows_time(const struct tw_report_group *groups, size_t count,
			 int time);

/* Has the table of a direction a row? Or is there anything to be shown, if only
 * that all of its I/Os failed? */
int tw_report_has_rows(const struct tw_report_group *group, int direction);
int tw_report_shows_direction(const struct tw_report_group *group,
			      int direction);

/* Room for any sentence about a direction. */
#define TW_REPORT_SENTENCE	512

/* The mean of lat and the stages it is the sum of, and the time inside the
 * submitting call (sum.c); 0: there is none. */
int tw_report_say_sum(char *text, size_t size,
		      const struct tw_report_group *group, int direction);
int tw_report_say_call(char *text, size_t size,
		       const struct tw_report_tally *tally, int direction);

/* The I/Os that no stage has recorded (apart.c); 0: there are none. */
int tw_report_say_apart(char *text, size_t size,
			const struct tw_report_tally *tally, int direction);

/* How many hosts it is of, beside that of its first member. */
size_t tw_report_other_hosts(const struct tw_report_group *group);
void tw_report_groups_free(struct tw_report_group *groups, size_t count);

/* The slowest I/Os and the intervals of a group with its members in place.
 * 0; -ENOMEM; -EOVERFLOW. */
int tw_report_merge_slowest(struct tw_report_group *group);
int tw_report_merge_over_time(struct tw_report_group *group);

/* The stages of one of the slowest, in the order of time, of which @stages is the
 * JSON (slowest.c). Returns how many. */
int tw_report_slow_stages(const json_t *stages,
			  struct tw_report_slow_stage list[TW_REPORT_STAGES]);

/* What else is known of a clock, whose json is set (clock_errors.c). */
void tw_report_read_clock_errors(struct tw_report_clock *clock,
				 const char *name,
				 struct tw_report_problem *problem);

/* The clock as it was against CLOCK_MONOTONIC; 0: not in the file. */
int tw_report_clock_off_monotonic(const struct tw_report_clock *clock,
				  struct tw_report_clock *off);

/* The schedule of jobs with a rate (response.c). The sentence about it
 * is 0 where there is nothing to say; the other int -1 without memory. */
void tw_report_read_schedule(struct tw_report_schedule *schedule,
			     const json_t *response,
			     struct tw_report_problem *problem);
void tw_report_merge_schedule(struct tw_report_schedule *into,
			      const struct tw_report_schedule *from);
int tw_report_say_schedule(char *text, size_t size,
			   const struct tw_report_group *group, int direction);
int tw_report_schedule_to_json(json_t *response,
			       const struct tw_report_schedule *schedule);

/* How I/Os were split inside the kernel (inside.c), of a report whose I/Os are
 * counted: 0; -ENOMEM. What follows is not 0 if a sum is too large. */
int tw_report_read_inside(struct tw_report *report,
			  struct tw_report_problem *problem);
int tw_report_merge_inside(struct tw_report_inside *into,
			   const struct tw_report_inside *from);

/* The pieces of a slow I/O's longest stage, by what the job's thread did. */
enum tw_report_piece {
	TW_REPORT_RAN,
	TW_REPORT_WAITED,		/* ready to run */
	TW_REPORT_INTERRUPTS,
	TW_REPORT_WOKEN_LATE,
	TW_REPORT_ASLEEP,
	TW_REPORT_UNEXPLAINED,
	TW_REPORT_PIECES,
};

struct tw_report_cause {
	const char *stage;		/* the longest */
	uint64_t stage_ns;
	int followed;			/* else the next five are not known */
	int lost;			/* records, for lack of room */
	uint64_t ns[TW_REPORT_PIECES];	/* together no more than stage_ns */
	uint64_t since_interrupt_ns;	/* of the woken late */
	uint64_t stolen_ns;		/* at most */
	const json_t *had_cpu;		/* or NULL */
	uint64_t stall_from_ns;		/* of CLOCK_MONOTONIC */
	uint64_t stall_ns;
};

/* The causes of a slow I/O (causes.c): 0 if they are not in the report. The second is
 * for the reader: -ENOMEM or 0. Then the same in words; and who had a CPU, of an
 * element of had_cpu. */
int tw_report_cause_of(struct tw_report_cause *cause, const json_t *slow);
int tw_report_check_cause(struct tw_report *report, const json_t *slow,
			  struct tw_report_problem *problem);
void tw_report_read_followed(struct tw_report *report,
			     struct tw_report_problem *problem);
int tw_report_say_cause(char *text, size_t size, const json_t *slow);
void tw_report_had_cpu(char *text, size_t size, const json_t *had);

/* The slowest I/Os that were hit together (stalls.c): 0; -ENOMEM. In words: 0 if it
 * hit one I/O alone. */
int tw_report_find_stalls(struct tw_report_group *group);
int tw_report_say_stall(char *text, size_t size,
			const struct tw_report_stall *stall);
json_t *tw_report_stalls_to_json(const struct tw_report_group *group);

/* Where the time of the slowest I/Os of a direction went, and why (why.c): 0: there is
 * nothing to say. The last one: why it is not known why, if that was asked for. */
int tw_report_say_why(char *text, size_t size,
		      const struct tw_report_group *group, int direction);
json_t *tw_report_why_to_json(const struct tw_report_group *group);
const char *tw_report_why_not(const struct tw_report_group *group);

/* The same in words (inside_text.c): of a direction how many I/Os were split; of
 * the jobs that split nothing why, to be freed; a warning of a defect. 0 and NULL:
 * there is nothing to say, or no memory. */
int tw_report_say_inside(char *text, size_t size,
			 const struct tw_report_tally *tally, int direction);
char *tw_report_not_split_text(const struct tw_report_group *group);
int tw_report_warn_inside(char *text, size_t size,
			  const struct tw_report_group *group);

/* What tw_trigger has kept (trigger.c), and the JSON of a group: null where no job has
 * any, NULL without memory. */
void tw_report_read_trigger(struct tw_report *report,
			    struct tw_report_problem *problem);
json_t *tw_report_trigger_to_json(const struct tw_report_group *group);

/* What must be known of the counter, to be freed; NULL: nothing, or no memory
 * (counter.c). A warning, or just a note? */
char *tw_report_counter_text(const struct tw_report_group *group);
int tw_report_counter_warns(const struct tw_report_group *group);

/* What a group's reports don't hold, one after another: NULL at the end. */
const char *tw_report_missing(const struct tw_report_group *group, unsigned i);

/* NULL without memory; the caller's reference. */
json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count);

/**
 * tw_report_write_percentiles - a file for each group, direction and stage
 * @prefix: what the files' names begin with; a directory if it ends with '/'
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why.
 */
int tw_report_write_percentiles(const struct tw_report_group *groups,
				size_t count, const char *prefix,
				struct tw_report_problem *problem);

/* The slowest I/Os of every job for a viewer of traces. Returns as above. */
int tw_report_write_trace(const struct tw_report_group *groups, size_t count,
			  const char *path, struct tw_report_problem *problem);

#endif
