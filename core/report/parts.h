/* SPDX-License-Identifier: MIT */
/*
 * Parts of reports that reading, merging and writing share.
 */
#ifndef TW_REPORT_PARTS_H
#define TW_REPORT_PARTS_H

#include "report/report.h"

/* Reasons of a verdict at most: a merge keeps them in order by insertion. */
#define TW_REPORT_REASONS	64U

/* Options of a job at most. Each job of a report may have all common ones, too. */
#define TW_REPORT_OPTIONS	512U

/* Put a machine or a file into a set, in the order of host, path and text. It is put
 * once. */
void tw_report_put_fact(json_t *set, json_t *fact);

/* Sort by host and number: the order of a report. */
void tw_report_sort_devices(struct tw_report *report);
int tw_report_compare_devices(const struct tw_report_device *a,
			      const struct tw_report_device *b);

/* Sort the slowest I/Os. The order does not depend on the order before. */
void tw_report_sort_slowest(struct tw_report *report);

/* Set the facts of a device, and its names by them. Takes @facts. */
void tw_report_take_facts(struct tw_report_device *device, json_t *facts);
void tw_report_free_device(struct tw_report_device *device);

/* Merge devices, before the tallies and the jobs are merged. Return: 0; -ENOMEM;
 * -EOVERFLOW. */
int tw_report_merge_devices(struct tw_report *into, const struct tw_report *from);

/* Return the keys of an object, sorted; NULL without memory. */
const char **tw_report_sorted_keys(const json_t *object);

#endif
