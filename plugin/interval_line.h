/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a job has recorded since the line before, as a line of JSON (tw_interval).
 *
 * The lines are made while the job goes on recording, and the job knows nothing of it:
 * there is no lock, and the way of an I/O has no instruction for it. Each number is
 * read once, as a whole, and numbers only grow. So each I/O is in one line, whenever
 * it was read, and all lines add up to the report exactly. Within one line, numbers
 * may differ by the I/Os that were recorded while they were read one after another.
 */
#ifndef TW_PLUGIN_INTERVAL_LINE_H
#define TW_PLUGIN_INTERVAL_LINE_H

#include <stdbool.h>

#include "engine.h"

/* What is no histogram, all of uint64_t. */
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
	uint64_t realtime_ns;		/* when the next one began */
	/* The last one, with its newline. */
	char *text;
	size_t length, size;
	bool no_memory;			/* it is not whole */
};

/* The job has begun. 0; -ENOMEM. */
int tw_interval_lines_init(struct tw_interval_lines *lines,
			   const struct tw_job *job);
void tw_interval_lines_free(struct tw_interval_lines *lines);

/* What is new since the line before, in @lines->text. @is_end: the job is over, and
 * all is settled. 0; -ENOMEM: then no further line adds up. */
int tw_interval_line(struct tw_interval_lines *lines, bool is_end);

#endif
