/* SPDX-License-Identifier: MIT */
/*
 * Opens the files that a user names; see write_file.h.
 */
#include "base/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANY_LINKS	40	/* as in the kernel */
#define OPEN_FLAGS	(O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW)

/* ---- new files, for a handler of signals ---- */

/* More files are never written at once. A file that finds no room here stays if a
 * signal ends the program. */
static struct {
	_Atomic(char *) path;
	pid_t made_by;
} new_files[4];

#define NEW_FILES	(sizeof(new_files) / sizeof(*new_files))

static void remember(char *path)
{
	for (size_t i = 0; i < NEW_FILES; i++) {
		char *none = NULL;

		if (!atomic_compare_exchange_strong(&new_files[i].path, &none, path))
			continue;
		new_files[i].made_by = getpid();
		return;
	}
}

static void forget(char *path)
{
	for (size_t i = 0; i < NEW_FILES; i++) {
		char *same = path;

		atomic_compare_exchange_strong(&new_files[i].path, &same, NULL);
	}
	free(path);
}

/* A child leaves the files to its parent. */
void tw_output_remove_all(void)
{
	for (size_t i = 0; i < NEW_FILES; i++) {
		const char *path = atomic_load(&new_files[i].path);

		if (path && new_files[i].made_by == getpid())
			unlink(path);
	}
}

/* ---- where a file is ---- */

/* Return the length of the folder's name with its last slash; 0 for a name alone. */
static size_t folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Return: 0; -1 with errno. */
static int stat_folder(const char *path, struct stat *folder)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s.", (int)folder_length(path), path);
	return stat(name, folder);
}

static int is_anothers(const struct stat *status)
{
	return status->st_uid != 0 && status->st_uid != geteuid();
}

/* Read a link of this user or of root. Return: its length; 0: it is no link, or there
 * is nothing; -errno. */
static ssize_t read_link(const char *path, char *target)
{
	int fd = open(path, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat status;
	ssize_t length = 0;

	if (fd < 0)
		return 0;
	if (fstat(fd, &status))
		length = -errno;
	else if (S_ISLNK(status.st_mode) && is_anothers(&status))
		length = -ELOOP;
	else if (S_ISLNK(status.st_mode))
		length = readlinkat(fd, "", target, PATH_MAX);
	if (length == PATH_MAX)
		length = -ENAMETOOLONG;
	close(fd);
	return length;
}

/* Return the number of a descriptor that @path names; -1: it names another file. A new
 * open() would write from the beginning of a file, and fails for a socket. */
static int descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	int fd, end;

	if (strcmp(path, "/dev/stdout") == 0)
		return STDOUT_FILENO;
	if (strcmp(path, "/dev/stderr") == 0)
		return STDERR_FILENO;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
		    sscanf(path + strlen(folders[i]), "%9d%n", &fd, &end) == 1 &&
		    !path[strlen(folders[i]) + (size_t)end])
			return fd;
	return -1;
}

int tw_output_is_descriptor(const char *path)
{
	return descriptor_of(path) >= 0;
}

/* Set the path of the file that the links at the end of @path lead to. Return: 0;
 * -errno. */
static int follow(const char *path, char **place)
{
	char target[PATH_MAX], *next;
	ssize_t length = 1;

	*place = strdup(path);
	for (int i = 0; *place && length > 0 && descriptor_of(*place) < 0; i++) {
		length = i < ANY_LINKS ? read_link(*place, target) : -ELOOP;
		if (length <= 0)
			break;
		if (asprintf(&next, "%.*s%.*s", target[0] == '/' ? 0 :
			     (int)folder_length(*place), *place, (int)length, target) < 0)
			next = NULL;
		free(*place);
		*place = next;
	}
	if (!*place)
		return -ENOMEM;
	if (length >= 0)
		return 0;
	free(*place);
	*place = NULL;
	return (int)length;
}

/* ---- opening ---- */

/* Make a file in the folder of the place. Its name is not that of the file, which may
 * be as long as names can be. Others can't know it, so they can't be there first.
 * Return: a descriptor; -errno. */
static int make_aside(struct tw_output *output)
{
	unsigned long long number = 0;
	char *path;
	int fd;

	for (int tries = 0; tries < 10; tries++) {
		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
			number++;
		if (asprintf(&path, "%.*stickwise-%d-%016llx.part",
			     (int)folder_length(output->place), output->place,
			     (int)getpid(), number) < 0)
			return -ENOMEM;
		fd = open(path, OPEN_FLAGS | O_CREAT | O_EXCL, 0666);
		if (fd >= 0) {
			output->aside = path;
			remember(path);
			return fd;
		}
		free(path);
		if (errno != EEXIST)
			return -errno;
	}
	return -EEXIST;
}

/* Write to the file itself. Its content stays until there is other. */
static int open_in_place(struct tw_output *output, int is_file)
{
	int fd = open(output->place, OPEN_FLAGS);

	output->is_cut = is_file;
	return fd < 0 ? -errno : fd;
}

/* In a folder such as /tmp only its owner, root and the owner of the file may. */
static int may_replace(const char *place, const struct stat *old)
{
	struct stat folder;

	return stat_folder(place, &folder) || !(folder.st_mode & S_ISVTX) || geteuid() == 0 ||
	       old->st_uid == geteuid() || folder.st_uid == geteuid();
}

/* Return: a descriptor; -errno. */
static int open_place(struct tw_output *output)
{
	int fd = descriptor_of(output->place), is_there;
	struct stat old;

	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd < 0 ? -errno : fd;
	}
	is_there = lstat(output->place, &old) == 0;
	if (is_there && S_ISDIR(old.st_mode))
		return -EISDIR;
	/* Without a reader, to open it would wait for ever. */
	if (is_there && (S_ISFIFO(old.st_mode) || S_ISSOCK(old.st_mode)) &&
	    is_anothers(&old))
		return -EACCES;
	if (is_there && !S_ISREG(old.st_mode))
		return open_in_place(output, 0);
	if (is_there && !may_replace(output->place, &old))
		return open_in_place(output, 1);
	fd = make_aside(output);
	if (is_there && (fd == -EACCES || fd == -EPERM || fd == -EROFS))
		return open_in_place(output, 1);
	/* The mode of another user's file is that user's choice. */
	if (fd >= 0 && is_there && old.st_uid == geteuid())
		fchmod(fd, old.st_mode & 0777);
	return fd;
}

static void release(struct tw_output *output)
{
	if (output->aside) {
		unlink(output->aside);
		forget(output->aside);
	}
	free(output->place);
	*output = (struct tw_output) { .stream = NULL };
}

int tw_output_open(struct tw_output *output, const char *path)
{
	int error, fd = -1;

	*output = (struct tw_output) { .stream = NULL };
	error = follow(path, &output->place);
	if (!error)
		error = fd = open_place(output);
	if (fd >= 0) {
		output->stream = fdopen(fd, "w");
		if (output->stream)
			return 0;
		error = -errno;
		close(fd);
	}
	release(output);
	return error;
}

/* ---- the end ---- */

static int flush(const struct tw_output *output)
{
	int fd = fileno(output->stream);
	off_t length;

	errno = 0;
	if (fflush(output->stream) || ferror(output->stream))
		return errno ? -errno : -EIO;
	length = output->is_cut ? lseek(fd, 0, SEEK_CUR) : -1;
	return length >= 0 && ftruncate(fd, length) ? -errno : 0;
}

/* Put the file in its place unless there was an @error. Return: @error, or -errno. */
static int put_in_place(struct tw_output *output, int error)
{
	if (error || !output->aside)
		return error;
	if (rename(output->aside, output->place))
		return -errno;
	forget(output->aside);
	output->aside = NULL;
	return 0;
}

int tw_output_publish(struct tw_output *output)
{
	return put_in_place(output, flush(output));
}

int tw_output_close(struct tw_output *output, int error)
{
	if (!error)
		error = flush(output);
	/* NFS may tell only here that the disk is full. */
	if (fclose(output->stream) && !error)
		error = -errno;
	error = put_in_place(output, error);
	release(output);
	return error;
}

int tw_output_file(const char *path, int (*write)(FILE *file, const void *context),
		   const void *context)
{
	struct tw_output output;
	int error = tw_output_open(&output, path);

	return error ? error : tw_output_close(&output, write(output.stream, context));
}

/* A file may not be there yet, so paths are compared. A folder can have several. */
int tw_output_are_one(const char *one_path, const char *other_path)
{
	struct stat status, folders[2];
	char *one, *other = NULL;
	int are_one;

	if (follow(one_path, &one))
		return 0;
	are_one = !follow(other_path, &other) &&
		  (stat(one, &status) || S_ISREG(status.st_mode)) &&
		  strcmp(one + folder_length(one), other + folder_length(other)) == 0 &&
		  !stat_folder(one, &folders[0]) && !stat_folder(other, &folders[1]) &&
		  folders[0].st_dev == folders[1].st_dev &&
		  folders[0].st_ino == folders[1].st_ino;
	free(one);
	free(other);
	return are_one;
}

/* ---- inputs ---- */

int tw_input_open(const char *path)
{
	struct stat status;
	int fd;

	/* Only to open a device can have an effect. */
	if (stat(path, &status))
		return -errno;
	if (S_ISDIR(status.st_mode))
		return -EISDIR;
	if (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode))
		return -ENODEV;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

FILE *tw_input_stream(const char *path)
{
	int fd = tw_input_open(path);
	FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");

	if (fd < 0)
		errno = -fd;
	else if (!stream)
		close(fd);
	return stream;
}

const char *tw_file_error(int error)
{
	switch (error) {
	case ENODEV:
		return "it is a device, not a file";
	case ELOOP:
		return "it is a link of another user, or of too many links";
	default:
		return strerror(error);
	}
}
