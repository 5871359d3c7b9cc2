/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a job has recorded since the line before, as a line of JSON (tw_interval).
 *
 * The lines are made while the job goes on recording. There is no lock, and the path of
 * an I/O has no instruction for them. Each number is read once, as a whole, and numbers
 * only grow. So each I/O is in exactly one line, and all lines add up to the report
 * exactly. The numbers of one line are read one after another, so they may differ by the
 * I/Os that were recorded in between.
 */
#ifndef TW_PLUGIN_INTERVAL_LINE_H
#define TW_PLUGIN_INTERVAL_LINE_H

#include <stdbool.h>

#include "engine.h"

/* The numbers that are not in histograms, all of type uint64_t. */
struct tw_tallies {
	struct tw_counts counts[TW_DIRECTIONS];
	uint64_t inside[TW_INSIDES][TW_DIRECTIONS];
	uint64_t requests, retries;
};

struct tw_interval_lines {
	const struct tw_job *job;
	/* The sum of the lines so far. */
	struct tw_histogram stage[TW_STAGES][TW_DIRECTIONS];
	struct tw_histogram lat[TW_DIRECTIONS];
	struct tw_histogram call[TW_DIRECTIONS];
	struct tw_tallies told;
	uint64_t number;
	uint64_t to_ns;			/* since the job's start */
	uint64_t realtime_ns;		/* when the next interval began */
	/* The newest line, with its newline. */
	char *text;
	size_t length, size;
	bool no_memory;			/* the line is incomplete */
};

/* Begin the first interval. The job's clock is known. Return 0 or -ENOMEM. */
int tw_interval_lines_init(struct tw_interval_lines *lines,
			   const struct tw_job *job);
void tw_interval_lines_free(struct tw_interval_lines *lines);

/* Write what is new since the line before into @lines->text. @is_end: the job is over,
 * and all its I/Os are settled. Return 0 or -ENOMEM. After -ENOMEM the lines no longer
 * add up to the report, so no further line may be made. */
int tw_interval_line(struct tw_interval_lines *lines, bool is_end);

#endif
