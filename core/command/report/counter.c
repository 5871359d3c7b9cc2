/* SPDX-License-Identifier: MIT */
/*
 * What a report's readers must know of the counter before they believe its
 * times: the same words for the page and the HTML.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/report/counter.h"

static int has_something_to_say(const struct tw_report_group *group)
{
	return group->verdict != TW_REPORT_RELIABLE || group->fallbacks ||
	       json_array_size(group->reasons);
}

/* Those that `tickwise check` warns of whatever its verdict: the other reasons of
 * one that is undecided say why nothing was found. */
static int speaks_against(const json_t *reason)
{
	const char *code = json_string_value(json_object_get(reason, "code"));

	return strcmp(code, "clocksource") == 0 ||
	       strcmp(code, "not_invariant") == 0;
}

int tw_report_counter_warns(const struct tw_report_group *group)
{
	if (group->verdict != TW_REPORT_UNDECIDED || group->fallbacks)
		return has_something_to_say(group);
	for (size_t i = 0; i < json_array_size(group->reasons); i++)
		if (speaks_against(json_array_get(group->reasons, i)))
			return 1;
	return 0;
}

static const char *beginning(const struct tw_report_group *group)
{
	static const char *const says[TW_REPORT_VERDICTS] = {
		[TW_REPORT_RELIABLE] = "the counter is not used:",
		[TW_REPORT_UNCHECKED] = "the counter was not checked:",
		[TW_REPORT_UNDECIDED] =
			("whether the counter is reliable could "
			 "not be decided:"),
		[TW_REPORT_UNRELIABLE] = "the counter is unreliable:",
	};

	/* A good verdict with reasons: the CPUs agree, but somebody objects. */
	if (group->verdict == TW_REPORT_RELIABLE && !group->fallbacks)
		return "the CPUs' counters agree, but";
	return says[group->verdict];
}

static void put_text(FILE *file, const struct tw_report_group *group)
{
	size_t reasons = json_array_size(group->reasons);

	fputs(beginning(group), file);
	for (size_t i = 0; i < reasons; i++)
		fprintf(file, " %s%s", json_string_value(json_object_get(
				json_array_get(group->reasons, i), "text")),
			i + 1 < reasons ? ";" : ".");
	if (reasons == 0)
		fputs(" no reason is given.", file);
	if (group->fallbacks == group->size)
		fputs(" All times here are the system clock's, not the "
		      "counter's.", file);
	else if (group->fallbacks)
		fprintf(file, " In %zu of %zu jobs times are the system "
			"clock's, not the counter's.", group->fallbacks,
			group->size);
}

char *tw_report_counter_text(const struct tw_report_group *group)
{
	char *text = NULL;
	size_t length;
	FILE *file;

	if (!has_something_to_say(group))
		return NULL;
	file = open_memstream(&text, &length);
	if (!file)
		return NULL;
	put_text(file, group);
	if (fclose(file) == 0)
		return text;
	free(text);
	return NULL;
}
