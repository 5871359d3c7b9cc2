/* SPDX-License-Identifier: MIT */
/*
 * The engine's reports, read and merged, for `tickwise report`, `diff` and
 * `run`. load.c and read.c read them, and merge.c merges them. json.c makes
 * JSON of the result; `tickwise report` makes the page, the percentile files
 * and the trace. tickwise-report(5) describes what a report holds.
 *
 * Strings belong to the JSON they were read from, which lives as long as the
 * struct tw_report.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <jansson.h>

#include "latency/histogram_json.h"
#include "latency/stages.h"
#include "report/want.h"
#include "tickwise.h"

enum tw_report_counts {
	TW_REPORT_IOS,
	TW_REPORT_REQUEUED,
	TW_REPORT_EMPTY,	/* part of the I/Os; these moved nothing */
	TW_REPORT_BYTES,	/* bytes that the I/Os moved */
	TW_REPORT_ERRORS,	/* from here on: not part of the I/Os */
	TW_REPORT_SHORT,
	TW_REPORT_UNACCOUNTED,		/* fio did not count them either */
	TW_REPORT_BACKWARDS,		/* a later stamp was smaller */
	TW_REPORT_COUNTS,
};

enum tw_report_clocks {
	TW_REPORT_TICKWISE,
	TW_REPORT_FIO,
	TW_REPORT_MONOTONIC,
	TW_REPORT_CLOCKS,
};

/* Each time has a histogram for each direction. The rows of the table come
 * first. */
enum tw_report_times {
	/* The stages are 0 to TW_REPORT_STAGES - 1, as in enum tw_stage. */
	TW_REPORT_STAGES = TW_STAGES,
	/* The first value after the stages, and so equal to their number. */
	TW_REPORT_LAT = TW_STAGES,
	TW_REPORT_SLIP,			/* this and the next: of jobs with a rate */
	TW_REPORT_RESPONSE,
	TW_REPORT_CALL,			/* the submitting call */
	TW_REPORT_ROWS = TW_REPORT_CALL,
	TW_REPORT_TIMES,
};

#define TW_REPORT_DIRECTIONS	4	/* read, write, trim, sync */
#define TW_REPORT_SYNC		3

struct tw_report_time {
	const char *name;
	const char *in;			/* the object that has it; "": the report */
	const char *key;		/* its key */
	const char *path;		/* both, as OBJECT.KEY */
	const char *is;			/* description: from when to when */
};

/* In the order of the file and the page. */
extern const struct tw_report_time tw_report_times[TW_REPORT_TIMES];
extern const char *const tw_report_directions[TW_REPORT_DIRECTIONS];
extern const char *const tw_report_counts_names[TW_REPORT_COUNTS];
extern const char *const tw_report_clocks_names[TW_REPORT_CLOCKS];

/* Parts that a report may lack: bits of @missing. Lower bits are 1 << an enum
 * tw_report_counts. */
#define TW_REPORT_NO_BATCHES	(1U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_SLOWEST	(2U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_OVER_TIME	(4U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_RESPONSE	(8U << TW_REPORT_COUNTS)
#define TW_REPORT_NO_FIO_LAT	(16U << TW_REPORT_COUNTS)
/* Lines lack it: negative_beyond of kernel_stages. */
#define TW_REPORT_NO_BEYOND	(32U << TW_REPORT_COUNTS)
#define TW_REPORT_MAY_MISS	(TW_REPORT_COUNTS + 6)

/* The I/Os in a slice of lat (latency/slices.h), and the sums of their
 * stages. */
struct tw_report_slice {
	unsigned at;
	uint64_t ios;
	uint64_t sum_ns[TW_REPORT_STAGES];
};

struct tw_report_by_lat {
	struct tw_report_slice *slices;	/* those with I/Os, ascending */
	size_t count;
};

/* The schedule of fio in jobs with a rate. */
struct tw_report_schedule {
	uint64_t resolution_ns;		/* 0: not in the file */
	/* How far behind the schedule. */
	uint64_t at_end_ns[TW_REPORT_DIRECTIONS];
	int has_at_end[TW_REPORT_DIRECTIONS];
};

/* Why an I/O is not split inside the kernel. */
enum tw_report_unsplit {
	TW_REPORT_NO_REQUEST,		/* no block request belongs to it alone */
	TW_REPORT_MISSING_STAMP,	/* one stamp is missing; other stages
					 * are known */
	TW_REPORT_SYNC_WRITE,		/* device and complete are one stage */
	TW_REPORT_NO_STAMPS,
	TW_REPORT_AFTER_OTHERS,		/* of attach: blockq has a wait for other I/Os */
	TW_REPORT_UNSPLIT,
};

extern const char *const tw_report_unsplit_names[TW_REPORT_UNSPLIT];

/* How the stages from submit to reap were recorded: kernel_stages in the
 * file. */
struct tw_report_inside {
	size_t jobs;			/* number that have it in their report */
	size_t off;			/* number of these that split nothing */
	const char *why;		/* why, in the first of these; or NULL */
	size_t by_helper;		/* number that got their stamps from the
					 * helper */
	uint64_t split[TW_REPORT_DIRECTIONS];
	uint64_t unsplit[TW_REPORT_UNSPLIT][TW_REPORT_DIRECTIONS];
	double clock_error_ns;		/* of the kernel's stamps; 0: not in the file */
	uint64_t negative_within;	/* negative stages that this error explains */
	uint64_t negative_beyond;	/* negative stages that it does not explain */
	uint64_t requests;
	uint64_t retries;
	uint64_t missed_runs;		/* that the kernel skipped; the largest */
};

/* fio's own counts for a direction, for its lat. */
struct tw_report_fio_lat {
	uint64_t count;
	double sum_ns;
};

/* Sums over merged jobs. A histogram without bins is missing. */
struct tw_report_tally {
	unsigned missing;		/* in at least one of the jobs */
	/* 1: lines end while a job still ran. Then some stages of an I/O can be
	 * in the tally, and others not. */
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

/* What a report holds about its run. Each member is NULL if it is not in the
 * file. */
struct tw_report_facts {
	const json_t *options;		/* {NAME: text} */
	const json_t *machine;
	const json_t *files;		/* that the I/Os go to */
	const json_t *devices;		/* that hold these files */
};

struct tw_report_job {
	const char *run;		/* the fio run it belongs to; or "" */
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
	/* For how long jobs ran, which gives the rate; 0: for over_ns. Only
	 * files of intervals have this and the next. */
	uint64_t run_ns;
	uint64_t backwards;		/* number of bad stamps, in any direction */
	struct tw_report_interval_of {
		uint64_t count, sum_ns, min_ns, max_ns;
		uint64_t p99_ns;	/* 0: not in the file */
		/* These two: only in files of intervals. */
		uint64_t p50_ns, p999_ns;
		uint64_t errors;
	} of[TW_REPORT_DIRECTIONS];
};

struct tw_report_over_time {
	struct tw_report_interval *intervals;	/* ascending */
	size_t count;
};

/* The error of the same clock against CLOCK_MONOTONIC. */
struct tw_report_off {
	int known;
	double error_ns;
	double error_ppb;
	double uncertainty_ns;
	double uncertainty_ppb;
};

/* Tickwise's rate, measured over the whole run. */
struct tw_report_refit {
	int known;
	double hz;
	double uncertainty_ppb;		/* 1 sigma */
	double bound_ppb;		/* hard */
	double frozen_error_ppb;	/* error of the rate that was used */
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
	double hz;			/* of tickwise only; 0: not in the file */
	double bound_ppb;		/* of hz, a hard bound; 0: not in the file */
	double window_ns;		/* time of the calibration; 0: not in
					 * the file */
	uint64_t over_ns;
	struct tw_report_off off_monotonic;
	struct tw_report_refit refit;
};

/* The kernel's trace of a slow I/O: tw_trigger. */
struct tw_report_trigger {
	int is_there;
	int is_on;
	const char *why;		/* why it is off; NULL: it is on */
	uint64_t above_ns;
	uint64_t slower;		/* number of the job's slower I/Os */
	uint64_t stopped_for;		/* thread number of the job that stopped
					 * the ring; or 0 */
	const json_t *io;		/* the first slower I/O; or NULL */
	uint64_t begin_ns;		/* CLOCK_MONOTONIC */
	uint64_t lat_ns;
	const json_t *events;		/* or NULL */
	uint64_t event_count;		/* with events that are not in the file */
	uint64_t whole_from_ns;		/* from here on all events are there; 0:
					 * all are */
};

/* In the order of importance to the reader. */
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
	const char *intervals;		/* its file of intervals, if that was
					 * given; or NULL */
	int is_intervals;		/* 1: @path is a file of intervals, and
					 * @tally is empty */
	uint64_t interval_ns;		/* as the option asked for; 0: no such file */
	unsigned digits;		/* of a file of intervals; else 0 */
	json_t *root;
	struct tw_report_job job;
	struct tw_report_tally tally;
	struct tw_report_clock clocks[TW_REPORT_CLOCKS];
	enum tw_report_verdict verdict;
	int fallback;			/* 1: times are from the system's clock */
	json_t *reasons;		/* [{code, text}] */
	int event_time;			/* 1: fio's lat is lat without deliver */
	const json_t *slowest;		/* in the order of the file; or NULL */
	const char *not_followed;	/* why the causes of slow I/Os are not
					 * known; NULL: they are known, or this
					 * is not in the file */
	struct tw_report_over_time over_time;
	struct tw_report_trigger trigger;
	struct tw_report_devices *devices;	/* devices.h; NULL: not in the file */
	json_t *unknown;		/* {"stages.NAME": null}: parts that are
					 * left out */
	const json_t *attached;		/* part of `tickwise attach`; or NULL */
	struct tw_report_facts facts;
};

/* One of the slowest I/Os of a group. */
struct tw_report_slow {
	const json_t *json;
	const struct tw_report *report;
	size_t at;			/* index in its report's list */
	uint64_t lat_ns;
};

#define TW_REPORT_STALL_JOBS	16	/* number of jobs that are named */

/* Some of the slowest I/Os that were held up at the same time and in the same
 * stage. */
struct tw_report_stall {
	const struct tw_report_slow *slowest;
	char stage[48];
	uint64_t from_ns;		/* of the slowest I/O; CLOCK_MONOTONIC */
	uint64_t ns;
	size_t ios;
	uint64_t offset_from;		/* of all these I/Os, in bytes */
	uint64_t offset_to;
	uint64_t jobs[TW_REPORT_STALL_JOBS];	/* thread numbers */
	size_t job_count;
	int more_jobs;
};

/* A part of a group's run, since the start of its first member. */
struct tw_report_span {
	int is_wanted;			/* 0: the whole run */
	uint64_t from_ns, to_ns;
};

struct tw_report_cells;

/* Jobs that belong together. Members are in the order of their start. */
struct tw_report_group {
	const struct tw_report **members;
	size_t size;
	unsigned digits;		/* of its histograms; 0: not known yet */
	struct tw_report_tally tally;
	const struct tw_report_clock *worst[TW_REPORT_CLOCKS];	/* or NULL */
	enum tw_report_verdict verdict;	/* the worst of the members */
	size_t fallbacks;
	size_t event_times;		/* number of members with tw_event_time */
	json_t *reasons;		/* of the members, each code once */
	json_t *unknown;		/* of the members */
	uint64_t run_ns;		/* of the longest member */
	struct tw_report_slow *slowest;	/* slowest first */
	size_t slow_count;
	struct tw_report_stall *stalls;	/* the stall of the slowest I/O first */
	size_t stall_count;
	struct tw_report_over_time over_time;
	int over_time_differs;		/* 1: there are no common intervals */
	/* Members for files of intervals: */
	struct tw_report_cells *cells;	/* NULL: some members have no file */
	struct tw_report_span span;	/* the part that is shown */
	struct tw_report_span asked;	/* the part that was asked for */
	int is_empty;			/* 1: none of its lines are in the part
					 * asked for */
	uint64_t end_ns;		/* end of the last line, as in a span */
	size_t without_report;		/* number of members that have only intervals */
	size_t without_end;		/* number of members that were killed or
					 * still run */
	struct tw_report_devices *of_lines;	/* of the lines in @tally; or NULL */
};

/* Room for any sentence about a direction. */
#define TW_REPORT_SENTENCE	512

#endif
