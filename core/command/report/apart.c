/* SPDX-License-Identifier: MIT */
/*
 * Describes the I/Os of a direction that no stage has recorded. A failed I/O,
 * the first part of a short one, and I/Os that fio does not account are not in
 * fio's lat either. fio does not know the engine's stamps.
 */
#include "command/report/apart.h"

static const struct {
	const char *words;
	int in_fio_lat;
} apart[TW_REPORT_COUNTS] = {
	[TW_REPORT_ERRORS] = { "errors", 0 },
	[TW_REPORT_SHORT] = { "first parts of short I/Os", 0 },
	[TW_REPORT_UNACCOUNTED] = { "that fio does not account (ramp time, the "
				    "sync at the end)", 0 },
	[TW_REPORT_BACKWARDS] = { "whose stamps ran backwards", 1 },
};

static int add_kinds(struct tw_page *page, const struct tw_report_tally *tally,
		     int direction, int in_fio_lat, const char *beginning)
{
	int any = 0;

	for (int i = TW_REPORT_ERRORS; i < TW_REPORT_COUNTS; i++)
		if (tally->counts[i][direction] &&
		    apart[i].in_fio_lat == in_fio_lat)
			tw_page_more(page, "%s%llu %s", any++ ? ", " : beginning,
				     (unsigned long long)tally->counts[i][direction],
				     apart[i].words);
	return any;
}

void tw_report_add_apart(struct tw_page *page, const struct tw_report_tally *tally,
			 int direction)
{
	uint64_t all = 0;
	int any;

	for (int i = TW_REPORT_ERRORS; i < TW_REPORT_COUNTS; i++)
		all |= tally->counts[i][direction];
	if (!all)
		return;
	tw_page_remark(page, "%s", "");
	any = add_kinds(page, tally, direction, 0,
			"not among these, nor in fio's lat: ");
	add_kinds(page, tally, direction, 1, any ?
		  "; not among these, but in fio's lat: " :
		  "not among these, but in fio's lat: ");
}
