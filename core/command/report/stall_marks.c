/* SPDX-License-Identifier: MIT */
/*
 * Marks stalls in a plot over time: a number where the slowest I/O of each
 * ended. The plot's caption describes the causes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/output/page.h"
#include "command/report/over_time_plots.h"
#include "command/answers/causes.h"
#include "command/answers/when.h"
#include "report/want.h"

#define MAX_STALLS	5
#define COLOR		TW_PLOT_MAX

/* Find where the I/O ended, in seconds since the start of the first job. */
static int end_of(double *s, const struct tw_report_group *group,
		  const struct tw_report_slow *slow)
{
	const struct tw_report_job *job = tw_report_job_of(group, slow);

	if (!tw_report_since_start(s, job, tw_report_u64(slow->json, "monotonic_ns")))
		return 0;
	*s += (double)(slow->lat_ns + job->start_ns - group->all.jobs[0].start_ns) / 1e9;
	return 1;
}

static void put_stall(FILE *file, int number, const struct tw_report_stall *stall)
{
	char ns[TW_FORMAT_SIZE], cause[TW_REPORT_SENTENCE];

	fprintf(file, "%s%d: ", number > 1 ? " " : "stalls: ", number);
	if (tw_report_say_cause(cause, sizeof(cause), stall->slowest->json))
		fprintf(file, "%s", cause);
	else
		fprintf(file, "%s in %s", tw_format_ns(ns, (double)stall->ns),
			stall->stage);
	fprintf(file, ", %zu I/O%s.", stall->ios, tw_format_plural(stall->ios));
}

/* Mark the stalls. Return: their number. */
static int mark(struct tw_plot *plot, FILE *file, const struct tw_report_group *group,
		int direction)
{
	struct tw_series *series = NULL;
	int marked = 0;

	for (size_t i = 0; i < group->stall_count && marked < MAX_STALLS; i++) {
		const struct tw_report_slow *slow = group->stalls[i].slowest;
		const char *of = json_string_value(json_object_get(slow->json, "ddir"));
		char lat[TW_FORMAT_SIZE], number[16];
		double s;

		if (strcmp(of, tw_direction_names[direction]) ||
		    !end_of(&s, group, slow))
			continue;
		if (!series)
			series = tw_plot_line(plot, NULL, COLOR);
		snprintf(number, sizeof(number), "%d", ++marked);
		tw_plot_tag(series, s, (double)slow->lat_ns, number, "stall %d: lat %s",
			    marked, tw_format_ns(lat, (double)slow->lat_ns));
		put_stall(file, marked, &group->stalls[i]);
	}
	return marked;
}

void tw_report_mark_stalls(struct tw_plot *plot, const struct tw_report_group *group,
			   int direction)
{
	char *text = NULL;
	size_t size;
	FILE *file = tw_text_open(&text, &size);
	const int marked = mark(plot, file, group, direction);

	tw_text_close(file);
	if (marked)
		tw_plot_caption(plot, text);
	free(text);
}
