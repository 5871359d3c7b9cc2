/* SPDX-License-Identifier: MIT */
/*
 * Behaviour: when one allocation fails, whichever, a tally is not made, and a report is
 * not read, merged or written; this is told, and all memory is given back. Defect: a
 * report without memory lacks a job, a device or a key, or is used where it has nothing.
 *
 * Wraps: malloc calloc reallocarray aligned_alloc mmap
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "report/report.h"
#include "tap.h"

/* The linker calls these in place of the functions without __wrap_. */
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_reallocarray(void *old, size_t count, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_reallocarray(void *old, size_t count, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);

static long until_failure = -1;		/* allocations before it; -1: none fails */

static int fails(void)
{
	return until_failure >= 0 && until_failure-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_reallocarray(void *old, size_t count, size_t size)
{
	return fails() ? NULL : __real_reallocarray(old, count, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
	return fails() ? MAP_FAILED : __real_mmap(at, size, protection, flags, fd, offset);
}

static json_t *json[2];
static struct tw_report reports[2];

static int read_one(struct tw_report *report, const json_t *from)
{
	struct tw_report_problem problem = { "" };
	int error = tw_report_from_json(report, from, "", &problem);

	return error ? error : problem.text[0] ? -EINVAL : 0;
}

static int make_tally(void)
{
	struct tw_metric_set has = { { 0 } };
	struct tw_tally made;
	int error;

	for (unsigned row = 0; row < TW_METRICS; row++)
		tw_metric_put(&has, row);
	error = tw_tally_init(&made, &has, 2, 16);
	tw_tally_free(&made);
	return error;
}

static int read_back(void)
{
	struct tw_report report;
	int error = read_one(&report, json[0]);

	tw_report_free(&report);
	return error;
}

static int merge(void)
{
	struct tw_report merged = { .jobs = NULL };
	int error = 0;

	for (int i = 0; i < 2 && !error; i++)
		error = tw_report_add(&merged, &reports[i]);
	if (!error)
		error = tw_report_fill_devices(&merged);
	tw_report_free(&merged);
	return error;
}

static int write_down(void)
{
	json_t *made = tw_report_to_json(&reports[0]);
	int error = made ? 0 : -ENOMEM;

	json_decref(made);
	return error;
}

static int write_header(void)
{
	json_t *made = tw_report_header_to_json(&reports[0]);
	int error = made ? 0 : -ENOMEM;

	json_decref(made);
	return error;
}

/* Let each allocation fail in turn: the first hundred, and then some of the others, which
 * are often alike. @at_least: how many are tried. */
static void each_fails(int (*does)(void), const char *what, long at_least)
{
	long at = 0, tried = 0, wrong = 0;
	int error = -ENOMEM;

	for (; error; at += 1 + at / 100, tried++) {
		tw_json_forget_lack();
		until_failure = at;
		error = does();
		wrong += error ? error != -ENOMEM : until_failure < 0;
		until_failure = -1;
	}
	if (!tap_ok(!wrong && tried > at_least, "%s: allocations fail in turn", what))
		tap_note("%ld of %ld are wrong", wrong, tried);
}

int main(void)
{
	/* A report with all parts, of make fuzz; without this part it can be merged. */
	json[0] = json_load_file("tests/fuzz/corpus/report/all", 0, NULL);
	json_object_del(json[0], "attached");
	json[1] = json_deep_copy(json[0]);
	json_object_set_new(json_array_get(json_object_get(json[1], "jobs"), 0), "pid",
			    json_integer(7));
	for (int i = 0; i < 2; i++) {
		if (!tap_ok(!read_one(&reports[i], json[i]), "a report is read"))
			return tap_done();
	}
	/* A key that no row has is named in memory of its own. */
	json_object_set_new(json_object_get(json[0], "stages"), "lunch", json_object());
	each_fails(make_tally, "making a tally", 100);
	each_fails(read_back, "reading", 100);
	each_fails(merge, "merging", 100);
	each_fails(write_down, "writing", 100);
	each_fails(write_header, "writing a header", 50);
	for (int i = 0; i < 2; i++) {
		tw_report_free(&reports[i]);
		json_decref(json[i]);
	}
	return tap_done();
}
