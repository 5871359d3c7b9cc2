/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Name cgroups by their ids, and open them by their paths: see cgroup.h.
 */
#include "kernel/cgroup.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <mntent.h>
#include <pthread.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "array.h"
#include "base/plain_text.h"

#ifndef TW_MOUNTS
#define TW_MOUNTS	"/proc/self/mounts"
#endif

/* A cgroup that exists or existed, or an id that was not found. The kernel uses no id twice. */
struct known {
	uint64_t id;		/* the first member, by which it is found */
	char path[TW_CGROUP_PATH];
};

/* A tree of struct known, by id: see tsearch(3). Jobs may be threads. */
static void *all_known;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct known *find(uint64_t id)
{
	void *place = tfind(&id, &all_known, tw_ascending);

	return place ? *(const struct known *const *)place : NULL;
}

/* Copy the end of a path, which tells more than its beginning. */
static void copy_path(char to[TW_CGROUP_PATH], const char *path)
{
	const size_t length = strlen(path);

	if (length < TW_CGROUP_PATH)
		memcpy(to, path, length + 1);
	else
		snprintf(to, TW_CGROUP_PATH, "...%s",
			 path + length - (TW_CGROUP_PATH - sizeof("...")));
	tw_plain_text(to);
}

static void learn(uint64_t id, const char *path)
{
	struct known *known;

	if (find(id))
		return;
	known = malloc(sizeof(*known));
	if (!known)
		return;
	known->id = id;
	copy_path(known->path, path);
	if (!tsearch(known, &all_known, tw_ascending))
		free(known);
}

/* Learn the cgroups below the directory @fd, which is closed. Its path is the first @length
 * bytes of @path. The kernel's directories of cgroups have the inodes and types at hand. */
static void learn_below(int fd, char path[PATH_MAX], size_t length)
{
	DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
	const struct dirent *entry;

	if (!folder) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(folder))) {
		const size_t more = strlen(entry->d_name) + 1;

		if (entry->d_type != DT_DIR || !strcmp(entry->d_name, ".") ||
		    !strcmp(entry->d_name, "..") || length + more >= PATH_MAX)
			continue;
		path[length] = '/';
		memcpy(path + length + 1, entry->d_name, more);
		learn(entry->d_ino, path);
		learn_below(openat(dirfd(folder), entry->d_name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC),
			    path, length + more);
	}
	closedir(folder);
}

static int open_folder(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* Open @path below the first hierarchy of a type, with this option if it is not NULL, that has such
 * a folder. Return a descriptor or -errno. */
static int open_below(const char *type, const char *option, const char *path)
{
	FILE *all = setmntent(TW_MOUNTS, "re");
	char at[2 * PATH_MAX], text[2 * PATH_MAX];
	struct mntent entry;
	int fd = -ENOENT;

	while (all && fd == -ENOENT && getmntent_r(all, &entry, text, sizeof(text))) {
		if (strcmp(entry.mnt_type, type) || (option && !hasmntopt(&entry, option)))
			continue;
		snprintf(at, sizeof(at), "%s/%s", entry.mnt_dir, path);
		fd = open_folder(at);
	}
	if (all)
		endmntent(all);
	return fd;
}

int tw_cgroup_open(const char *path)
{
	int fd = *path == '/' ? open_folder(path) : -ENOENT;
	struct statfs of;

	if (fd == -ENOENT)
		fd = open_below("cgroup2", NULL, path);
	if (fd == -ENOENT)
		fd = open_below("cgroup", NULL, path);
	if (fd < 0 || (!fstatfs(fd, &of) && (of.f_type == CGROUP2_SUPER_MAGIC ||
					     of.f_type == CGROUP_SUPER_MAGIC)))
		return fd;
	close(fd);
	return -ENOTTY;
}

void tw_cgroup_path(char path[TW_CGROUP_PATH], uint64_t id)
{
	char below[PATH_MAX] = "";
	const struct known *known;
	struct stat root;
	int fd;

	pthread_mutex_lock(&lock);
	if (!find(id)) {
		learn(TW_CGROUP_ROOT, "/");
		/* In a namespace of cgroups the root is another one. */
		fd = open_below("cgroup", "blkio", "");
		if (fd < 0)
			fd = open_below("cgroup2", NULL, "");
		if (fd >= 0 && !fstat(fd, &root))
			learn(root.st_ino, "/");
		learn_below(fd, below, 0);
		learn(id, "");
	}
	known = find(id);
	strcpy(path, known ? known->path : "");
	pthread_mutex_unlock(&lock);
}

void tw_limit_text(char text[TW_LIMIT_TEXT], const struct tw_io_limit *limit)
{
	static const char *const names[TW_LIMITS] = {
		[TW_LIMIT_RBPS] = "rbps", [TW_LIMIT_WBPS] = "wbps",
		[TW_LIMIT_RIOPS] = "riops", [TW_LIMIT_WIOPS] = "wiops",
	};

	text[0] = '\0';
	if (limit->which < TW_LIMITS && names[limit->which])
		snprintf(text, TW_LIMIT_TEXT, "%s=%llu", names[limit->which],
			 (unsigned long long)limit->value);
}
