/* SPDX-License-Identifier: MIT */
/*
 * The I/Os of a direction that no stage has recorded, in words for the page and
 * the HTML. A failed I/O, the first part of a short one, and what fio does not
 * account are not in fio's lat either; fio knows nothing of our stamps.
 */
#include <stdio.h>

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

static int put_kinds(FILE *file, const struct tw_report_tally *tally,
		     int direction, int in_fio_lat, const char *beginning)
{
	int any = 0;

	for (int i = TW_REPORT_ERRORS; i < TW_REPORT_COUNTS; i++)
		if (tally->counts[i][direction] &&
		    apart[i].in_fio_lat == in_fio_lat)
			fprintf(file, "%s%llu %s", any++ ? ", " : beginning,
				(unsigned long long)tally->counts[i][direction],
				apart[i].words);
	return any;
}

int tw_report_say_apart(char *text, size_t size,
			const struct tw_report_tally *tally, int direction)
{
	FILE *file = fmemopen(text, size, "w");
	int any;

	if (!file)
		return 0;
	any = put_kinds(file, tally, direction, 0,
			"not among these, nor in fio's lat: ");
	any |= put_kinds(file, tally, direction, 1, any ?
			 "; not among these, but in fio's lat: " :
			 "not among these, but in fio's lat: ");
	fclose(file);
	return any;
}
