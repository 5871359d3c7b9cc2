/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: if a job's files are on several devices, the report has each I/O once
 * more, with the device of its file: in a histogram of lat, of the stage `device`
 * if it has one, and in the window over time that it was returned in. Files that
 * share a device are counted together. A job with one device has none of this. Of
 * more than 64 devices the first 64 are kept. The first line of intervals tells whether
 * the only device has all I/Os. Defect: an I/O on another file's device, or on none, or
 * on two; windows that lose I/Os when they get wider; a file without a device that is
 * taken for one with; a device's I/Os under another's name.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "engine_world.h"

#define SIZE		4096
#define MS		1000000ULL
#define MAX_FILES	80
#define MAX_IOS	300

static struct fio_file files[MAX_FILES];
static struct fio_file *list[MAX_FILES];
static char names[MAX_FILES][32];
static struct tw_slot slots[WORLD_DEPTH];

/*
 * The names of files tell what they are: bN and cN are devices; N/new is a file
 * that does not exist, in a folder of device N; fN is a file on device N; ? has
 * none.
 */
int statx(int folder, const char *restrict path, int flags, unsigned mask,
	  struct statx *restrict status)
{
	const unsigned number = (unsigned)atoi(path + (*path > '9'));

	*status = (struct statx) { .stx_dev_major = 9, .stx_dev_minor = number };
	if (strstr(path, "/new") || *path == '?' || *path == '.') {
		errno = ENOENT;
		return -1;
	}
	status->stx_rdev_major = 259;
	status->stx_rdev_minor = number;
	status->stx_mode = *path == 'b' ? S_IFBLK : *path == 'c' ? S_IFCHR : S_IFREG;
	return 0;
}

/* Begin a job with these files, separated by spaces. */
static void begin(const char *of)
{
	unsigned count = 0, length;

	world_forget();
	for (; sscanf(of, "%31s%n", names[count], (int *)&length) == 1; of += length) {
		files[count] = world.file;
		files[count].file_name = names[count];
		files[count].fileno = (int)count;
		list[count] = &files[count];
		count++;
	}
	world.td.files = list;
	world.td.files_index = count;
}

/* Do an I/O of @takes_ns on the file @f, returned this long after the job's start. */
static void one(struct fio_file *f, enum fio_ddir ddir, uint64_t takes_ns)
{
	struct io_u *io_u = world_transfer(0, ddir, 0, SIZE);

	io_u->file = f;
	world.takes_ticks[0] = takes_ns;
	world_queue(io_u);
	tw_getevents(&world.td, 1, 1, NULL);
	tw_event(&world.td, 0);
	io_u->file = &world.file;
}

static const json_t *device(const char *name)
{
	const json_t *devices = json_object_get(world.report, "devices");
	size_t i;

	for (i = 0; i < json_array_size(devices); i++) {
		const json_t *at = json_array_get(devices, i);

		if (!strcmp(json_string_value(json_object_get(at, "device")), name))
			return at;
	}
	return NULL;
}

static uint64_t number(const json_t *object, const char *key)
{
	return (uint64_t)json_integer_value(json_object_get(object, key));
}

static const json_t *of(const json_t *at, const char *key, const char *direction)
{
	return json_object_get(json_object_get(at, key), direction);
}

/* Return the reads in the windows of a device; of @start alone, unless it is NULL. */
static uint64_t in_windows(const json_t *at, const char *start)
{
	const json_t *windows = of(at, "over_time", "windows");
	uint64_t count = 0;
	size_t i;

	for (i = 0; i < json_array_size(windows); i++) {
		const json_t *window = json_array_get(windows, i);

		if (!start || !strcmp(start, json_string_value(json_object_get(window,
								"start"))))
			count += number(json_object_get(window, "read"), "count");
	}
	return count;
}

static void by_device(void)
{
	begin("b2 b1 f1 f1 3/new");
	if (!tap_ok(world_begin(), "a job with files on four devices"))
		return;
	one(&files[1], DDIR_READ, 10000);
	one(&files[1], DDIR_WRITE, 20000);
	one(&files[0], DDIR_READ, 30000);
	one(&files[2], DDIR_READ, 40000);
	one(&files[3], DDIR_READ, 50000);
	one(&files[4], DDIR_READ, 60000);
	world_end();
	tap_ok(json_array_size(json_object_get(world.report, "devices")) == 4,
	       "has four");
	tap_ok(number(of(device("259:1"), "lat", "read"), "count") == 1 &&
	       number(of(device("259:1"), "lat", "write"), "count") == 1 &&
	       number(of(device("259:1"), "lat", "read"), "max_ns") >= 10000 &&
	       number(of(device("259:1"), "lat", "read"), "max_ns") < 20000 &&
	       number(of(device("259:1"), "lat", "write"), "max_ns") >= 20000,
	       "a block device has its own I/Os by direction");
	tap_ok(number(of(device("259:1"), "lat", "read"), "digits") == 2,
	       "with two digits");
	tap_ok(number(json_object_get(device("259:1"), "ios"), "read") == 1 &&
	       number(json_object_get(device("259:1"), "ios"), "write") == 1,
	       "and counts them by direction");
	tap_ok(number(json_object_get(device("9:1"), "ios"), "read") == 2 &&
	       number(of(device("9:1"), "lat", "read"), "max_ns") >= 50000,
	       "two files of a file system are one device's");
	tap_ok(number(json_object_get(device("9:3"), "ios"), "read") == 1,
	       "a file that is not there yet is where its folder is");
	tap_ok(!json_object_size(json_object_get(device("9:1"), "device_time")),
	       "without the kernel's stages there is no device stage");
}

static void one_device(void)
{
	begin("f1 f1");
	world_begin();
	one(&files[1], DDIR_READ, 10000);
	world_end();
	tap_ok(json_array_size(json_object_get(world.report, "devices")) == 1 &&
	       !json_object_get(device("9:1"), "ios"), "one device: nothing but its name");
	begin("f1 ?");
	world_begin();
	one(&files[0], DDIR_READ, 10000);
	one(&files[1], DDIR_READ, 10000);
	world_end();
	tap_ok(number(json_object_get(device("9:1"), "ios"), "read") == 1,
	       "one device, and a file on none: the device has its own I/Os");
	begin("b1 c1 ?");
	world_begin();
	one(&files[0], DDIR_READ, 10000);
	one(&files[1], DDIR_READ, 10000);
	one(&files[2], DDIR_READ, 10000);
	/* Of a log that is replayed. */
	files[2].fileno = 70;
	one(&files[2], DDIR_READ, 10000);
	world_end();
	tap_ok(json_array_size(json_object_get(world.report, "devices")) == 2 &&
	       number(json_object_get(device("259:1"), "ios"), "read") == 1 &&
	       number(json_object_get(device("char 259:1"), "ios"), "read") == 1,
	       "a file without a device, and a later one, are in none");
	tap_ok(world_count("ios", "read") == 4, "but in the job's I/Os");
	tap_ok(number(world.report, "devices_other_files") == 1 &&
	       number(world.report, "devices_other_ios") == 2,
	       "and it says how many files and I/Os these are");
}

static void many(void)
{
	char all[MAX_FILES * 8] = "";
	unsigned i;

	for (i = 0; i < 66; i++)
		sprintf(&all[strlen(all)], "b%u ", i);
	begin(all);
	world_begin();
	for (i = 0; i < 66; i++)
		one(&files[i], DDIR_READ, 10000);
	world_end();
	tap_ok(json_array_size(json_object_get(world.report, "devices")) == 64 &&
	       device("259:63") && !device("259:64"), "of 66 devices 64 are kept");
	tap_ok(number(world.report, "devices_other_files") == 2 &&
	       number(world.report, "devices_other_ios") == 2,
	       "and it says of how many files that is not so");
}

/* Return 1 if each window but the first and the last has all I/Os of its 16 ms. */
static int is_16_each(const char *one_device, const char *other)
{
	const json_t *windows = of(device(one_device), "over_time", "windows");
	size_t i;

	for (i = 1; i + 1 < json_array_size(windows); i++) {
		const char *start = json_string_value(json_object_get(
					json_array_get(windows, i), "start"));

		if (in_windows(device(one_device), start) +
		    in_windows(device(other), start) != 16)
			return 0;
	}
	return 1;
}

/* There are 32 windows at most: they are merged in pairs four times. */
static void over_time(void)
{
	uint64_t began;
	unsigned i;

	begin("b1 b2");
	world_begin();
	began = engine_now_ticks;
	for (i = 0; i < MAX_IOS; i++) {
		engine_now_ticks = began + i * MS;
		one(&files[i % 3 == 0], DDIR_READ, 10000);
	}
	world_end();
	tap_ok(in_windows(device("259:2"), NULL) == MAX_IOS / 3 &&
	       in_windows(device("259:1"), NULL) == MAX_IOS - MAX_IOS / 3,
	       "windows over time have all I/Os after 300 ms: %llu",
	       (unsigned long long)in_windows(device("259:2"), NULL));
	tap_ok(number(json_object_get(device("259:1"), "over_time"), "width_ns") ==
	       16 * MS && is_16_each("259:1", "259:2") && is_16_each("259:2", "259:1"),
	       "each window of 16 ms has 16 of them, one a millisecond");
}

/* Return the only device in the first line of the file of intervals. */
static json_t *header_device(const char *of)
{
	char path[] = "/tmp/tw_devices.XXXXXX", *text = NULL;
	const int made = mkstemp(path);
	size_t size = 0;
	json_t *line = NULL, *only = NULL;
	FILE *in;

	if (made < 0)
		return NULL;
	close(made);
	begin(of);
	world.intervals = path;
	world.options.interval_us = 3600000000ULL;
	world_begin();
	world_end();
	in = fopen(path, "r");
	if (in && getline(&text, &size, in) > 0)
		line = json_loads(text, 0, NULL);
	if (json_array_size(json_object_get(line, "devices")) == 1)
		only = json_incref(json_array_get(json_object_get(line, "devices"), 0));
	json_decref(line);
	free(text);
	if (in)
		fclose(in);
	unlink(path);
	return only;
}

static void in_intervals(void)
{
	json_t *all = header_device("f1 f1"), *some = header_device("f1 ?");

	tap_ok(all && !json_object_get(all, "jobs"),
	       "intervals: the only device has all I/Os");
	tap_ok(some && json_is_integer(json_object_get(some, "jobs")) &&
	       !number(some, "jobs"),
	       "intervals: with a file on none it is not known which");
	json_decref(all);
	json_decref(some);
}

/* The dispatch is 1 us after the submission, the end 2 us before the completion. */
static void stamp(unsigned i)
{
	const uint64_t done_ns = world_monotonic_ns(world.ios[i].done_ticks);

	slots[i] = (struct tw_slot) {
		.key = world.ios[i].sqe.user_data,
		.accepted_ns = done_ns - world.takes_ticks[i],
		.dispatched_ns = done_ns - world.takes_ticks[i] + 1000,
		.finished_ns = done_ns - 2000,
		.posted_ns = done_ns,
		.requests = 1,
		.due_bytes = SIZE,
		.finished_bytes = SIZE,
	};
}

static void device_stage(void)
{
	begin("b1 b2");
	world.options.kernel = TW_KERNEL_AUTO;
	world.kernel_slots = slots;
	world.appeared = stamp;
	world_begin();
	one(&files[0], DDIR_READ, 10000);
	one(&files[1], DDIR_READ, 20000);
	world_end();
	tap_ok(number(of(device("259:1"), "device_time", "read"), "max_ns") == 7000 &&
	       number(of(device("259:2"), "device_time", "read"), "max_ns") == 17000,
	       "the device stage is the I/O's own: %llu, %llu",
	       (unsigned long long)number(of(device("259:1"), "device_time", "read"),
					  "max_ns"),
	       (unsigned long long)number(of(device("259:2"), "device_time", "read"),
					  "max_ns"));
}

int main(void)
{
	by_device();
	one_device();
	many();
	over_time();
	device_stage();
	in_intervals();
	world_forget();
	return tap_done();
}
