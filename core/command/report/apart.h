/* SPDX-License-Identifier: MIT */
/*
 * What is counted apart from the I/Os, in words.
 */
#ifndef TW_REPORT_APART_H
#define TW_REPORT_APART_H

#include "command/report/report.h"

/* The I/Os that no stage has recorded; 0: there are none. */
int tw_report_say_apart(char *text, size_t size,
			const struct tw_report_tally *tally, int direction);

#endif
