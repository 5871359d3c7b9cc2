/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The beginning and the end of a run, which are more than a job's. The CPUs'
 * counters are compared once before, by the first who asks for the time, mostly fio
 * itself before it begins its jobs; and once after, when no job of this fio runs any
 * more or is still to begin, by the last one that ends. Those that ended before
 * have written their reports by then, in which the counter is undecided; the last
 * one puts in what was found.
 *
 * What the jobs tell each other is in memory that all of them share, whether
 * they are threads or processes. Which jobs there are is fio's own list.
 */
#ifndef TW_PLUGIN_RUN_END_H
#define TW_PLUGIN_RUN_END_H

#include "fio.h"
#include "health.h"

/* In the process that reads the job file, before any job begins. */
void tw_run_begin(void);

/* True: another has compared the CPUs' counters before this one came, see @start
 * (not checked: it came to no end). False: the caller does, and then tells. */
bool tw_run_is_started(struct tw_run_start *start);
void tw_run_started(const struct tw_run_start *start);

/* A job on one of our engines is being set up. */
void tw_run_job_begins(const struct thread_data *td);

/**
 * tw_run_report - complete a job's report by what it says of the counter; write it
 * @option: and @suffix, @report: as of tw_report_store()
 *
 * Return: 0; -errno, which is logged.
 */
int tw_run_report(struct thread_data *td, const char *option,
		  const char *suffix, json_t *report,
		  const struct tw_timing *timing, const struct tw_job_end *end);

/* A job is over, its report, if any, is written: if it was the last one, those
 * that wait are completed. */
void tw_run_job_ended(struct thread_data *td);

#endif
