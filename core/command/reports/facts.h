/* SPDX-License-Identifier: MIT */
/*
 * What a report holds about its run, and not about single I/Os: the job's options, the
 * machine, the files and the block devices below them; and fio's own lat.
 */
#ifndef TW_REPORT_FACTS_H
#define TW_REPORT_FACTS_H

#include "command/output/page.h"
#include "command/reports/report.h"

/* What is there of it is checked: names and texts are strings, numbers are whole. */
void tw_report_read_facts(struct tw_report *report, struct tw_report_problem *problem);

/* 0; -EOVERFLOW. */
int tw_report_merge_fio_lat(struct tw_report_tally *into,
			    const struct tw_report_tally *from);

/* Where in the job's run, since its start, a moment of CLOCK_MONOTONIC is: 0: not known. */
int tw_report_since_start(double *s, const struct tw_report *report, uint64_t monotonic_ns);
/* The same in words: "0.123456 s of the run"; of older reports, by CLOCK_MONOTONIC. */
void tw_report_add_when(struct tw_page *page, const struct tw_report *report,
			uint64_t monotonic_ns);

/* The devices and the files of all members, each once for a host, which is in it if there
 * are several: to be released; NULL: no memory. */
json_t *tw_report_devices_of(const struct tw_report_group *group);
json_t *tw_report_files_of(const struct tw_report_group *group);

/* JSON's null where no member has any; NULL: no memory. */
json_t *tw_report_facts_to_json(const struct tw_report_group *group);
json_t *tw_report_fio_lat_to_json(const struct tw_report_tally *tally);

#endif
