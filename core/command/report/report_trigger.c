/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace events around a slow I/O on the page. Text has what fired and a few
 * lines of events, HTML has all events.
 */
#include <inttypes.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"

/* Number of lines in text: half for the first events, half for the last. */
#define FEW_IN_TEXT	6	/* without --all */
#define MAX_IN_TEXT	20

/* ---- what fired ----------------------------------------------------------- */

struct sums {
	size_t jobs;			/* number of jobs with tw_trigger */
	size_t fired;			/* number of these that have an I/O */
	uint64_t slower;
	const char *why_off;		/* of the first without events; or NULL */
	uint64_t stopped_for;		/* thread number of the job that stopped the ring, of
					 * the first that missed it; or 0 */
	const json_t *slowest;		/* the trigger with the slowest first I/O; or NULL */
};

static uint64_t lat_of(const json_t *trigger)
{
	return tw_report_u64(json_object_get(trigger, "io"), "lat_ns");
}

static struct sums sums_of(const json_t *triggers)
{
	struct sums sums = { .jobs = json_array_size(triggers) };

	for (size_t i = 0; i < sums.jobs; i++) {
		const json_t *trigger = json_array_get(triggers, i);

		sums.slower += tw_report_u64(trigger, "slower");
		if (!sums.why_off)
			sums.why_off = tw_report_string(trigger, "why");
		if (!sums.stopped_for)
			sums.stopped_for = tw_report_u64(trigger, "stopped_for");
		if (json_object_get(trigger, "io") &&
		    (!sums.fired++ || lat_of(trigger) > lat_of(sums.slowest)))
			sums.slowest = trigger;
	}
	return sums;
}

static const struct tw_report_job *job_of(const struct tw_report *report, const json_t *trigger)
{
	return &report->jobs[tw_report_u64(trigger, "job")];
}

static void add_io(struct tw_page *page, const struct tw_report *report, const json_t *trigger)
{
	const json_t *io = json_object_get(trigger, "io");
	const uint64_t begin_ns = tw_report_u64(io, "monotonic_ns");
	/* From here on all events are there; 0: all are. */
	const uint64_t whole_from_ns = tw_report_u64(trigger, "whole_from_ns");

	tw_page_more(page, "; the first");
	if (json_array_size(report->triggers) > 1)
		tw_page_more(page, " of job %" PRIu64, job_of(report, trigger)->thread_number);
	tw_page_more(page, " was a %s of %" PRIu64 " bytes at %" PRIu64 ", %s, which "
		     "began at ",
		     tw_report_string(io, "ddir"), tw_report_u64(io, "size"),
		     tw_report_u64(io, "offset"), TW_SAY_NS(lat_of(trigger)));
	tw_report_add_when(page, report, job_of(report, trigger), begin_ns);
	/* The count has events that are not in the file. */
	tw_page_more(page, "; the kernel recorded %" PRIu64 " events around it",
		     json_object_get(trigger, "event_count") ?
		     tw_report_u64(trigger, "event_count") :
		     (uint64_t)json_array_size(tw_report_events_of(trigger)));
	if (whole_from_ns >= begin_ns + lat_of(trigger))
		tw_page_more(page, ", those of some CPU are lost");
	else if (whole_from_ns > begin_ns)
		tw_page_more(page, ", those of its first %s on some CPU are lost",
			     TW_SAY_NS(whole_from_ns - begin_ns));
}

/* Add a sentence: how many I/Os were too slow, and what the first was or why
 * there is none. */
static void add_sentence(struct tw_page *page, const struct tw_report *report,
			 const struct sums *sums)
{
	const json_t *first = json_array_get(report->triggers, 0);

	tw_page_remark(page, "trigger: %s", TW_SAY_COUNT(sums->slower, "I/O[s]"));
	if (sums->jobs > 1)
		tw_page_more(page, " of %zu jobs", sums->jobs);
	tw_page_more(page, " above %s", TW_SAY_ROUND(tw_report_u64(first, "above_ns")));
	if (sums->fired)
		add_io(page, report, sums->slowest);
	else if (sums->why_off)
		tw_page_more(page, "; no events of the kernel: %s", sums->why_off);
	else if (sums->stopped_for)
		tw_page_more(page, "; the kernel's events were stopped for job %" PRIu64
			     " then", sums->stopped_for);
	else if (sums->slower)
		tw_page_more(page, "; the kernel's events were stopped for another job then");
	if (sums->fired > 1)
		tw_page_more(page, "; %zu other %s events, too", sums->fired - 1,
			     sums->fired == 2 ? "job has" : "jobs have");
}

/* ---- events --------------------------------------------------------------- */

/* Shorten an event. The most useful part comes first, as a line has no room for
 * all. Of a switch that is how the one task left, and which task came. */
static const char *shorten(const json_t *event)
{
	static const struct { const char *name, *from; } begins[] = {
		{ "io_uring_", "user_data " }, { "workqueue_", "function " },
	};
	const char *name = tw_report_string(event, "event");
	const char *args = tw_report_string(event, "args");
	const char *state = strstr(args, " prev_state=");
	const char *next = strstr(args, " ==> next_comm=");
	const char *pid = next ? strstr(next, " next_pid=") : NULL;

	if (strcmp(name, "sched_switch") == 0 && state && pid) {
		state += strlen(" prev_state=");
		next += strlen(" ==> next_comm=");
		return tw_format("%.*s, then %.*s-%.*s",
				 (int)strcspn(state, " "), state, (int)(pid - next), next,
				 (int)strspn(pid + strlen(" next_pid="), "0123456789"),
				 pid + strlen(" next_pid="));
	}
	for (size_t i = 0; i < TW_LENGTH(begins); i++) {
		const char *from = strstr(args, begins[i].from);

		if (from && strncmp(name, begins[i].name, strlen(begins[i].name)) == 0)
			args = from;
	}
	return args;
}

/* Add an event. A stamp is rounded down to a microsecond. */
static void add_event(struct tw_table *table, const json_t *trigger, const json_t *event,
		      enum tw_media medium)
{
	const json_t *io = json_object_get(trigger, "io");
	const char *name = tw_report_string(event, "event");
	const char *task = tw_report_string(event, "task");
	const uint64_t pid = tw_report_u64(event, "pid");

	tw_table_row(table);
	tw_cell_i64(table, (int64_t)(tw_report_u64(event, "monotonic_ns") / 1000) -
			   (int64_t)(tw_report_u64(io, "monotonic_ns") / 1000));
	tw_cell_u64(table, tw_report_u64(event, "cpu"));
	if (medium == TW_IN_TEXT) {
		tw_cell_printf(table, "%.40s-%" PRIu64, task, pid);
		tw_cell_printf(table, "%.40s %s", name, shorten(event));
		return;
	}
	tw_cell_text(table, task);
	tw_cell_u64(table, pid);
	if (json_is_true(json_object_get(event, "own")))
		tw_cell_strong(table, name);
	else
		tw_cell_text(table, name);
	tw_cell_text(table, tw_report_string(event, "args"));
}

/* Add events: in HTML all; in text @most of those of the I/O and its thread, which help
 * most, or of all if there are none of these. */
static void add_events(struct tw_page *page, const struct tw_report *report,
		       const json_t *trigger, enum tw_media medium, size_t most)
{
	const struct tw_column in_html[] = {
		{ .heading = "us since it began" }, { .heading = "CPU" },
		{ "task", .flags = TW_COLUMN_LEFT }, { .heading = "pid" },
		{ "event", .flags = TW_COLUMN_LEFT },
		{ "arguments", .flags = TW_COLUMN_LEFT },
	};
	struct tw_column in_text[] = {
		{ "us", .width = 9 }, { "CPU", .width = 3 },
		{ "task", .width = 18, .flags = TW_COLUMN_LEFT },
		{ "event", .flags = TW_COLUMN_LEFT },
	};
	const json_t *events = tw_report_events_of(trigger);
	const size_t all = json_array_size(events);
	size_t own = 0, count = all, at = 0;
	struct tw_table *table;

	for (size_t i = 0; i < all && medium == TW_IN_TEXT; i++)
		own += json_is_true(json_object_get(json_array_get(events, i), "own"));
	if (own) {
		count = own;
		in_text[3].heading = "event (those of the I/O and its thread)";
	}
	if (count == 0)
		return;
	if (medium == TW_IN_HTML)
		tw_page_details(page, "%zu events of the kernel around the I/O of job %" PRIu64
				"; bold: of the I/O and of its thread", all,
				job_of(report, trigger)->thread_number);
	table = medium == TW_IN_HTML ? tw_page_table(page, in_html, 6) :
				       tw_page_table(page, in_text, 4);
	tw_page_only(page, medium);
	tw_table_cut(table, TW_PAGE_COLUMNS);
	for (size_t i = 0; i < all; i++) {
		const json_t *event = json_array_get(events, i);

		if (own && !json_is_true(json_object_get(event, "own")))
			continue;
		if (medium == TW_IN_HTML || at < most / 2 || at + most / 2 >= count)
			add_event(table, trigger, event, medium);
		else if (at == most / 2)
			tw_table_span(table, "      ... %zu more", count - most);
		at++;
	}
	if (medium == TW_IN_HTML)
		tw_page_end_details(page);
}

void tw_report_add_trigger(struct tw_page *page, const struct tw_report_group *group,
			   unsigned with)
{
	const struct tw_report *report = &group->all;
	const struct sums sums = sums_of(report->triggers);

	if (!sums.jobs)
		return;
	tw_page_gap(page);
	add_sentence(page, report, &sums);
	tw_page_only(page, TW_IN_HTML);
	add_sentence(page, report, &sums);
	tw_page_only(page, TW_IN_TEXT);
	if (sums.fired) {
		tw_page_more(page, " (more with --json, --html, --trace)");
		add_events(page, report, sums.slowest, TW_IN_TEXT,
			   with & TW_REPORT_WITH_ALL ? MAX_IN_TEXT : FEW_IN_TEXT);
	}
	for (size_t i = 0; i < sums.jobs && with & TW_REPORT_WITH_HTML; i++)
		add_events(page, report, json_array_get(report->triggers, i), TW_IN_HTML, 0);
}
