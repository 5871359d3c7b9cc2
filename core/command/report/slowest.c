/* SPDX-License-Identifier: MIT */
/*
 * The slowest I/Os on a report's page: a few, each with what it was, when, and
 * where its time went.
 */
#include <stdio.h>

#include "command/format.h"
#include "command/report/report.h"
#include "latency/histogram_json.h"

#define MOST_ON_A_PAGE	5

static uint64_t u64_of(const json_t *json, const char *key)
{
	uint64_t value = 0;

	tw_json_to_u64(json_object_get(json, key), &value);
	return value;
}

static void print_stages(struct tw_paragraph *line, const json_t *stages)
{
	char text[TW_FORMAT_SIZE];

	for (int i = 0; i < TW_REPORT_STAGES; i++) {
		const char *name = tw_report_times[i].key;

		if (json_object_get(stages, name))
			tw_paragraph_printf(line, "%s %s,", name, tw_format_ns(
				text, (double)u64_of(stages, name)));
	}
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
			    (unsigned long long)u64_of(slow->json, "size"),
			    (unsigned long long)u64_of(slow->json, "offset"));
	print_stages(&line, json_object_get(slow->json, "stages"));
	if (json_object_get(slow->json, "submitting_call_ns"))
		tw_paragraph_printf(&line, "submitting call %s,", tw_format_ns(
			text, (double)u64_of(slow->json, "submitting_call_ns")));
	tw_paragraph_printf(&line, "job %llu%s",
			    (unsigned long long)slow->report->job.thread_number,
			    monotonic ? "," : "");
	if (monotonic)
		tw_paragraph_printf(&line, "began at %s ns of CLOCK_MONOTONIC",
				    monotonic);
	tw_paragraph_end(&line);
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
}
