/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: rows of a wait table with the same texts are one; tables merge by adding, in any
 * order and grouping to the same bytes. Different limits of cgroups are kept apart. A table with parts
 * that are longer than its waits, with coarse or broken histograms, or without a text is refused.
 * Defect: rows that are lost or counted twice, an order that depends on the merge.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/waits.h"
#include "tap.h"

/* Return a table with @count waits of @ns in each of two rows, and a slowest one. */
static struct tw_waits table(const char *file, const char *function, int count, uint64_t ns)
{
	struct tw_waits waits = { .slowest = json_pack("[{si, ss}]", "ns", (int)ns, "file", file) };
	const char *const text[][TW_WAIT_TEXTS] = {
		{ "pread64", file, "io.max", function, "riops=100", "/db" },
		{ "openat", "-", "other", function, "", "" },
	};

	for (int row = 0; row < 2; row++) {
		struct tw_wait_row *at = tw_waits_row(&waits, text[row]);

		for (int i = 0; at && i < count; i++)
			tw_histogram_add(&at->time, ns);
		if (!at)
			abort();
		at->part_ns[TW_WAIT_DEVICE] = row ? 0 : ns;
	}
	return waits;
}

static void merge(struct tw_waits **into, const struct tw_waits *from)
{
	if (tw_waits_merge(into, from))
		abort();
}

/* Merge three tables in this order, the last two first with @grouped. */
static struct tw_waits *merged(const struct tw_waits tables[3], const int order[3], int grouped)
{
	struct tw_waits *all = NULL, *last = NULL;

	merge(&all, &tables[order[0]]);
	merge(grouped ? &last : &all, &tables[order[1]]);
	merge(grouped ? &last : &all, &tables[order[2]]);
	merge(&all, last);
	if (last)
		tw_waits_free(last);
	free(last);
	return all;
}

static void test_merge(void)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
	struct tw_waits tables[] = {
		table("/a", "f", 3, 100), table("/b", "f", 2, 400), table("/a", "f", 5, 200),
	};
	json_t *first = NULL;

	for (int i = 0; i < 6; i++) {
		struct tw_waits *all = merged(tables, orders[i / 2], i % 2);
		json_t *rows = tw_waits_to_json(all);

		if (!first)
			first = json_incref(rows);
		tap_ok(json_equal(first, rows), "order %d%s", i / 2, i % 2 ? ", grouped" : "");
		tap_ok(all->count == 3 && !all->slowest, "equal rows are one");
		tap_ok(all->rows[0]->time.sum_ns == 2100 && all->rows[0]->time.count == 10 &&
		       all->rows[1]->time.sum_ns == 1300 && all->rows[1]->time.count == 8 &&
		       all->rows[1]->part_ns[TW_WAIT_DEVICE] == 300, "their sums are added");
		json_decref(rows);
		tw_waits_free(all);
		free(all);
	}
	json_decref(first);
	for (int i = 0; i < 3; i++)
		tw_waits_free(&tables[i]);
}

/* Change the first row by @key; NULL: remove it. */
static void refuses(const char *key, json_t *value, const char *part)
{
	struct tw_report_problem problem = { "" };
	struct tw_waits waits = { .count = 0 };
	struct tw_waits from = table("/a", "f", 3, 100);
	json_t *rows = tw_waits_to_json(&from);

	if (value)
		json_object_set_new(json_array_get(rows, 0), key, value);
	else
		json_object_del(json_array_get(rows, 0), key);
	tap_ok(!tw_waits_add_json(&waits, rows, &problem) && strstr(problem.text, part),
	       "refused: %s", problem.text);
	tw_waits_free(&waits);
	tw_waits_free(&from);
	json_decref(rows);
}

/* Add a wait behind writes of @name; NULL: alone. */
static void add_others(struct tw_waits *waits, const char *name, int ns)
{
	json_t *more = json_pack("{so*, si, si}", "who", name ? json_pack("{ss, ss}", "kind",
				 "process", "name", name) : NULL, "waits", 1, "device_ns", ns);

	if (name)
		json_object_set_new(more, "kind", json_string("writes"));
	if (tw_wait_add_others(waits->rows[0], more, 0))
		abort();
	json_decref(more);
}

/* What others had in flight is added by kind and name, in any order. */
static void test_others(void)
{
	struct tw_waits tables[] = {
		table("/a", "f", 3, 100), table("/a", "f", 2, 400), table("/a", "f", 5, 200),
	};
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 } };
	struct tw_report_problem problem = { "" };
	struct tw_waits again = { .count = 0 };
	struct tw_waits *all[4];
	json_t *rows[4], *others, *more;

	add_others(&tables[0], "dd", 10);
	add_others(&tables[0], NULL, 1);
	add_others(&tables[1], "cp", 20);
	add_others(&tables[1], "dd", 30);
	add_others(&tables[1], "dd", 40);
	for (int i = 0; i < 4; i++) {
		all[i] = merged(tables, orders[i / 2], i % 2);
		rows[i] = tw_waits_to_json(all[i]);
		tap_ok(json_equal(rows[i], rows[0]), "others: order %d%s", i / 2,
		       i % 2 ? ", grouped" : "");
	}
	others = json_object_get(json_array_get(rows[0], 1), "in_flight_of_others");
	more = json_pack("[{ss, s{ss, ss}, si, si}, {ss, s{ss, ss}, si, si}, {si, si}]",
		"kind", "writes", "who", "kind", "process", "name", "cp", "waits", 1, "device_ns", 20,
		"kind", "writes", "who", "kind", "process", "name", "dd", "waits", 3, "device_ns", 80,
		"waits", 1, "device_ns", 1);
	tap_ok(json_equal(others, more), "each name and kind has its sums");
	json_decref(more);
	if (tw_waits_add_json(&again, rows[0], &problem))
		abort();
	more = tw_waits_to_json(&again);
	tap_ok(json_equal(more, rows[0]), "they are read as they are written");
	json_decref(more);
	more = json_pack("{ss, si}", "waits", "18446744073709551615", "device_ns", 1);
	tap_ok(tw_wait_add_others(again.rows[1], more, 0) == -EOVERFLOW, "too many waits");
	json_decref(more);
	/* A file from elsewhere may have as many names as it has room for: each is found at once. */
	alarm(300);
	for (int i = 0; i < 100000; i++) {
		char name[16];

		snprintf(name, sizeof(name), "p%d", i);
		add_others(&again, name, 1);
	}
	alarm(0);
	tap_ok(json_object_size(again.rows[0]->others) > 100000 - 10, "many names");
	tw_waits_free(&again);
	for (int i = 0; i < 4; i++) {
		json_decref(rows[i]);
		tw_waits_free(all[i]);
		free(all[i]);
	}
	for (int i = 0; i < 3; i++)
		tw_waits_free(&tables[i]);
}

/* A row names its limit, and only rows of the same limit are one. */
static void test_limits(void)
{
	static const char *const text[][TW_WAIT_TEXTS] = {
		{ "read", "/a", "io.max", "", "riops=100", "/db" },
		{ "read", "/a", "io.max", "", "riops=200", "/db" },
		{ "read", "/a", "io.max", "", "riops=100", "/other" },
		{ "read", "/a", "io.max", "", "riops=100", "" },
		{ "read", "/a", "io.max", "", "", "" },
	};
	static const int count = sizeof(text) / sizeof(*text);
	struct tw_report_problem problem = { "" };
	struct tw_waits waits = { .count = 0 }, again = { .count = 0 };
	json_t *rows, *row, *same;

	for (int i = 0; i < 2 * count; i++)
		tw_histogram_add(&tw_waits_row(&waits, text[i % count])->time, (uint64_t)(100 + i % count));
	rows = tw_waits_to_json(&waits);
	row = json_array_get(rows, 0);
	tap_ok((int)json_array_size(rows) == count && !json_object_get(row, "limit") &&
	       !json_object_get(row, "cgroup"), "no limit that is not known");
	row = json_array_get(rows, (size_t)count - 1);
	tap_ok(!strcmp(tw_report_string(row, "limit"), "riops=100") &&
	       !strcmp(tw_report_string(row, "cgroup"), "/db"), "a limit, and whose it is");
	if (tw_waits_add_json(&again, rows, &problem))
		abort();
	same = tw_waits_to_json(&again);
	tap_ok(!problem.text[0] && json_equal(rows, same), "they are read as they are written");
	json_decref(same);
	tw_waits_free(&waits);
	tw_waits_free(&again);
	json_decref(rows);
}

int main(void)
{
	test_merge();
	test_others();
	test_limits();
	refuses("device_ns", json_integer(301), "device_ns is more than its time");
	refuses("device_ns", json_string("18446744073709551615"), "is more than its time");
	refuses("in_flight_of_others", json_pack("[{si, si}, {si, si}]", "waits", 1, "device_ns", 200,
		"waits", 1, "device_ns", 101), "in_flight_of_others is more than device_ns");
	refuses("blockq_ns", NULL, "blockq_ns is missing");
	refuses("file", NULL, "file is missing");
	refuses("reason", json_integer(1), "reason is not a string");
	refuses("limit", json_integer(1), "limit is not a string");
	refuses("time", json_object(), "time");
	return tap_done();
}
