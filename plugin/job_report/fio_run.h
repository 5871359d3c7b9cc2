/* SPDX-License-Identifier: GPL-2.0 */
/* A run of fio, and what becomes of the reports of its jobs. */
#ifndef TW_PLUGIN_JOB_REPORT_FIO_RUN_H
#define TW_PLUGIN_JOB_REPORT_FIO_RUN_H

#include <jansson.h>
#include <signal.h>

#include "fio.h"
#include "job_clock/timing.h"

/* ---- fio_run.c: what the jobs of one fio share ----
 *
 * Jobs, whether they are threads or processes, share the clock, how its counter was found at
 * the run's beginning and end, which jobs there are, and which reports wait for the end.
 *
 * The CPUs' counters are compared twice:
 *
 *	- at the beginning, by the first process or thread that needs the clock (timing.c):
 *	  mostly fio itself before it begins its jobs;
 *	- at the end, by the last job, when no other job of this fio runs or is to begin.
 *	  It takes a thread on each CPU, which would disturb jobs that run.
 *
 * Jobs that ended earlier have written reports with an undecided counter. The last job
 * adds the result to their reports. fio's own list tells which jobs there are.
 */

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

/* ---- report_file.c: what every report contains about its job, and how it becomes a file ----
 *
 * Nothing goes to fio's stdout, which may be JSON itself. */

/* Return which job of which run this is; NULL without memory. @start_realtime_ns: when
 * the job began. */
json_t *tw_report_job(struct thread_data *td, const struct tw_timing *timing,
		      uint64_t start_realtime_ns);

/* True unless @option, the value of tw_report=, is "none". */
bool tw_report_is_wanted(const char *option);

/* Where a file goes: 0 is where the user wants it; the others are tried in turn if
 * nothing can be written there. */
#define TW_REPORT_PLACES	3

/* Return the path of the intervals of a job with tw_report=@option. The caller frees it.
 * NULL without memory. */
char *tw_intervals_path(struct thread_data *td, const char *option, unsigned place);

/* Make a file that grows beyond the limit on sizes, and a closed pipe, an error of what
 * this thread writes. Else the signal would end the job. */
void tw_signals_hold(sigset_t *before);
void tw_signals_release(const sigset_t *before);

/* Replace a report by the same report with more in it. Return 0 or -errno. */
int tw_report_replace(const char *path, const json_t *report);

/* Write a report completely or not at all, if need be elsewhere. @option: value of tw_report=;
 * NULL or "": the default name. @suffix: part of that, "tickwise" for NAME.N.PID.tickwise.json.
 * @report: NULL if there was no memory, which is logged like other errors. @file: out, freed by
 * the caller: the path of the report; NULL if it is not a regular file, or without memory. Return
 * 0; -errno, which is logged, if it is not where the user wants it. */
int tw_report_store(struct thread_data *td, const char *option,
		    const char *suffix, const json_t *report, char **file);

/* ---- to_client.c: the way of a report to the client of a fio server ----
 *
 * It is a text that fio prints there: see report/sent.h for its form. */

/* True if the report of a job with tw_send=@token goes to a client. @token may be NULL. */
static inline bool tw_is_sent(const char *token)
{
	return is_backend && token && *token;
}

/* Send the report if a client is to have it. If it can't be sent, or the job does not ask for
 * it, send one line of at most 120 characters that says where it is. Call this in the job's
 * thread, by which fio finds the client. Without a client this does nothing. @report: NULL if
 * there was no memory. @path: where it is; NULL: in no file. */
void tw_send_report(const char *token, const json_t *report, const char *path);

#endif
