/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: with tw_interval a job's lines add up to its report: each histogram's
 * bins, count and sum, and each count, whenever the lines were written. Their spans
 * follow each other, and the last one is marked as the last. A file that can't be
 * written, or not to its end, leaves whole lines, and the job goes on. Defect: an
 * I/O in no line or in two, an extreme of another line's, half a line, a job that
 * ends with its file. Also a signal of fio's that goes to the thread, or a thread
 * that never wakes.
 *
 * The thread of most jobs here sleeps for an hour: the test writes the lines, when
 * it wants to.
 */
#include <dirent.h>
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
static uint64_t random_state;

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
	json_t *end = json_object_get(line, "end");

	file.bad += !line || text[strlen(text) - 1] != '\n' || file.has_end;
	if (!file.header) {
		file.header = line;
		return;
	}
	if (end) {
		file.has_end = true;
		json_incref(end);
		json_decref(line);
		line = end;
	}
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

static const char *const parts[] = {
	"ios", "errors", "short", "empty", "requeued", "unaccounted",
	"backwards", "stages", "submitting_call", "kernel_stages",
};

/* True for values that do not add up, or that follow from values that do. */
static bool is_left_out(const char *key)
{
	static const char *const keys[] = {
		"digits", "min_ns", "max_ns", "mean_ns", "stddev_ns",
		"sum_squares_ns2", "percentiles", "clock_error_ns",
		"negative_within", "negative_beyond", "missed_runs",
	};

	for (unsigned i = 0; i < FIO_ARRAY_SIZE(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static void add(json_t *into, const json_t *from)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)from, key, value) {
		uint64_t n;

		if (is_left_out(key))
			continue;
		if (json_is_object(value)) {
			if (!json_object_get(into, key))
				json_object_set_new(into, key, json_object());
			add(json_object_get(into, key), value);
		} else if (!tw_json_to_u64(value, &n)) {
			json_object_set_new(into, key, tw_json_of_u64(
				number(into, key) + n));
		}
	}
}

static void add_parts(json_t *into, const json_t *from)
{
	for (unsigned i = 0; i < FIO_ARRAY_SIZE(parts); i++) {
		json_t *part = json_object_get(from, parts[i]);

		/* Without stages of the kernel a report says why. */
		if (!part || json_object_get(part, "why"))
			continue;
		if (!json_object_get(into, parts[i]))
			json_object_set_new(into, parts[i], json_object());
		add(json_object_get(into, parts[i]), part);
	}
}

static bool adds_up(void)
{
	json_t *sum = json_object(), *right = json_object();
	bool same;

	for (unsigned i = 0; i < file.lines; i++)
		add_parts(sum, file.line[i]);
	add_parts(right, world.report);
	same = json_equal(sum, right);
	json_decref(sum);
	json_decref(right);
	return same;
}

/* True if the extremes are in the first and last bin, and the count is that of all. */
static bool fits_its_bins(const json_t *histogram)
{
	uint64_t low_ns = UINT64_MAX, high_ns = 0, count = 0;
	struct tw_histogram edges;
	bool fits;
	const char *key;
	json_t *bin;

	if (tw_histogram_init(&edges, 3))
		return false;
	json_object_foreach(json_object_get(histogram, "bins"), key, bin) {
		const uint64_t at = strtoull(key, NULL, 10);
		const uint64_t low = tw_histogram_bin_low(&edges,
			tw__histogram_bin(&edges, at));

		low_ns = min(low_ns, low);
		high_ns = max(high_ns, at);
		count += (uint64_t)json_integer_value(bin);
	}
	low_ns = tw__histogram_bin(&edges, low_ns);
	high_ns = tw__histogram_bin(&edges, high_ns);
	fits = tw__histogram_bin(&edges, number(histogram, "min_ns")) == low_ns &&
	       tw__histogram_bin(&edges, number(histogram, "max_ns")) == high_ns;
	low_ns = tw_histogram_bin_low(&edges, (uint32_t)low_ns);
	high_ns = tw_histogram_bin_high(&edges, (uint32_t)high_ns);
	tw_histogram_free(&edges);
	return fits && count && number(histogram, "count") == count &&
	       number(histogram, "sum_ns") >= count * low_ns &&
	       number(histogram, "sum_ns") <= count * high_ns;
}

static unsigned misfits(void)
{
	unsigned bad = 0;

	for (unsigned i = 0; i < file.lines; i++) {
		const char *name, *direction;
		json_t *stage, *histogram;

		json_object_foreach(json_object_get(file.line[i], "stages"),
				    name, stage)
			json_object_foreach(stage, direction, histogram)
				bad += !fits_its_bins(histogram);
	}
	return bad;
}

/* Compare the extremes of a histogram of stages over all lines, and in the report. */
static bool same_extremes(const char *stage, const char *direction)
{
	const json_t *right = json_object_get(json_object_get(json_object_get(
		world.report, "stages"), stage), direction);
	uint64_t min_ns = UINT64_MAX, max_ns = 0;

	for (unsigned i = 0; i < file.lines; i++) {
		const json_t *histogram = json_object_get(json_object_get(
			json_object_get(file.line[i], "stages"), stage), direction);

		if (!histogram)
			continue;
		min_ns = min(min_ns, number(histogram, "min_ns"));
		max_ns = max(max_ns, number(histogram, "max_ns"));
	}
	return right && min_ns == number(right, "min_ns") &&
	       max_ns == number(right, "max_ns");
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
		    !json_object_get(line, "realtime_ns") ||
		    !json_object_get(json_object_get(line, "writer"), "cpu_ns"))
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

/* ---- jobs --------------------------------------------------------------- */

static bool begin(uint64_t interval_us)
{
	world_forget();
	world.intervals = path;
	world.options.interval_us = interval_us;
	unlink(path);
	return tap_ok(world_begin(), "a job begins");
}

static void write_now(void)
{
	const struct tw_job *job = world.td.io_ops_data;

	tw_intervals_write(job->intervals);
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

static void random_lines(bool has_stages, struct tw_slot *slots)
{
	unsigned written = 0;

	world_forget();
	world.intervals = path;
	world.options.interval_us = HOUR_US;
	world.options.stages = has_stages;
	world.options.kernel = slots ? TW_KERNEL_AUTO : TW_KERNEL_OFF;
	world.kernel_slots = slots;
	world.td.o.iodepth = 8;
	world.td.o.iodepth_batch = 4;
	unlink(path);
	if (!tap_ok(world_begin(), "a job begins"))
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
	tap_ok(file.header && !file.bad && file.has_end &&
	       file.lines == written + 1, "%u lines, and the last says so",
	       written);
	tap_ok(is_chain(), "one after the other");
	tap_ok(adds_up(), "they add up to the report");
	tap_ok(of_line(0, NULL, "first_ns") != UINT64_MAX &&
	       of_line(written, NULL, "run_ns") ==
	       (uint64_t)world_count("job", "run_ns"),
	       "the last one's run is the report's: %llu ns",
	       (unsigned long long)world_count("job", "run_ns"));
	tap_ok(misfits() == 0, "each has extremes and the count of its bins");
	tap_ok(same_extremes("lat", "read") && same_extremes("lat", "write") &&
	       (!has_stages || same_extremes("queue", "read")),
	       "the smallest and the largest are the report's");
	tap_ok(world_count("ios", "read") > 500 &&
	       world_count("errors", "read") && world_count("short", "write") &&
	       (bool)json_object_get(file.line[0], "kernel_stages") ==
	       (slots != NULL), "of all kinds");
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
	       json_is_object(json_object_get(file.header, "job")) &&
	       !strcmp(json_string_value(json_object_get(file.header, "kind")),
		       "intervals"), "the file begins with what it is");
	tap_ok(number(clock, "ticks") == 1000 &&
	       json_object_get(clock, "monotonic_ns") &&
	       json_object_get(clock, "hz"), "and with the job's clock");
	tap_ok(file.lines == 1 && file.has_end &&
	       json_object_size(json_object_get(file.line[0], "stages")) == 0 &&
	       !json_object_get(file.line[0], "submitting_call"),
	       "of a job without I/O there is one line, without histograms");
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
	       "I/Os that are not in the job's histograms are in no line");
	tap_ok(file.lines == 2 && adds_up(), "but in the last");
}

/* A line is made between two stores of the job, and then there are no more I/Os. */
static void between_stores(void)
{
	struct tw_histogram *lat;
	struct tw_histogram all;
	struct tw_job *job;

	if (!begin(HOUR_US))
		return;
	job = world.td.io_ops_data;
	while (job->lat[TW_READ].count + job->lat[TW_WRITE].count == 0)
		some_ios();
	lat = &job->lat[job->lat[TW_READ].count ? TW_READ : TW_WRITE];
	all = *lat;
	lat->sum_ns -= 3;
	lat->max_ns--;
	write_now();
	lat->sum_ns = all.sum_ns;
	lat->max_ns = all.max_ns;
	write_now();
	write_now();
	world_end();
	read_file();
	tap_ok(adds_up(), "a sum that comes later than its bin is in the next line");
	tap_ok((!world_count("ios", "read") || same_extremes("lat", "read")) &&
	       (!world_count("ios", "write") || same_extremes("lat", "write")),
	       "so is an extreme");
	tap_ok(file.lines == 4 && !json_object_size(json_object_get(
	       file.line[2], "stages")), "and only there");
}

/* The first value's sum is stored, but its extremes are not. */
static void before_first_extremes(void)
{
	struct tw_histogram *lat;
	struct tw_job *job;

	if (!begin(HOUR_US))
		return;
	job = world.td.io_ops_data;
	lat = &job->lat[TW_TRIM];
	lat->sum_ns = 5;
	write_now();
	lat->sum_ns = 0;
	tw_histogram_add(lat, 5);
	job->counts[TW_TRIM].recorded++;
	write_now();
	world_end();
	read_file();
	tap_ok(file.lines == 3 && !json_object_size(json_object_get(
	       file.line[0], "stages")) && adds_up() && misfits() == 0,
	       "of a histogram without extremes there is nothing yet");
	tap_ok(of_line(1, "ios", "trim") == 1, "it is in the next line");
}

/* In the ramp time there are I/Os, but none that counts. */
static void run_of_lines(void)
{
	struct tw_job *job;

	if (!begin(HOUR_US))
		return;
	job = world.td.io_ops_data;
	write_now();
	job->first_ticks = job->start.ticks + 7000;
	job->last_ticks = job->start.ticks + 9500;
	write_now();
	world_end();
	read_file();
	tap_ok(!json_object_get(file.line[0], "first_ns") &&
	       !json_object_get(file.line[0], "run_ns"),
	       "before the first I/O that counts a line has no run");
	tap_ok(of_line(1, NULL, "first_ns") == 7000 &&
	       of_line(1, NULL, "run_ns") == 2500,
	       "then when it began, and how long all took");
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
	tap_ok(is_chain() && number(file.line[1], "to_ns") == 1000 &&
	       number(file.line[2], "to_ns") == 1400,
	       "time does not go back from line to line");
}

/* Stamps that contradict each other are counted from the start on. */
static void contradictions(void)
{
	struct tw_job *job;

	if (!begin(HOUR_US))
		return;
	job = world.td.io_ops_data;
	job->wrong.negative = 2;
	job->wrong.inside.beyond = 3;
	job->wrong.inside.within = 7;
	job->counts[TW_WRITE].backwards = 4;
	write_now();
	write_now();
	world_end();
	read_file();
	tap_ok(of_line(0, "health", "backwards") == 9 &&
	       of_line(1, "health", "backwards") == 9 &&
	       of_line(1, "health", "negative_within") == 7,
	       "each line has all contradictions so far");
	tap_ok(of_line(0, "backwards", "write") == 4 &&
	       of_line(1, "backwards", "write") == 0,
	       "and those of its own interval");
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

static void by_itself(void)
{
	char blocked[64] = "";
	unsigned waited;
	uint64_t mask;

	if (!begin(TW_INTERVAL_MIN_US))
		return;
	for (waited = 0; waited < PATIENCE_MS; waited += 10) {
		const struct timespec pause = { .tv_nsec = 10000000 };

		nanosleep(&pause, NULL);
		read_file();
		if (file.lines >= 3)
			break;
	}
	tap_ok(file.lines >= 3, "the thread writes a line for each interval");
	tap_ok(find_thread(blocked, sizeof(blocked)), "it has a name");
	/* Without SIGKILL, SIGSTOP, and two that the C library keeps for itself. */
	mask = strtoull(blocked, NULL, 16) | 1ULL << (SIGKILL - 1) |
	       1ULL << (SIGSTOP - 1) | 3ULL << 31;
	tap_ok(mask == UINT64_MAX, "and takes no signals: %s", blocked);
	world_end();
	tap_ok(!find_thread(blocked, sizeof(blocked)),
	       "it ends with the job");
	read_file();
	tap_ok(file.has_end && !file.bad && is_chain(), "after the last line");
}

int main(void)
{
	static struct tw_slot slots[WORLD_DEPTH];

	random_state = tap_seed();
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/x.jsonl", folder);
	random_lines(true, NULL);
	random_lines(false, NULL);
	random_lines(true, slots);
	header();
	unsettled();
	between_stores();
	before_first_extremes();
	run_of_lines();
	behind();
	contradictions();
	no_file();
	full_disk();
	not_asked_for();
	by_itself();
	forget_file();
	world_forget();
	unlink(path);
	rmdir(folder);
	return tap_done();
}
