/* SPDX-License-Identifier: MIT */
/*
 * Puts back what runs changed in the queues of their devices, such as the scheduler by fio's
 * ioscheduler. The devices are those of the jobs' filename and directory, or of this folder.
 * The kernel's own names of them are used, and nothing but the files below is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run/run_parts.h"
#include "text_file.h"

/* In this order: a scheduler sets nr_requests, too, and that sets some of the scheduler's own. */
static const char *const names[] = {
	"scheduler", "nr_requests", "rotational", "write_cache", "iosched/*",
};

static char *path_of(const struct tw_run_settings *settings, const char *device,
		     const char *name)
{
	return tw_format("%s/block/%s/queue/%s", settings->sys, device, name);
}

/* Return the value, or the word in brackets of several; NULL: the device lacks this file. */
static const char *value_of(const char *path)
{
	char line[256], *begin, *value = line;

	tw_text_file_begin(path, line, sizeof(line));
	begin = strchr(line, '[');
	if (begin && strchr(begin, ']'))
		value = begin + 1;
	value[strcspn(value, value == line ? "\n" : "]")] = '\0';
	return *value ? tw_copy_text(value) : NULL;
}

/* Return the kernel's name of a device, for a partition that of its disk; NULL: none. */
static const char *name_of(const char *sys, dev_t device)
{
	char *link = tw_format("%s/dev/block/%u:%u", sys, major(device), minor(device));
	char folder[PATH_MAX], *name;

	if (!realpath(link, folder))
		return NULL;
	if (!access(tw_format("%s/partition", folder), F_OK))
		*strrchr(folder, '/') = '\0';
	name = strrchr(folder, '/');
	return name && name[1] ? tw_copy_text(name + 1) : NULL;
}

/* Remember the device of a path. Of a file that is to be made take that of its folder. */
static void remember(struct tw_run_settings *settings, const char *path)
{
	const char *slash = strrchr(path, '/'), *name, *was;
	struct stat status;

	if (stat(path, &status) &&
	    stat(slash ? tw_format("%.*s/", (int)(slash - path), path) : ".", &status))
		return;
	name = name_of(settings->sys, S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev);
	for (size_t i = 0; i < settings->count && name; i++)
		if (!strcmp(settings->list[i].device, name))
			return;
	for (size_t i = 0; name && i < TW_LENGTH(names); i++) {
		const size_t folder = strlen(path_of(settings, name, ""));
		glob_t found;

		if (!glob(path_of(settings, name, names[i]), 0, NULL, &found))
			for (size_t j = 0; j < found.gl_pathc; j++)
				if ((was = value_of(found.gl_pathv[j])) != NULL)
					*tw_grow_by_one(settings->list, settings->count) =
						(struct tw_run_setting) { name, tw_copy_text(
						found.gl_pathv[j] + folder), was, 0 };
		globfree(&found);
	}
}

/* Return the next one of fio's names with colons between, of which some may have colons with a
 * backslash; NULL: no more. Changes @list. */
static char *next_name(char **list)
{
	char *const name = *list, *to = name, *at = name;

	if (!*name)
		return NULL;
	for (; *at && *at != ':'; *to++ = *at++)
		at += at[0] == '\\' && at[1] == ':';
	*list = *at ? at + 1 : at;
	*to = '\0';
	return name;
}

void tw_run_remember(struct tw_run_settings *settings, const struct tw_run_jobs *jobs)
{
	int has_path = 0;

	for (size_t i = 0; i < jobs->line_count; i++) {
		const struct tw_run_line *line = &jobs->lines[i];
		char *list, *path;

		if (!line->name || (strcmp(line->name, "filename") &&
				    strcmp(line->name, "directory")))
			continue;
		has_path = 1;
		list = tw_format("%s", line->value);
		while ((path = next_name(&list)))
			remember(settings, path);
	}
	if (!has_path)
		remember(settings, ".");
}

static int write_value(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
	int error = fd < 0 || write(fd, value, strlen(value)) < 0 ? -errno : 0;

	if (fd >= 0)
		close(fd);
	return error;
}

void tw_run_put_back(struct tw_run_settings *settings)
{
	int *errors = tw_zalloc(settings->count, sizeof(*errors));

	/* First all: a line about one may wait for its reader, or end this program. */
	for (size_t i = 0; i < settings->count; i++) {
		const struct tw_run_setting *of = &settings->list[i];
		char *path = path_of(settings, of->device, of->name);
		const char *is = value_of(path);

		errors[i] = is && strcmp(is, of->was) ? write_value(path, of->was) : 1;
	}
	for (size_t i = 0; i < settings->count; i++) {
		struct tw_run_setting *of = &settings->list[i];

		/* Each run may change it again. */
		if (errors[i] > 0 || of->is_told)
			continue;
		of->is_told = 1;
		if (errors[i])
			tw_run_say("can't put back: %s of %s to %s: %s", of->name, of->device,
				   of->was, strerror(-errors[i]));
		else
			tw_run_remark("put back: %s of %s to %s", of->name, of->device, of->was);
	}
	free(errors);
}
