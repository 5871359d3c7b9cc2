/* SPDX-License-Identifier: MIT */
/*
 * Reads the kernel's trace events around an I/O that was slower than a job's
 * tw_trigger, and merges them as JSON.
 */
#include <stdio.h>
#include <string.h>

#include "command/reports/trigger.h"
#include "report/want.h"

#define WHERE	"trigger."

/* ---- reading ------------------------------------------------------------- */

static void read_state(struct tw_report_trigger *trigger, const json_t *json,
		       struct tw_report_problem *problem)
{
	const char *state = tw_want_string(json, WHERE, "state", problem);

	trigger->is_on = strcmp(state, "on") == 0;
	if (trigger->is_on)
		return;
	if (strcmp(state, "off") != 0)
		tw_report_refuse(problem, WHERE "state is neither on nor off");
	trigger->why = tw_want_string(json, WHERE, "why", problem);
}

static void check_events(const json_t *events,
			 struct tw_report_problem *problem)
{
	static const char where[] = WHERE "events[].";

	for (size_t i = 0; i < json_array_size(events); i++) {
		const json_t *event = json_array_get(events, i);

		tw_want_u64(event, where, "monotonic_ns", problem);
		tw_want_u64(event, where, "cpu", problem);
		tw_want_u64(event, where, "pid", problem);
		tw_want_string(event, where, "task", problem);
		tw_want_string(event, where, "event", problem);
		tw_want_string(event, where, "args", problem);
		if (json_object_get(event, "own"))
			tw_want_boolean(event, where, "own", problem);
	}
}

static void read_events(struct tw_report_trigger *trigger, const json_t *json,
			struct tw_report_problem *problem)
{
	if (json_object_get(json, "events")) {
		trigger->events = tw_want_array(json, WHERE, "events", problem);
		check_events(trigger->events, problem);
	}
	trigger->event_count = json_array_size(trigger->events);
	if (json_object_get(json, "event_count"))
		trigger->event_count = tw_want_u64(json, WHERE, "event_count",
						   problem);
	if (json_object_get(json, "whole_from_ns"))
		trigger->whole_from_ns = tw_want_u64(json, WHERE,
						     "whole_from_ns", problem);
}

static void read_io(struct tw_report_trigger *trigger, const json_t *json,
		    struct tw_report_problem *problem)
{
	static const char where[] = WHERE "io.";
	uint64_t end_ns;

	if (!json_object_get(json, "io"))
		return;
	trigger->io = tw_want_object(json, WHERE, "io", problem);
	tw_want_u64(trigger->io, where, "offset", problem);
	tw_want_u64(trigger->io, where, "size", problem);
	tw_want_string(trigger->io, where, "ddir", problem);
	trigger->begin_ns = tw_want_u64(trigger->io, where, "monotonic_ns",
					problem);
	trigger->lat_ns = tw_want_u64(trigger->io, where, "lat_ns", problem);
	if (__builtin_add_overflow(trigger->begin_ns, trigger->lat_ns, &end_ns))
		tw_report_refuse(problem, WHERE "io ends after all time");
	read_events(trigger, json, problem);
}

void tw_report_read_trigger(struct tw_report *report,
			    struct tw_report_problem *problem)
{
	struct tw_report_trigger *trigger = &report->trigger;
	const uint64_t *ios = report->tally.counts[TW_REPORT_IOS];
	uint64_t left;
	const json_t *json;

	if (!json_object_get(report->root, "trigger"))
		return;
	json = tw_want_object(report->root, "", "trigger", problem);
	trigger->is_there = 1;
	read_state(trigger, json, problem);
	trigger->above_ns = tw_want_u64(json, WHERE, "above_ns", problem);
	trigger->slower = left = tw_want_u64(json, WHERE, "slower", problem);
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		left -= left < ios[i] ? left : ios[i];
	if (left)
		tw_report_refuse(problem, WHERE "slower counts more than ios");
	if (json_object_get(json, "stopped_for"))
		trigger->stopped_for = tw_want_u64(json, WHERE, "stopped_for",
						   problem);
	read_io(trigger, json, problem);
}

/* ---- merging ------------------------------------------------------------- */

static json_t *io_to_json(const struct tw_report *report)
{
	json_t *json = json_copy(json_object_get(report->root, "trigger"));

	/* These two are about the job, not this I/O. */
	json_object_del(json, "state");
	json_object_del(json, "slower");
	if (json_object_set_new(json, "thread_number",
			tw_json_of_u64(report->job.thread_number)) == 0)
		return json;
	json_decref(json);
	return NULL;
}

json_t *tw_report_trigger_to_json(const struct tw_report_group *group)
{
	uint64_t jobs = 0, off = 0, slower = 0;
	const char *why = NULL;
	json_t *ios = json_array();

	for (size_t i = 0; i < group->size; i++) {
		const struct tw_report_trigger *trigger =
			&group->members[i]->trigger;

		jobs += trigger->is_there != 0;
		off += trigger->is_there && !trigger->is_on;
		/* The sum fits: it is at most the number of I/Os, whose sum
		 * fits. */
		slower += trigger->slower;
		if (!why)
			why = trigger->why;
		if (trigger->io && json_array_append_new(ios,
				io_to_json(group->members[i]))) {
			json_decref(ios);
			return NULL;
		}
	}
	if (jobs)
		return json_pack("{s:o, s:o, s:s*, s:o, s:o}",
				 "jobs", tw_json_of_u64(jobs),
				 "off_jobs", tw_json_of_u64(off), "why", why,
				 "slower", tw_json_of_u64(slower), "ios", ios);
	json_decref(ios);
	return json_null();
}
