/* SPDX-License-Identifier: MIT */
/*
 * Describes what readers must know about the counter before they use the times
 * of a report.
 */
#include <string.h>

#include "command/report/counter.h"

static const json_t *reasons_of(const struct tw_report_group *group)
{
	return json_object_get(group->all.counter, "reasons");
}

static int has_something_to_say(const struct tw_report_group *group)
{
	return group->all.verdict != TW_REPORT_RELIABLE || group->fallbacks ||
	       json_array_size(reasons_of(group));
}

/* Is this a reason that `tickwise check` warns of whatever its verdict? The
 * other reasons of an undecided check only explain why it could not decide. */
static int speaks_against(const json_t *reason)
{
	const char *code = json_string_value(json_object_get(reason, "code"));

	return strcmp(code, "clocksource") == 0 ||
	       strcmp(code, "not_invariant") == 0;
}

static int warns(const struct tw_report_group *group)
{
	if (group->all.verdict != TW_REPORT_UNDECIDED || group->fallbacks)
		return has_something_to_say(group);
	for (size_t i = 0; i < json_array_size(reasons_of(group)); i++)
		if (speaks_against(json_array_get(reasons_of(group), i)))
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

	/* A good verdict can have reasons: the CPUs agree, but another source
	 * warns. */
	if (group->all.verdict == TW_REPORT_RELIABLE && !group->fallbacks)
		return "the CPUs' counters agree, but";
	return says[group->all.verdict];
}

static void add_reasons(struct tw_page *page, const struct tw_report_group *group)
{
	size_t reasons = json_array_size(reasons_of(group));

	for (size_t i = 0; i < reasons; i++)
		tw_page_more(page, " %s%s", json_string_value(json_object_get(
			     json_array_get(reasons_of(group), i), "text")),
			     i + 1 < reasons ? ";" : ".");
	if (reasons == 0)
		tw_page_more(page, " no reason is given.");
}

void tw_report_warn_counter(struct tw_page *page, const struct tw_report_group *group)
{
	if (!warns(group))
		return;
	tw_page_warning(page, "%s", beginning(group));
	add_reasons(page, group);
	if (group->fallbacks == group->all.job_count)
		tw_page_more(page, " All times here are the system clock's, not the "
			     "counter's.");
	else if (group->fallbacks)
		tw_page_more(page, " In %zu of %zu jobs times are the system clock's, "
			     "not the counter's.", group->fallbacks, group->all.job_count);
}

/* Describe without a warning what was not checked. A check that was too short,
 * or was disturbed, proves nothing. */
void tw_report_add_unchecked(struct tw_page *page, const struct tw_report_group *group)
{
	if (!has_something_to_say(group) || warns(group))
		return;
	tw_page_paragraph(page, "counter: nothing was found against it, but not all could "
			  "be checked:");
	add_reasons(page, group);
}
