/* SPDX-License-Identifier: MIT */
/*
 * Wait tables: see waits.h.
 */
#include "report/waits.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "array.h"
#include "latency/histogram.h"
#include "latency/histogram_json.h"
#include "latency/sleep_words.h"

#define ROW	"waits.rows[]."

static const char *const text_keys[TW_WAIT_TEXTS] = {
	"call", "file", "reason", "function", "limit", "cgroup",
};
#define MUST_TEXTS	TW_WAIT_LIMIT	/* those before it are always there */
static const char *const part_keys[TW_WAIT_PARTS] = { "blockq_ns", "device_ns", "complete_ns" };

static int by_text(const void *left, const void *right)
{
	const struct tw_wait_row *a = left, *b = right;
	int order = 0;

	for (int i = 0; i < TW_WAIT_TEXTS && !order; i++)
		order = strcmp(a->text[i], b->text[i]);
	return order;
}

static void free_row(struct tw_wait_row *row)
{
	for (int i = 0; i < TW_WAIT_TEXTS; i++)
		free(row->text[i]);
	tw_histogram_free(&row->time);
	json_decref(row->others);
	free(row);
}

/* The list has it, too. */
static void keep(void *row)
{
	(void)row;
}

void tw_waits_free(struct tw_waits *waits)
{
	tdestroy(waits->by_text, keep);
	for (size_t i = 0; i < waits->count; i++)
		free_row(waits->rows[i]);
	free(waits->rows);
	json_decref(waits->slowest);
	*waits = (struct tw_waits) { .count = 0 };
}

static struct tw_wait_row *new_row(const char *const text[TW_WAIT_TEXTS])
{
	struct tw_wait_row *row = calloc(1, sizeof(*row));
	int lacks = !row;

	for (int i = 0; i < TW_WAIT_TEXTS && !lacks; i++) {
		row->text[i] = strdup(text[i]);
		lacks = !row->text[i];
	}
	if (!lacks && !tw_histogram_init(&row->time, TW_WAIT_DIGITS))
		return row;
	if (row)
		free_row(row);
	return NULL;
}

struct tw_wait_row *tw_waits_find(const struct tw_waits *waits,
				  const char *const text[TW_WAIT_TEXTS])
{
	struct tw_wait_row wanted = { .part_ns = { 0 } }, *const *at;

	for (int i = 0; i < TW_WAIT_TEXTS; i++)
		wanted.text[i] = (char *)text[i];
	at = tfind(&wanted, &waits->by_text, by_text);
	return at ? *at : NULL;
}

struct tw_wait_row *tw_waits_row(struct tw_waits *waits, const char *const text[TW_WAIT_TEXTS])
{
	struct tw_wait_row *row = tw_waits_find(waits, text), **more;

	if (row)
		return row;
	more = realloc(waits->rows, (waits->count + 1) * sizeof(*more));
	if (!more)
		return NULL;
	waits->rows = more;
	row = new_row(text);
	if (row && !tsearch(row, &waits->by_text, by_text)) {
		free_row(row);
		row = NULL;
	}
	if (row)
		waits->rows[waits->count++] = row;
	return row;
}

static int by_time(const void *left, const void *right)
{
	const struct tw_wait_row *a = *(struct tw_wait_row *const *)left;
	const struct tw_wait_row *b = *(struct tw_wait_row *const *)right;

	return tw_compare(b->time.sum_ns, a->time.sum_ns) ?: by_text(a, b);
}

void tw_waits_sort(struct tw_waits *waits)
{
	if (waits->count)
		qsort(waits->rows, waits->count, sizeof(struct tw_wait_row *), by_time);
}

/* Return what others had in flight as a list, in the order of kinds and names. */
static json_t *others_to_json(json_t *others)
{
	json_t *list = json_array(), *sorted = tw_json_sorted(others), *of;
	const char *key;

	json_object_foreach(sorted, key, of)
		json_array_append(list, of);
	json_decref(sorted);
	return list;
}

json_t *tw_waits_to_json(struct tw_waits *waits)
{
	json_t *array = json_array();

	tw_waits_sort(waits);
	for (size_t i = 0; i < waits->count; i++) {
		const struct tw_wait_row *row = waits->rows[i];
		json_t *json = json_object();

		for (int j = 0; j < TW_WAIT_TEXTS; j++)
			if (j < MUST_TEXTS || *row->text[j])
				json_object_set_new(json, text_keys[j], tw_json_text(row->text[j]));
		for (int j = 0; j < TW_WAIT_PARTS; j++)
			json_object_set_new(json, part_keys[j], tw_json_of_u64(row->part_ns[j]));
		if (row->others)
			json_object_set_new(json, "in_flight_of_others", others_to_json(row->others));
		json_object_set_new(json, "time", tw_histogram_to_json(&row->time,
				    tw_histogram_mean_ns(&row->time)));
		json_array_append_new(array, json);
	}
	return array;
}

/* Return whose requests of which kind it is, as text. */
static char *owner_of(const json_t *others)
{
	json_t *owner = json_pack("[O?, O?]", json_object_get(others, "kind"),
				  json_object_get(others, "who"));
	char *text = json_dumps(owner, JSON_SORT_KEYS);

	json_decref(owner);
	return text;
}

int tw_wait_add_others(struct tw_wait_row *row, const json_t *others, size_t most)
{
	static const char *const sums[] = { "waits", "device_ns" };
	char *owner = owner_of(others);
	json_t *at;
	int error = 0;

	if (!row->others)
		row->others = json_object();
	at = json_object_get(row->others, owner);
	if (!at) {
		error = most && json_object_size(row->others) >= most && json_object_get(others, "who") ?
			-ENOSPC : json_object_set_new(row->others, owner, json_deep_copy(others)) ?
			-ENOMEM : 0;
		free(owner);
		return error;
	}
	free(owner);
	for (int j = 0; j < 2 && !error; j++) {
		uint64_t sum;

		if (__builtin_add_overflow(tw_report_u64(at, sums[j]),
					   tw_report_u64(others, sums[j]), &sum))
			error = -EOVERFLOW;
		else if (json_object_set_new(at, sums[j], tw_json_of_u64(sum)))
			error = -ENOMEM;
	}
	return error;
}

int tw_wait_needs_function(const char *reason)
{
	return reason && (!strcmp(reason, tw_sleep_texts[TW_SLEEP_OTHER].word) ||
			  !strcmp(reason, tw_sleep_texts[TW_SLEEP_FILE_SYSTEM].word));
}

int tw_waits_add(struct tw_waits *waits, const char *const text[TW_WAIT_TEXTS],
		 const struct tw_wait_row *row)
{
	struct tw_wait_row *into = tw_waits_row(waits, text);
	int error = into ? tw_histogram_add_finer(&into->time, &row->time) : -ENOMEM;
	const char *key;
	json_t *of;

	for (int i = 0; i < TW_WAIT_PARTS && !error; i++)
		if (__builtin_add_overflow(into->part_ns[i], row->part_ns[i], &into->part_ns[i]))
			error = -EOVERFLOW;
	json_object_foreach(row->others, key, of)
		if (!error)
			error = tw_wait_add_others(into, of, 0);
	return error;
}

/* Return: 0; -ENOMEM; -EOVERFLOW. */
static int add_row(struct tw_waits *waits, const json_t *json, struct tw_report_problem *problem)
{
	const char *text[TW_WAIT_TEXTS], *wrong = "";
	struct tw_wait_row row = { .others = NULL };
	uint64_t parts_ns = 0, others_ns = 0;
	size_t at;
	json_t *of;
	int error = tw_histogram_from_json(&row.time, json_object_get(json, "time"), &wrong);

	if (error == -EINVAL)
		tw_report_refuse(problem, ROW "time: %s", wrong);
	if (error)
		return error == -EINVAL ? 0 : error;
	if (row.time.digits < TW_WAIT_DIGITS)
		tw_report_refuse(problem, ROW "time has less than %d digits", TW_WAIT_DIGITS);
	for (int i = 0; i < TW_WAIT_TEXTS; i++)
		text[i] = i < MUST_TEXTS || json_object_get(json, text_keys[i]) ?
			  tw_want_string(json, ROW, text_keys[i], problem) : "";
	for (int i = 0; i < TW_WAIT_PARTS; i++) {
		row.part_ns[i] = tw_want_u64(json, ROW, part_keys[i], problem);
		if (__builtin_add_overflow(parts_ns, row.part_ns[i], &parts_ns) ||
		    parts_ns > row.time.sum_ns)
			tw_report_refuse(problem, ROW "%s is more than its time", part_keys[i]);
	}
	json_array_foreach(json_object_get(json, "in_flight_of_others"), at, of) {
		if (__builtin_add_overflow(others_ns, tw_report_u64(of, "device_ns"), &others_ns) ||
		    others_ns > row.part_ns[TW_WAIT_DEVICE])
			tw_report_refuse(problem, ROW "in_flight_of_others is more than device_ns");
		if (!error && !problem->text[0])
			error = tw_wait_add_others(&row, of, 0);
	}
	if (!error && !problem->text[0])
		error = tw_waits_add(waits, text, &row);
	json_decref(row.others);
	tw_histogram_free(&row.time);
	return error;
}

int tw_waits_add_json(struct tw_waits *waits, const json_t *rows,
		      struct tw_report_problem *problem)
{
	int error = 0;

	for (size_t i = 0; i < json_array_size(rows) && !error && !problem->text[0]; i++)
		error = add_row(waits, json_array_get(rows, i), problem);
	return error;
}

int tw_waits_merge(struct tw_waits **into, const struct tw_waits *from)
{
	int error = 0;

	if (!from)
		return 0;
	if (*into) {
		json_decref((*into)->slowest);
		(*into)->slowest = NULL;
	} else {
		*into = calloc(1, sizeof(**into));
		if (!*into)
			return -ENOMEM;
		(*into)->slowest = json_incref(from->slowest);
	}
	for (size_t i = 0; i < from->count && !error; i++)
		error = tw_waits_add(*into, (const char *const *)from->rows[i]->text,
				     from->rows[i]);
	return error;
}
