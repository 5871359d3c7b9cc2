/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What every report of ours says of its job, and how it becomes a file. Nothing
 * goes to fio's stdout, which may be JSON itself.
 */
#ifndef TW_PLUGIN_REPORT_FILE_H
#define TW_PLUGIN_REPORT_FILE_H

#include <jansson.h>
#include <stdbool.h>

#include "timing.h"

struct thread_data;

/* Which job of which run, from @start_realtime_ns on; NULL without memory. */
json_t *tw_report_job(struct thread_data *td, const struct tw_timing *timing,
		      uint64_t start_realtime_ns);

/* @option: of tw_report=; "none" is none. */
bool tw_report_is_wanted(const char *option);

/* Where the intervals of a job go whose report is @option: to be freed; NULL without
 * memory. */
char *tw_intervals_path(struct thread_data *td, const char *option);

/* The same report once more, with more in it; 0 or -errno. */
int tw_report_replace(const char *path, const json_t *report);

/**
 * tw_report_store - write a report, whole or not at all
 * @option: of tw_report=, NULL or "": the default name
 * @suffix: of the default name, "tickwise" for NAME.N.PID.tickwise.json
 * @report: NULL: no memory, which is said like other failures
 * @path: out, to be freed: the file that it is in now, if that is a file and
 * memory was left for its name, else NULL
 *
 * Return: 0; -errno, which is logged.
 */
int tw_report_store(struct thread_data *td, const char *option,
		    const char *suffix, const json_t *report, char **path);

#endif
