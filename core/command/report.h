/* SPDX-License-Identifier: MIT */
/*
 * The engine's reports, read: what `tickwise report` passes from its reader
 * (report_read.c) to the merging (report_merge.c) and on to the page
 * (report_page.c) or the JSON (report_json.c).
 *
 * Strings belong to the JSON they were read from, which lives as long as the
 * struct tw_report does.
 */
#ifndef TW_REPORT_H
#define TW_REPORT_H

#include <jansson.h>

#include "tickwise.h"

#define TW_REPORT_SCHEMA	"tickwise-report"
#define TW_REPORT_VERSION	1

enum tw_report_counts {
	TW_REPORT_IOS,
	TW_REPORT_ERRORS,
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

#define TW_REPORT_STAGES	6
#define TW_REPORT_DIRECTIONS	4	/* read, write, trim, sync */

struct tw_report_stage {
	const char *name;
	const char *is;			/* what it lasts from and to */
};

/* Names as in the file, in its order and the page's. */
extern const struct tw_report_stage tw_report_stages[TW_REPORT_STAGES];
extern const char *const tw_report_directions[TW_REPORT_DIRECTIONS];
extern const char *const tw_report_counts_names[TW_REPORT_COUNTS];
extern const char *const tw_report_clocks_names[TW_REPORT_CLOCKS];

/* What adds up when jobs are merged. Histograms without bins are absent. */
struct tw_report_tally {
	uint64_t counts[TW_REPORT_COUNTS][TW_REPORT_DIRECTIONS];
	uint64_t enters;
	uint64_t tails;
	uint64_t largest_tail;
	struct tw_histogram stages[TW_REPORT_STAGES][TW_REPORT_DIRECTIONS];
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
	uint64_t over_ns;
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
	json_t *slowest;		/* an array, or NULL */
};

/* Jobs that belong together; members in order of their start. */
struct tw_report_group {
	const struct tw_report **members;
	size_t size;
	struct tw_report_tally tally;
	const struct tw_report_clock *worst[TW_REPORT_CLOCKS];	/* or NULL */
	enum tw_report_verdict verdict;	/* the worst of the members' */
	size_t fallbacks;
	json_t *reasons;		/* the members', each code once */
	uint64_t run_ns;		/* the longest of the members' */
};

/* The first thing found wrong, for people. */
struct tw_report_problem {
	char text[512];
};

/* Set @problem unless it is set already. */
void tw_report_refuse(struct tw_report_problem *problem,
		      const char *format, ...)
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
void tw_report_free(struct tw_report *report);
void tw_report_tally_free(struct tw_report_tally *tally);

/**
 * tw_report_merge - put jobs together that belong together
 * @reports: re-ordered by start; must outlive the groups
 * @groups: the result, released with tw_report_groups_free()
 *
 * Return: an enum tw_exit; other than TW_EXIT_GOOD, @problem says why: the same
 * job given twice, sums that don't fit, no memory.
 */
int tw_report_merge(struct tw_report *reports, size_t count,
		    struct tw_report_group **groups, size_t *group_count,
		    struct tw_report_problem *problem);
void tw_report_groups_free(struct tw_report_group *groups, size_t count);

/* The page on stdout, and its part about a group's clocks. */
void tw_report_print_page(const struct tw_report_group *groups, size_t count);
void tw_report_print_clocks(const struct tw_report_group *group);

/* NULL without memory; the caller's reference. */
json_t *tw_report_groups_to_json(const struct tw_report_group *groups,
				 size_t count);

#endif
