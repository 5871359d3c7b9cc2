/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every report contains about its job, and how a report becomes a file. Nothing
 * goes to fio's stdout, which may be JSON itself.
 */
#ifndef TW_PLUGIN_JOB_REPORT_REPORT_FILE_H
#define TW_PLUGIN_JOB_REPORT_REPORT_FILE_H

#include <jansson.h>
#include <signal.h>

#include "job_clock/timing.h"

struct thread_data;

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

/**
 * tw_report_store - write a report completely or not at all, if need be elsewhere
 * @option: value of tw_report=; NULL or "": the default name
 * @suffix: part of the default name, "tickwise" for NAME.N.PID.tickwise.json
 * @report: NULL if there was no memory, which is logged like other errors
 * @file: out, freed by the caller: the path of the report. NULL if it is not a regular
 * file, or without memory
 *
 * Return: 0; -errno, which is logged, if it is not where the user wants it.
 */
int tw_report_store(struct thread_data *td, const char *option,
		    const char *suffix, const json_t *report, char **file);

#endif
