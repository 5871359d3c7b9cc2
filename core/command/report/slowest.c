/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os on a report's page: a few, each with what it was, when, and
 * where its time went.
 */
#include <stdio.h>

#include "command/output/format.h"
#include "command/report/report.h"
#include "command/report/want.h"
#include "latency/histogram_json.h"

#define MOST_ON_A_PAGE	5
#define MOST_STALLS	3

static int is_inside(int stage)
{
	return stage >= TW_SUBMIT && stage <= TW_REAP;
}

static int has(const json_t *stages, int stage)
{
	return json_object_get(stages, tw_report_times[stage].key) != NULL;
}

/* Of an I/O that lacks a stamp, kernel is the stages around it: those that are not
 * there. */
static void name_kernel(char *name, size_t size, const json_t *stages)
{
	size_t used = 0, all = 0, missing = 0;

	for (int i = 0; i < TW_REPORT_STAGES; i++) {
		if (!is_inside(i))
			continue;
		all++;
		if (has(stages, i))
			continue;
		missing++;
		used += (size_t)snprintf(name + used, size - used, "%s%s",
					 used ? "+" : "",
					 tw_report_times[i].name);
	}
	if (missing == 0 || missing == all)
		snprintf(name, size, "kernel");
}

int tw_report_slow_stages(const json_t *stages,
			  struct tw_report_slow_stage list[TW_REPORT_STAGES])
{
	int kernel = has(stages, TW_KERNEL);
	int count = 0;

	for (int i = 0; i < TW_REPORT_STAGES; i++) {
		struct tw_report_slow_stage *at = &list[count];

		if (i != TW_KERNEL && has(stages, i)) {
			snprintf(at->name, sizeof(at->name), "%s",
				 tw_report_times[i].name);
			at->ns = tw_report_u64(stages, tw_report_times[i].key);
			count++;
		} else if (kernel && (is_inside(i) || i == TW_KERNEL)) {
			name_kernel(at->name, sizeof(at->name), stages);
			at->ns = tw_report_u64(stages, "kernel");
			kernel = 0;
			count++;
		}
	}
	return count;
}

static void print_stages(struct tw_paragraph *line, const json_t *stages)
{
	struct tw_report_slow_stage list[TW_REPORT_STAGES];
	int count = tw_report_slow_stages(stages, list);
	char text[TW_FORMAT_SIZE];

	for (int i = 0; i < count; i++)
		tw_paragraph_printf(line, "%s %s,", list[i].name,
				    tw_format_ns(text, (double)list[i].ns));
}

static void print_cause(const json_t *slow)
{
	struct tw_paragraph line = { .column = 13, .indent = 15 };
	char text[TW_REPORT_SENTENCE];

	if (!tw_report_say_cause(text, sizeof(text), slow))
		return;
	printf("%13s", "");
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
}

/* Of a report of `tickwise attach`. */
static void print_whose(struct tw_paragraph *line, const json_t *slow,
			const char *end)
{
	const char *file = json_string_value(json_object_get(slow, "file"));

	tw_paragraph_printf(line, "ring %llu, %s%s",
			    (unsigned long long)tw_report_u64(slow, "ring"),
			    file ? file : "?", end);
}

static void print_slow(const struct tw_report_slow *slow)
{
	struct tw_paragraph line = { .column = 2, .indent = 13 };
	const char *monotonic =
		json_string_value(json_object_get(slow->json, "monotonic_ns"));
	char text[TW_FORMAT_SIZE];

	printf("  %9s", tw_format_ns(text, (double)slow->lat_ns));
	line.column = 11;
	line.words = 1;
	tw_paragraph_printf(&line, " %s of %llu bytes at %llu,",
			    json_string_value(json_object_get(slow->json,
							      "ddir")),
			    (unsigned long long)tw_report_u64(slow->json, "size"),
			    (unsigned long long)tw_report_u64(slow->json, "offset"));
	print_stages(&line, json_object_get(slow->json, "stages"));
	if (json_object_get(slow->json, "submitting_call_ns"))
		tw_paragraph_printf(&line, "submitting call %s,", tw_format_ns(
			text, (double)tw_report_u64(slow->json, "submitting_call_ns")));
	if (slow->report->attached)
		print_whose(&line, slow->json, monotonic ? "," : "");
	else
		tw_paragraph_printf(&line, "job %llu%s", (unsigned long long)
				    slow->report->job.thread_number,
				    monotonic ? "," : "");
	if (monotonic)
		tw_paragraph_printf(&line, "began at %s ns of CLOCK_MONOTONIC",
				    monotonic);
	tw_paragraph_end(&line);
	print_cause(slow->json);
}

static void print_line(const char *text)
{
	struct tw_paragraph line = { .column = 2, .indent = 4 };

	printf("  ");
	tw_paragraph_add(&line, text);
	tw_paragraph_end(&line);
}

static void print_stalls(const struct tw_report_group *group)
{
	const char *why_not = tw_report_why_not(group);
	char text[TW_REPORT_SENTENCE];
	int shown = 0;

	for (size_t i = 0; i < group->stall_count && shown < MOST_STALLS; i++) {
		if (!tw_report_say_stall(text, sizeof(text), &group->stalls[i]))
			continue;
		print_line(text);
		shown++;
	}
	if (!why_not)
		return;
	snprintf(text, sizeof(text), "causes: not known: %s", why_not);
	print_line(text);
}

void tw_report_print_slowest(const struct tw_report_group *group)
{
	size_t shown = group->slow_count;

	if (shown == 0)
		return;
	if (shown > MOST_ON_A_PAGE)
		shown = MOST_ON_A_PAGE;
	printf("\nslowest I/Os by their lat (%zu of %zu; all with --json, "
	       "--html)\n", shown, group->slow_count);
	for (size_t i = 0; i < shown; i++)
		print_slow(&group->slowest[i]);
	print_stalls(group);
}
