/* SPDX-License-Identifier: MIT */
/*
 * What a report need not hold, by name.
 */
#ifndef TW_REPORT_NAMES_H
#define TW_REPORT_NAMES_H

#include "command/reports/report.h"

/* What a group's reports don't hold, one after another: NULL at the end. */
const char *tw_report_missing(const struct tw_report_group *group, unsigned i);

#endif
