/* SPDX-License-Identifier: MIT */
/*
 * Reads what a report holds about its run: see facts.h. Any fact can be
 * missing: older engines wrote none, and engines leave out what they could not
 * find.
 */
#include "command/reports/facts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "command/reports/merge.h"
#include "latency/histogram_json.h"
#include "report/want.h"

/* The keys of an object whose type is checked. Other keys are accepted. */
struct typed {
	const char *key;
	enum { TEXT, NUMBER, FLAG, NAMES } type;
};

static const struct typed of_machine[] = {
	{ "cpu", TEXT }, { "cpus", NUMBER }, { "kernel", TEXT }, { "hypervisor", TEXT },
	{ "clocksource", TEXT }, { "governor", TEXT }, { NULL, TEXT },
};

static const struct typed of_file[] = {
	{ "path", TEXT }, { "size", NUMBER }, { "device", TEXT }, { "filesystem", TEXT },
	{ NULL, TEXT },
};

static const struct typed of_device[] = {
	{ "device", TEXT }, { "name", TEXT }, { "model", TEXT }, { "scheduler", TEXT },
	{ "nr_requests", NUMBER }, { "queue_depth", NUMBER }, { "rotational", FLAG },
	{ "write_cache", TEXT }, { "logical_block_size", NUMBER }, { "size", NUMBER },
	{ "members", NAMES }, { NULL, TEXT },
};

static int is_names(const json_t *value)
{
	for (size_t i = 0; i < json_array_size(value); i++)
		if (!json_is_string(json_array_get(value, i)))
			return 0;
	return json_is_array(value);
}

static void check_value(const json_t *object, const char *where, const struct typed *of,
			struct tw_report_problem *problem)
{
	const json_t *value = json_object_get(object, of->key);

	if (!value)
		return;
	switch (of->type) {
	case TEXT:
		tw_want_string(object, where, of->key, problem);
		break;
	case NUMBER:
		tw_want_u64(object, where, of->key, problem);
		break;
	case FLAG:
		tw_want_boolean(object, where, of->key, problem);
		break;
	case NAMES:
		if (!is_names(value))
			tw_report_refuse(problem, "%s%s is not an array of strings",
					 where, of->key);
		break;
	}
}

static void check(const json_t *object, const char *where, const struct typed *all,
		  struct tw_report_problem *problem)
{
	for (; all->key; all++)
		check_value(object, where, all, problem);
}

/* Return NULL: the list is missing. */
static const json_t *read_list(const struct tw_report *report, const char *name,
			       const char *where, const struct typed *all,
			       struct tw_report_problem *problem)
{
	const json_t *list;

	if (!json_object_get(report->root, name))
		return NULL;
	list = tw_want_array(report->root, "", name, problem);
	for (size_t i = 0; i < json_array_size(list); i++) {
		const json_t *one = json_array_get(list, i);

		if (!json_is_object(one))
			tw_report_refuse(problem, "%s[] is not an object", name);
		check(one, where, all, problem);
		tw_want_string(one, where, all->key, problem);
	}
	return list;
}

static const json_t *read_object(const struct tw_report *report, const char *name,
				 struct tw_report_problem *problem)
{
	if (!json_object_get(report->root, name))
		return NULL;
	return tw_want_object(report->root, "", name, problem);
}

/* Check the options. An option without a value has an empty text. */
static void check_options(const json_t *options, struct tw_report_problem *problem)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)options, key, value)
		tw_want_string(options, "options.", key, problem);
}

static void read_fio_lat(struct tw_report *report, struct tw_report_problem *problem)
{
	static const char where[] = "fio_lat.DIRECTION.";
	const json_t *json = read_object(report, "fio_lat", problem);
	struct tw_report_tally *tally = &report->tally;

	if (!json)
		tally->missing |= TW_REPORT_NO_FIO_LAT;
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const json_t *of = json_object_get(json, tw_report_directions[i]);
		struct tw_report_fio_lat *into = &tally->fio_lat[i];

		if (!of)
			continue;
		into->count = tw_want_u64(of, where, "count", problem);
		into->sum_ns = tw_want_positive(of, where, "mean_ns", problem) *
			       (double)into->count;
	}
}

void tw_report_read_facts(struct tw_report *report, struct tw_report_problem *problem)
{
	struct tw_report_facts *facts = &report->facts;

	facts->options = read_object(report, "options", problem);
	check_options(facts->options, problem);
	facts->machine = read_object(report, "machine", problem);
	check(facts->machine, "machine.", of_machine, problem);
	facts->files = read_list(report, "files", "files[].", of_file, problem);
	facts->devices = read_list(report, "devices", "devices[].", of_device, problem);
	read_fio_lat(report, problem);
}

int tw_report_merge_fio_lat(struct tw_report_tally *into,
			    const struct tw_report_tally *from)
{
	int over = 0;

	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		over |= __builtin_add_overflow(into->fio_lat[i].count,
					       from->fio_lat[i].count,
					       &into->fio_lat[i].count);
		into->fio_lat[i].sum_ns += from->fio_lat[i].sum_ns;
	}
	return over ? -EOVERFLOW : 0;
}

int tw_report_since_start(double *s, const struct tw_report *report, uint64_t monotonic_ns)
{
	const uint64_t start_ns = report->job.start_monotonic_ns;

	if (!start_ns || monotonic_ns < start_ns)
		return 0;
	*s = (double)(monotonic_ns - start_ns) / 1e9;
	return 1;
}

void tw_report_add_when(struct tw_page *page, const struct tw_report *report,
			uint64_t monotonic_ns)
{
	double s;

	if (tw_report_since_start(&s, report, monotonic_ns))
		tw_page_more(page, "%.6f s of the run", s);
	else
		tw_page_more(page, "%llu ns of CLOCK_MONOTONIC",
			     (unsigned long long)monotonic_ns);
}

/* ---- of a group ---------------------------------------------------------- */

/* Files and devices by host and @key. The same path on two hosts is two
 * files. */
struct list {
	const char *key;
	int has_hosts;		/* 1: there are several hosts */
	json_t *array, *seen;
};

/* Return an element with its host, if there are several; NULL: out of
 * memory. */
static json_t *with_host(const struct list *list, json_t *one, const struct tw_report *of)
{
	json_t *copy;

	if (!list->has_hosts)
		return json_incref(one);
	copy = json_copy(one);
	if (!json_object_set_new(copy, "host", json_string(of->job.host)))
		return copy;
	json_decref(copy);
	return NULL;
}

static int add_one(struct list *list, json_t *one, const struct tw_report *of)
{
	const char *name = tw_report_string(one, list->key);
	char *at;
	int error = 0;

	if (asprintf(&at, "%s\n%s", of->job.host, name ? name : "") < 0)
		return -1;
	if (!json_object_get(list->seen, at))
		error = json_object_set_new(list->seen, at, json_true()) |
			json_array_append_new(list->array, with_host(list, one, of));
	free(at);
	return error;
}

static int add_all(struct list *list, const json_t *all, const struct tw_report *of)
{
	int error = 0;

	for (size_t i = 0; i < json_array_size(all) && !error; i++)
		error = add_one(list, json_array_get(all, i), of);
	return error;
}

static json_t *list_of(const struct tw_report_group *group, const char *key, int of_files)
{
	struct list list = {
		.key = key, .has_hosts = tw_report_other_hosts(group) != 0,
		.array = json_array(), .seen = json_object(),
	};
	int error = !list.array || !list.seen;

	for (size_t i = 0; i < group->size && !error; i++) {
		const struct tw_report *member = group->members[i];

		error = add_all(&list, of_files ? member->facts.files :
				member->facts.devices, member);
	}
	json_decref(list.seen);
	if (!error)
		return list.array;
	json_decref(list.array);
	return NULL;
}

json_t *tw_report_devices_of(const struct tw_report_group *group)
{
	return list_of(group, "device", 0);
}

json_t *tw_report_files_of(const struct tw_report_group *group)
{
	return list_of(group, "path", 1);
}

/* Return the facts about a device, without histograms: a report's histograms
 * are of one job, not of the group. Return: NULL if out of memory, as below. */
static json_t *device_to_json(const json_t *device)
{
	json_t *own = json_object();
	int error = 0;

	for (const struct typed *of = of_device; of->key; of++)
		if (json_object_get(device, of->key))
			error |= json_object_set(own, of->key,
						 json_object_get(device, of->key));
	if (json_object_get(device, "host"))
		error |= json_object_set(own, "host", json_object_get(device, "host"));
	if (!error)
		return own;
	json_decref(own);
	return NULL;
}

static json_t *devices_to_json(const struct tw_report_group *group)
{
	json_t *devices = tw_report_devices_of(group), *list = json_array();
	int error = !devices;

	for (size_t i = 0; i < json_array_size(devices); i++)
		error |= json_array_append_new(list,
			device_to_json(json_array_get(devices, i)));
	json_decref(devices);
	if (!error)
		return list;
	json_decref(list);
	return NULL;
}

/* Add a value, if there is one. Return: 0; -1. */
static int put(json_t *object, const char *key, const json_t *value)
{
	return value ? json_object_set(object, key, (json_t *)value) : 0;
}

json_t *tw_report_facts_to_json(const struct tw_report_group *group)
{
	const struct tw_report_facts *facts = &group->members[0]->facts;
	json_t *devices = devices_to_json(group);
	json_t *object = json_object();
	int error = !devices || !object;

	error |= put(object, "options", facts->options);
	error |= put(object, "machine", facts->machine);
	error |= put(object, "files", facts->files);
	if (json_array_size(devices))
		error |= put(object, "devices", devices);
	json_decref(devices);
	if (!error && json_object_size(object))
		return object;
	json_decref(object);
	return error ? NULL : json_null();
}

json_t *tw_report_fio_lat_to_json(const struct tw_report_tally *tally)
{
	json_t *object;
	int error = 0;

	if (tally->missing & TW_REPORT_NO_FIO_LAT)
		return json_null();
	object = json_object();
	for (int i = 0; i < TW_REPORT_DIRECTIONS; i++) {
		const struct tw_report_fio_lat *of = &tally->fio_lat[i];

		if (of->count)
			error |= json_object_set_new(object, tw_report_directions[i],
				json_pack("{s:o, s:f}",
					  "count", tw_json_of_u64(of->count),
					  "mean_ns", of->sum_ns / (double)of->count));
	}
	if (!error)
		return object;
	json_decref(object);
	return NULL;
}
