/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: rows of a wait table with the same texts are one; tables merge by adding, in any
 * order and grouping to the same bytes. A table with parts
 * that are longer than its waits, with coarse or broken histograms, or without a text is refused.
 * Defect: rows that are lost or counted twice, an order that depends on the merge.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/waits.h"
#include "tap.h"

/* Return {rows, slowest} with @count waits of @ns in each of two rows. */
static json_t *table(const char *file, const char *function, int count, uint64_t ns)
{
	struct tw_waits waits = { .count = 0 };
	const char *const text[][TW_WAIT_TEXTS] = {
		{ "pread64", file, "own page", function }, { "openat", "-", "other", function },
	};
	json_t *json;

	for (int row = 0; row < 2; row++) {
		struct tw_wait_row *at = tw_waits_row(&waits, text[row]);

		for (int i = 0; at && i < count; i++)
			tw_histogram_add(&at->time, ns);
		if (!at)
			abort();
		at->part_ns[TW_WAIT_DEVICE] = row ? 0 : ns;
	}
	json = json_pack("{so, s[{si, ss}]}", "rows", tw_waits_to_json(&waits), "slowest",
			 "ns", (int)ns, "file", file);
	tw_waits_free(&waits);
	return json;
}

/* Merge three tables in the order of @digits, the last two first with @grouped. */
static char *merged(json_t *const tables[3], const int order[3], int grouped)
{
	json_t *all = NULL, *last = NULL;
	char *text;

	if (tw_waits_merge(&all, tables[order[0]]))
		abort();
	if (grouped && (tw_waits_merge(&last, tables[order[1]]) ||
			tw_waits_merge(&last, tables[order[2]]) || tw_waits_merge(&all, last)))
		abort();
	for (int i = 1; !grouped && i < 3; i++)
		if (tw_waits_merge(&all, tables[order[i]]))
			abort();
	text = json_dumps(all, 0);
	json_decref(all);
	json_decref(last);
	return text;
}

static void test_merge(void)
{
	static const int orders[][3] = { { 0, 1, 2 }, { 2, 1, 0 }, { 1, 2, 0 } };
	json_t *tables[] = {
		table("/a", "f", 3, 100), table("/b", "f", 2, 400), table("/a", "g", 5, 200),
	};
	struct tw_report_problem problem = { "" };
	struct tw_waits waits = { .count = 0 };
	char *first = merged(tables, orders[0], 0), *other;
	json_t *json = json_loads(first, 0, NULL);

	for (int i = 0; i < 6; i++) {
		other = merged(tables, orders[i / 2], i % 2);
		tap_ok(strcmp(first, other) == 0, "order %d%s", i / 2, i % 2 ? ", grouped" : "");
		free(other);
	}
	tap_ok(json_array_size(json_object_get(json, "rows")) == 5 &&
	       !json_object_get(json, "slowest"), "equal rows are one");
	tap_ok(!tw_waits_add_json(&waits, json_object_get(json, "rows"), 0, &problem) &&
	       !problem.text[0] && waits.count == 4, "without functions two rows more are one");
	tw_waits_sort(&waits);
	tap_ok(waits.rows[0]->time.sum_ns == 1300 && waits.rows[0]->time.count == 8 &&
	       waits.rows[0]->part_ns[TW_WAIT_DEVICE] == 300, "their sums are added");
	tw_waits_free(&waits);
	json_decref(json);
	free(first);
	for (int i = 0; i < 3; i++)
		json_decref(tables[i]);
}

/* Change the first row by @key; NULL: remove it. */
static void refuses(const char *key, json_t *value, const char *part)
{
	struct tw_report_problem problem = { "" };
	struct tw_waits waits = { .count = 0 };
	json_t *json = table("/a", "f", 3, 100), *rows = json_object_get(json, "rows");

	if (value)
		json_object_set_new(json_array_get(rows, 0), key, value);
	else
		json_object_del(json_array_get(rows, 0), key);
	tap_ok(!tw_waits_add_json(&waits, rows, 1, &problem) && strstr(problem.text, part),
	       "refused: %s", problem.text);
	tw_waits_free(&waits);
	json_decref(json);
}

int main(void)
{
	test_merge();
	refuses("device_ns", json_integer(301), "device_ns is more than its time");
	refuses("device_ns", json_string("18446744073709551615"), "is more than its time");
	refuses("blockq_ns", NULL, "blockq_ns is missing");
	refuses("file", NULL, "file is missing");
	refuses("reason", json_integer(1), "reason is not a string");
	refuses("time", json_object(), "time");
	return tap_done();
}
