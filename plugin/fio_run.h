/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the jobs of one fio share, whether they are threads or processes: the clock, how its
 * counter was found at the run's beginning and end, which jobs there are, and which reports
 * wait for the end.
 *
 * The CPUs' counters are compared twice:
 *
 *	- at the beginning, by the first process or thread that needs the clock (timing.c):
 *	  mostly fio itself before it begins its jobs;
 *	- at the end, by the last job, when no other job of this fio runs or is to begin
 *	  (fio_run.c). It takes a thread on each CPU, which would disturb jobs that run.
 *
 * Jobs that ended earlier have written reports with an undecided counter. The last job
 * adds the result to their reports. fio's own list tells which jobs there are.
 *
 * counter_verdict.c, fio_run.c, report_file.c and timing.c call each other: they are the
 * parts of one object, the run, and share its lock.
 */
#ifndef TW_PLUGIN_FIO_RUN_H
#define TW_PLUGIN_FIO_RUN_H

#include <jansson.h>
#include <pthread.h>
#include <stdbool.h>

#include "machine/cpus.h"
#include "tickwise.h"
#include "trust.h"

struct thread_data;
struct tw_timing;

/* fio's REAL_MAX_JOBS. */
#define TW_RUN_JOBS	4096
/* The reports of more jobs, and those with longer paths, stay undecided. */
#define TW_RUN_REPORTS	2048U
#define TW_RUN_PATH	1024

/* How the counters of the CPUs compared before the first job. */
struct tw_run_start {
	int checked;			/* 0: not compared */
	enum tw_verdict verdict;
	unsigned reasons;
	struct tw_cpu_list cpus;	/* that were compared */
	uint64_t monotonic_ns;		/* when they were compared */
};

/* How they compared when the last job had ended. */
struct tw_run_end {
	struct tw_cpu_list cpus;	/* that were compared */
	int error;			/* errno if they were not compared */
	struct tw_trust_compared found;
	uint64_t monotonic_ns;		/* when they were compared */
};

/* What a job found when it had ended. */
struct tw_job_end {
	struct tw_run_start start;
	bool system;			/* the stamps are of the system clock */
	uint64_t step_ns;		/* the system clock moves in these steps */
	struct tw_cpu_list cpus;	/* where the job may have run */
	uint64_t backwards;		/* stamps that contradict each other */
	int error;			/* errno of the check; 0: health is set */
	struct tw_clock_health health;	/* without the CPUs' agreement */
};

/* A report that waits for the end of the run. */
struct tw_waiting {
	struct tw_job_end end;
	char path[TW_RUN_PATH];
	int thread_number;
	int pid;
};

struct tw_run {
	char name[32];
	pthread_mutex_t lock;
	bool is_started;
	struct tw_run_start start;
	bool is_ended;
	struct tw_run_end end;
	/* Jobs on Tickwise's engines, by fio's thread number. */
	bool begun[TW_RUN_JOBS];
	bool over[TW_RUN_JOBS];
	struct tw_cpu_list cpus;	/* of all jobs that have a report */
	unsigned completed;		/* of the reports that wait */
	unsigned reports;
	struct tw_waiting waiting[TW_RUN_REPORTS];
};

/* Make the memory, or find it. Call this in the process that reads the job file, before
 * any job begins. */
void tw_run_begin(void);

/* Lock the memory; NULL: there is none. A member that says that another one is set, or how
 * many are, is written last: a job may be killed at any time, and then the next one gets
 * the lock. */
struct tw_run *tw_run_lock(void);
void tw_run_unlock(struct tw_run *run);

/* Let SIGHUP end fio as SIGTERM does: with its results, and with the reports. fio leaves
 * it to the default action, so a terminal that is closed would lose a run. An ignored
 * SIGHUP (nohup) stays so. Call it when fio has set its handlers. */
void tw_run_take_hangup(void);

/* Note that a job on one of Tickwise's engines is being set up. */
void tw_run_job_begins(const struct thread_data *td);

/* Note that a job is over and its report, if any, is written. The last job completes the
 * reports that wait. */
void tw_run_job_ended(struct thread_data *td);

/* Add "counter" to a job's report, which is freed, and write it: see tw_report_store() for
 * @option and @suffix. Return 0, or -errno, which is logged. */
int tw_run_report(struct thread_data *td, const char *option,
		  const char *suffix, json_t *report,
		  const struct tw_timing *timing, const struct tw_job_end *end);

/* Write a message to stderr in whole lines or, if fio is a server, to the client. */
void tw_message(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- timing.c ---- */

/* The clock of this process, and if its counter is reliable. */
struct tw_timing {
	struct tw_clock clock;
	uint64_t step_ns;	/* of the system clock, if it is used */
	struct tw_run_start start;
};

/* Return the clock of this process, never NULL. The first call sets it up, which takes
 * some 25 ms. */
const struct tw_timing *tw_timing_of_process(void);

/* Add the CPUs that the calling thread may run on now to @cpus. Let the calling thread
 * run on @cpus. */
void tw_cpus_note(struct tw_cpu_list *cpus);
void tw_cpus_set(const struct tw_cpu_list *cpus);

/* ---- counter_verdict.c: was the counter reliable in a job? ---- */

/* Check the clock of a job that has ended, and log what is bad. This makes no thread and
 * takes some ms at most. @end: its cpus and backwards are set by the caller. */
void tw_job_look(const char *job_name, const struct tw_timing *timing,
		 struct tw_job_end *end);

/* Compare the counters of @cpus by a thread on each, which takes some 10 to 200 ms, and
 * log if they disagree. The caller's affinity stays as it was. */
void tw_run_compare(const struct tw_timing *timing,
		    const struct tw_cpu_list *cpus, struct tw_run_end *end);

/* Return the report's "counter"; NULL without memory. @run: NULL if no counters were
 * compared after this job. */
json_t *tw_counter_to_json(const struct tw_job_end *job, const struct tw_run_end *run);

#endif
