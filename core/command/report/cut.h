/* SPDX-License-Identifier: MIT */
/*
 * A report's intervals over time and its slowest I/Os, read ahead of the JSON
 * library.
 *
 * Without its bins (see bins_json.h) most of a report are these two arrays, of
 * sixty times the same eleven keys, and of a thousand reports jansson would take
 * a second for them. So they are read here where they are plainly written, as the
 * engine writes them, and jansson reads the text with empty ones in their place.
 * What has another key, an escape, a sign, or anything else that is not plain stays
 * where it is: then jansson reads that, judges it, and finds the words for what is
 * wrong. So this can make reading faster, not more lenient.
 */
#ifndef TW_REPORT_CUT_H
#define TW_REPORT_CUT_H

#include "command/report/report.h"

struct tw_report_cut {
	char *text;			/* without the arrays; NULL: none was cut */
	size_t length;
	struct tw_report_over_time over_time;	/* intervals NULL: not cut */
	struct tw_report_slow_list slow;	/* ios NULL: not cut */
};

/**
 * tw_report_cut_arrays - read both arrays, and copy the text without them
 * @text: a JSON text, a 0 byte at @length and none before
 * @cut: its text is released with free(); what was read belongs to the caller.
 *       Of it the types alone have been judged, not what the values say.
 *
 * Return: 0, also when nothing was cut; -ENOMEM.
 */
int tw_report_cut_arrays(const char *text, size_t length,
			 struct tw_report_cut *cut);

#endif
