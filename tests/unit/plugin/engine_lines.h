/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Lines of tw_interval: begins a job that writes them, reads them back, and compares them
 * with the job's report.
 *
 * The thread of most jobs here sleeps for an hour: the test writes the lines, when
 * it wants to. Included by one C file of a test.
 */
#ifndef TW_TESTS_ENGINE_LINES_H
#define TW_TESTS_ENGINE_LINES_H

#include "engine_world.h"
#include "latency/histogram.h"
#include "interval.h"

#define IOS		4000
#define SIZE		4096
#define HOUR_US		3600000000ULL

static char folder[] = "/tmp/tw_interval.XXXXXX";
static char path[64];
static uint64_t random_state, started_ns;

static uint64_t below(uint64_t limit)
{
	return tap_random(&random_state) % limit;
}

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

static void read_line(const char *text)
{
	json_t *line = json_loads(text, 0, NULL);

	file.bad += !line || text[strlen(text) - 1] != '\n' || file.has_end;
	if (!file.header) {
		file.header = line;
		return;
	}
	file.has_end = json_is_true(json_object_get(line, "end"));
	file.line[file.lines++] = line;
}

static void read_file(void)
{
	FILE *in = fopen(path, "r");
	char *text = NULL;
	size_t size = 0;

	forget_file();
	while (in && file.lines < IOS && getline(&text, &size, in) > 0)
		read_line(text);
	free(text);
	if (in)
		fclose(in);
}

static uint64_t number(const json_t *object, const char *key)
{
	uint64_t value = 0;

	tw_json_to_u64(json_object_get(object, key), &value);
	return value;
}

/* ---- what they add up to ------------------------------------------------ */

__extension__ typedef unsigned __int128 u128;

static json_t *at_path(const json_t *object, const char *path)
{
	json_t *at = (json_t *)object;

	while (at && *path) {
		char part[64];
		const size_t length = strcspn(path, ".");

		snprintf(part, sizeof(part), "%.*s", (int)length, path);
		at = json_object_get(at, part);
		path += length + (path[length] == '.');
	}
	return at;
}

static const json_t *of_direction(const json_t *object, const char *path, unsigned direction)
{
	return json_object_get(at_path(object, path), tw_direction_names[direction]);
}

/* Return a number of any size, which may be a string of digits. */
static u128 wide(const json_t *json)
{
	const char *text = json_string_value(json);
	u128 value = 0;

	if (!text)
		return (u128)json_integer_value(json);
	for (; *text; text++)
		value = value * 10 + (u128)(*text - '0');
	return value;
}

static u128 merged(u128 a, u128 b, enum tw_merge merge)
{
	return merge == TW_SUM ? a + b : a > b ? a : b;
}

/* Compare a count or a single number over all lines, and in the report. A row that only
 * the report has is known at the end alone. */
static bool same_number(const char *path, int direction, enum tw_merge merge)
{
	u128 all = 0;

	for (unsigned i = 0; i < file.lines; i++) {
		const json_t *row = at_path(file.line[i], path);

		if (!row)
			return i == 0;
		all = merged(all, wide(direction < 0 ? row : json_object_get(row,
			tw_direction_names[direction])), merge);
	}
	return all == wide(direction < 0 ? at_path(world.report, path) :
			   of_direction(world.report, path, (unsigned)direction));
}

/* Add the bins of a line's histogram. */
static void add_bins(json_t *all, const json_t *line)
{
	struct tw_histogram histogram = { 0 };
	const char *key, *problem;
	json_t *full, *bins, *bin;

	if (tw_histogram_from_json(&histogram, line, &problem))
		return;
	full = tw_histogram_to_json(&histogram);
	bins = json_object_get(full, "bins");
	json_object_foreach(bins, key, bin)
		json_object_set_new(all, key, tw_json_of_u64(number(all, key) +
							     number(bins, key)));
	json_decref(full);
	tw_histogram_free(&histogram);
}

/* Compare a histogram over all lines, and in the report, which may lack it if no line has
 * it. */
static bool same_histogram(const char *path, unsigned direction)
{
	const json_t *is = of_direction(world.report, path, direction);
	u128 count = 0, sum = 0, squares = 0, least = (u128)-1, most = 0;
	json_t *bins = json_object();
	bool same;

	for (unsigned i = 0; i < file.lines; i++) {
		const json_t *one = of_direction(file.line[i], path, direction);

		if (!one)
			continue;
		add_bins(bins, one);
		count += number(one, "count");
		sum += number(one, "sum_ns");
		squares += wide(json_object_get(one, "sum_squares_ns2"));
		least = min(least, (u128)number(one, "min_ns"));
		most = merged(most, number(one, "max_ns"), TW_MAX);
	}
	same = is ? json_equal(bins, json_object_get(is, "bins")) &&
		    count == number(is, "count") && sum == number(is, "sum_ns") &&
		    squares == wide(json_object_get(is, "sum_squares_ns2")) &&
		    least == number(is, "min_ns") && most == number(is, "max_ns") :
	       !count;
	json_decref(bins);
	return same;
}

/* Return the number of rows that are not the sum of the lines. */
static unsigned wrong_rows(void)
{
	unsigned wrong = 0;

	for (unsigned row = 0; row < TW_COUNTS; row++)
		for (int i = 0; i < TW_DIRECTIONS; i++)
			wrong += !same_number(tw_count_rows[row].path, i,
					      tw_count_rows[row].merge);
	for (unsigned row = 0; row < TW_SCALARS; row++)
		wrong += !same_number(tw_scalar_rows[row].path, -1,
				      tw_scalar_rows[row].merge);
	for (unsigned time = 0; time < TW_TIMES; time++)
		for (unsigned i = 0; i < TW_DIRECTIONS; i++)
			wrong += !same_histogram(tw_time_rows[time].path, i);
	return wrong;
}

/* Return the sum of a stage over the slices of lat. */
static uint64_t in_slices(const json_t *of, unsigned direction, const char *stage)
{
	const json_t *slices = of_direction(of, "stages_by_lat", direction);
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(slices); i++) {
		const json_t *slice = json_array_get(slices, i);

		sum += stage ? number(json_object_get(slice, "stages"), stage) :
			       number(slice, "ios");
	}
	return sum;
}

/* Return the I/Os, or errors, of the windows over time. */
static uint64_t in_windows(const json_t *of, unsigned direction, bool errors)
{
	const char *name = tw_direction_names[direction];
	const json_t *windows = world_windows(of);
	uint64_t sum = 0;

	for (size_t i = 0; i < json_array_size(windows); i++) {
		const json_t *window = json_array_get(windows, i);

		sum += errors ? number(json_object_get(window, "errors"), name) :
				number(json_object_get(window, name), "count");
	}
	return sum;
}

static uint64_t of_time(const json_t *of, enum tw_time time, unsigned direction,
			const char *key)
{
	return number(of_direction(of, tw_time_rows[time].path, direction), key);
}

static uint64_t count_of(const json_t *of, const char *path, unsigned direction)
{
	return number(at_path(of, path), tw_direction_names[direction]);
}

/*
 * True if an I/O is in all of @of with all of its times, or in nothing of it: a line, or a
 * report. Each I/O of this test goes through the ring.
 */
static bool is_whole(const json_t *of, unsigned direction)
{
	const uint64_t ios = count_of(of, "ios", direction);
	const uint64_t split = count_of(of, "kernel_stages.split", direction);
	uint64_t sum_ns = 0;
	bool whole = of_time(of, TW_LAT, direction, "count") == ios &&
		     in_windows(of, direction, false) == ios &&
		     in_windows(of, direction, true) == count_of(of, "errors", direction);

	if (at_path(of, "response"))
		whole &= of_time(of, TW_SLIP, direction, "count") ==
			 of_time(of, TW_RESPONSE, direction, "count");
	if (!at_path(of, "stages.queue"))
		return whole;
	for (unsigned stage = 0; stage < TW_STAGES; stage++) {
		const uint64_t ns = of_time(of, (enum tw_time)stage, direction, "sum_ns");

		sum_ns += ns;
		whole &= in_slices(of, direction, tw_time_rows[stage].name) == ns;
	}
	return whole && sum_ns == of_time(of, TW_LAT, direction, "sum_ns") &&
	       in_slices(of, direction, NULL) == ios &&
	       of_time(of, (enum tw_time)TW_QUEUE, direction, "count") == ios &&
	       of_time(of, (enum tw_time)TW_DELIVER, direction, "count") == ios &&
	       of_time(of, (enum tw_time)TW_KERNEL, direction, "count") + split == ios &&
	       of_time(of, TW_CALL, direction, "count") == ios;
}

/* Return the number of lines that have a part of an I/O. */
static unsigned broken_lines(void)
{
	unsigned broken = 0;

	for (unsigned i = 0; i < file.lines; i++)
		for (unsigned direction = 0; direction < TW_DIRECTIONS; direction++)
			broken += !is_whole(file.line[i], direction);
	return broken;
}

/* The reader of reports has to take each line, and the sum of the lines. */
static unsigned unread_lines(void)
{
	json_t *unknown = json_object();
	unsigned wrong = 0;

	for (unsigned i = 0; i < file.lines; i++) {
		struct tw_report_problem problem = { "" };
		struct tw_tally tally = { .has = { { 0 } } };
		struct tw_report_line line;

		wrong += tw_report_line_from_json(&line, &tally, file.line[i], unknown,
						  &problem) || *problem.text;
		if (*problem.text)
			tap_note("line %u: %s", i + 1, problem.text);
		tw_tally_free(&tally);
	}
	wrong += (unsigned)json_object_size(unknown);
	json_decref(unknown);
	return wrong;
}

/* All of what lines have to be. */
static void check_lines(const char *what)
{
	const unsigned wrong = wrong_rows(), broken = broken_lines();

	tap_ok(file.header && !file.bad && file.has_end, "%s: %u whole lines", what,
	       file.lines);
	tap_ok(!wrong, "%s: their sum is the report: %u rows are wrong", what, wrong);
	tap_ok(!broken, "%s: %u have a part of an I/O", what, broken);
	tap_ok(!unread_lines(), "%s: the reader takes all", what);
}

/* True if numbers and times have no gap, from the start. */
static bool is_chain(void)
{
	uint64_t next_ns = 0;

	for (unsigned i = 0; i < file.lines; i++) {
		const json_t *line = file.line[i];

		if (number(line, "interval") != i + 1 ||
		    number(line, "from_ns") != next_ns ||
		    number(line, "to_ns") < next_ns ||
		    number(line, "realtime_ns") != started_ns + next_ns ||
		    !at_path(line, "writer.cpu_ns"))
			return false;
		next_ns = number(line, "to_ns");
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
	world.intervals = path;
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

static struct tw_job *job(void)
{
	return world.td.io_ops_data;
}

static void write_now(void)
{
	tw_intervals_write(job()->intervals);
}

/* Do a few at once; one in twenty goes wrong. */
static void some_ios(void)
{
	const unsigned count = 1 + (unsigned)below(world.td.o.iodepth);
	int events, event;

	for (unsigned i = 0; i < count; i++) {
		world.takes_ticks[i] = 1 + below(20ULL << below(18));
		world.results[i] = below(20) ? 0 :
				   below(2) ? -EIO : SIZE / 2;
		world_queue(world_transfer(i, below(2) ? DDIR_READ : DDIR_WRITE,
					   0, SIZE));
	}
	world_commit();
	events = tw_getevents(&world.td, count, count, NULL);
	for (event = 0; event < events; event++)
		tw_event(&world.td, event);
}

/* Do a read that the job has to wait for. */
static void one_read(uint64_t takes_ticks)
{
	world.td.o.iodepth_batch = 1;
	world.takes_ticks[0] = takes_ticks;
	world_queue(world_transfer(0, DDIR_READ, 0, SIZE));
	tw_getevents(&world.td, 1, 1, NULL);
	tw_event(&world.td, 0);
}

/* Begin the test: with a seed, and a folder for the file. */
static void lines_begin(void)
{
	random_state = tap_seed();
	if (!mkdtemp(folder))
		exit(1);
	snprintf(path, sizeof(path), "%s/x.jsonl", folder);
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
