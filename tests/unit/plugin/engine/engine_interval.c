/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: with tw_interval a job's lines add up to its report: each histogram's bins,
 * count, sum, squares and extremes, and each count, whenever the lines were written. Each
 * I/O is in one line, with all of its times. Their spans follow each other, and the last
 * one is marked as the last. A file that can't be written, or not to its end, leaves whole
 * lines, and the job goes on. The job fills one of two tallies while the thread writes the
 * other. They are switched once for each line: by the job when it flushes, otherwise by
 * the thread. Defect: an I/O in no line, in two, or in parts; half a line, a job that ends
 * with its file, a thread that never wakes.
 *
 * The thread of the jobs here sleeps for an hour: the test writes the lines, when it wants
 * to, by the engine's own source. tests/fio/intervals.t lets it write them.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "engine_world.h"
#include "job_report/job_intervals.c"
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
	json_t *sum = json_object();
	struct tw_tally all = { .has = { { 0 } } };

	for (unsigned i = 0; i < file.lines; i++) {
		struct tw_report_problem problem = { "" };
		struct tw_tally tally = { .has = { { 0 } } };
		struct tw_report_line line;

		*unread += tw_report_line_from_json(&line, &tally, file.line[i], &problem) || *problem.text ||
			   tw_tally_merge(&all, &tally);
		if (*problem.text)
			tap_note("line %u: %s", i + 1, problem.text);
		tw_tally_free(&tally);
	}
	tw_tally_to_json(sum, &all, 1);
	tw_tally_free(&all);
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
	return world_value(json_object_get(of_direction(of, tw_time_metrics[time].path,
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
		     world_value(of_direction(of, "errors", direction));

	if (!world_at(of, "stages.queue"))
		return whole;
	for (unsigned stage = 0; stage < TW_STAGES; stage++) {
		const uint64_t ns = of_time(of, (enum tw_time)stage, direction, "sum_ns");
		char key[64];

		snprintf(key, sizeof(key), "stages.%s", tw_time_metrics[stage].name);
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
		    of_line(i, "realtime_ns") != started_ns + next_ns)
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
	struct tw_padded_stamps *entries;
};

static void begin_as(const struct shape *shape, uint64_t interval_us)
{
	world_forget();
	world.options.report = report_path;
	world.options.interval_us = interval_us;
	world.options.stages = !shape->no_stages;
	world.options.event_time = shape->event_time;
	world.options.kernel = shape->entries ? TW_KERNEL_REQUIRE : TW_KERNEL_OFF;
	world.kernel_entries = shape->entries;
	world.td.rate_bps[DDIR_READ] = shape->rated;
	world.td.o.iodepth = 8;
	world.td.o.iodepth_batch = 4;
	unlink(path);
	started_ns = world_monotonic_ns(engine_now_ticks);
	world_start();
}

static void begin(uint64_t interval_us)
{
	static const struct shape plain = { .name = "plain" };

	begin_as(&plain, interval_us);
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

/* ---- what lines have ---------------------------------------------------- */

static void random_lines(const struct shape *shape)
{
	unsigned written = 0;

	begin_as(shape, HOUR_US);
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
	       world_number("errors.read") && world_number("short_ios.write") &&
	       !world_number("kernel_stages.not_split.no_stamps.write") == !shape->entries &&
	       !world_at(file.line[0], "response") == !shape->rated &&
	       !world_at(file.line[0], "stages.queue") == shape->no_stages &&
	       !world_at(file.line[0], "fio_times") == !shape->event_time,
	       "%s: of all kinds", shape->name);
}

static void header(void)
{
	begin(HOUR_US);
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

/* What is not flushed comes with the next line. */
static void unflushed(void)
{
	begin(HOUR_US);
	one_read(9000);
	write_now();
	one_read(9000);
	world_end();
	read_file();
	tap_ok(!of_line(0, "ios.read") && file.lines == 2 && of_line(1, "ios.read") == 2,
	       "I/Os that are not in the job's tally are in no line, but in the last");
}

/* Few I/Os do not fill the list of those to flush. Still a line has those that ended
 * before it, although the job sleeps. */
static void few(void)
{
	begin(HOUR_US);
	one_read(9000);
	write_now();
	world_pass(HOUR_US * 1000 / 4);
	one_read(9000);
	write_now();
	world_end();
	read_file();
	tap_ok(!of_line(0, "ios.read") && of_line(1, "ios.read") == 2,
	       "after a quarter of an interval without a flush, I/Os are flushed");
}

/* In the ramp time there are I/Os, but none that counts. */
static void run_of_lines(void)
{
	begin(HOUR_US);
	write_now();
	engine_now_ticks = 1000 + 7000;
	one_read(2500);
	tw_record_flush(world_state());
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
	begin(HOUR_US);
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

	begin(HOUR_US);
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
	world_start();
	tap_ok(!world_state()->collected.intervals && access(path, F_OK), "%s: no file", what);
	world_end();
}

/* ---- two tallies -------------------------------------------------------- */

/* The writer asks: the job flushes before it waits again, however few I/Os there are. */
static void asked(void)
{
	struct tw_double_buffer *filling;

	begin(HOUR_US);
	filling = &world_state()->collected.filling;
	one_read(9000);
	one_read(9000);
	tap_ok(filling->filled[0].tally.counts[TW_READ].ios == 0 &&
	       tw_fill_ask(filling) == 0, "a few I/Os are not flushed");
	one_read(9000);
	tap_ok(tw_fill_is_taken(filling) && filling->filled[0].end_ticks &&
	       filling->filled[0].tally.counts[TW_READ].ios == 2,
	       "if the writer asks, they are, and the job goes on with the other tally");
	tap_ok(tw_fill_now(filling) == &filling->filled[1], "which is the second");
	world_end();
}

/* ---- two threads -------------------------------------------------------- */

#define LINES_OF_TWO	40

static _Atomic(unsigned) written;

/* Write lines at random moments. */
static void *write_often(void *argument)
{
	uint64_t *state = argument;

	for (; written < LINES_OF_TWO; written++) {
		const struct timespec pause = {
			.tv_nsec = (long)(tap_random(state) % 300000),
		};

		nanosleep(&pause, NULL);
		write_now();
	}
	return NULL;
}

static void two_threads(const struct shape *shape)
{
	uint64_t state = world_random + 1;
	pthread_t writer;

	begin_as(shape, HOUR_US);
	written = 0;
	pthread_create(&writer, NULL, write_often, &state);
	while (written < LINES_OF_TWO)
		some_ios();
	pthread_join(writer, NULL);
	world_end();
	read_file();
	check_lines(shape->name);
	tap_ok(file.lines == LINES_OF_TWO + 1 && is_chain(),
	       "%s: one after the other", shape->name);
}

int main(void)
{
	static struct tw_padded_stamps entries[WORLD_DEPTH];
	static const struct shape shapes[] = {
		{ .name = "with stages" },
		{ "tw_stages=0", .no_stages = true },
		{ "with the kernel's stages", .entries = entries },
		{ "with a rate", .rated = true },
		{ "tw_event_time=1", .event_time = true },
	};

	world_random = tap_seed();
	if (!mkdtemp(folder))
		return 1;
	snprintf(report_path, sizeof(report_path), "%s/x", folder);
	snprintf(path, sizeof(path), "%s.intervals.jsonl", report_path);
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(shapes); i++)
		random_lines(&shapes[i]);
	header();
	unflushed();
	few();
	run_of_lines();
	behind();
	full_disk();
	not_asked_for(report_path, 0, "without tw_interval");
	not_asked_for("none", HOUR_US, "with tw_report=none");
	asked();
	two_threads(&(struct shape) { "two threads", .entries = entries });
	two_threads(&(struct shape) { "two threads, a rate", .rated = true });
	forget_file();
	world_forget();
	unlink(path);
	rmdir(folder);
	return tap_done();
}
