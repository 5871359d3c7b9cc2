/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: with tw_interval a job's lines add up to its report: each histogram's
 * bins, count, sum, squares and extremes, and each count, whenever the lines were
 * written. Each I/O is in one line, with all of its times. Their spans follow each other,
 * and the last one is marked as the last. A file that can't be written, or not to its
 * end, leaves whole lines, and the job goes on. Defect: an I/O in no line or in two, or
 * one whose stages are in one line and whose lat is in the next; half a line, a job that
 * ends with its file.
 */
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "engine_lines.h"

static uint64_t of_line(unsigned i, const char *part, const char *key)
{
	return i < file.lines ?
	       number(part ? json_object_get(file.line[i], part) : file.line[i],
		      key) : UINT64_MAX;
}

static uint64_t number_of_job(const char *key)
{
	return number(json_array_get(json_object_get(world.report, "jobs"), 0), key);
}

static void random_lines(const struct shape *shape)
{
	unsigned written = 0;

	if (!begin_as(shape, HOUR_US))
		return;
	for (unsigned i = 0; i < 400; i++) {
		some_ios();
		if (below(10))
			continue;
		write_now();
		written++;
	}
	world_end();
	read_file();
	check_lines(shape->name);
	tap_ok(file.lines == written + 1 && is_chain(), "%s: one after the other",
	       shape->name);
	tap_ok(of_line(0, NULL, "first_ns") != UINT64_MAX &&
	       of_line(written, NULL, "first_ns") == number_of_job("first_ns") &&
	       of_line(written, NULL, "run_ns") == number_of_job("run_ns"),
	       "%s: the last one's run is the report's", shape->name);
	tap_ok(world_count("ios", "read") > 500 &&
	       world_count("errors", "read") && world_count("short", "write") &&
	       !count_of(world.report, "kernel_stages.not_split.no_stamps", TW_READ) ==
	       !shape->slots &&
	       !at_path(file.line[0], "response") == !shape->rated &&
	       !at_path(file.line[0], "stages.queue") == shape->no_stages &&
	       !at_path(file.line[0], "fio_times") == !shape->event_time,
	       "%s: of all kinds", shape->name);
}

static void header(void)
{
	const json_t *clock;

	if (!begin(HOUR_US))
		return;
	world_end();
	read_file();
	clock = json_object_get(file.header, "clock");
	tap_ok(number(file.header, "version") == TW_REPORT_VERSION &&
	       number(file.header, "digits") == 3 &&
	       number(file.header, "interval_ns") == HOUR_US * 1000 &&
	       json_array_size(json_object_get(file.header, "jobs")) == 1 &&
	       !strcmp(json_string_value(json_object_get(file.header, "kind")),
		       "intervals"), "the file begins with what it is");
	tap_ok(number(clock, "ticks") == 1000 &&
	       json_object_get(clock, "monotonic_ns") &&
	       json_object_get(clock, "hz"), "and with the job's clock");
	tap_ok(file.lines == 1 && file.has_end && !of_line(0, "ios", "read") &&
	       !json_object_size(at_path(file.line[0], "stages.lat")) &&
	       !json_object_get(file.line[0], "first_ns"),
	       "of a job without I/O there is one line, without values");
}

/* What is not settled comes with the next line. */
static void unsettled(void)
{
	if (!begin(HOUR_US))
		return;
	some_ios();
	write_now();
	some_ios();
	world_end();
	read_file();
	tap_ok(of_line(0, "ios", "read") + of_line(0, "ios", "write") == 0,
	       "I/Os that are not in the job's tally are in no line");
	tap_ok(file.lines == 2 && !wrong_rows() &&
	       of_line(1, "ios", "read") + of_line(1, "ios", "write") > 0,
	       "but in the last");
}

/* Few I/Os do not fill the list of those to settle. Still a line has those that ended
 * before it, although the job sleeps. */
static void few(void)
{
	if (!begin(HOUR_US))
		return;
	one_read(9000);
	write_now();
	world_pass(HOUR_US * 1000 / 4);
	one_read(9000);
	write_now();
	world_end();
	read_file();
	tap_ok(of_line(0, "ios", "read") == 0, "an I/O is not settled at once");
	tap_ok(of_line(1, "ios", "read") == 2,
	       "after a quarter of an interval without a settle it is");
}

/* In the ramp time there are I/Os, but none that counts. */
static void run_of_lines(void)
{
	if (!begin(HOUR_US))
		return;
	write_now();
	engine_now_ticks = 1000 + 7000;
	one_read(2500);
	tw_record_settle(job());
	write_now();
	write_now();
	world_end();
	read_file();
	tap_ok(!json_object_get(file.line[0], "first_ns") &&
	       !json_object_get(file.line[0], "run_ns"),
	       "before the first I/O that counts a line has no run");
	tap_ok(of_line(1, NULL, "first_ns") == 7000 &&
	       of_line(1, NULL, "run_ns") == 2500,
	       "then when it began, and how long all took");
	tap_ok(of_line(2, NULL, "first_ns") == 7000 && of_line(2, NULL, "run_ns") == 2500,
	       "an interval without I/O has the run so far");
}

/* By the counter of this thread's CPU it is earlier than before. */
static void behind(void)
{
	if (!begin(HOUR_US))
		return;
	world_pass(1000);
	write_now();
	engine_now_ticks -= 600;
	write_now();
	engine_now_ticks += 1000;
	world_end();
	read_file();
	tap_ok(is_chain() && of_line(1, NULL, "to_ns") == 1000 &&
	       of_line(2, NULL, "to_ns") == 1400,
	       "time does not go back from line to line");
}

/* ---- files that can't be written ---------------------------------------- */

static void no_file(void)
{
	const char *const good = world.intervals;

	world_forget();
	world.intervals = "/dev/null/nothing";
	world.options.interval_us = HOUR_US;
	tap_ok(world_begin() && world.messages == 1,
	       "a file that can't be made is told of, and the job begins");
	some_ios();
	world_end();
	tap_ok(world.report != NULL && world.messages == 1, "and ends");
	world.intervals = good;
}

static off_t size_of_file(void)
{
	struct stat status = { 0 };

	stat(path, &status);
	return status.st_size;
}

/* No file may grow beyond @size. */
static void limit_files(rlim_t size)
{
	struct rlimit limit;

	getrlimit(RLIMIT_FSIZE, &limit);
	limit.rlim_cur = size;
	setrlimit(RLIMIT_FSIZE, &limit);
}

static void full_disk(void)
{
	off_t before, after;

	if (!begin(HOUR_US))
		return;
	some_ios();
	write_now();
	before = size_of_file();
	signal(SIGXFSZ, SIG_IGN);
	limit_files((rlim_t)before + 50);
	write_now();
	after = size_of_file();
	/* This test's own output may go to a file, too. */
	limit_files(RLIM_INFINITY);
	tap_ok(world.messages == 1, "a line that has no room is told of");
	tap_ok(after == before, "and no part of it is left");
	write_now();
	world_end();
	read_file();
	tap_ok(world.report && world.messages == 1 && file.lines == 1 &&
	       !file.bad && !file.has_end,
	       "no line follows, and the job goes on");
}

static void not_asked_for(void)
{
	begin(0);
	world_end();
	tap_ok(access(path, F_OK) != 0, "without tw_interval there is no file");
	world_forget();
	world.intervals = path;
	world.options.interval_us = HOUR_US;
	world.no_report = true;
	tap_ok(world_begin(), "nor with tw_report=none");
	world_end();
	tap_ok(access(path, F_OK) != 0, "where the job has no report either");
}

int main(void)
{
	static struct tw_slot slots[WORLD_DEPTH];
	static const struct shape shapes[] = {
		{ .name = "with stages" },
		{ "tw_stages=0", .no_stages = true },
		{ "with the kernel's stages", .slots = slots },
		{ "with a rate", .rated = true },
		{ "tw_event_time=1", .event_time = true },
	};

	lines_begin();
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(shapes); i++)
		random_lines(&shapes[i]);
	header();
	unsettled();
	few();
	run_of_lines();
	behind();
	no_file();
	full_disk();
	not_asked_for();
	return lines_done();
}
