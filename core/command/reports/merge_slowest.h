/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os of a group.
 */
#ifndef TW_REPORT_MERGE_SLOWEST_H
#define TW_REPORT_MERGE_SLOWEST_H

#include "command/reports/report.h"

/* Merge them, after the members were added. Return: 0; -ENOMEM; -EOVERFLOW. */
int tw_report_merge_slowest(struct tw_report_group *group);

#endif
