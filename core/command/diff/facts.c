/* SPDX-License-Identifier: MIT */
/*
 * Finds which facts differ between the sides, from what the reports hold. For a
 * new key of a report, add a line to the table.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/diff/diff.h"
#include "command/output/format.h"
#include "report/want.h"

static const struct key {
	const char *name;
	const char *path[3];		/* to a text, a number or a boolean */
	const char *option;		/* option of fio that may set it; or NULL */
	int is_new;			/* 1: reports of older engines do not have it */
} keys[] = {
	{ "host", { "job", "host" }, NULL, 0 },
	{ "fio", { "job", "fio_version" }, NULL, 0 },
	{ "engine", { "job", "engine" }, "ioengine", 0 },
	{ "Tickwise", { "tickwise_version" }, NULL, 0 },
	{ "iodepth", { "job", "iodepth" }, "iodepth", 0 },
	{ "tw_test_nop", { "job", "test_nop" }, "tw_test_nop", 0 },
	{ "tw_event_time", { "fio_times", "event_time" }, "tw_event_time", 0 },
	{ "tw_event_wait", { "fio_times", "event_wait" }, "tw_event_wait", 0 },
	{ "clock", { "clocks", "tickwise", "source" }, NULL, 0 },
	{ "fio's clock", { "clocks", "fio", "clocksource" }, "clocksource", 0 },
	{ "counter", { "counter", "verdict" }, NULL, 0 },
	{ "kernel stages", { "kernel_stages", "state" }, "tw_kernel", 0 },
	{ "kernel", { "machine", "kernel" }, NULL, 1 },
	{ "CPU", { "machine", "cpu" }, NULL, 1 },
	{ "CPUs online", { "machine", "cpus" }, NULL, 1 },
	{ "hypervisor", { "machine", "hypervisor" }, NULL, 1 },
	{ "clocksource", { "machine", "clocksource" }, NULL, 1 },
	{ "governor", { "machine", "governor" }, NULL, 1 },
	{ "file", { "files", "path" }, "filename", 1 },
	{ "file size", { "files", "size" }, "size", 1 },
	{ "file system", { "files", "filesystem" }, NULL, 1 },
	{ "device", { "devices", "name" }, "filename", 1 },
	{ "device model", { "devices", "model" }, "filename", 1 },
	{ "device size", { "devices", "size" }, "filename", 1 },
	{ "scheduler", { "devices", "scheduler" }, NULL, 1 },
	{ "nr_requests", { "devices", "nr_requests" }, NULL, 1 },
	{ "queue depth", { "devices", "queue_depth" }, NULL, 1 },
	{ "write cache", { "devices", "write_cache" }, NULL, 1 },
	{ "rotational", { "devices", "rotational" }, NULL, 1 },
};

/* Return a value as a text. @digits has room for those of a number. */
static const char *text_of(char digits[24], const json_t *value)
{
	if (json_is_string(value))
		return json_string_value(value);
	if (json_is_boolean(value))
		return json_is_true(value) ? "yes" : "no";
	if (!json_is_integer(value))
		return "-";
	snprintf(digits, 24, "%lld", (long long)json_integer_value(value));
	return digits;
}

/* Add to a set of texts, which is an object with the texts as keys. */
static int add(json_t *set, const char *text)
{
	return json_object_set_new_nocheck(set, text, json_true());
}

/* Number of elements of a set that are named. */
#define MAX_NAMED	4

/* Return "fio-3.33, fio-3.36"; NULL: out of memory. What @other lacks comes first. */
static char *list(const json_t *set, const json_t *other)
{
	const char *text;
	json_t *value;
	char *made = NULL;
	size_t size, named = 0;
	FILE *file = open_memstream(&made, &size);

	if (!file)
		return NULL;
	for (int in_both = 0; in_both < 2; in_both++)
		json_object_foreach((json_t *)set, text, value)
			if (!json_object_get(other, text) == !in_both &&
			    named++ < MAX_NAMED)
				fprintf(file, "%s%s", named > 1 ? ", " : "", text);
	if (named > MAX_NAMED)
		fprintf(file, " and %zu more", named - MAX_NAMED);
	return fclose(file) ? NULL : made;
}

/* Is this option one of those that differ? */
static int is_in(const struct tw_diff_facts *facts, const char *name)
{
	for (size_t i = 0; i < facts->count && name; i++)
		if (strcmp(facts->list[i].name, name) == 0)
			return 1;
	return 0;
}

/* Add a fact. Takes the texts, which are NULL without memory. */
static int append(struct tw_diff_facts *facts, const char *name, char *a, char *b)
{
	struct tw_diff_fact *grown = a && b ?
		reallocarray(facts->list, facts->count + 1, sizeof(*grown)) : NULL;

	if (!grown) {
		free(a);
		free(b);
		return -ENOMEM;
	}
	grown[facts->count++] = (struct tw_diff_fact) { .name = name, .is = { a, b } };
	facts->list = grown;
	return 0;
}

/* Add a fact if its sets differ. Frees the sets. An empty set does not differ,
 * since this side may have the same. */
static int compare(struct tw_diff_facts *facts, const char *name, json_t *const sets[])
{
	int error = sets[0] && sets[1] ? 0 : -ENOMEM;

	if (!error && json_object_size(sets[0]) && json_object_size(sets[1]) &&
	    !json_equal(sets[0], sets[1]))
		error = append(facts, name, list(sets[TW_DIFF_A], sets[TW_DIFF_B]),
			       list(sets[TW_DIFF_B], sets[TW_DIFF_A]));
	json_decref(sets[0]);
	json_decref(sets[1]);
	return error;
}

/* Adds to @set what a group of a run has of one fact. */
typedef int (*teller)(json_t *set, const struct tw_report_group *group, const void *of);

static int tell_value(json_t *set, const json_t *value, int is_new)
{
	char digits[24];

	return !value && is_new ? 0 : add(set, text_of(digits, value));
}

/* Add the value of a key, from element @i of its path on. An array has a value
 * in each element. */
static int tell_from(json_t *set, const json_t *json, const struct key *key, int i)
{
	int error = 0;

	if (!json_is_array(json)) {
		if (i == 3 || !key->path[i])
			return tell_value(set, json, key->is_new);
		return tell_from(set, json_object_get(json, key->path[i]), key, i + 1);
	}
	for (size_t j = 0; j < json_array_size(json); j++)
		error |= tell_value(set, json_object_get(json_array_get(json, j),
							 key->path[i]), key->is_new);
	return error;
}

static int tell_key(json_t *set, const struct tw_report_group *group, const void *of)
{
	int error = 0;

	for (size_t i = 0; i < group->size; i++)
		error |= tell_from(set, group->members[i]->root, of, 0);
	return error;
}

/* Return how many of the job's options the report does not list. */
static uint64_t unlisted(const struct tw_report *report)
{
	return tw_report_u64(report->root, "options_left_out");
}

/* @of: the name of an option. */
static int tell_option(json_t *set, const struct tw_report_group *group, const void *of)
{
	int error = 0;

	for (size_t i = 0; i < group->size; i++) {
		const json_t *options = group->members[i]->facts.options;
		const char *is = json_string_value(json_object_get(options, of));

		if (options && (is || !unlisted(group->members[i])))
			error |= add(set, !is ? "not given" : *is ? is : "given");
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

static int find_in(struct tw_diff_facts *facts, const struct tw_diff *diff,
		   const char *name, teller tell, const void *of)
{
	json_t *sets[TW_DIFF_SIDES] = { json_object(), json_object() };
	int error = 0;

	for (size_t i = 0; i < diff->count; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++)
			error |= tell(sets[diff->runs[i].side],
				      diff->runs[i].groups[j], of);
	return compare(facts, name, sets) || error ? -ENOMEM : 0;
}

/* Find a fact, unless an @option that sets it differs. */
static int find(struct tw_diff *diff, const char *name, const char *option, teller tell,
		const void *of)
{
	return is_in(&diff->options, option) ? 0 :
		find_in(&diff->facts, diff, name, tell, of);
}

/* ---- options -------------------------------------------------------------- */

/* Return 1 for options that differ between any two runs: where reports go, and
 * the name of a job. */
static int is_of_one_run(const char *option)
{
	return strcmp(option, "tw_report") == 0 || strcmp(option, "name") == 0;
}

/* @done: the names that were compared. */
static int find_options_of(struct tw_diff *diff, const struct tw_report *report,
			   json_t *done)
{
	const char *name;
	json_t *value;
	int error = 0;

	json_object_foreach((json_t *)report->facts.options, name, value) {
		if (is_of_one_run(name) || json_object_get(done, name))
			continue;
		error |= add(done, name);
		error |= find_in(&diff->options, diff, name, tell_option, name);
	}
	return error;
}

/* Find the options that some report has. */
static int find_options(struct tw_diff *diff)
{
	json_t *done = json_object();
	int error = done ? 0 : -ENOMEM;
	uint64_t more = 0;

	for (size_t i = 0; i < diff->count && !error; i++)
		for (size_t j = 0; j < diff->runs[i].count; j++) {
			const struct tw_report_group *group = diff->runs[i].groups[j];

			for (size_t k = 0; k < group->size; k++) {
				error |= find_options_of(diff, group->members[k], done);
				more |= unlisted(group->members[k]);
			}
		}
	json_decref(done);
	if (more && json_array_append_new(diff->left_out, json_string(
		    "options of fio: some reports do not list all of them")))
		return -ENOMEM;
	return error;
}

/* A factor. No two runs are exactly as long. */
#define ABOUT_AS_LONG	1.1

static int find_time(struct tw_diff *diff)
{
	double ns[TW_DIFF_SIDES] = { 0, 0 };
	char texts[TW_DIFF_SIDES][TW_FORMAT_SIZE];

	if (is_in(&diff->options, "runtime"))
		return 0;
	for (size_t i = 0; i < diff->count; i++)
		ns[diff->runs[i].side] += (double)diff->runs[i].groups[0]->run_ns /
					  (double)diff->of[diff->runs[i].side];
	if (ns[0] <= ns[1] * ABOUT_AS_LONG && ns[1] <= ns[0] * ABOUT_AS_LONG)
		return 0;
	for (int side = 0; side < TW_DIFF_SIDES; side++)
		tw_format_ns(texts[side], ns[side]);
	return append(&diff->facts, "run time", strdup(texts[TW_DIFF_A]),
		      strdup(texts[TW_DIFF_B]));
}

int tw_diff_find_facts(struct tw_diff *diff)
{
	int error = find_options(diff);

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		error |= find(diff, keys[i].name, keys[i].option, tell_key, &keys[i]);
	error |= find(diff, "jobs", "numjobs", tell_jobs, NULL);
	error |= find(diff, "tw_digits", "tw_digits", tell_digits, NULL);
	error |= find(diff, "failed I/Os", NULL, tell_failed, NULL);
	error |= find_time(diff);
	return error ? -ENOMEM : 0;
}

void tw_diff_free_facts(struct tw_diff_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++)
		for (int side = 0; side < TW_DIFF_SIDES; side++)
			free(facts->list[i].is[side]);
	free(facts->list);
}
