/* SPDX-License-Identifier: MIT */
/*
 * What a report is: one or more jobs. It has facts about them, a tally, the slowest
 * I/Os, devices, causes and clocks. Engines and `tickwise attach` make the report of a
 * job; merging makes one of several jobs, which can be written, read and merged again.
 * The order and the grouping of merges change no byte of the result.
 *
 * Facts are JSON as in the file, which tickwise-report(5) describes.
 */
#ifndef TW_REPORT_REPORT_H
#define TW_REPORT_REPORT_H

#include <jansson.h>

#include "report/tally.h"
#include "report/report_json.h"

#define TW_REPORT_SCHEMA	"tickwise-report"
#define TW_REPORT_VERSION	1

/* A job of a report. Texts belong to @json. */
struct tw_report_job {
	json_t *json;			/* as in the file */
	json_t *common;			/* the options that all jobs of the file have; or NULL */
	const char *run;		/* the fio run it belongs to; or "" */
	const char *name;
	const char *host;
	const char *fio_version;
	const char *engine;
	const char *path;		/* the file that it was read from; or "" */
	const char *intervals;		/* its file of intervals, if that was given, too;
					 * or NULL */
	uint64_t groupid;
	uint64_t thread_number;
	uint64_t pid;
	uint64_t start_ns;		/* CLOCK_REALTIME */
	uint64_t start_monotonic_ns;	/* 0: not in the file */
	uint64_t first_ns;		/* its first I/O that counts, since the start */
	uint64_t run_ns;		/* from there to the end of its last I/O */
	uint64_t iodepth;
	int event_time;			/* 1: fio's lat is lat without deliver */
	int fallback;			/* 1: times are of the system's clock */
	int kernel_on;			/* 1: I/Os were split inside the kernel */
	int by_helper;			/* 1: with the helper's programs */
	const char *kernel_why;		/* why they were not; NULL: they were, or this is
					 * not in the file */
	const char *unsplit_syncs;	/* why syncs have no parts; NULL: they have some, or
					 * are not to have any */
	const char *not_followed;	/* why the causes of slow I/Os are not known; NULL:
					 * they are, or this is not in the file */
	const json_t *follow_cost;	/* of each CPU; NULL: not in the file */
	const json_t *options;		/* its own: {NAME: text}; NULL: not in the file */
};

/* One of the slowest I/Os. */
struct tw_report_slow {
	json_t *json;			/* without its "job" */
	size_t job;			/* index of its job */
	uint64_t lat_ns;
};

/* A block device of the jobs' files. */
struct tw_report_device {
	json_t *json;			/* its facts, with "host" and "device" */
	const char *host;
	const char *number;		/* "259:0" */
	const char *name;		/* "nvme0n1"; or the number */
	uint64_t jobs;			/* number of jobs with I/Os on it, as far as known */
	/* 1: all I/Os of the report are on it, and the members below are empty: those of
	 * the report's tally stand for them. */
	int has_all;
	int has_ios;			/* 0: which I/Os are on it is not known */
	uint64_t ios[TW_DIRECTIONS];
	struct tw_histogram lat[TW_DIRECTIONS];
	struct tw_histogram in_device[TW_DIRECTIONS];	/* the stage device */
	struct tw_windows over_time;
};

enum tw_report_clock_name {
	TW_REPORT_TICKWISE,
	TW_REPORT_FIO,
	TW_REPORT_MONOTONIC,
	TW_REPORT_CLOCKS,
};

extern const char *const tw_report_clock_names[TW_REPORT_CLOCKS];

/* In the order of importance to the reader. */
enum tw_report_verdict {
	TW_REPORT_RELIABLE,
	TW_REPORT_UNCHECKED,
	TW_REPORT_UNDECIDED,
	TW_REPORT_UNRELIABLE,
	TW_REPORT_VERDICTS,
};

extern const char *const tw_report_verdicts[TW_REPORT_VERDICTS];

/* Kinds of requests that a device has in flight for others, to NULL. In the order of enum
 * tw_time from TW_WITH_READS on. */
extern const char *const tw_others_kinds[];

struct tw_report {
	/* In the order of start, host, run, pid, thread number. */
	struct tw_report_job *jobs;
	size_t job_count;
	json_t *machines;		/* [{host, ...}]: each once, in the order of their text */
	json_t *files;			/* [{host, path, ...}]: the same */
	struct tw_report_device *devices;	/* by host and number */
	size_t device_count;
	json_t *clocks;			/* {NAME: of the job where it was farthest off} */
	enum tw_report_verdict verdict;	/* the worst of the jobs */
	json_t *counter;		/* {verdict, reasons, ...} */
	struct tw_tally tally;
	struct tw_report_slow *slowest;	/* the slowest first */
	size_t slow_count;
	json_t *triggers;		/* [{job, ...}]; or NULL */
	json_t *others;			/* [{job, ...}]; or NULL */
	json_t *commits;		/* [{job, ...}]; or NULL */
	json_t *attached;		/* lists of `tickwise attach`; or NULL */
	struct tw_waits *waits;		/* or NULL (waits.h) */
	/* Of a file of intervals: */
	uint64_t interval_ns;		/* as the option asked for; 0: it is none */
	unsigned digits;		/* of its histograms */
	json_t *clock;			/* {ticks, monotonic_ns, hz}: at the start; or NULL */
};

/* ---- reading (read.c) ----------------------------------------------------- */

/**
 * tw_report_from_json - read a report, or the header of a file of intervals
 * @report: released with tw_report_free(), also after a failure
 * @root: any JSON; not needed afterwards
 * @path: of the file, kept in the jobs
 *
 * Checks everything. Unknown keys are ignored. Sets @problem if it is wrong. Return: 0; -ENOMEM.
 */
int tw_report_from_json(struct tw_report *report, const json_t *root, const char *path,
			struct tw_report_problem *problem);

/* Return the largest number of a report that is added to those of others. Reports of which these
 * numbers together have 64 bits can be merged. */
uint64_t tw_report_largest(const json_t *json);

void tw_report_free(struct tw_report *report);

/* Return an option of the job: its own, or the common one; NULL: it is not given. */
const json_t *tw_job_option(const struct tw_report_job *job, const char *name);

/* Return all options of the job, to be released. */
json_t *tw_job_options(const struct tw_report_job *job);

/* ---- writing (report_write.c) ------------------------------------------------------ */

/* Return the report as JSON. Its over_time is closed. NULL without memory; ask
 * tw_json_lacked_memory(), too. */
json_t *tw_report_to_json(const struct tw_report *report);

/* Return the same report in fewer bytes: histograms are as in a file of intervals. */
json_t *tw_report_to_lean_json(const struct tw_report *report);

/* Return the first line of a file of intervals: all of the report but its numbers. */
json_t *tw_report_header_to_json(const struct tw_report *report);

/* ---- merging (merge.c) ------------------------------------------------------ */

/**
 * tw_report_add - merge a report into another
 * @into: zeroed, or a report to which reports were added
 * @from: unchanged; its JSON values are shared
 *
 * Return: 0; -EEXIST: both have the same job; -EINVAL: digits differ, or it is of
 * `tickwise attach`, which numbers its own rings; -EOVERFLOW; -ENOMEM. After a failure
 * @into can only be freed.
 */
int tw_report_add(struct tw_report *into, const struct tw_report *from);

/* Return the digits of its histograms; 0: it has no value. */
unsigned tw_report_digits(const struct tw_report *report);

/* Compare jobs by start, host, run, pid and thread number: the order of a report. */
int tw_report_compare_jobs(const struct tw_report_job *a, const struct tw_report_job *b);

/* Give each device its own numbers, also the one that has all I/Os. Return: 0;
 * -ENOMEM; -EOVERFLOW. */
int tw_report_fill_devices(struct tw_report *report);

/* Add the devices of @from alone, each with its own numbers. @into: zeroed, or devices
 * were added. Return: 0; -ENOMEM; -EOVERFLOW. */
int tw_report_collect_devices(struct tw_report *into, const struct tw_report *from);

/* ---- intervals (intervals.c) ------------------------------------------------ */

/* A line of a file of intervals. */
struct tw_report_line {
	uint64_t number;		/* from 1 */
	uint64_t from_ns, to_ns;	/* since the job's start */
	uint64_t realtime_ns;		/* CLOCK_REALTIME where it begins */
	uint64_t first_ns, run_ns;	/* of the job so far, as in its report */
	int has_run;			/* 0: no I/O counted so far */
	int is_end;			/* 1: the last line; the job ended by itself */
	int restarts;			/* 1: fio has forgotten the lines before it */
};

/* Return a line as JSON; NULL without memory. The tally's over_time is closed. */
json_t *tw_report_line_to_json(const struct tw_report_line *line,
			       const struct tw_tally *tally);

/* Read a line. @tally: zeroed, released by the caller. Sets @problem if it is wrong.
 * Return: 0; -ENOMEM. */
int tw_report_line_from_json(struct tw_report_line *line, struct tw_tally *tally,
			     const json_t *json, struct tw_report_problem *problem);

#endif
