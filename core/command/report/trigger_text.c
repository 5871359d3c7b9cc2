/* SPDX-License-Identifier: MIT */
/*
 * The kernel's trace events around a slow I/O (trigger.c), for the page: what fired,
 * and a few lines of events; and for the HTML: the same sentence.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/output/format.h"
#include "command/output/plain_text.h"
#include "command/report/report.h"
#include "command/report/want.h"
#include "latency/histogram_json.h"

/* Lines on the page: the first half and the last half of the events. */
#define MOST_ON_A_PAGE	20

/* ---- what fired ----------------------------------------------------------- */

struct sums {
	size_t jobs;			/* with tw_trigger */
	size_t fired;			/* of these with an I/O */
	uint64_t slower;
	const struct tw_report *first;	/* of the jobs */
	const struct tw_report *off;	/* the first without events; or NULL */
	uint64_t stopped_for;		/* the first one's that missed the ring */
	const struct tw_report *slowest;	/* of those that fired; or NULL */
};

static void add(struct sums *sums, const struct tw_report *report)
{
	const struct tw_report_trigger *trigger = &report->trigger;

	if (!trigger->is_there)
		return;
	sums->jobs++;
	sums->slower += trigger->slower;
	if (!sums->first)
		sums->first = report;
	if (!trigger->is_on && !sums->off)
		sums->off = report;
	if (!sums->stopped_for)
		sums->stopped_for = trigger->stopped_for;
	if (!trigger->io)
		return;
	sums->fired++;
	if (!sums->slowest ||
	    trigger->lat_ns > sums->slowest->trigger.lat_ns)
		sums->slowest = report;
}

static struct sums sums_of(const struct tw_report_group *group)
{
	struct sums sums = { .jobs = 0 };

	for (size_t i = 0; i < group->size; i++)
		add(&sums, group->members[i]);
	return sums;
}

static void put_io(FILE *file, const struct tw_report *report, size_t jobs)
{
	const struct tw_report_trigger *trigger = &report->trigger;
	char text[TW_FORMAT_SIZE];

	fputs("; the first", file);
	if (jobs > 1)
		fprintf(file, " of job %" PRIu64, report->job.thread_number);
	fprintf(file, " was a %s of %" PRIu64 " bytes at %" PRIu64 ", %s, which "
		"began at %" PRIu64 " ns of CLOCK_MONOTONIC",
		tw_report_string(trigger->io, "ddir"), tw_report_u64(trigger->io, "size"),
		tw_report_u64(trigger->io, "offset"),
		tw_format_ns(text, (double)trigger->lat_ns), trigger->begin_ns);
	fprintf(file, "; the kernel recorded %" PRIu64 " events around it",
		trigger->event_count);
	if (trigger->whole_from_ns >= trigger->begin_ns + trigger->lat_ns)
		fputs(", those of some CPU are lost", file);
	else if (trigger->whole_from_ns > trigger->begin_ns)
		fprintf(file, ", those of its first %s on some CPU are lost",
			tw_format_ns(text, (double)(trigger->whole_from_ns -
						    trigger->begin_ns)));
}

static void put_off(FILE *file, const struct sums *sums)
{
	if (sums->off)
		fprintf(file, "; no events of the kernel: %s",
			sums->off->trigger.why);
	else if (sums->stopped_for)
		fprintf(file, "; the kernel's events were stopped for job %" PRIu64
			" then", sums->stopped_for);
	else if (sums->slower)
		fputs("; the kernel's events were stopped for another job then",
		      file);
}

char *tw_report_trigger_text(const struct tw_report_group *group)
{
	const struct sums sums = sums_of(group);
	char above[TW_FORMAT_SIZE];
	char *text = NULL;
	size_t size;
	FILE *file;

	if (!sums.jobs)
		return NULL;
	file = open_memstream(&text, &size);
	if (!file)
		return NULL;
	fprintf(file, "trigger: %" PRIu64 " %s", sums.slower,
		sums.slower == 1 ? "I/O" : "I/Os");
	if (sums.jobs > 1)
		fprintf(file, " of %zu jobs", sums.jobs);
	fprintf(file, " above %s", tw_format_ns(above,
				(double)sums.first->trigger.above_ns));
	if (sums.slowest)
		put_io(file, sums.slowest, sums.jobs);
	else
		put_off(file, &sums);
	if (sums.fired > 1)
		fprintf(file, "; %zu other %s events, too", sums.fired - 1,
			sums.fired == 2 ? "job has" : "jobs have");
	fclose(file);
	return text;
}

/* ---- events --------------------------------------------------------------- */

/* Of a switch: how the one task left, and who came. */
static int shorten_switch(char *text, size_t size, const char *args)
{
	const char *state = strstr(args, " prev_state=");
	const char *next = strstr(args, " ==> next_comm=");
	const char *pid = next ? strstr(next, " next_pid=") : NULL;

	if (!state || !pid)
		return 0;
	state += strlen(" prev_state=");
	next += strlen(" ==> next_comm=");
	snprintf(text, size, "%.*s, then %.*s-%.*s",
		 (int)strcspn(state, " "), state, (int)(pid - next), next,
		 (int)strspn(pid + strlen(" next_pid="), "0123456789"),
		 pid + strlen(" next_pid="));
	return 1;
}

/* What says most, first: a line has no room for all. */
static void shorten(char *text, size_t size, const json_t *event)
{
	static const struct { const char *name, *from; } begins[] = {
		{ "io_uring_", "user_data " }, { "workqueue_", "function " },
	};
	const char *name = tw_report_string(event, "event");
	const char *args = tw_report_string(event, "args");

	if (strcmp(name, "sched_switch") == 0 &&
	    shorten_switch(text, size, args))
		return;
	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++) {
		const char *from = strstr(args, begins[i].from);

		if (from && strncmp(name, begins[i].name,
				    strlen(begins[i].name)) == 0)
			args = from;
	}
	snprintf(text, size, "%s", args);
}

/* Since the I/O began: a stamp is rounded down to a microsecond. */
static long long since_us(const struct tw_report_trigger *trigger,
			  const json_t *event)
{
	return (long long)(tw_report_u64(event, "monotonic_ns") / 1000) -
	       (long long)(trigger->begin_ns / 1000);
}

static void print_event(const struct tw_report_trigger *trigger,
			const json_t *event)
{
	char args[256], task[64], line[512];

	shorten(args, sizeof(args), event);
	snprintf(task, sizeof(task), "%.40s-%" PRIu64, tw_report_string(event, "task"),
		 tw_report_u64(event, "pid"));
	snprintf(line, sizeof(line), "%9lld %3" PRIu64 "  %-18s %.40s %s",
		 since_us(trigger, event), tw_report_u64(event, "cpu"), task,
		 tw_report_string(event, "event"), args);
	/* Cut off within a character, its bytes are no text any more. */
	line[TW_PAGE_COLUMNS] = '\0';
	puts(tw_plain_text(line));
}

static int is_shown(const json_t *event, int only_own)
{
	return !only_own || json_is_true(json_object_get(event, "own"));
}

static size_t count_shown(const json_t *events, int only_own)
{
	size_t count = 0;

	for (size_t i = 0; i < json_array_size(events); i++)
		count += is_shown(json_array_get(events, i), only_own) != 0;
	return count;
}

/* Those of the I/O and of its thread tell most; if there are none, all. */
static void print_events(const struct tw_report_trigger *trigger)
{
	int only_own = count_shown(trigger->events, 1) != 0;
	size_t count = count_shown(trigger->events, only_own), at = 0;

	if (count == 0)
		return;
	printf("%9s %3s  %-18s event%s\n", "us", "CPU", "task", only_own ?
	       " (those of the I/O and its thread)" : "");
	for (size_t i = 0; i < json_array_size(trigger->events); i++) {
		const json_t *event = json_array_get(trigger->events, i);

		if (!is_shown(event, only_own))
			continue;
		if (at < MOST_ON_A_PAGE / 2 ||
		    at >= count - MOST_ON_A_PAGE / 2)
			print_event(trigger, event);
		else if (at == MOST_ON_A_PAGE / 2)
			printf("%9s %zu more\n", "...",
			       count - MOST_ON_A_PAGE);
		at++;
	}
}

void tw_report_print_trigger(const struct tw_report_group *group)
{
	const struct tw_report *slowest = sums_of(group).slowest;
	struct tw_paragraph line = { .column = 2, .indent = 4 };
	char *text = tw_report_trigger_text(group);

	if (!text)
		return;
	fputs("\n  ", stdout);
	tw_paragraph_add(&line, text);
	free(text);
	if (slowest)
		tw_paragraph_add(&line, "(more with --json, --html, --trace)");
	tw_paragraph_end(&line);
	if (slowest)
		print_events(&slowest->trigger);
}
