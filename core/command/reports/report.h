/* SPDX-License-Identifier: MIT */
/*
 * The engine's reports, read and merged, for `tickwise report`, `diff` and `run`: what
 * the reader (load.c, read.c) passes to the merging (merge.c) and on to the JSON
 * (json.c), or to the page, the percentile files and the trace of `tickwise report`.
 * What a report holds is in tickwise-report(5).
 *
 * Strings belong to the JSON they were read from, which lives as long as the
 * struct tw_report does.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <jansson.h>

#include "latency/histogram_json.h"
#include "latency/stages.h"
#include "tickwise.h"

enum tw_report_counts {
	TW_REPORT_IOS,
	TW_REPORT_REQUEUED,
	TW_REPORT_EMPTY,	/* among the I/Os, but they moved nothing */
	TW_REPORT_BYTES,	/* that these I/Os moved */
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
	/* 0 to TW_REPORT_STAGES - 1 are the stages, as in enum tw_stage. */
	TW_REPORT_STAGES = TW_STAGES,
	/* The first value after the stages, and so equal to their number. */
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
#define TW_REPORT_NO_FIO_LAT	(16U << TW_REPORT_COUNTS)
/* Of lines: negative_beyond of kernel_stages. */
#define TW_REPORT_NO_BEYOND	(32U << TW_REPORT_COUNTS)
#define TW_REPORT_MAY_MISS	(TW_REPORT_COUNTS + 6)

/* I/Os of a slice of lat (latency/slices.h), and the sums of their stages. */
struct tw_report_slice {
	unsigned at;
	uint64_t ios;
	uint64_t sum_ns[TW_REPORT_STAGES];
};

struct tw_report_by_lat {
	struct tw_report_slice *slices;	/* ascending; those with I/Os */
	size_t count;
};

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

/* What fio itself counted of a direction, for its own lat. */
struct tw_report_fio_lat {
	uint64_t count;
	double sum_ns;
};

/* What adds up when jobs are merged. Histograms without bins are absent. */
struct tw_report_tally {
	unsigned missing;		/* in at least one of the jobs */
	/* Of lines up to some time of a job that ran on: it may have some of the stages
	 * of an I/O, and not the others. */
	int is_torn;
	uint64_t counts[TW_REPORT_COUNTS][TW_REPORT_DIRECTIONS];
	uint64_t enters;
	uint64_t tails;
	uint64_t largest_tail;
	struct tw_histogram times[TW_REPORT_TIMES][TW_REPORT_DIRECTIONS];
	struct tw_report_by_lat by_lat[TW_REPORT_DIRECTIONS];
	struct tw_report_schedule schedule;
	struct tw_report_inside inside;
	struct tw_report_fio_lat fio_lat[TW_REPORT_DIRECTIONS];
};

/* What a report holds about its run; each is NULL if it is not in the file. */
struct tw_report_facts {
	const json_t *options;		/* {NAME: text} */
	const json_t *machine;
	const json_t *files;		/* that the I/Os go to */
	const json_t *devices;		/* below these */
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
	uint64_t start_monotonic_ns;	/* 0: not in the file */
	uint64_t iodepth;
	uint64_t run_ns;
};

/* The lat of the I/Os that fio got in a part of a run. */
struct tw_report_interval {
	uint64_t from_ns;		/* since the job's start */
	uint64_t over_ns;
	/* Of files of intervals, as the next: for how long its jobs ran, which the rate
	 * is of. 0: over_ns. */
	uint64_t run_ns;
	uint64_t backwards;		/* bad stamps, of any direction */
	struct tw_report_interval_of {
		uint64_t count, sum_ns, min_ns, max_ns;
		uint64_t p99_ns;	/* 0: not in the file; so are the next: */
		uint64_t p50_ns, p999_ns;	/* of files of intervals only; so are */
		uint64_t errors;
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

struct tw_report_devices;

struct tw_report {
	const char *path;
	const char *intervals;		/* its file of intervals was given, too; or NULL */
	int is_intervals;		/* @path is one: @tally is the header's, empty */
	uint64_t interval_ns;		/* as asked for; 0: no such file */
	unsigned digits;		/* of a file of intervals; else 0 */
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
	struct tw_report_devices *devices;	/* devices.h; NULL: not in the file */
	json_t *unknown;		/* {"stages.NAME": null}: left out */
	const json_t *attached;		/* of `tickwise attach`; or NULL */
	struct tw_report_facts facts;
};

/* One of the slowest I/Os of a group. */
struct tw_report_slow {
	const json_t *json;
	const struct tw_report *report;
	size_t at;			/* in its report's list */
	uint64_t lat_ns;
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

/* Of a group: since the start of its first member. */
struct tw_report_span {
	int is_wanted;			/* not the whole run */
	uint64_t from_ns, to_ns;
};

struct tw_report_cells;

/* Jobs that belong together; members in order of their start. */
struct tw_report_group {
	const struct tw_report **members;
	size_t size;
	unsigned digits;		/* of its histograms; 0: not known yet */
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
	/* Of files of intervals: */
	struct tw_report_cells *cells;	/* NULL: not all members have one */
	struct tw_report_span span;	/* what is shown */
	struct tw_report_span asked;	/* where a part of the run was */
	int is_empty;			/* no line of its jobs is in that */
	uint64_t end_ns;		/* of the last line, as a span */
	size_t without_report;		/* members of which there are intervals only */
	size_t without_end;		/* members that were killed, or still run */
	struct tw_report_devices *of_lines;	/* of the lines in @tally; or NULL */
};

/* The first thing found wrong, for people. */
struct tw_report_problem {
	char text[2048];
};

/* Room for any sentence about a direction. */
#define TW_REPORT_SENTENCE	512

#endif
