/* SPDX-License-Identifier: MIT */
/*
 * What differs between the sides beside the figures, by what the reports hold. A line of
 * the table is all that a further key of a report needs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/diff/diff.h"
#include "command/output/format.h"

static const struct key {
	const char *name;
	const char *path[3];		/* of a text, a number or a boolean */
} keys[] = {
	{ "host", { "job", "host" } },
	{ "fio", { "job", "fio_version" } },
	{ "engine", { "job", "engine" } },
	{ "Tickwise", { "tickwise_version" } },
	{ "iodepth", { "job", "iodepth" } },
	{ "tw_test_nop", { "job", "test_nop" } },
	{ "tw_event_time", { "fio_times", "event_time" } },
	{ "tw_event_wait", { "fio_times", "event_wait" } },
	{ "clock", { "clocks", "tickwise", "source" } },
	{ "fio's clock", { "clocks", "fio", "clocksource" } },
	{ "counter", { "counter", "verdict" } },
	{ "kernel stages", { "kernel_stages", "state" } },
};

static const json_t *follow(const json_t *json, const struct key *key)
{
	for (int i = 0; i < 3 && key->path[i]; i++)
		json = json_object_get(json, key->path[i]);
	return json;
}

static void text_of(char *text, size_t size, const json_t *value)
{
	if (json_is_string(value))
		snprintf(text, size, "%s", json_string_value(value));
	else if (json_is_integer(value))
		snprintf(text, size, "%lld", (long long)json_integer_value(value));
	else if (json_is_boolean(value))
		snprintf(text, size, "%s", json_is_true(value) ? "yes" : "no");
	else
		snprintf(text, size, "-");
}

/* A set of texts: an object whose keys they are. */
static int add(json_t *set, const char *text)
{
	return json_object_set_new_nocheck(set, text, json_true());
}

/* "fio-3.33, fio-3.36"; NULL: no memory. */
static char *list(const json_t *set)
{
	const char *text, *before = "";
	json_t *value;
	char *made = NULL;
	size_t size;
	FILE *file = open_memstream(&made, &size);

	if (!file)
		return NULL;
	json_object_foreach((json_t *)set, text, value) {
		fprintf(file, "%s%s", before, text);
		before = ", ";
	}
	return fclose(file) ? NULL : made;
}

/* Frees the sets. */
static int compare(struct tw_diff *diff, const char *name, json_t *const sets[])
{
	struct tw_diff_fact fact = { .name = name };
	int error = sets[0] && sets[1] ? 0 : -ENOMEM;

	if (!error && !json_equal(sets[0], sets[1]) &&
	    diff->fact_count < TW_DIFF_MOST_FACTS - 1) {
		for (int side = 0; side < TW_DIFF_SIDES; side++) {
			fact.is[side] = list(sets[side]);
			error = fact.is[side] ? error : -ENOMEM;
		}
		diff->facts[diff->fact_count++] = fact;
	}
	json_decref(sets[0]);
	json_decref(sets[1]);
	return error;
}

/* What there is to be told of a group of a run. */
typedef int (*teller)(json_t *set, const struct tw_report_group *group, const void *of);

static int tell_key(json_t *set, const struct tw_report_group *group, const void *of)
{
	int error = 0;

	for (size_t i = 0; i < group->size; i++) {
		char text[256];

		text_of(text, sizeof(text), follow(group->members[i]->root, of));
		error |= add(set, text);
	}
	return error;
}

static int tell_jobs(json_t *set, const struct tw_report_group *group, const void *of)
{
	char text[512];

	(void)of;
	snprintf(text, sizeof(text), "%s x %zu", group->members[0]->job.name,
		 group->size);
	return add(set, text);
}

static int tell_digits(json_t *set, const struct tw_report_group *group, const void *of)
{
	int error = 0;

	(void)of;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const struct tw_histogram *lat = &group->tally.times[TW_REPORT_LAT][i];
		char text[16];

		snprintf(text, sizeof(text), "%u", lat->digits);
		if (lat->count)
			error |= add(set, text);
	}
	return error;
}

static int tell_failed(json_t *set, const struct tw_report_group *group, const void *of)
{
	uint64_t failed = 0;

	(void)of;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++)
		failed |= group->tally.counts[TW_REPORT_ERRORS][i];
	return add(set, failed ? "some" : "none");
}

static int find(struct tw_diff *diff, const char *name, teller tell, const void *of)
{
	json_t *sets[TW_DIFF_SIDES] = { json_object(), json_object() };
	int error = 0;

	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++)
			error |= tell(sets[diff->runs[i].side],
				      diff->runs[i].groups[j], of);
	return compare(diff, name, sets) || error ? -ENOMEM : 0;
}

/* No two runs are equally long. */
#define ABOUT_AS_LONG	1.1

static int find_time(struct tw_diff *diff)
{
	struct tw_diff_fact fact = { .name = "run time" };
	double ns[TW_DIFF_SIDES] = { 0, 0 };

	for (size_t i = 0; i < diff->count; i++)
		ns[diff->runs[i].side] += (double)diff->runs[i].groups[0]->run_ns /
					  (double)diff->of[diff->runs[i].side];
	if (ns[0] <= ns[1] * ABOUT_AS_LONG && ns[1] <= ns[0] * ABOUT_AS_LONG)
		return 0;
	for (int side = 0; side < TW_DIFF_SIDES; side++) {
		char text[TW_FORMAT_SIZE];

		fact.is[side] = strdup(tw_format_ns(text, ns[side]));
		if (!fact.is[side])
			return -ENOMEM;
	}
	diff->facts[diff->fact_count++] = fact;
	return 0;
}

int tw_diff_find_facts(struct tw_diff *diff)
{
	int error = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		error |= find(diff, keys[i].name, tell_key, &keys[i]);
	error |= find(diff, "jobs", tell_jobs, NULL);
	error |= find(diff, "tw_digits", tell_digits, NULL);
	error |= find(diff, "failed I/Os", tell_failed, NULL);
	error |= find_time(diff);
	return error ? -ENOMEM : 0;
}
