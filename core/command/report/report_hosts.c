/* SPDX-License-Identifier: MIT */
/*
 * What differs between the hosts of a page, and which did not run together with the others. The
 * clocks of hosts differ, and by how much is not known: each time is by the host's own clock.
 */
#include <stdlib.h>
#include <string.h>

#include "base/allocate.h"
#include "command/report/report_parts.h"

#define MAX_NAMES	3	/* of hosts, in a list */
#define LATE_PART	20	/* of the longest run; 5 %: setting up jobs takes some */

struct host {
	const char *name;
	const struct tw_report *report;		/* its first */
	const struct tw_report_job *job;	/* the first one in it */
	uint64_t begin_ns, end_ns;		/* of its jobs */
};

/* ---- its facts ----------------------------------------------------------- */

static const json_t *device_of(const struct host *host)
{
	for (size_t i = 0; i < host->report->device_count; i++)
		if (!strcmp(host->report->devices[i].host, host->name))
			return host->report->devices[i].json;
	return NULL;
}

static const struct {
	const char *name, *key;
	enum { OF_MACHINE, OF_DEVICE, OF_JOB, OF_STAGES, OF_COUNTER } of;
} facts[] = {
	{ "kernel", "kernel", OF_MACHINE }, { "CPU", "cpu", OF_MACHINE },
	{ "governor", "governor", OF_MACHINE }, { "clocksource", "clocksource", OF_MACHINE },
	{ "fio", "fio_version", OF_JOB }, { "Tickwise", "tickwise_version", OF_JOB },
	{ "engine", "engine", OF_JOB },
	{ "drive", "model", OF_DEVICE }, { "scheduler", "scheduler", OF_DEVICE },
	{ "stages inside the kernel", "", OF_STAGES }, { "counter", "", OF_COUNTER },
};

static const char *fact_of(const struct host *host, size_t fact)
{
	const char *key = facts[fact].key, *text = NULL;

	switch (facts[fact].of) {
	case OF_MACHINE:
		text = tw_report_string(tw_report_machine(host->report, host->name), key);
		break;
	case OF_DEVICE:
		text = tw_report_string(device_of(host), key);
		break;
	case OF_JOB:
		text = tw_report_string(host->job->json, key);
		break;
	case OF_STAGES:
		return host->job->kernel_on ? "yes" : "no";
	case OF_COUNTER:
		return tw_report_verdicts[host->report->verdict];
	}
	return text ? text : "unknown";
}

/* ---- all hosts ------------------------------------------------------------- */

static struct host *find_host(struct host **list, size_t *count, const char *name)
{
	struct host *host;

	for (size_t i = 0; i < *count; i++)
		if (!strcmp((*list)[i].name, name))
			return &(*list)[i];
	host = tw_another(list, count);
	*host = (struct host) { .name = name, .begin_ns = UINT64_MAX };
	return host;
}

static void add_jobs(struct host **list, size_t *count, const struct tw_report *report)
{
	for (size_t i = 0; i < report->job_count; i++) {
		const struct tw_report_job *job = &report->jobs[i];
		struct host *host = find_host(list, count, job->host);
		const uint64_t begin_ns = job->start_ns + job->first_ns;

		if (!host->report) {
			host->report = report;
			host->job = job;
		}
		if (begin_ns < host->begin_ns)
			host->begin_ns = begin_ns;
		if (begin_ns + job->run_ns > host->end_ns)
			host->end_ns = begin_ns + job->run_ns;
	}
}

/* Has a host before this one the same value? */
static int is_named(const struct host *list, size_t i, size_t fact, const char *value)
{
	for (size_t j = 0; j < i; j++)
		if (!strcmp(fact_of(&list[j], fact), value))
			return 1;
	return 0;
}

/* Tell each value of a fact with its hosts, if they differ in it. */
static void add_fact(struct tw_page *page, const struct host *list, size_t count, size_t fact)
{
	struct tw_growing_text text = { .length = 0 };
	size_t values = 0;

	for (size_t i = 0; i < count; i++) {
		const char *value = fact_of(&list[i], fact);
		size_t named = 0;

		if (is_named(list, i, fact, value))
			continue;
		tw_append_format(&text, "%s %s on", values++ ? ";" : "", value);
		for (size_t j = i; j < count; j++)
			if (!strcmp(fact_of(&list[j], fact), value) && named++ < MAX_NAMES)
				tw_append_format(&text, "%s %s", named > 1 ? "," : "",
						 list[j].name);
		if (named > MAX_NAMES)
			tw_append_format(&text, " and %zu more", named - MAX_NAMES);
	}
	if (values > 1)
		tw_page_paragraph(page, "hosts differ in %s:%s", facts[fact].name, text.bytes);
}

/* Name the hosts that began after the first one, or ended before the last one. */
static void put_apart(struct tw_growing_text *text, const struct host *list, size_t count,
		      int is_end)
{
	const struct host *other = list;
	uint64_t longest_ns = 0;
	size_t named = 0;

	for (size_t i = 0; i < count; i++) {
		if (list[i].end_ns - list[i].begin_ns > longest_ns)
			longest_ns = list[i].end_ns - list[i].begin_ns;
		if (is_end ? list[i].end_ns > other->end_ns : list[i].begin_ns < other->begin_ns)
			other = &list[i];
	}
	for (size_t i = 0; i < count; i++) {
		const uint64_t apart_ns = is_end ? other->end_ns - list[i].end_ns :
						   list[i].begin_ns - other->begin_ns;

		if (apart_ns > longest_ns / LATE_PART && named++ < MAX_NAMES)
			tw_append_format(text, "%s %s %s %s %s %s", text->length ? "," : "",
					 list[i].name, is_end ? "ended" : "began",
					 TW_SAY_ROUND(apart_ns), is_end ? "before" : "after",
					 other->name);
	}
	if (named > MAX_NAMES)
		tw_append_format(text, ", and %zu more", named - MAX_NAMES);
}

void tw_report_add_hosts(struct tw_page *page, const struct tw_report_group *groups,
			 size_t count)
{
	struct host *list = NULL;
	struct tw_growing_text apart = { .length = 0 };
	size_t hosts = 0;

	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < groups[i].member_count; j++)
			add_jobs(&list, &hosts, groups[i].members[j]);
	for (int is_end = 0; is_end < 2 && hosts > 1; is_end++)
		put_apart(&apart, list, hosts, is_end);
	if (apart.length)
		tw_page_paragraph(page, "not together, by the hosts' own clocks, if these agree:%s",
				  apart.bytes);
	for (size_t i = 0; i < TW_LENGTH(facts) && hosts > 1; i++)
		add_fact(page, list, hosts, i);
	free(list);
}
