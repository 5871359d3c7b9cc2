/* SPDX-License-Identifier: MIT */
/*
 * Puts back what runs changed in the queues of their devices, such as the scheduler by fio's
 * ioscheduler. The devices are those of the jobs' filename and directory, or of this folder.
 * The kernel's own names of them are used, and nothing but the files below is written to.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run/run_parts.h"
#include "text_file.h"

/* In this order: a scheduler sets nr_requests, too. */
static const char *const names[TW_RUN_SETTINGS] = {
	"scheduler", "nr_requests", "rotational", "write_cache",
};

static char *path_of(const struct tw_run_settings *settings, const char *device, int setting)
{
	return tw_format("%s/block/%s/queue/%s", settings->sys, device, names[setting]);
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
	const char *slash = strrchr(path, '/'), *name;
	struct tw_run_device *device;
	struct stat status;

	if (stat(path, &status) &&
	    stat(slash ? tw_format("%.*s/", (int)(slash - path), path) : ".", &status))
		return;
	name = name_of(settings->sys, S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev);
	for (size_t i = 0; i < settings->count && name; i++)
		if (!strcmp(settings->devices[i].name, name))
			return;
	if (!name)
		return;
	device = tw_grow_by_one(settings->devices, settings->count);
	device->name = name;
	for (int i = 0; i < TW_RUN_SETTINGS; i++)
		device->was[i] = value_of(path_of(settings, name, i));
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
	const size_t count = settings->count * TW_RUN_SETTINGS;
	int *errors = tw_zalloc(count, sizeof(*errors));

	/* First all: a line about one may wait for its reader, or end this program. */
	for (size_t i = 0; i < count; i++) {
		struct tw_run_device *device = &settings->devices[i / TW_RUN_SETTINGS];
		const char *was = device->was[i % TW_RUN_SETTINGS];
		char *path = path_of(settings, device->name, (int)(i % TW_RUN_SETTINGS));
		const char *is = was ? value_of(path) : NULL;

		errors[i] = is && strcmp(is, was) ? write_value(path, was) : 1;
	}
	for (size_t i = 0; i < count; i++) {
		struct tw_run_device *device = &settings->devices[i / TW_RUN_SETTINGS];
		const int setting = (int)(i % TW_RUN_SETTINGS);

		/* Each run may change it again. */
		if (errors[i] > 0 || device->is_told[setting])
			continue;
		device->is_told[setting] = 1;
		if (errors[i])
			tw_run_say("can't put back: %s of %s to %s: %s", names[setting],
				   device->name, device->was[setting], strerror(-errors[i]));
		else
			tw_run_remark("put back: %s of %s to %s", names[setting], device->name,
				      device->was[setting]);
	}
	free(errors);
}
