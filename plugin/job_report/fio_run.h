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
 */
#ifndef TW_PLUGIN_JOB_REPORT_FIO_RUN_H
#define TW_PLUGIN_JOB_REPORT_FIO_RUN_H

#include <jansson.h>

#include "job_clock/timing.h"

struct thread_data;

/* Let SIGHUP end fio as SIGTERM does: with its results, and with the reports. fio leaves
 * it to the default action, so a terminal that is closed would lose a run. An ignored
 * SIGHUP (nohup) stays so. Call it when fio has set its handlers. */
void tw_run_take_hangup(void);

/* Note that a job on one of Tickwise's engines is being set up. */
void tw_run_job_begins(const struct thread_data *td);

/* Note that a job is over and its report, if any, is written. The last job completes the
 * reports that wait. */
void tw_run_job_ended(struct thread_data *td);

/* What goes to fio's client. */
struct tw_to_client {
	const char *token;	/* the value of tw_send=; NULL: it is not given */
	json_t *report;		/* in few bytes; NULL: there was no memory, or it is not sent */
};

/* Add "counter" to a job's report, which is freed, write it, and send it to fio's client: see
 * tw_report_store() for @option and @suffix. @to_client: its report is freed, too; NULL: such
 * reports are not sent. Return 0, or -errno, which is logged. */
int tw_run_report(struct thread_data *td, const char *option, const char *suffix,
		  json_t *report, const struct tw_to_client *to_client,
		  const struct tw_timing *timing, const struct tw_job_end *end);

#endif
