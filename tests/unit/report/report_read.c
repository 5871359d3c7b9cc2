/* SPDX-License-Identifier: MIT */
/*
 * The reader of reports trusts nothing. Whatever bytes a report has, reading, merging and
 * writing do not crash, and what is accepted can be written, and read again.
 *
 * Fails if what is merged or written relies on a value that was not checked, or if a small
 * report takes a hundred times its size. `make SAN=1
 * check` notices accesses outside of memory. tests/unit/command/report/ has what is refused.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "report/report.h"
#include "tap.h"

#define MUTATIONS	4000
#define LINES		1000

static uint64_t state;

static uint64_t below(uint64_t limit)
{
	return tap_random(&state) % limit;
}

/* Return a report of make fuzz. "all" has all parts. */
static json_t *seed(const char *name)
{
	char path[64];
	json_t *root;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/report/%s", name);
	root = json_load_file(path, 0, NULL);
	if (!root)
		exit(1);
	return root;
}

/* ---- reading ------------------------------------------------------------ */

/* Another report to merge with. */
static struct tw_report other;

/* Write and read an accepted report, and merge it. Return 1 if that goes wrong. */
static int goes_wrong(const struct tw_report *report)
{
	struct tw_report_problem problem = { "" };
	struct tw_report again, merged = { .jobs = NULL };
	json_t *json = tw_report_to_json(report), *rewritten;
	int wrong = tw_report_from_json(&again, json, "", &problem) || problem.text[0];

	if (problem.text[0])
		tap_note("%s", problem.text);
	rewritten = wrong ? NULL : tw_report_to_json(&again);
	wrong |= !json_equal(json, rewritten);
	json_decref(json);
	json_decref(rewritten);
	/* These may fail: the reports need not fit each other. */
	if (!below(4) && !tw_report_add(&merged, &other) && !tw_report_add(&merged, &again))
		json_decref(tw_report_to_json(&merged));
	tw_report_free(&merged);
	tw_report_free(&again);
	return wrong;
}

/* Read any JSON. Return 1 if it is accepted. @wrong: counts what goes wrong then. */
static int is_accepted(const json_t *json, struct tw_report_problem *problem, int *wrong)
{
	struct tw_report report;
	int accepted;

	problem->text[0] = '\0';
	accepted = !tw_report_from_json(&report, json, "", problem) && !problem->text[0];
	if (accepted && json_object_get(json, "kind"))
		json_decref(tw_report_header_to_json(&report));
	else if (accepted)
		*wrong += goes_wrong(&report);
	tw_report_free(&report);
	return accepted;
}

/* ---- random bytes ------------------------------------------------------- */

/* Change a number in three of four cases, else any byte. */
static void change_byte(char *text, size_t length)
{
	static const char bytes[] = "{}[],:\"\\ 0-.eE\n\x80\xff";
	size_t at = below(length);

	if (!below(4)) {
		text[at] = below(2) ? (char)below(256) : bytes[below(sizeof(bytes) - 1)];
		return;
	}
	for (size_t i = 0; i < length && (text[at] < '0' || text[at] > '9'); i++)
		at = (at + 1) % length;
	text[at] = (char)('0' + below(10));
}

/* Move, double or remove a piece. */
static size_t change_piece(char *text, size_t length)
{
	const size_t from = below(length), size = below(1 + (length - from) / 8);
	const size_t to = below(length - size);

	memmove(text + to, text + from, size);
	return below(2) ? length : length - below(1 + length / 100);
}

static json_t *changed(const char *text, size_t length)
{
	char *copy = malloc(length + 1);
	json_t *json;

	if (!copy)
		abort();
	memcpy(copy, text, length + 1);
	for (uint64_t i = below(3); i < 3; i++)
		change_byte(copy, length);
	if (!below(8))
		length = change_piece(copy, length);
	json = json_loadb(copy, length, JSON_REJECT_DUPLICATES, NULL);
	free(copy);
	return json;
}

static void check_mutations(const json_t *root, int count)
{
	char *text = json_dumps(root, JSON_COMPACT);
	int wrong = 0, accepted = 0, read = 0;

	for (int i = 0; i < count; i++) {
		json_t *json = changed(text, strlen(text));
		struct tw_report_problem problem;

		if (!json)
			continue;
		read++;
		accepted += is_accepted(json, &problem, &wrong);
		json_decref(json);
	}
	tap_note("%d of %d reports are accepted", accepted, read);
	tap_ok(read > count / 10 && accepted > read / 100, "some reports are accepted");
	tap_is_u64((uint64_t)wrong, 0, "reports that are accepted, but not once more");
	free(text);
}

/* ---- lines -------------------------------------------------------------- */

static json_t *line_of(const struct tw_report *report)
{
	const struct tw_report_line line = {
		.number = 3, .from_ns = 100, .to_ns = 200, .realtime_ns = 1700000000000000000,
		.first_ns = 5, .run_ns = 190, .has_run = 1, .is_end = 1,
	};

	return tw_report_line_to_json(&line, &report->tally);
}

/* Read a line. Return: 1: it is accepted; -1: but it is not the same when it is written. */
static int read_line(const json_t *json)
{
	struct tw_report_problem problem = { "" };
	struct tw_tally tally = { .lacks = { { 0 } } };
	struct tw_report_line line;
	json_t *again;
	int accepted = !tw_report_line_from_json(&line, &tally, json, &problem) &&
		       !problem.text[0];

	if (accepted) {
		again = tw_report_line_to_json(&line, &tally);
		if (!json_equal(json_object_get(json, "stages"), json_object_get(again, "stages")))
			accepted = -1;
		json_decref(again);
	}
	tw_tally_free(&tally);
	return accepted;
}

static void check_lines(void)
{
	json_t *line = line_of(&other);
	char *text = json_dumps(line, 0);
	int accepted = 0;

	tap_ok(read_line(line) == 1, "a line is read");
	json_decref(line);
	for (int i = 0; i < LINES; i++) {
		line = changed(text, strlen(text));
		accepted += line && read_line(line) == 1;
		json_decref(line);
	}
	tap_ok(accepted > 0, "random lines: %d are accepted", accepted);
	free(text);
}

/* ---- the header of intervals -------------------------------------------- */

static void check_header(const json_t *root)
{
	static const char *const needed[] = {
		"schema", "version", "interval_ns", "digits", "clock", "jobs", "kind",
	};
	json_t *header = json_pack("{ss, si, ss, si, si, s{ss, ss, sf}, sO, sO}",
		"schema", TW_REPORT_SCHEMA, "version", TW_REPORT_VERSION, "kind", "intervals",
		"interval_ns", 1000000, "digits", 2, "clock", "ticks", "5", "monotonic_ns", "7",
		"hz", 1e9, "jobs", json_object_get(root, "jobs"),
		"options", json_object_get(root, "options"));
	struct tw_report_problem problem = { "" };
	struct tw_report report;
	json_t *again;
	int wrong = 0;

	tap_ok(!tw_report_from_json(&report, header, "", &problem) && !problem.text[0] &&
	       report.interval_ns == 1000000 && report.digits == 2 &&
	       report.verdict == TW_REPORT_UNCHECKED, "a header is read, without a verdict");
	again = tw_report_header_to_json(&report);
	tw_report_free(&report);
	tap_ok(is_accepted(again, &problem, &wrong), "and is written");
	json_decref(again);
	for (size_t i = 0; i < sizeof(needed) / sizeof(*needed); i++) {
		json_t *without = json_copy(header);

		json_object_del(without, needed[i]);
		tap_ok(!is_accepted(without, &problem, &wrong), "a header without %s is refused",
		       needed[i]);
		json_decref(without);
	}
	json_decref(header);
}

/* ---- memory ------------------------------------------------------------- */

#define COMMON	500
#define JOBS	1000

static size_t requested;

static void *count_requests(size_t size)
{
	requested += size;
	return malloc(size);
}

/* Read jobs that have some options in common, and one of their own each. */
static void check_options_are_shared(void)
{
	json_t *root = seed("one"), *jobs = json_object_get(root, "jobs");
	json_t *common = json_object(), *first = json_array_get(jobs, 0);
	struct tw_report_problem problem = { "" };
	struct tw_report report;
	json_malloc_t allocate;
	json_free_t release;
	char name[32];
	int error;

	for (int i = 0; i < COMMON; i++) {
		snprintf(name, sizeof(name), "option%d", i);
		json_object_set_new(common, name, json_string("1"));
	}
	json_object_set_new(root, "options", common);
	json_object_set_new(first, "options", json_pack("{ss}", "own", "0"));
	for (int i = 1; i < JOBS; i++) {
		json_t *job = json_copy(first);

		json_object_set_new(job, "thread_number", json_integer(100 + i));
		json_array_append_new(jobs, job);
	}
	json_get_alloc_funcs(&allocate, &release);
	json_set_alloc_funcs(count_requests, free);
	error = tw_report_from_json(&report, root, "", &problem);
	json_set_alloc_funcs(allocate, release);
	tap_note("%s %zu bytes", problem.text, requested);
	/* A copy for each job would have 500,000 names of 7 bytes and more. */
	tap_ok(!error && !problem.text[0] && requested < COMMON * JOBS * 7,
	       "jobs share the options that they have in common");
	tap_ok(!strcmp(json_string_value(tw_job_option(&report.jobs[7], "option0")), "1") &&
	       !strcmp(json_string_value(tw_job_option(&report.jobs[7], "own")), "0") &&
	       !tw_job_option(&report.jobs[7], "none"), "and each has them");
	tw_report_free(&report);
	json_decref(root);
}

int main(void)
{
	struct tw_report_problem problem = { "" };
	json_t *root, *one;

	alarm(600);
	state = tap_seed();
	root = seed("all");
	one = seed("trigger");
	tap_ok(!tw_report_from_json(&other, one, "", &problem) && !problem.text[0],
	       "a report is read");
	json_decref(one);
	check_header(root);
	check_mutations(root, MUTATIONS / 10);
	/* Without it the report can be merged. */
	json_object_del(root, "attached");
	check_mutations(root, MUTATIONS);
	check_lines();
	check_options_are_shared();
	json_decref(root);
	tw_report_free(&other);
	return tap_done();
}
