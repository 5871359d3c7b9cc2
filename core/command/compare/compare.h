/* SPDX-License-Identifier: MIT */
/*
 * tickwise compare, its parts: which clocks there are to compare (clocks.c),
 * processes and what they say (process.c), starts of a clock idle and under
 * load (starts.c), I/Os of fio's null engine (null.c), arithmetic on all of it
 * (result.c), how long it takes (steps.h), and what is shown of it (output.h).
 *
 * Functions that return an enum tw_exit have said what is wrong.
 */
#ifndef TW_COMPARE_H
#define TW_COMPARE_H

#include <stdio.h>
#include <sys/types.h>

#include "command/compare/steps.h"
#include "command/output/progress.h"
#include "command/show.h"
#include "probe/report.h"
#include "tickwise.h"

#define TW_COMPARE_NAME		"compare"
#define TW_COMPARE_CLOCKS	7
#define TW_COMPARE_MAX_STARTS	1000

enum tw_compare_load { TW_COMPARE_IDLE, TW_COMPARE_BUSY, TW_COMPARE_LOADS };

struct tw_compare_arguments {
	const char *fio;		/* NULL: the first in PATH */
	const char *fio_patched;	/* NULL: none */
	unsigned starts;
	uint64_t window_ns;		/* of each comparison */
	unsigned rounds;		/* of I/Os on the null engine */
	int load;			/* enum tw_compare_load, or one more: both */
	int loads[TW_COMPARE_LOADS];	/* which of them, by that */
	struct tw_wanted wanted;
};

struct tw_compare_clock {
	const char *name;
	const char *what;		/* for people */
	const char *fio;		/* NULL: no fio in it */
	const char *clocksource;
	int preload;			/* under libtickwise-preload.so */
	uint64_t window_ns;		/* of our own calibration */
	int check;			/* and of the CPUs, as the engine does */
	char version[64];		/* of that fio */
};

/* One start of a clock: plus is fast. */
struct tw_compare_start {
	double startup_ns;
	double read_ns;
	double over_ns;
	double raw_ppb, monotonic_ppb;
	double raw_error_ppb, monotonic_error_ppb;	/* hard */
};

/* Of a clock under a load. Median and worst of the absolute values. */
struct tw_compare_sum {
	unsigned starts;
	unsigned failed;
	double raw_median_ppb, raw_worst_ppb;
	double monotonic_median_ppb, monotonic_worst_ppb;
	double raw_error_ppb, monotonic_error_ppb;	/* the largest */
	double uncertainty_ppb;		/* of these two the larger */
	double startup_ns, read_ns;	/* medians */
	double over_ns;
};

struct tw_compare_result {
	struct tw_compare_clock clock[TW_COMPARE_CLOCKS];
	unsigned clocks;
	struct tw_compare_start *start[TW_COMPARE_CLOCKS][TW_COMPARE_LOADS];
	struct tw_compare_sum sum[TW_COMPARE_CLOCKS][TW_COMPARE_LOADS];
	double null_iops[TW_COMPARE_CLOCKS];		/* 0: none */
	double reads_per_io[TW_COMPARE_CLOCKS];		/* 0: unknown */
	unsigned busy_loops;
	double ns_per_tick;
	double steering_ppb;		/* of NTP, as adjtimex says */
	char clocksource[32];		/* the kernel's */
	char preload[512], probe[512], counter[512];	/* their paths, or "" */
	struct tw_progress line;
	struct tw_compare_steps steps;
	const char *step;		/* for people */
};

/* Show that a step begins, and @what it is; and that it goes on. */
void tw_compare_step(struct tw_compare_result *result, enum tw_compare_kind kind,
		     const char *what);
void tw_compare_show_step(struct tw_compare_result *result);

/* Clocks and the libraries they need. Return: an enum tw_exit. */
int tw_compare_find(struct tw_compare_result *result,
		    const struct tw_compare_arguments *arguments);

/* All starts of all clocks. Return: an enum tw_exit. */
int tw_compare_starts(struct tw_compare_result *result,
		      const struct tw_compare_arguments *arguments);

/* I/Os a second, and readings of the clock for each. What can't be had is 0. */
void tw_compare_null(struct tw_compare_result *result, unsigned rounds);
/* How many runs of fio that takes. */
unsigned tw_compare_null_runs(const struct tw_compare_result *result, unsigned rounds);

/* ---- processes ---- */

struct tw_compare_process {
	pid_t pid;			/* 0: none */
	FILE *says;			/* what it writes */
};

/**
 * tw_compare_spawn - run a program
 * @argv: NULL at the end
 * @set: "NAME=VALUE" for its environment, NULL at the end
 * @fd: of its descriptors, which is read here: 1, or 3 for the probe's
 *
 * It ends with this program, however that ends. Its errors go to /dev/null.
 *
 * Return: 0; -errno.
 */
int tw_compare_spawn(struct tw_compare_process *process,
		     const char *const *argv, const char *const *set, int fd);

/* As that, but @run(context, fd) in a child of this program. */
int tw_compare_fork(struct tw_compare_process *process,
		    void (*run)(void *context, int fd), void *context);

/* The next line that it writes, within @patience_ns. In the meantime the progress of
 * @result is shown. 0; -1: there is none. */
int tw_compare_read(struct tw_compare_process *process, char *line, int size,
		    uint64_t patience_ns, struct tw_compare_result *result);

/* Ends it if it has not ended, and forgets it. Return: its exit code. */
int tw_compare_end(struct tw_compare_process *process, int by_signal);

/* ---- arithmetic: pure ---- */

/* 0; -1: nothing that lies between two moments. */
int tw_compare_evaluate(struct tw_compare_start *start,
			const struct tw_probe_report *report);

/* @count up to TW_COMPARE_MAX_STARTS. None: all 0. */
void tw_compare_sum_up(struct tw_compare_sum *sum,
		       const struct tw_compare_start *starts, unsigned count);

double tw_compare_median(double *values, unsigned count);

#endif
