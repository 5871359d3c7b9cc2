/* SPDX-License-Identifier: MIT */
/*
 * Checks what a report holds besides numbers of metrics: facts of jobs, machines, files,
 * devices and clocks, single I/Os, the kernel's events, the lists of `tickwise attach`.
 * Tables have the keys and their types, for the check and for the schema. A fact stays JSON
 * after its check. Keys that are unknown here are accepted.
 */
#ifndef TW_REPORT_FACTS_H
#define TW_REPORT_FACTS_H

#include <jansson.h>

#include "report/report.h"

enum tw_fact_type {
	TW_TEXT,
	TW_DIRECTION,			/* the name of one */
	TW_STATE,			/* "on", or "off" and then with "why" */
	TW_NUMBER,			/* whole, of 0 or more; or its digits */
	TW_DIGITS,			/* such a number, written as its digits */
	TW_FLAG,
	TW_REAL,
	TW_NAMES,			/* an array of strings */
	TW_NUMBERS,			/* an array of whole numbers of 0 or more */
	TW_OBJECT,
	TW_LIST,			/* an array of objects */
	TW_TYPE = 15,
	TW_MUST = 16,			/* it must be there */
	TW_MAY_DIFFER = 32,		/* it can be TW_DIFFERS */
};

/* The value of a device's fact that differs between jobs. */
#define TW_DIFFERS	"differs"

/* A key of an object and its type. The last of an array has no key. */
struct tw_fact {
	const char *key;
	unsigned type;			/* enum tw_fact_type */
	const struct tw_fact *of;	/* the keys of an object, or of each of a list */
};

extern const struct tw_fact tw_facts_of_report[];
extern const struct tw_fact tw_facts_of_device[];
extern const struct tw_fact tw_facts_of_error[];	/* of a clock */

/* Check that all facts of a report have their types. */
void tw_facts_check(const json_t *root, struct tw_report_problem *problem);

/* Return: 0; -ENOMEM. */
int tw_facts_check_attached(const json_t *attached, struct tw_report_problem *problem);

/* ---- parts that reading, merging and writing share ---------------------------- */

/* Reasons of a verdict at most: a merge keeps them in order by insertion. */
#define TW_REPORT_REASONS	64U

/* Add machines or files to a set, which may be NULL: each once, in the order of host, path and
 * text. */
void tw_report_add_set(json_t **into, const json_t *from);

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

#endif
