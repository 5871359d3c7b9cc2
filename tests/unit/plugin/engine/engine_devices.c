/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Behaviour: if a job's files are on several devices, the report has each I/O once
 * more, with the device of its file: in a histogram of lat, of the stage `device`
 * if it has one, and in the window over time that it was returned in. Files that
 * share a device are counted together. A job with one device has none of this. Of
 * more than 64 devices the first 64 are kept. The first line of intervals tells whether
 * the only device has all I/Os. Defect: an I/O on another file's device, or on none, or
 * on two; a file without a device that is
 * taken for one with; a device's I/Os under another's name, or those before a reset.
 */
#include <sys/stat.h>

#include "engine_world.h"

static struct fio_file files[WORLD_FILES];
static char names[WORLD_FILES][32];
static struct tw_padded_stamps entries[WORLD_DEPTH];

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
		world.list[count] = &files[count];
		count++;
	}
	world.td.files_index = count;
}

/* Do an I/O of @takes_ns on the file @f. */
static void one(struct fio_file *f, enum fio_ddir ddir, uint64_t takes_ns)
{
	world.io_us[0].file = f;
	world.takes_ticks[0] = takes_ns;
	world_queue(0, ddir);
	world_reap(1);
}

static const json_t *device(const char *name)
{
	const json_t *devices = world_at(world.report, "devices");
	size_t i;

	for (i = 0; i < json_array_size(devices); i++)
		if (!strcmp(json_string_value(world_at(devices, "%zu.device", i)), name))
			return json_array_get(devices, i);
	return NULL;
}

static uint64_t of(const char *name, const char *path)
{
	return world_value(world_at(device(name), "%s", path));
}

static bool is_between(const char *name, const char *path, uint64_t from, uint64_t to)
{
	return of(name, path) >= from && of(name, path) < to;
}

static bool has_devices(size_t count)
{
	return json_array_size(world_at(world.report, "devices")) == count;
}

static void by_device(void)
{
	begin("b2 b1 f1 f1 3/new");
	world_start();
	one(&files[1], DDIR_READ, 10000);
	one(&files[1], DDIR_WRITE, 20000);
	one(&files[0], DDIR_READ, 30000);
	one(&files[2], DDIR_READ, 40000);
	one(&files[3], DDIR_READ, 50000);
	one(&files[4], DDIR_READ, 60000);
	world_end();
	tap_ok(has_devices(4) && of("259:1", "ios.read") == 1 &&
	       of("259:1", "ios.write") == 1 && of("259:1", "lat.read.count") == 1 &&
	       of("259:1", "over_time.windows.0.read.count") == 1 &&
	       of("9:1", "over_time.windows.0.read.count") == 2 &&
	       is_between("259:1", "lat.read.max_ns", 10000, 20000) &&
	       is_between("259:1", "lat.write.max_ns", 20000, 30000),
	       "a block device has its own I/Os by direction");
	tap_ok(of("259:1", "lat.read.digits") == 2, "with two digits");
	tap_ok(of("9:1", "ios.read") == 2 && is_between("9:1", "lat.read.max_ns", 50000, 60000),
	       "two files of a file system are one device's");
	tap_ok(of("9:3", "ios.read") == 1,
	       "a file that is not there yet is where its folder is");
	tap_ok(!json_object_size(world_at(device("9:1"), "device_time")),
	       "without the kernel's stages there is no device stage");
	tap_ok(world_is_text("files.4.device", "9:3"), "each file names its device");
}

static void one_device(void)
{
	begin("f1 f1");
	world_start();
	one(&files[1], DDIR_READ, 10000);
	world_end();
	tap_ok(has_devices(1) && !world_at(device("9:1"), "ios"),
	       "one device: nothing but its name");
	begin("f1 ?");
	world_start();
	one(&files[0], DDIR_READ, 10000);
	one(&files[1], DDIR_READ, 10000);
	world_end();
	tap_ok(of("9:1", "ios.read") == 1,
	       "one device, and a file on none: the device has its own I/Os");
	begin("b1 c1 ?");
	world_start();
	for (unsigned i = 0; i < 3; i++)
		one(&files[i], DDIR_READ, 10000);
	/* Of a log that is replayed. */
	files[2].fileno = 70;
	one(&files[2], DDIR_READ, 10000);
	world_end();
	tap_ok(has_devices(2) && of("259:1", "ios.read") == 1 &&
	       of("char 259:1", "ios.read") == 1 && world_number("ios.read") == 4 &&
	       world_number("devices_other_files") == 1 &&
	       world_number("devices_other_ios") == 2,
	       "a file without a device, and a later one, are in none, which is counted");
}

static void many(void)
{
	char all[WORLD_FILES * 8] = "";
	unsigned i;

	for (i = 0; i < 66; i++)
		sprintf(&all[strlen(all)], "b%u ", i);
	begin(all);
	world_start();
	for (i = 0; i < 66; i++)
		one(&files[i], DDIR_READ, 10000);
	world_end();
	tap_ok(has_devices(64) && device("259:63") && !device("259:64") &&
	       world_number("devices_other_files") == 2 &&
	       world_number("devices_other_ios") == 2 &&
	       json_array_size(world_at(world.report, "files")) == 64 &&
	       world_number("files_left_out") == 2,
	       "of 66 devices and files 64 are kept, and the report says so");
}

/* Check the only device in the first line of the file of intervals. */
static void in_intervals(const char *name, const char *of_files, const char *jobs)
{
	char path[] = "/tmp/tw_devices.XXXXXX", lines[64], *text = NULL;
	const int made = mkstemp(path);
	json_t *line = NULL;
	size_t size = 0;
	FILE *in;

	snprintf(lines, sizeof(lines), "%s.intervals.jsonl", path);
	begin(of_files);
	world.options.report = path;
	world.options.interval_us = 3600000000ULL;
	world_start();
	world_end();
	in = fopen(lines, "r");
	if (in && getline(&text, &size, in) > 0)
		line = json_loads(text, 0, NULL);
	tap_ok(json_array_size(world_at(line, "devices")) == 1 &&
	       !world_at(line, "devices.0.jobs") == !jobs, "intervals: %s", name);
	json_decref(line);
	free(text);
	if (in)
		fclose(in);
	unlink(lines);
	unlink(path);
	close(made);
}

/* The dispatch is 1 us after the submission, the end 2 us before the completion. */
static void stamp(unsigned i)
{
	const uint64_t done_ns = world_monotonic_ns(world.ios[i].done_ticks);

	entries[i].stamps = world_stamps(i, done_ns - world.takes_ticks[i],
			      done_ns - world.takes_ticks[i] + 1000, done_ns - 2000, done_ns);
}

static void device_stage(void)
{
	begin("b1 b2");
	world.options.kernel = TW_KERNEL_REQUIRE;
	world.kernel_entries = entries;
	world.appeared = stamp;
	world_start();
	one(&files[0], DDIR_READ, 10000);
	one(&files[1], DDIR_READ, 20000);
	world_end();
	tap_ok(of("259:1", "device_time.read.max_ns") == 7000 &&
	       of("259:2", "device_time.read.max_ns") == 17000,
	       "the device stage is the I/O's own");
}

/* fio resets its statistics after the first I/O. */
static void reset(void)
{
	begin("b1 b2");
	world.options.kernel = TW_KERNEL_REQUIRE;
	world.kernel_entries = entries;
	world.appeared = stamp;
	world.td.o.latency_target = 1;
	world.td.epoch.tv_sec = 1;
	world_start();
	one(&files[0], DDIR_READ, 90000);
	world.td.epoch.tv_sec++;
	one(&files[0], DDIR_READ, 10000);
	world_end();
	tap_ok(of("259:1", "ios.read") == 1 && of("259:1", "lat.read.count") == 1 &&
	       of("259:1", "device_time.read.count") == 1 &&
	       of("259:1", "device_time.read.max_ns") == 7000,
	       "after a reset a device has only the I/Os since then");
}

int main(void)
{
	by_device();
	one_device();
	many();
	device_stage();
	reset();
	in_intervals("the only device has all I/Os", "f1 f1", NULL);
	in_intervals("with a file on none it is not known which", "f1 ?", "0");
	world_forget();
	return tap_done();
}
