// SPDX-License-Identifier: GPL-2.0
/*
 * Names of files: see attach_files.h.
 */
#include "kernel/attach_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

static bool is_same(const struct tw_attach_inode *a, const struct tw_attach_inode *b)
{
	return a->number == b->number && a->device == b->device &&
	       a->mode == b->mode;
}

static struct tw_attach_file_name *find(const struct tw_attach_files *files,
					const struct tw_attach_inode *inode)
{
	for (size_t i = 0; i < files->count; i++)
		if (is_same(&files->list[i].inode, inode))
			return &files->list[i];
	return NULL;
}

/* Return the name until a path is found. A file that is in no folder has a name such as
 * "socket:[4711]" in /proc. */
static char *first_name(const struct tw_attach_file *file)
{
	const char *kind = S_ISSOCK(file->inode.mode) ? "socket" :
			   S_ISFIFO(file->inode.mode) ? "pipe" : NULL;
	char *name;

	if (kind && asprintf(&name, "%s:[%llu]", kind,
			     (unsigned long long)file->inode.number) >= 0)
		return name;
	return kind ? NULL : strndup(file->name, sizeof(file->name));
}

int tw_attach_add_file(struct tw_attach_files *files,
		       const struct tw_attach_file *file)
{
	struct tw_attach_file_name *list;

	if (find(files, &file->inode))
		return 0;
	list = realloc(files->list, (files->count + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	files->list = list;
	list[files->count] = (struct tw_attach_file_name) {
		.inode = file->inode,
		.process = files->process ? files->process : (pid_t)file->process,
		.name = first_name(file),
	};
	if (!list[files->count].name)
		return -ENOMEM;
	files->count++;
	files->untried++;
	return 0;
}

/* Return the device number in the kernel's form, as in s_dev. */
static __u32 device_of(const struct stat *of)
{
	return (__u32)(major(of->st_dev) << 20 | minor(of->st_dev));
}

/* If @descriptor is open on a file whose path is still unknown, take its path. */
static void try_descriptor(struct tw_attach_files *files, int folder,
			   const char *descriptor)
{
	struct tw_attach_inode inode = { 0 };
	struct tw_attach_file_name *name;
	char path[PATH_MAX];
	struct stat of;
	ssize_t length;

	if (fstatat(folder, descriptor, &of, 0))
		return;
	inode.number = of.st_ino;
	inode.device = device_of(&of);
	inode.mode = of.st_mode;
	name = find(files, &inode);
	if (!name || name->tried)
		return;
	length = readlinkat(folder, descriptor, path, sizeof(path) - 1);
	if (length <= 0)
		return;
	path[length] = '\0';
	free(name->name);
	name->name = strdup(path);
	name->tried = true;
}

static void try_process(struct tw_attach_files *files, pid_t process)
{
	char path[64];
	struct dirent *at;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)process);
	folder = opendir(path);
	if (!folder)
		return;
	while ((at = readdir(folder)))
		if (at->d_name[0] != '.')
			try_descriptor(files, dirfd(folder), at->d_name);
	closedir(folder);
}

/* The new files are the last in the list. Most belong to one process. */
void tw_attach_find_paths(struct tw_attach_files *files)
{
	const size_t from = files->count - files->untried;
	pid_t last = 0;

	for (size_t i = from; i < files->count; i++) {
		struct tw_attach_file_name *name = &files->list[i];

		if (!name->tried && name->process != last)
			try_process(files, name->process);
		last = name->process;
		name->tried = true;
	}
	files->untried = 0;
}

const char *tw_attach_file_name(const struct tw_attach_files *files,
				const struct tw_attach_inode *inode)
{
	const struct tw_attach_file_name *name = find(files, inode);

	return name && name->name ? name->name : inode->mode ? "?" : "-";
}

void tw_attach_files_free(struct tw_attach_files *files)
{
	for (size_t i = 0; i < files->count; i++)
		free(files->list[i].name);
	free(files->list);
}
