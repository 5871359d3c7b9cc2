/* SPDX-License-Identifier: MIT */
/*
 * Opens files where other users may change names; see open_file.h.
 */
#include "base/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

int tw_folder_length(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? (int)(slash - path) + 1 : 0;
}

/* A new open() of /dev/stdout would write from the beginning of a file, and fails for a
 * socket. */
int tw_descriptor_of(const char *path)
{
	static const char *const folders[] = { "/dev/fd/", "/proc/self/fd/" };
	static const char *const names[] = { "/dev/stdin", "/dev/stdout", "/dev/stderr" };
	int fd, end;

	for (fd = 0; fd < 3; fd++)
		if (strcmp(path, names[fd]) == 0)
			return fd;
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++)
		if (strncmp(path, folders[i], strlen(folders[i])) == 0 &&
		    sscanf(path + strlen(folders[i]), "%9d%n", &fd, &end) == 1 &&
		    !path[strlen(folders[i]) + (size_t)end])
			return fd;
	return -1;
}

/* ---- owners ---- */

int tw_is_anothers(const struct stat *status)
{
	return status->st_uid != 0 && status->st_uid != geteuid();
}

/* On FAT all files have one owner, and so have root's files on some NFS. */
int tw_is_anothers_in(const struct stat *status, const char *path)
{
	char new_path[TW_NEW_PATH];
	struct stat made;
	int fd, is_same;

	if (!tw_is_anothers(status))
		return 0;
	tw_new_path(new_path, path);
	fd = tw_new_file(new_path, 0600);
	if (fd < 0)
		return 1;
	is_same = !fstat(fd, &made) && made.st_uid == status->st_uid;
	close(fd);
	unlink(new_path);
	return !is_same;
}

/* ---- opening ---- */

void tw_new_path(char path[TW_NEW_PATH], const char *place)
{
	unsigned long long number = 0;

	(void)!getrandom(&number, sizeof(number), 0);
	snprintf(path, TW_NEW_PATH, "%.*stickwise-%d-%016llx.part", tw_folder_length(place),
		 place, (int)getpid(), number);
}

int tw_new_file(const char *path, mode_t mode)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

	return fd < 0 ? -errno : fd;
}

int tw_look_at(const char *path, int flags, struct stat *status)
{
	int at = open(path, O_PATH | O_CLOEXEC | flags);

	if (at >= 0 && !fstat(at, status))
		return at;
	if (at >= 0)
		close(at);
	return -errno;
}

int tw_open_seen(int at, const char *path, int flags, const struct stat *seen)
{
	char name[32];
	struct stat status;
	int fd;

	flags |= O_CLOEXEC | O_NOCTTY;
	snprintf(name, sizeof(name), "/proc/self/fd/%d", at);
	fd = open(name, flags);
	/* Without /proc there is only the name, which may be another file's by now. */
	if (fd < 0 && errno == ENOENT)
		fd = open(path, flags | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &status) && status.st_dev == seen->st_dev &&
	    status.st_ino == seen->st_ino && !fcntl(fd, F_SETFL, flags & ~O_NONBLOCK))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Return: 0; -errno. */
static int refuse(const struct stat *status, const char *path, int takes)
{
	const mode_t mode = status->st_mode;
	struct stat link;

	if (S_ISDIR(mode))
		return takes & TW_INPUT_FOLDER ? 0 : -EISDIR;
	if (S_ISCHR(mode) || S_ISBLK(mode))
		return takes & TW_INPUT_DEVICE ? 0 : -ENODEV;
	if (!S_ISREG(mode) && !(takes & TW_INPUT_PIPE))
		return -ESPIPE;
	/* To open it would wait as long as its user likes. */
	if (!S_ISREG(mode) && tw_descriptor_of(path) < 0 && tw_is_anothers(status))
		return -EACCES;
	if (!(takes & TW_INPUT_OWN))
		return 0;
	if (!lstat(path, &link) && S_ISLNK(link.st_mode) && tw_is_anothers(&link))
		return -ELOOP;
	return tw_is_anothers_in(status, path) ? -EACCES : 0;
}

int tw_input_open(const char *path, int takes)
{
	struct stat status;
	int at = tw_look_at(path, 0, &status), fd;

	if (at < 0)
		return at;
	fd = refuse(&status, path, takes);
	if (!fd)
		fd = tw_open_seen(at, path, O_RDONLY, &status);
	close(at);
	return fd;
}
