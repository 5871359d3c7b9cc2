/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The beginning and the end of a run, which has one or more jobs. The CPUs' counters are
 * compared twice:
 *
 *	- at the beginning, by the first process or thread that needs the clock: mostly
 *	  fio itself before it begins its jobs;
 *	- at the end, by the last job, when no other job of this fio runs or is to begin.
 *
 * Jobs that ended earlier have written reports with an undecided counter. The last job
 * adds the result to their reports.
 *
 * The jobs share memory, whether they are threads or processes. fio's own list tells
 * which jobs there are.
 */
#ifndef TW_PLUGIN_RUN_END_H
#define TW_PLUGIN_RUN_END_H

#include "fio.h"
#include "health.h"

/* Make the shared memory. Call this in the process that reads the job file, before any
 * job begins. */
void tw_run_begin(void);

/* True if another caller has compared the CPUs' counters; @start has the result (not
 * checked: it did not end in time). False: the caller has to compare them, and to call
 * tw_run_started() with the result. */
bool tw_run_is_started(struct tw_run_start *start);
void tw_run_started(const struct tw_run_start *start);

/* Let SIGHUP end fio as SIGTERM does: with its results, and with the reports. fio leaves
 * it to the default action, so a terminal that is closed would lose a run. An ignored
 * SIGHUP (nohup) stays so. Call it when fio has set its handlers. */
void tw_run_take_hangup(void);

/* Note that a job on one of Tickwise's engines is being set up. */
void tw_run_job_begins(const struct thread_data *td);

/**
 * tw_run_report - add "counter" to a job's report, and write it
 * @option: see tw_report_store(), also for @suffix and @report
 *
 * Return: 0; -errno, which is logged.
 */
int tw_run_report(struct thread_data *td, const char *option,
		  const char *suffix, json_t *report,
		  const struct tw_timing *timing, const struct tw_job_end *end);

/* Note that a job is over and its report, if any, is written. The last job completes the
 * reports that wait. */
void tw_run_job_ended(struct thread_data *td);

#endif
