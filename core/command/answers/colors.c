/* SPDX-License-Identifier: MIT */
/*
 * The colour of a stage: see colors.h.
 */
#include "command/answers/colors.h"

#include <string.h>

#include "command/output/page.h"
#include "command/answers/report.h"

/* The style draws lines of this colour wider. */
#define COLOR_OF_LAT	5

_Static_assert(TW_REPORT_ROWS <= TW_PLOT_COLORS, "each row has a colour of its own");

int tw_report_color_of(int time)
{
	int other = time < TW_LAT ? time : time - 1;

	if (time == TW_LAT)
		return COLOR_OF_LAT;
	return other < COLOR_OF_LAT ? other : other + 1;
}

int tw_report_color_of_name(const char *name)
{
	int time = 0;

	while (time < TW_REPORT_ROWS - 1 && strcmp(tw_time_rows[time].name, name))
		time++;
	return tw_report_color_of(time);
}
