/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: with tw_interval a job's lines add up to its report: each histogram's
 * bins, count, sum, squares and extremes, and each count, whenever the lines were
 * written. Each I/O is in one line, with all of its times. Their spans follow each other,
 * and the last one is marked as the last. A file that can't be written, or not to its
 * end, leaves whole lines, and the job goes on. Defect: an I/O in no line or in two, or
 * one whose stages are in one line and whose lat is in the next; half a line, a job that
 * ends with its file. Also a signal of fio's that goes to the thread, or a thread that
 * never wakes.
 *
 * The thread of most jobs here sleeps for an hour: the test writes the lines, when
 * it wants to.
 */
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "engine_world.h"
#include "histogram.h"
#include "interval.h"

#define IOS		4000
#define SIZE		4096
#define HOUR_US		3600000000ULL
/* Far longer than a thread needs on any machine. */
#define PATIENCE_MS	120000

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

/* Do a read that the job has to wait for. */
static void one_read(uint64_t takes_ticks)
{
	world.td.o.iodepth_batch = 1;
	world.takes_ticks[0] = takes_ticks;
	world_queue(world_transfer(0, DDIR_READ, 0, SIZE));
	tw_getevents(&world.td, 1, 1, NULL);
	tw_event(&world.td, 0);
}

/* The writer asks: the job settles before it waits again, however few I/Os there are. */
static void asked(void)
{
	struct tw_filling *filling;

	if (!begin(HOUR_US))
		return;
	filling = &job()->filling;
	one_read(9000);
	one_read(9000);
	tap_ok(filling->filled[0].tally.counts[TW_READ].ios == 0 &&
	       tw_fill_ask(filling) == 0, "a few I/Os are not settled");
	one_read(9000);
	tap_ok(tw_fill_is_taken(filling) && filling->filled[0].end_ticks &&
	       filling->filled[0].tally.counts[TW_READ].ios == 2,
	       "if the writer asks, they are, and the job goes on with the other tally");
	tap_ok(tw_fill_now(filling) == &filling->filled[1], "which is the second");
	world_end();
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

/* ---- two threads -------------------------------------------------------- */

static void steps(void)
{
	static struct tw_filling filling;
	struct tw_filled *first = tw_fill_begin(&filling);
	unsigned which = tw_fill_ask(&filling);

	tap_ok(first == &filling.filled[0] && which == 0 &&
	       !tw_fill_take(&filling, which) && !tw_fill_is_taken(&filling),
	       "while the job settles the writer can't switch");
	tap_ok(!tw_fill_end(&filling), "at the end of the settle the job does");
	tw_fill_switch(&filling);
	tap_ok(tw_fill_is_taken(&filling) && !tw_fill_is_asked(&filling) &&
	       tw_fill_begin(&filling) == &filling.filled[1] && tw_fill_end(&filling),
	       "and fills the other tally");
	which = tw_fill_ask(&filling);
	tap_ok(which == 1 && tw_fill_take(&filling, which) &&
	       !tw_fill_take(&filling, which) && tw_fill_is_taken(&filling) &&
	       tw_fill_begin(&filling) == first,
	       "if the job does not settle, the writer switches, once");
}

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
	uint64_t state = random_state + 1;
	pthread_t writer;

	if (!begin_as(shape, HOUR_US))
		return;
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

/* ---- the thread --------------------------------------------------------- */

/* Find the blocked signals of the thread with this name, as the kernel writes them. */
static bool find_thread(char *blocked, size_t size)
{
	DIR *threads = opendir("/proc/self/task");
	const struct dirent *thread;
	bool found = false;

	while (threads && !found && (thread = readdir(threads))) {
		char name[300], text[200];
		FILE *in;

		snprintf(name, sizeof(name), "/proc/self/task/%s/status",
			 thread->d_name);
		in = fopen(name, "r");
		while (in && fgets(text, sizeof(text), in)) {
			if (!strcmp(text, "Name:\ttw_interval\n"))
				found = true;
			if (found && !strncmp(text, "SigBlk:", 7))
				snprintf(blocked, size, "%.16s", text + 8);
		}
		if (in)
			fclose(in);
	}
	if (threads)
		closedir(threads);
	return found;
}

/* The thread writes by itself; the job records all the time, or sleeps. */
static void by_itself(bool sleeps)
{
	const char *what = sleeps ? "the job sleeps" : "the job records";
	const struct timespec pause = { .tv_nsec = 10000000 };
	char blocked[64] = "";
	unsigned waited, i;
	uint64_t mask;

	if (!begin(TW_INTERVAL_MIN_US))
		return;
	some_ios();
	for (waited = 0; waited < PATIENCE_MS; waited += 10) {
		nanosleep(&pause, NULL);
		for (i = 0; !sleeps && i < 20; i++)
			some_ios();
		read_file();
		if (file.lines >= 3)
			break;
	}
	tap_ok(file.lines >= 3, "%s: the thread writes a line for each interval", what);
	tap_ok(find_thread(blocked, sizeof(blocked)), "it has a name");
	/* Without SIGKILL, SIGSTOP, and two that the C library keeps for itself. */
	mask = strtoull(blocked, NULL, 16) | 1ULL << (SIGKILL - 1) |
	       1ULL << (SIGSTOP - 1) | 3ULL << 31;
	tap_ok(mask == UINT64_MAX, "and takes no signals: %s", blocked);
	world_end();
	tap_ok(!find_thread(blocked, sizeof(blocked)),
	       "it ends with the job");
	read_file();
	check_lines(what);
	tap_ok(is_chain(), "%s: one after the other", what);
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
	static const struct shape threads = { "two threads", .slots = slots };
	static const struct shape rated = { "two threads, a rate", .rated = true };

	random_state = tap_seed();
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/x.jsonl", folder);
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(shapes); i++)
		random_lines(&shapes[i]);
	header();
	unsettled();
	asked();
	few();
	run_of_lines();
	behind();
	steps();
	two_threads(&threads);
	two_threads(&rated);
	no_file();
	full_disk();
	not_asked_for();
	by_itself(false);
	by_itself(true);
	forget_file();
	world_forget();
	unlink(path);
	rmdir(folder);
	return tap_done();
}
