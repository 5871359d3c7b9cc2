/* SPDX-License-Identifier: MIT */
/*
 * A folder, a file or a block device to be read, instead of a job. Tells it from a job
 * file, opens it, and finds out how it can be read. Nothing of the user's is written to. In
 * a folder a file is made, which never has a name, or loses it at once: however this
 * program ends, nothing stays. fio opens it by its descriptor, which it inherits.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "base/write_file.h"
#include "command/command.h"
#include "command/run/run_parts.h"

#define MIB		(1ULL << 20)
#define MOST_MADE	(256 * MIB)	/* of the file that is made */
#define LEAST_MADE	(16 * MIB)
#define PART_OF_FREE	10
#define SMALLEST_BLOCK	4096
#define LARGEST_BLOCK	65536
#define LOOKED_AT	65536		/* bytes, for the beginning of a [section] */

/* ---- is it a job file? ---- */

/* A job file has no byte of 0, and a line that begins with '['. */
static int has_section(const char *bytes, size_t length)
{
	const char *const end = bytes + length;
	const char *line = bytes;

	if (memchr(bytes, '\0', length))
		return 0;
	while (line < end) {
		const char *next = memchr(line, '\n', (size_t)(end - line));

		while (line < end && (*line == ' ' || *line == '\t'))
			line++;
		if (line < end && *line == '[')
			return 1;
		line = next ? next + 1 : end;
	}
	return 0;
}

int tw_run_is_target(const char *path)
{
	static char bytes[LOOKED_AT];
	const size_t length = strlen(path);
	struct stat status;
	ssize_t got = -1;
	int fd;

	if (stat(path, &status))
		return 0;
	if (S_ISDIR(status.st_mode) || S_ISBLK(status.st_mode))
		return 1;
	if (!S_ISREG(status.st_mode) || !status.st_size ||
	    (length > 4 && strcmp(path + length - 4, ".fio") == 0))
		return 0;
	fd = tw_input_open(path, 0);
	if (fd >= 0) {
		got = read(fd, bytes, sizeof(bytes));
		close(fd);
	}
	/* Of a file that can't be read, the reader of job files gives the reason. */
	return got >= 0 && !has_section(bytes, (size_t)got);
}

/* ---- the file in a folder ---- */

/* Make a file in a folder. Where it needs a name, no signal ends this program before it
 * has lost it. Return: a descriptor; -errno. */
static int make_nameless(int folder)
{
	int fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_EXCL | O_CLOEXEC, 0400);
	char name[TW_NEW_PATH];
	sigset_t all, before;

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
		return -errno;
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	tw_new_path(name, tw_format("/proc/self/fd/%d/", folder));
	fd = tw_new_file(name, 0600);
	if (fd >= 0)
		unlink(name);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return fd;
}

/* Fill a file with bytes that no file system or device can make smaller (splitmix64). */
static int fill(int fd, uint64_t bytes)
{
	uint64_t *block = tw_malloc(MIB), seed = (uint64_t)time(NULL) << 32;
	int error = 0;

	for (uint64_t done = 0; done < bytes && !error;) {
		ssize_t written;

		for (size_t i = 0; i < MIB / sizeof(*block); i++) {
			uint64_t mixed = seed += 0x9e3779b97f4a7c15;

			mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9;
			mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111eb;
			block[i] = mixed ^ mixed >> 31;
		}
		written = write(fd, block, bytes - done < MIB ? bytes - done : MIB);
		if (written >= 0)
			done += (uint64_t)written;
		else if (errno != EINTR)
			error = -errno;
	}
	free(block);
	return error ? error : fsync(fd) ? -errno : 0;
}

/* Put a new descriptor for reading in place of @fd, which is closed. */
static int for_reading(int fd)
{
	int again = open(tw_format("/proc/self/fd/%d", fd), O_RDONLY | O_CLOEXEC);
	int error = again < 0 ? -errno : again;

	close(fd);
	return error;
}

static int make_file(struct tw_run_target *target, int folder)
{
	struct statvfs space;
	uint64_t free_bytes, bytes;
	int fd, error;

	if (fstatvfs(folder, &space))
		return tw_run_fail(TW_EXIT_IO, "%s: %s", target->path, strerror(errno));
	free_bytes = (uint64_t)space.f_bavail * space.f_frsize;
	bytes = free_bytes / PART_OF_FREE / MIB * MIB;
	if (bytes < LEAST_MADE)
		return tw_run_fail(TW_EXIT_IO, "%s: too little space for a file to be read: "
				   "%llu MiB are free, %llu are needed", target->path,
				   (unsigned long long)(free_bytes / MIB),
				   LEAST_MADE * PART_OF_FREE / MIB);
	target->bytes = bytes < MOST_MADE ? bytes : MOST_MADE;
	target->is_made = 1;
	fd = make_nameless(folder);
	if (fd >= 0) {
		tw_run_remark("%s: writes a temporary file of %llu MiB without a name, which "
			      "is gone when this ends", target->path,
			      (unsigned long long)(target->bytes / MIB));
		error = fill(fd, target->bytes);
		if (error)
			close(fd);
		fd = error ? error : for_reading(fd);
	}
	if (fd < 0)
		return tw_run_fail(TW_EXIT_IO, "%s: can't make a file in this folder: %s",
				   target->path, strerror(-fd));
	target->fd = fd;
	return TW_EXIT_GOOD;
}

/* ---- how it can be read ---- */

/* Read a block around the page cache. Return: 0 or -errno. */
static int try_direct(const struct tw_run_target *target, unsigned block_bytes)
{
	int fd = open(tw_format("/proc/self/fd/%d", target->fd),
		      O_RDONLY | O_CLOEXEC | O_DIRECT | O_NOCTTY | O_NONBLOCK);
	int error = fd < 0 ? -errno : 0;
	void *block;

	if (error)
		return error;
	block = aligned_alloc(LARGEST_BLOCK, LARGEST_BLOCK);
	if (!block)
		tw_no_memory();
	if (pread(fd, block, block_bytes, 0) < 0)
		error = -errno;
	free(block);
	close(fd);
	return error;
}

/* Find the smallest block that can be read, from 4 KiB up. */
static int find_block(struct tw_run_target *target, unsigned least_bytes)
{
	unsigned bytes = least_bytes > SMALLEST_BLOCK ? least_bytes : SMALLEST_BLOCK;
	int error = -EINVAL;

	target->block_bytes = bytes;
	if (target->bytes < bytes)
		return tw_run_fail(TW_EXIT_DATA, "%s: no job file (no line begins with a "
				   "[section]), and too small to be read in blocks of %u bytes",
				   target->path, bytes);
	for (; bytes <= LARGEST_BLOCK && bytes <= target->bytes && error == -EINVAL; bytes *= 2) {
		error = try_direct(target, bytes);
		if (!error)
			target->block_bytes = bytes;
	}
	target->is_direct = !error;
	return !error || error == -EINVAL || error == -EOPNOTSUPP ? TW_EXIT_GOOD :
		tw_run_fail(TW_EXIT_NO_INPUT, "%s: can't be read: %s", target->path,
			    strerror(-error));
}

/* Return 1 if fio takes a path as it is in a job file. */
static int is_plain(const char *path)
{
	return !path[strspn(path, TW_RUN_PLAIN "/+@-")];
}

static int open_device(struct tw_run_target *target)
{
	int sector_bytes = 0;

	if (ioctl(target->fd, BLKGETSIZE64, &target->bytes) ||
	    ioctl(target->fd, BLKSSZGET, &sector_bytes))
		return tw_run_fail(TW_EXIT_NO_INPUT, "%s: %s", target->path, strerror(errno));
	if (!target->bytes)
		return tw_run_fail(TW_EXIT_DATA, "%s: this device has no size: there is "
				   "nothing to read", target->path);
	return find_block(target, (unsigned)sector_bytes);
}

int tw_run_open_target(struct tw_run_target *target, const char *path)
{
	int fd = tw_input_open(path, TW_INPUT_FOLDER | TW_INPUT_DEVICE), code;
	struct stat status;

	*target = (struct tw_run_target) { .path = path, .fd = fd };
	if (fd < 0 || fstat(fd, &status))
		return tw_run_fail(TW_EXIT_NO_INPUT, "%s: %s", path,
				   tw_file_error(fd < 0 ? -fd : errno));
	target->bytes = (uint64_t)status.st_size;
	if (S_ISBLK(status.st_mode)) {
		code = open_device(target);
	} else if (S_ISDIR(status.st_mode)) {
		code = make_file(target, fd);
		close(fd);
		if (code == TW_EXIT_GOOD)
			code = find_block(target, 0);
	} else {
		code = find_block(target, 0);
	}
	if (code != TW_EXIT_GOOD)
		return code;
	/* Without O_CLOEXEC: fio inherits it. */
	fd = fcntl(target->fd, F_DUPFD, TW_RUN_FIRST_FD);
	if (fd < 0)
		return tw_run_fail(TW_EXIT_SOFTWARE, "%s: %s", path, strerror(errno));
	close(target->fd);
	target->fd = fd;
	target->name = !target->is_made && is_plain(path) ? tw_format("%s", path) :
		tw_format("/proc/self/fd/%d", fd);
	return TW_EXIT_GOOD;
}
