/* SPDX-License-Identifier: MIT */
/*
 * Reads and merges how many I/Os a report's job could split inside the kernel,
 * how precise the kernel's stamps are, and why I/Os were not split.
 */
#include <stdio.h>
#include <string.h>

#include "command/reports/inside.h"
#include "command/reports/read.h"
#include "report/want.h"

#define WHERE	"kernel_stages."

const char *const tw_report_unsplit_names[TW_REPORT_UNSPLIT] = {
	[TW_REPORT_NO_REQUEST] = "no_request",
	[TW_REPORT_MISSING_STAMP] = "missing_stamp",
	[TW_REPORT_SYNC_WRITE] = "sync_write",
	[TW_REPORT_NO_STAMPS] = "no_stamps",
	[TW_REPORT_AFTER_OTHERS] = "waited",
};

/* ---- reading ------------------------------------------------------------- */

static void read_state(struct tw_report_inside *inside, const json_t *json,
		       struct tw_report_problem *problem)
{
	const char *state = tw_want_string(json, WHERE, "state", problem);

	inside->jobs = 1;
	if (strcmp(state, "on") == 0)
		return;
	if (strcmp(state, "off") != 0)
		tw_report_refuse(problem, WHERE "state is neither on nor off");
	inside->off = 1;
	inside->why = tw_want_string(json, WHERE, "why", problem);
}

static uint64_t read_count(const json_t *json, const char *where,
			   const char *key, struct tw_report_problem *problem)
{
	if (!json_object_get(json, key))
		return 0;
	return tw_want_u64(json, where, key, problem);
}

static void read_counts(uint64_t *counts, const json_t *json,
			const char *where, const char *key,
			struct tw_report_problem *problem)
{
	const json_t *object;
	char path[64];

	if (!json_object_get(json, key))
		return;
	object = tw_want_object(json, where, key, problem);
	snprintf(path, sizeof(path), "%s%s.", where, key);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		counts[i] = read_count(object, path, tw_report_directions[i],
				       problem);
}

static int is_reason(const char *key)
{
	for (int i = 0; i < TW_REPORT_UNSPLIT; i++)
		if (strcmp(tw_report_unsplit_names[i], key) == 0)
			return 1;
	return 0;
}

static int read_unsplit(struct tw_report *report, const json_t *json,
			struct tw_report_problem *problem)
{
	struct tw_report_inside *inside = &report->tally.inside;
	json_t *reasons;
	const char *key;
	json_t *value;

	if (!json_object_get(json, "not_split"))
		return 0;
	reasons = tw_want_object(json, WHERE, "not_split", problem);
	for (int i = 0; i < TW_REPORT_UNSPLIT; i++)
		read_counts(inside->unsplit[i], reasons, WHERE "not_split.",
			    tw_report_unsplit_names[i], problem);
	json_object_foreach(reasons, key, value) {
		int error = is_reason(key) ? 0 :
			tw_report_leave_out(report, WHERE "not_split.%s", key);

		if (error)
			return error;
	}
	return 0;
}

/* Check that each I/O either was split or has one reason why not. */
static void check_counts(const struct tw_report_tally *tally, int direction,
			 struct tw_report_problem *problem)
{
	const char *name = tw_report_directions[direction];
	uint64_t sum = tally->inside.split[direction];
	int over = 0;

	for (int i = 0; i < TW_REPORT_UNSPLIT; i++)
		over |= __builtin_add_overflow(sum,
			tally->inside.unsplit[i][direction], &sum);
	if (over || sum > tally->counts[TW_REPORT_IOS][direction])
		tw_report_refuse(problem, "kernel_stages counts more of %s than "
				 "ios.%s", name, name);
}

int tw_report_read_inside_counts(struct tw_report *report,
				 struct tw_report_problem *problem)
{
	struct tw_report_inside *inside = &report->tally.inside;
	const json_t *json;
	int error;

	if (!json_object_get(report->root, "kernel_stages"))
		return 0;
	json = tw_want_object(report->root, "", "kernel_stages", problem);
	read_counts(inside->split, json, WHERE, "split", problem);
	error = read_unsplit(report, json, problem);
	inside->requests = read_count(json, WHERE, "requests", problem);
	inside->retries = read_count(json, WHERE, "retries", problem);
	return error;
}

int tw_report_read_inside(struct tw_report *report,
			  struct tw_report_problem *problem)
{
	struct tw_report_inside *inside = &report->tally.inside;
	const json_t *json;
	int error;

	if (!json_object_get(report->root, "kernel_stages"))
		return 0;
	json = tw_want_object(report->root, "", "kernel_stages", problem);
	read_state(inside, json, problem);
	if (json_object_get(json, "by_helper"))
		inside->by_helper = (size_t)tw_want_boolean(json, WHERE,
							    "by_helper", problem);
	error = tw_report_read_inside_counts(report, problem);
	if (json_object_get(json, "clock_error_ns"))
		inside->clock_error_ns = tw_want_positive(json, WHERE,
							  "clock_error_ns",
							  problem);
	inside->negative_within = read_count(json, WHERE, "negative_within",
					     problem);
	inside->negative_beyond = read_count(json, WHERE, "negative_beyond",
					     problem);
	inside->missed_runs = read_count(json, WHERE, "missed_runs", problem);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		check_counts(&report->tally, i, problem);
	return error;
}

/* ---- merging ------------------------------------------------------------- */

static int add(uint64_t *into, uint64_t from)
{
	return __builtin_add_overflow(*into, from, into);
}

int tw_report_merge_inside(struct tw_report_inside *into,
			   const struct tw_report_inside *from)
{
	int over = add(&into->negative_within, from->negative_within) |
		   add(&into->negative_beyond, from->negative_beyond) |
		   add(&into->requests, from->requests) |
		   add(&into->retries, from->retries);

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		over |= add(&into->split[i], from->split[i]);
		for (int j = 0; j < TW_REPORT_UNSPLIT; j++)
			over |= add(&into->unsplit[j][i], from->unsplit[j][i]);
	}
	into->jobs += from->jobs;
	into->off += from->off;
	into->by_helper += from->by_helper;
	if (!into->why)
		into->why = from->why;
	if (from->clock_error_ns > into->clock_error_ns)
		into->clock_error_ns = from->clock_error_ns;
	/* Jobs of one fio have the same program. */
	if (from->missed_runs > into->missed_runs)
		into->missed_runs = from->missed_runs;
	return over;
}
