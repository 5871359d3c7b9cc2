/* SPDX-License-Identifier: MIT */
/*
 * What makes the stage deliver large, in a sentence for the page. By default fio takes one
 * completion from the ring, submits the next I/O, and takes the next completion. The
 * completions that are in the ring meanwhile wait, and deliver has that wait. fio's option
 * iodepth_batch_complete_max= lets it take all of them at once.
 */
#include "command/report/deliver.h"

#include <stdlib.h>

#define MIN_PERCENT	10	/* of lat: less is not worth an option */

static int is_large(const struct tw_tally *tally, int direction)
{
	const struct tw_histogram *lat = &tally->times[TW_LAT][direction];
	const struct tw_histogram *deliver = &tally->times[TW_DELIVER][direction];

	return lat->count &&
	       (double)deliver->sum_ns * 100 > (double)lat->sum_ns * MIN_PERCENT;
}

/* An option as a number; 1, fio's default, where the job does not give it. */
static long number_of(const json_t *options, const char *name)
{
	const char *text = json_string_value(json_object_get(options, name));

	return text ? atol(text) : 1;
}

/* fio takes at least as many completions at a time as it waits for. A report
 * without options can't tell. */
static int takes_one_by_one(const json_t *options)
{
	return options &&
	       number_of(options, "iodepth_batch_complete_max") == 1 &&
	       number_of(options, "iodepth_batch_complete_min") <= 1 &&
	       number_of(options, "iodepth_batch_complete") <= 1;
}

void tw_report_add_deliver(struct tw_page *page, const struct tw_report_group *group)
{
	const struct tw_report_job *first = &group->all.jobs[0];
	int any = 0;

	for (int i = 0; i < TW_DIRECTIONS; i++)
		any |= is_large(&group->all.tally, i);
	if (any && first->iodepth > 1 && takes_one_by_one(first->options))
		tw_page_paragraph(page, "deliver is large, as fio takes completions one at "
				  "a time and submits an I/O between two of them. With "
				  "iodepth_batch_complete_max=%llu in the job it takes all "
				  "that are there.",
				  (unsigned long long)first->iodepth);
}
