/* SPDX-License-Identifier: MIT */
/*
 * What a report holds about its run, rather than about single I/Os: the job's
 * options, the machine, the files, the block devices below them, and fio's own
 * lat.
 */
#ifndef TW_REPORT_FACTS_H
#define TW_REPORT_FACTS_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* Read and check the facts that exist: names and texts are strings, numbers are
 * whole. */
void tw_report_read_facts(struct tw_report *report, struct tw_report_problem *problem);

/* Add fio's lat. Return: 0; -EOVERFLOW. */
int tw_report_merge_fio_lat(struct tw_report_tally *into,
			    const struct tw_report_tally *from);

/* Find how long after the start of the job's run a moment of CLOCK_MONOTONIC
 * is. Return: 0: not known. */
int tw_report_since_start(double *s, const struct tw_report *report, uint64_t monotonic_ns);
/* Add it in words: "0.123456 s of the run"; for older reports, the moment
 * itself. */
void tw_report_add_when(struct tw_page *page, const struct tw_report *report,
			uint64_t monotonic_ns);

/* Return the devices and the files of all members, each once for a host. If
 * there are several hosts, each entry has its host. To be released; NULL: out
 * of memory. */
json_t *tw_report_devices_of(const struct tw_report_group *group);
json_t *tw_report_files_of(const struct tw_report_group *group);

/* Return JSON's null if no member has any; NULL: out of memory. */
json_t *tw_report_facts_to_json(const struct tw_report_group *group);
json_t *tw_report_fio_lat_to_json(const struct tw_report_tally *tally);

#endif
