/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace events around a slow I/O on the page. Text has what fired and a few
 * lines of events, HTML has all events.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "command/report/report_parts.h"

/* Number of lines in text: half for the first events, half for the last. */
#define FEW_IN_TEXT	6	/* without --all */
#define MAX_IN_TEXT	20

/* ---- what fired ----------------------------------------------------------- */

struct sums {
	size_t jobs;			/* number of jobs with tw_trigger */
	size_t fired;			/* number of these that have an I/O */
	uint64_t slower;
	uint64_t above_ns;		/* of the first of these jobs */
	const char *why_off;		/* of the first without events; or NULL */
	uint64_t stopped_for;		/* of the first job that missed the ring */
	struct tw_report_trigger slowest;	/* of those that fired */
};

static struct sums sums_of(const struct tw_report_group *group)
{
	struct sums sums = { .jobs = json_array_size(group->all.triggers) };
	struct tw_report_trigger trigger;

	for (size_t i = 0; i < sums.jobs; i++) {
		tw_report_trigger_at(&trigger, group, i);
		if (!i)
			sums.above_ns = trigger.above_ns;
		sums.slower += trigger.slower;
		if (!sums.why_off)
			sums.why_off = trigger.why;
		if (!sums.stopped_for)
			sums.stopped_for = trigger.stopped_for;
		if (trigger.io && (!sums.fired++ || trigger.lat_ns > sums.slowest.lat_ns))
			sums.slowest = trigger;
	}
	return sums;
}

static void add_io(struct tw_page *page, const struct tw_report_trigger *trigger,
		   size_t jobs)
{
	tw_page_more(page, "; the first");
	if (jobs > 1)
		tw_page_more(page, " of job %" PRIu64, trigger->job->thread_number);
	tw_page_more(page, " was a %s of %" PRIu64 " bytes at %" PRIu64 ", %s, which "
		     "began at ",
		     tw_report_string(trigger->io, "ddir"), tw_report_u64(trigger->io, "size"),
		     tw_report_u64(trigger->io, "offset"),
		     TW_SAY_NS(trigger->lat_ns));
	tw_report_add_when(page, trigger->job, trigger->begin_ns);
	tw_page_more(page, "; the kernel recorded %" PRIu64 " events around it",
		     trigger->event_count);
	if (trigger->whole_from_ns >= trigger->begin_ns + trigger->lat_ns)
		tw_page_more(page, ", those of some CPU are lost");
	else if (trigger->whole_from_ns > trigger->begin_ns)
		tw_page_more(page, ", those of its first %s on some CPU are lost",
			     TW_SAY_NS(trigger->whole_from_ns - trigger->begin_ns));
}

/* Add a sentence: how many I/Os were too slow, and what the first was or why
 * there is none. */
static void add_sentence(struct tw_page *page, const struct sums *sums)
{
	tw_page_remark(page, "trigger: %s", TW_SAY_COUNT(sums->slower, "I/O[s]"));
	if (sums->jobs > 1)
		tw_page_more(page, " of %zu jobs", sums->jobs);
	tw_page_more(page, " above %s", TW_SAY_ROUND(sums->above_ns));
	if (sums->fired)
		add_io(page, &sums->slowest, sums->jobs);
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
static void shorten(char *text, size_t size, const json_t *event)
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
		snprintf(text, size, "%.*s, then %.*s-%.*s",
			 (int)strcspn(state, " "), state, (int)(pid - next), next,
			 (int)strspn(pid + strlen(" next_pid="), "0123456789"),
			 pid + strlen(" next_pid="));
		return;
	}
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		const char *from = strstr(args, begins[i].from);

		if (from && strncmp(name, begins[i].name, strlen(begins[i].name)) == 0)
			args = from;
	}
	snprintf(text, size, "%s", args);
}

/* Add an event. A stamp is rounded down to a microsecond. */
static void add_event(struct tw_table *table, const struct tw_report_trigger *trigger,
		      const json_t *event, enum tw_media medium)
{
	const char *name = tw_report_string(event, "event");
	const char *task = tw_report_string(event, "task");
	const uint64_t pid = tw_report_u64(event, "pid");
	char args[256];

	tw_table_row(table);
	tw_cell_i64(table, (int64_t)(tw_report_u64(event, "monotonic_ns") / 1000) -
			   (int64_t)(trigger->begin_ns / 1000));
	tw_cell_u64(table, tw_report_u64(event, "cpu"));
	if (medium == TW_IN_TEXT) {
		shorten(args, sizeof(args), event);
		tw_cell_printf(table, "%.40s-%" PRIu64, task, pid);
		tw_cell_printf(table, "%.40s %s", name, args);
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
static void add_events(struct tw_page *page, const struct tw_report_trigger *trigger,
		       enum tw_media medium, size_t most)
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
	const size_t all = json_array_size(trigger->events);
	size_t own = 0, count = all, at = 0;
	struct tw_table *table;

	for (size_t i = 0; i < all && medium == TW_IN_TEXT; i++)
		own += json_is_true(json_object_get(json_array_get(trigger->events, i), "own"));
	if (own) {
		count = own;
		in_text[3].heading = "event (those of the I/O and its thread)";
	}
	if (count == 0)
		return;
	if (medium == TW_IN_HTML)
		tw_page_details(page, "%zu events of the kernel around the I/O of job %" PRIu64
				"; bold: of the I/O and of its thread", all,
				trigger->job->thread_number);
	table = medium == TW_IN_HTML ? tw_page_table(page, in_html, 6) :
				       tw_page_table(page, in_text, 4);
	tw_page_only(page, medium);
	tw_table_cut(table, TW_PAGE_COLUMNS);
	for (size_t i = 0; i < all; i++) {
		const json_t *event = json_array_get(trigger->events, i);

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
	const struct sums sums = sums_of(group);
	struct tw_report_trigger trigger;

	if (!sums.jobs)
		return;
	tw_page_gap(page);
	add_sentence(page, &sums);
	tw_page_only(page, TW_IN_HTML);
	add_sentence(page, &sums);
	tw_page_only(page, TW_IN_TEXT);
	if (sums.fired) {
		tw_page_more(page, " (more with --json, --html, --trace)");
		add_events(page, &sums.slowest, TW_IN_TEXT,
			   with & TW_REPORT_WITH_ALL ? MAX_IN_TEXT : FEW_IN_TEXT);
	}
	for (size_t i = 0; i < sums.jobs && with & TW_REPORT_WITH_HTML; i++) {
		tw_report_trigger_at(&trigger, group, i);
		add_events(page, &trigger, TW_IN_HTML, 0);
	}
}
