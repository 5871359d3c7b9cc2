/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of tw_interval: begins a job that writes them, reads them back, and compares them
 * with the job's report.
 *
 * The thread of most jobs here sleeps for an hour: the test writes the lines, when
 * it wants to. Included by one C file of a test, with the engine's own source.
 */
#ifndef TW_TESTS_ENGINE_LINES_H
#define TW_TESTS_ENGINE_LINES_H

#include "engine_world.h"
#include "job_intervals.c"
#include "latency/histogram.h"

#define IOS		4000
#define HOUR_US		3600000000ULL

static char folder[] = "/tmp/tw_interval.XXXXXX";
static char report_path[40], path[64];
static uint64_t started_ns;

/* ---- what was written --------------------------------------------------- */

static struct {
	json_t *header;
	json_t *line[IOS];
	unsigned lines;
	bool has_end;
	unsigned bad;		/* no JSON, no newline, or something after the end */
} file;

static void forget_file(void)
{
	for (unsigned i = 0; i < file.lines; i++)
		json_decref(file.line[i]);
	json_decref(file.header);
	memset(&file, 0, sizeof(file));
}

static void read_file(void)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	forget_file();
	while (in && file.lines < IOS && getline(&text, &size, in) > 0) {
		json_t *line = json_loads(text, 0, NULL);

		file.bad += !line || text[strlen(text) - 1] != '\n' || file.has_end;
		if (!file.header) {
			file.header = line;
			continue;
		}
		file.has_end = json_is_true(json_object_get(line, "end"));
		file.line[file.lines++] = line;
	}
	free(text);
	if (in)
		fclose(in);
}

/* Return a number of a line. */
static uint64_t of_line(unsigned i, const char *key)
{
	return i < file.lines ? world_value(world_at(file.line[i], "%s", key)) : UINT64_MAX;
}

/* ---- what they add up to ------------------------------------------------ */

/* Make a report of all lines, by the library's own reader and merging. Count what it does
 * not take. */
static json_t *all_lines(unsigned *unread)
{
	json_t *unknown = json_object(), *sum = json_object();
	struct tw_tally all = { .has = { { 0 } } };

	for (unsigned i = 0; i < file.lines; i++) {
		struct tw_report_problem problem = { "" };
		struct tw_tally tally = { .has = { { 0 } } };
		struct tw_report_line line;

		*unread += tw_report_line_from_json(&line, &tally, file.line[i], unknown,
						    &problem) || *problem.text ||
			   tw_tally_merge(&all, &tally);
		if (*problem.text)
			tap_note("line %u: %s", i + 1, problem.text);
		tw_tally_free(&tally);
	}
	*unread += (unsigned)json_object_size(unknown);
	tw_tally_to_json(sum, &all, 1);
	tw_tally_free(&all);
	json_decref(unknown);
	return sum;
}

/* Compare what both have: a row that only the report has is known at the end alone. The
 * windows over time of lines may be wider. */
static unsigned differences(const json_t *report, const json_t *sum, const char *where)
{
	unsigned wrong = 0;
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)sum, key, value) {
		const json_t *is = json_object_get(report, key);

		if (!strcmp(key, "over_time") || !strcmp(key, "lacks"))
			continue;
		if (json_is_object(is) && json_is_object(value)) {
			wrong += differences(is, value, key);
		} else if (!json_equal(is, value)) {
			tap_note("%s.%s differs", where, key);
			wrong++;
		}
	}
	return wrong;
}

static const json_t *of_direction(const json_t *object, const char *at, unsigned direction)
{
	return world_at(object, "%s.%s", at, tw_direction_names[direction]);
}

/* Return the sum over the slices of lat: of a stage, or of the I/Os. */
static uint64_t in_slices(const json_t *of, unsigned direction, const char *key)
{
	const json_t *slices = of_direction(of, "stages_by_lat", direction);
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(slices); i++)
		sum += world_value(world_at(slices, "%zu.%s", i, key));
	return sum;
}

/* Return the I/Os, or errors, of the windows over time. */
static uint64_t in_windows(const json_t *of, const char *format, unsigned direction)
{
	const json_t *windows = world_at(of, "over_time.windows");
	char at[64];
	uint64_t sum = 0;

	snprintf(at, sizeof(at), format, tw_direction_names[direction]);
	for (size_t i = 0; i < json_array_size(windows); i++)
		sum += world_value(world_at(windows, "%zu.%s", i, at));
	return sum;
}

static uint64_t of_time(const json_t *of, enum tw_time time, unsigned direction,
			const char *key)
{
	return world_value(json_object_get(of_direction(of, tw_time_rows[time].path,
							direction), key));
}

/*
 * True if an I/O is in all of @of with all of its times, or in nothing of it: a line, or a
 * report. Each I/O of this test goes through the ring.
 */
static bool is_whole(const json_t *of, unsigned direction)
{
	const uint64_t ios = world_value(of_direction(of, "ios", direction));
	const uint64_t split = world_value(of_direction(of, "kernel_stages.split", direction));
	uint64_t sum_ns = 0;
	bool whole = of_time(of, TW_LAT, direction, "count") == ios &&
		     in_windows(of, "%s.count", direction) == ios &&
		     in_windows(of, "errors.%s", direction) ==
		     world_value(of_direction(of, "errors", direction)) &&
		     of_time(of, TW_SLIP, direction, "count") ==
		     of_time(of, TW_RESPONSE, direction, "count");

	if (!world_at(of, "stages.queue"))
		return whole;
	for (unsigned stage = 0; stage < TW_STAGES; stage++) {
		const uint64_t ns = of_time(of, (enum tw_time)stage, direction, "sum_ns");
		char key[64];

		snprintf(key, sizeof(key), "stages.%s", tw_time_rows[stage].name);
		sum_ns += ns;
		whole &= in_slices(of, direction, key) == ns;
	}
	return whole && sum_ns == of_time(of, TW_LAT, direction, "sum_ns") &&
	       in_slices(of, direction, "ios") == ios &&
	       of_time(of, (enum tw_time)TW_QUEUE, direction, "count") == ios &&
	       of_time(of, (enum tw_time)TW_DELIVER, direction, "count") == ios &&
	       of_time(of, (enum tw_time)TW_KERNEL, direction, "count") + split == ios &&
	       of_time(of, TW_CALL, direction, "count") == ios;
}

/* All of what lines have to be. */
static void check_lines(const char *what)
{
	unsigned unread = 0, wrong, broken = 0;
	json_t *sum = all_lines(&unread);

	wrong = differences(world.report, sum, "report");
	for (unsigned i = 0; i < file.lines; i++)
		for (unsigned direction = 0; direction < TW_DIRECTIONS; direction++)
			broken += !is_whole(file.line[i], direction);
	tap_ok(file.header && !file.bad && file.has_end, "%s: %u whole lines", what,
	       file.lines);
	tap_ok(!wrong && json_object_size(sum) > 8,
	       "%s: their sum is the report: %u rows are wrong", what, wrong);
	tap_ok(!broken, "%s: %u have a part of an I/O", what, broken);
	tap_ok(!unread, "%s: the reader takes all", what);
	json_decref(sum);
}

/* True if numbers and times have no gap, from the start. */
static bool is_chain(void)
{
	uint64_t next_ns = 0;

	for (unsigned i = 0; i < file.lines; i++) {
		if (of_line(i, "interval") != i + 1 || of_line(i, "from_ns") != next_ns ||
		    of_line(i, "to_ns") < next_ns ||
		    of_line(i, "realtime_ns") != started_ns + next_ns ||
		    !world_at(file.line[i], "writer.cpu_ns"))
			return false;
		next_ns = of_line(i, "to_ns");
	}
	return true;
}

/* ---- jobs --------------------------------------------------------------- */

/* What is different from job to job. */
struct shape {
	const char *name;
	bool no_stages, rated, event_time;
	struct tw_slot *slots;
};

static bool begin_as(const struct shape *shape, uint64_t interval_us)
{
	world_forget();
	world.options.report = report_path;
	world.options.interval_us = interval_us;
	world.options.stages = !shape->no_stages;
	world.options.event_time = shape->event_time;
	world.options.kernel = shape->slots ? TW_KERNEL_AUTO : TW_KERNEL_OFF;
	world.kernel_slots = shape->slots;
	world.td.rate_bps[DDIR_READ] = shape->rated;
	world.td.o.iodepth = 8;
	world.td.o.iodepth_batch = 4;
	unlink(path);
	started_ns = world_monotonic_ns(engine_now_ticks);
	return tap_ok(world_begin(), "%s: a job begins", shape->name);
}

static bool begin(uint64_t interval_us)
{
	static const struct shape plain = { .name = "plain" };

	return begin_as(&plain, interval_us);
}

/* Write a line at once, while the thread sleeps. */
static void write_now(void)
{
	struct tw_intervals *intervals = world_state()->collected.intervals;
	const unsigned asked = tw_fill_ask(&intervals->job->collected.filling);

	write_line(intervals, take(intervals, asked), false);
}

/* Do a few at once; one in twenty goes wrong. */
static void some_ios(void)
{
	const unsigned count = 1 + (unsigned)world_below(world.td.o.iodepth);

	for (unsigned i = 0; i < count; i++) {
		world.takes_ticks[i] = 1 + world_below(20ULL << world_below(18));
		world.results[i] = world_below(20) ? 0 :
				   world_below(2) ? -EIO : WORLD_SIZE / 2;
		world_queue(i, world_below(2) ? DDIR_READ : DDIR_WRITE);
	}
	world_commit();
	world_reap(count);
}

/* Do a read that the job has to wait for. */
static void one_read(uint64_t takes_ticks)
{
	world.td.o.iodepth_batch = 1;
	world.takes_ticks[0] = takes_ticks;
	world_queue(0, DDIR_READ);
	world_reap(1);
}

/* Begin the test: with a seed, and a folder for the file. */
static void lines_begin(void)
{
	world_random = tap_seed();
	if (!mkdtemp(folder))
		exit(1);
	snprintf(report_path, sizeof(report_path), "%s/x", folder);
	snprintf(path, sizeof(path), "%s.intervals.jsonl", report_path);
}

static int lines_done(void)
{
	forget_file();
	world_forget();
	unlink(path);
	rmdir(folder);
	return tap_done();
}

#endif
