/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: when one allocation fails, whichever, a tally is not made, merged, read or
 * written, this is told, and all memory is given back. Defect: a part without memory is
 * taken for one without I/Os.
 *
 * Wraps: malloc calloc reallocarray aligned_alloc mmap
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "no_memory.h"
#include "report/json_memory.h"
#include "report/tally.h"
#include "report/want.h"
#include "tap.h"

#define START_NS	1700000000000000000ULL

static struct tw_tally full;		/* all rows, and an I/O in each direction */
static json_t *json;			/* the same, and an unknown stage */

static int make(void)
{
	struct tw_row_set has = { { 0 } };
	struct tw_tally made;
	int error;

	for (unsigned row = 0; row < TW_ROWS; row++)
		tw_row_put(&has, row);
	error = tw_tally_init(&made, &has, 2, 16);
	tw_tally_free(&made);
	return error;
}

static int merge(void)
{
	struct tw_tally sum = { 0 };
	int error = tw_tally_merge(&sum, &full);

	tw_tally_free(&sum);
	return error;
}

static int read_back(void)
{
	struct tw_report_problem problem = { "" };
	struct tw_tally back = { 0 };
	json_t *unknown = json_object();
	int error = tw_tally_from_json(&back, json, unknown, &problem);

	tw_tally_free(&back);
	json_decref(unknown);
	return error || tw_json_lacked_memory() ? -ENOMEM : problem.text[0] ? -EINVAL : 0;
}

static int write_down(void)
{
	json_t *object = json_object();

	tw_tally_to_json(object, &full, 1);
	json_decref(object);
	return tw_json_lacked_memory() ? -ENOMEM : 0;
}

/* Let each allocation fail in turn. @at_least: how many there are. */
static void each_fails(int (*does)(void), const char *what, long at_least)
{
	long tried = 0, wrong = 0;
	int error = -ENOMEM;

	for (; error; tried++) {
		tw_json_forget_lack();
		until_failure = tried;
		error = does();
		wrong += error ? error != -ENOMEM : until_failure < 0;
		until_failure = -1;
	}
	tap_ok(!wrong && tried > at_least, "%s: %ld allocations fail in turn", what,
	       tried - 1);
}

static int fill(void)
{
	const uint64_t stage_ns[TW_STAGES] = { [TW_KERNEL] = 100 };
	struct tw_row_set has = { { 0 } };

	for (unsigned row = 0; row < TW_ROWS; row++)
		tw_row_put(&has, row);
	if (tw_tally_init(&full, &has, 2, 16))
		return -1;
	for (int i = 0; i < TW_DIRECTIONS; i++) {
		full.counts[i].ios = 1;
		tw_histogram_add(&full.times[TW_LAT][i], 100);
		tw_histogram_add(&full.times[TW_KERNEL][i], 100);
		tw_by_lat_add(&full.by_lat[i], 100, stage_ns);
		tw_windows_add(&full.over_time, START_NS, (enum tw_direction)i, 100);
	}
	tw_windows_close(&full.over_time);
	json = json_object();
	tw_tally_to_json(json, &full, 1);
	return json_object_set_new(json_object_get(json, "stages"), "lunch", json_object());
}

int main(void)
{
	if (!tap_ok(!fill(), "a tally with all rows"))
		return tap_done();
	each_fails(make, "made", TW_TIMES * TW_DIRECTIONS);
	each_fails(merge, "merged", 3 * TW_DIRECTIONS);
	each_fails(read_back, "read", 3 * TW_DIRECTIONS);
	each_fails(write_down, "written", TW_ROWS);
	json_decref(json);
	tw_tally_free(&full);
	return tap_done();
}
