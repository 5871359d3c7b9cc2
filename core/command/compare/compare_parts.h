/* SPDX-License-Identifier: MIT */
/*
 * What the files of tickwise compare share. compare_process.c runs processes and waits for
 * their output. compare_measure.c starts each clock, idle and under load, and runs I/Os on
 * fio's null engine. compare_result.c does the arithmetic, and compare_page.c prints.
 */
#ifndef TW_COMPARE_PARTS_H
#define TW_COMPARE_PARTS_H

#include <jansson.h>
#include <stdio.h>
#include <sys/types.h>

#include "command/output/page.h"
#include "command/command.h"
#include "probe/clock_probe.h"
#include "tickwise.h"

#define TW_COMPARE_CLOCKS	7
#define TW_COMPARE_MAX_STARTS	1000
#define TW_COMPARE_MAX_ROUNDS	99
/* The two system clocks, by enum tw_against. */
#define TW_COMPARE_AGAINST	2

/* Measured on a machine of two CPUs with fio 3.33: a start, a start under load, which has
 * two busy loops for each CPU, and a second of I/O. */
#define TW_COMPARE_IDLE_S	0.4
#define TW_COMPARE_BUSY_S	0.8
#define TW_COMPARE_NULL_S	1.3

enum tw_compare_load { TW_COMPARE_IDLE, TW_COMPARE_BUSY, TW_COMPARE_LOADS };

struct tw_compare_arguments {
	const char *fio;		/* "": none */
	const char *fio_patched;	/* NULL: none */
	unsigned starts;
	uint64_t window_ns;		/* of each comparison */
	unsigned rounds;		/* of I/Os on the null engine */
	int loads;			/* a bit for each enum tw_compare_load */
	struct tw_wanted wanted;
};

struct tw_compare_clock {
	const char *name;
	const char *what;		/* description for readers */
	const char *fio;		/* NULL: no fio is involved */
	const char *clocksource;
	const char *version;		/* of that fio */
	int preload;			/* 1: under libtickwise-preload.so */
	uint64_t window_ns;		/* of tickwise's own calibration */
	int check;			/* 1: also check the CPUs, as the engine does */
};

/* One start of a clock. Positive errors: the clock runs fast. */
struct tw_compare_start {
	double startup_ns;
	double read_ns;
	double over_ns;
	double ppb[TW_COMPARE_AGAINST];
	double error_ppb[TW_COMPARE_AGAINST];	/* hard bounds */
};

/* A clock under a load. Medians and maxima are of absolute values. */
struct tw_compare_sum {
	unsigned starts;
	unsigned failed;
	struct tw_compare_off {
		double median_ppb, worst_ppb;
		double error_ppb;	/* the largest */
	} off[TW_COMPARE_AGAINST];
	double startup_ns, read_ns;	/* medians */
};

struct tw_compare_result {
	struct tw_compare_clock clock[TW_COMPARE_CLOCKS];
	unsigned clocks;
	struct tw_compare_start *start[TW_COMPARE_CLOCKS][TW_COMPARE_LOADS];
	struct tw_compare_sum sum[TW_COMPARE_CLOCKS][TW_COMPARE_LOADS];
	double null_iops[TW_COMPARE_CLOCKS];		/* 0: none */
	unsigned busy_loops;
	double ns_per_tick;
	double steering_ppb;		/* of NTP, from adjtimex() */
	char clocksource[32];		/* of the kernel */
	char *preload, *probe;		/* paths of libraries, or NULL */
	struct tw_progress line;
	const char *step;		/* what is done now, for readers */
	double all_s, done_s, step_s;	/* estimates: of all, of what is done, of @step */
	uint64_t since_ns;		/* when @step began */
};

/* Do all starts of all clocks. */
void tw_compare_starts(struct tw_compare_result *result,
		       const struct tw_compare_arguments *arguments);

/* Measure I/Os per second. What can't be measured is 0. */
void tw_compare_null(struct tw_compare_result *result, unsigned rounds);

/* ---- processes ---- */

/* Show that a step begins, which takes about this long. */
void tw_compare_step(struct tw_compare_result *result, double step_s, const char *what);

struct tw_compare_process {
	pid_t pid;			/* 0: none */
	FILE *says;			/* the process's output */
};

/**
 * tw_compare_spawn - run a program
 * @argv: NULL at the end
 * @set: "NAME=VALUE" for its environment, NULL at the end
 * @fd: the program's descriptor that is read here: 1, or that of the probe
 *
 * The program ends with this one, however this one ends. Its errors go to
 * /dev/null.
 *
 * Return: 0; -errno.
 */
int tw_compare_spawn(struct tw_compare_process *process,
		     const char *const *argv, const char *const *set, int fd);

/* Do the same, but call @run(context, fd) in a child of this program. */
int tw_compare_fork(struct tw_compare_process *process,
		    void (*run)(void *context, int fd), void *context);

/* Wait until the process has written something, and show the progress of @result in the
 * meantime. Return: 0; -1: it wrote nothing within @patience_ns. */
int tw_compare_wait(struct tw_compare_process *process, uint64_t patience_ns,
		    struct tw_compare_result *result);

/* End the process if it still runs, and release it. Return: its exit code. */
int tw_compare_end(struct tw_compare_process *process, int by_signal);

/* ---- arithmetic: pure ---- */

/* Compute one start. Return: 0; -1: there is no time between the two
 * moments. */
int tw_compare_evaluate(struct tw_compare_start *start,
			const struct tw_probe_report *report);

/* Sum up @count starts, up to TW_COMPARE_MAX_STARTS. Without any, all figures
 * are 0. */
void tw_compare_sum_up(struct tw_compare_sum *sum,
		       const struct tw_compare_start *starts, unsigned count);

double tw_compare_median(double *values, unsigned count);

/* Return the part of the time that is over, 0 to 1, @in_step_s after a step began. */
double tw_compare_part(const struct tw_compare_result *result, double in_step_s);

/* ---- output ---- */

struct tw_page *tw_compare_page(const struct tw_compare_result *result,
				const struct tw_compare_arguments *arguments);

json_t *tw_compare_json(const struct tw_compare_result *result);

#endif
