/* SPDX-License-Identifier: MIT */
/*
 * The title of a page about groups: which jobs, on which hosts, and when the first began.
 */
#include <string.h>
#include <time.h>

#include "base/allocate.h"
#include "command/analysis/analysis.h"
#include "tickwise.h"

#define MAX_NAMES	3

size_t tw_report_other_hosts(const struct tw_report_group *group)
{
	const struct tw_report_job *jobs = group->all.jobs;
	size_t others = 0;

	/* There are a few hundred hosts at most. Count each at its first job. */
	for (size_t i = 1; i < group->all.job_count; i++) {
		size_t j = 0;

		while (j < i && strcmp(jobs[i].host, jobs[j].host))
			j++;
		others += j == i;
	}
	return others;
}

static const char *name_of(const struct tw_report_group *group)
{
	return group->all.jobs[0].name;
}

static const char *host_of(const struct tw_report_group *group)
{
	const size_t others = tw_report_other_hosts(group);
	const char *first = group->all.jobs[0].host;

	return others ? tw_format("%s and %zu more", first, others) : first;
}

/* Write what differs among the groups: "a, b, c and 2 more". */
static void put_list(struct tw_growing_text *into, const struct tw_report_group *const *groups,
		     size_t count, const char *(*text_of)(const struct tw_report_group *group))
{
	size_t shown = 0, more = 0;

	for (size_t i = 0; i < count; i++) {
		const char *text = text_of(groups[i]);
		size_t j = 0;

		while (j < i && strcmp(text_of(groups[j]), text))
			j++;
		if (j < i)
			continue;
		if (shown == MAX_NAMES)
			more++;
		else
			tw_append_format(into, "%s%s", shown++ ? ", " : "", text);
	}
	if (more)
		tw_append_format(into, " and %zu more", more);
}

const char *tw_report_title(const struct tw_report_group *const *groups, size_t count)
{
	const time_t start = (time_t)(groups[0]->all.jobs[0].start_ns / TW_NS_PER_SECOND);
	struct tw_growing_text text = { .length = 0 };
	char date[64];
	struct tm tm;

	put_list(&text, groups, count, name_of);
	tw_append_format(&text, " on ");
	put_list(&text, groups, count, host_of);
	strftime(date, sizeof(date), "%F %R UTC", gmtime_r(&start, &tm));
	tw_append_format(&text, ", %s", date);
	return text.bytes;
}
