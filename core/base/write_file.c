/* SPDX-License-Identifier: MIT */
/*
 * Opens the files that a user names; see write_file.h.
 */
#include "base/write_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ANY_LINKS	40	/* as in the kernel */

/* ---- new files, for a handler of signals ---- */

/* More files are never written at once. A file that finds no room here stays if a
 * signal ends the program. A signal can arrive between any two lines. */
static struct {
	_Atomic(pid_t) made_by;		/* 0: free */
	_Atomic(char *) path;
} new_files[4];

#define NEW_FILES	(sizeof(new_files) / sizeof(*new_files))

static void remember(char *path)
{
	for (size_t i = 0; i < NEW_FILES; i++) {
		pid_t nobody = 0;

		if (!atomic_compare_exchange_strong(&new_files[i].made_by, &nobody, getpid()))
			continue;
		atomic_store(&new_files[i].path, path);
		return;
	}
}

static void forget(char *path)
{
	for (size_t i = 0; i < NEW_FILES; i++) {
		char *same = path;

		if (atomic_compare_exchange_strong(&new_files[i].path, &same, NULL))
			atomic_store(&new_files[i].made_by, 0);
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

/* Return: 0; -1 with errno. */
static int stat_folder(const char *path, struct stat *folder)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%.*s.", tw_folder_length(path), path);
	return stat(name, folder);
}

/* Read a link of this user or of root. Return: its length; 0: it is no link, or there
 * is nothing; -errno. */
static ssize_t read_link(const char *path, char *target)
{
	struct stat status;
	int fd = tw_look_at(path, O_NOFOLLOW, &status);
	ssize_t length = 0;

	if (fd < 0)
		return 0;
	if (S_ISLNK(status.st_mode))
		length = tw_is_anothers(&status) ? -ELOOP : readlinkat(fd, "", target, PATH_MAX);
	if (length == PATH_MAX)
		length = -ENAMETOOLONG;
	close(fd);
	return length;
}

/* Set the path of the file that the links at the end of @path lead to. Return: 0;
 * -errno. */
static int follow(const char *path, char **place)
{
	char target[PATH_MAX], *next;
	ssize_t length = 1;

	*place = strdup(path);
	for (int i = 0; *place && length > 0 && tw_descriptor_of(*place) < 0; i++) {
		length = read_link(*place, target);
		if (length > 0 && i == ANY_LINKS)
			length = -ELOOP;
		if (length <= 0)
			break;
		if (asprintf(&next, "%.*s%.*s", target[0] == '/' ? 0 :
			     tw_folder_length(*place), *place, (int)length, target) < 0)
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

/* Make a file in the folder of the place. Return: a descriptor; -errno. */
static int make_aside(struct tw_output *output)
{
	char path[TW_NEW_PATH];
	int fd;

	tw_new_path(path, output->place);
	output->aside = strdup(path);
	if (!output->aside)
		return -ENOMEM;
	remember(output->aside);
	fd = tw_new_file(path, 0666);
	if (fd < 0) {
		forget(output->aside);
		output->aside = NULL;
	}
	return fd;
}

/* In a folder such as /tmp only its owner, root and the owner of the file may. */
static int may_replace(const char *place, const struct stat *old)
{
	struct stat folder;

	return stat_folder(place, &folder) || !(folder.st_mode & S_ISVTX) || geteuid() == 0 ||
	       old->st_uid == geteuid() || folder.st_uid == geteuid();
}

/* Open a pipe. A signal ends the wait for its reader, also one whose handler lets system calls
 * go on (SA_RESTART). */
static int open_pipe(int at, const char *place, const struct stat *old)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	sigset_t all, before;
	int fd;

	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	do
		fd = tw_open_seen(at, place, O_WRONLY | O_NONBLOCK, old);
	while (fd == -ENXIO && !ppoll(NULL, 0, &pause, &before));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return fd == -ENXIO ? -EINTR : fd;
}

/* Write to the file @at itself. Its content stays until there is other. Another user can
 * give a second name to any file: to write to it here would write there, too. */
static int open_in_place(struct tw_output *output, int at, const struct stat *old)
{
	output->is_cut = S_ISREG(old->st_mode);
	return output->is_cut && old->st_nlink > 1 ? -EMLINK :
		S_ISFIFO(old->st_mode) ? open_pipe(at, output->place, old) :
		tw_open_seen(at, output->place, O_WRONLY, old);
}

/* Write where the file @at is. Return: a descriptor; -errno. */
static int open_over(struct tw_output *output, int at, const struct stat *old)
{
	int fd;

	if (S_ISDIR(old->st_mode))
		return -EISDIR;
	/* It is new: the links were followed. */
	if (S_ISLNK(old->st_mode))
		return -ELOOP;
	/* Without a reader, to open it would wait for ever. */
	if ((S_ISFIFO(old->st_mode) || S_ISSOCK(old->st_mode)) && tw_is_anothers(old))
		return -EACCES;
	if (!S_ISREG(old->st_mode) || !may_replace(output->place, old))
		return open_in_place(output, at, old);
	fd = make_aside(output);
	if (fd == -EACCES || fd == -EPERM || fd == -EROFS)
		return open_in_place(output, at, old);
	/* The mode of another user's file is that user's choice. */
	if (fd >= 0 && old->st_uid == geteuid())
		fchmod(fd, old->st_mode & 0777);
	return fd;
}

/* Return: a descriptor; -errno. */
static int open_place(struct tw_output *output)
{
	int fd = tw_descriptor_of(output->place), at;
	struct stat old;

	if (fd >= 0) {
		fd = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
		return fd < 0 ? -errno : fd;
	}
	at = tw_look_at(output->place, O_NOFOLLOW, &old);
	if (at < 0)
		return make_aside(output);
	fd = open_over(output, at, &old);
	close(at);
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

int tw_output_reopen(const char *path)
{
	struct stat status;
	char *place;
	int fd = follow(path, &place), at;

	if (fd)
		return fd;
	fd = at = tw_look_at(place, O_NOFOLLOW, &status);
	if (at >= 0) {
		fd = S_ISREG(status.st_mode) ? tw_open_seen(at, place, O_RDWR, &status) : -ESPIPE;
		close(at);
	}
	free(place);
	return fd;
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
		  strcmp(one + tw_folder_length(one), other + tw_folder_length(other)) == 0 &&
		  !stat_folder(one, &folders[0]) && !stat_folder(other, &folders[1]) &&
		  folders[0].st_dev == folders[1].st_dev &&
		  folders[0].st_ino == folders[1].st_ino;
	free(one);
	free(other);
	return are_one;
}

/* ---- inputs ---- */

FILE *tw_input_stream(const char *path, int takes)
{
	int fd = tw_input_open(path, takes);
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
	case ESPIPE:
		return "it is a pipe, not a file";
	case EMLINK:
		return "it has a second name, and can't be replaced";
	case ELOOP:
		return "it is a link of another user, or of too many links";
	default:
		return strerror(error);
	}
}
