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
#include <sys/resource.h>
#include <sys/stat.h>

#include "engine_lines.h"

static void random_lines(const struct shape *shape)
{
	unsigned written = 0;

	if (!begin_as(shape, HOUR_US))
		return;
	for (unsigned i = 0; i < 400; i++) {
		some_ios();
		if (world_below(10))
			continue;
		write_now();
		written++;
	}
	world_end();
	read_file();
	check_lines(shape->name);
	tap_ok(file.lines == written + 1 && is_chain(), "%s: one after the other",
	       shape->name);
	tap_ok(of_line(written, "first_ns") == world_number("jobs.0.first_ns") &&
	       of_line(written, "run_ns") == world_number("jobs.0.run_ns"),
	       "%s: the last one's run is the report's", shape->name);
	tap_ok(world_number("ios.read") > 500 &&
	       world_number("errors.read") && world_number("short.write") &&
	       !world_number("kernel_stages.not_split.no_stamps.write") == !shape->slots &&
	       !world_at(file.line[0], "response") == !shape->rated &&
	       !world_at(file.line[0], "stages.queue") == shape->no_stages &&
	       !world_at(file.line[0], "fio_times") == !shape->event_time,
	       "%s: of all kinds", shape->name);
}

static void header(void)
{
	if (!begin(HOUR_US))
		return;
	world_end();
	read_file();
	tap_ok(world_value(world_at(file.header, "version")) == TW_REPORT_VERSION &&
	       world_value(world_at(file.header, "digits")) == 3 &&
	       world_value(world_at(file.header, "interval_ns")) == HOUR_US * 1000 &&
	       json_array_size(world_at(file.header, "jobs")) == 1 &&
	       !strcmp(json_string_value(world_at(file.header, "kind")), "intervals"),
	       "the file begins with what it is");
	tap_ok(world_value(world_at(file.header, "clock.ticks")) == 1000 &&
	       world_value(world_at(file.header, "clock.monotonic_ns")) == started_ns &&
	       json_number_value(world_at(file.header, "clock.hz")) == WORLD_RATE_HZ,
	       "and with the job's clock");
	tap_ok(file.lines == 1 && file.has_end && !of_line(0, "ios.read") &&
	       !json_object_size(world_at(file.line[0], "stages.lat")) &&
	       !world_at(file.line[0], "first_ns"),
	       "of a job without I/O there is one line, without values");
}

/* What is not settled comes with the next line. */
static void unsettled(void)
{
	if (!begin(HOUR_US))
		return;
	one_read(9000);
	write_now();
	one_read(9000);
	world_end();
	read_file();
	tap_ok(!of_line(0, "ios.read") && file.lines == 2 && of_line(1, "ios.read") == 2,
	       "I/Os that are not in the job's tally are in no line, but in the last");
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
	tap_ok(!of_line(0, "ios.read") && of_line(1, "ios.read") == 2,
	       "after a quarter of an interval without a settle, I/Os are settled");
}

/* In the ramp time there are I/Os, but none that counts. */
static void run_of_lines(void)
{
	if (!begin(HOUR_US))
		return;
	write_now();
	engine_now_ticks = 1000 + 7000;
	one_read(2500);
	tw_record_settle(world_state());
	write_now();
	write_now();
	world_end();
	read_file();
	tap_ok(!world_at(file.line[0], "first_ns") && !world_at(file.line[0], "run_ns"),
	       "before the first I/O that counts a line has no run");
	for (unsigned i = 1; i < 3; i++)
		tap_ok(of_line(i, "first_ns") == 7000 && of_line(i, "run_ns") == 2500,
		       "then when it began, and how long all took so far");
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
	tap_ok(is_chain() && of_line(1, "to_ns") == 1000 && of_line(2, "to_ns") == 1400,
	       "time does not go back from line to line");
}

/* ---- files that can't be written ---------------------------------------- */

/* There is no other place either. */
static void no_file(void)
{
	world_forget();
	world.options.report = (char *)"/dev/null/nothing";
	world.td.o.name = (char *)"job/";
	world.options.interval_us = HOUR_US;
	setenv("TMPDIR", "/dev/null", 1);
	tap_ok(!chdir("/proc/self/fdinfo") && world_begin() && world.messages == 1,
	       "a file that can't be made is told of, and the job begins");
	some_ios();
	world_end();
	tap_ok(world.report != NULL && world.messages == 1 && !chdir("/"), "and ends");
	unsetenv("TMPDIR");
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
	tap_ok(world.messages == 1 && after == before,
	       "a line that has no room is told of, and no part of it is left");
	write_now();
	world_end();
	read_file();
	tap_ok(world.report && world.messages == 1 && file.lines == 1 &&
	       !file.bad && !file.has_end,
	       "no line follows, and the job goes on");
}

static void not_asked_for(const char *report, uint64_t interval_us, const char *what)
{
	world_forget();
	unlink(path);
	world.options.report = (char *)report;
	world.options.interval_us = interval_us;
	world_begin();
	tap_ok(!world_state()->collected.intervals && access(path, F_OK), "%s: no file", what);
	world_end();
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
	full_disk();
	no_file();
	not_asked_for(report_path, 0, "without tw_interval");
	not_asked_for("none", HOUR_US, "with tw_report=none");
	return lines_done();
}
