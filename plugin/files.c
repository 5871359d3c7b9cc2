/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where files are: see files.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "block_device.h"
#include "files.h"
#include "fio.h"
#include "text_file.h"

/* Where a file is, or will be. */
struct place {
	struct statx status;
	bool exists;
	char filesystem[32];
	char source[256];	/* what is mounted, maybe the path of a device */
};

/* Find the file system of @place in @mounts, the text of /proc/self/mountinfo. A line is
 * "ID ... - TYPE SOURCE OPTIONS". */
static void find_mount(const char *mounts, struct place *place)
{
#ifdef STATX_MNT_ID
	const char *line, *separator;

	if (!mounts || !(place->status.stx_mask & STATX_MNT_ID))
		return;
	for (line = mounts; *line; line += strcspn(line, "\n"),
				   line += *line == '\n') {
		if (strtoull(line, NULL, 10) != place->status.stx_mnt_id)
			continue;
		separator = strstr(line, " - ");
		if (separator)
			sscanf(separator, " - %31s %255s", place->filesystem,
			       place->source);
		return;
	}
#endif
}

static int look(const char *path, struct statx *status)
{
	unsigned mask = STATX_BASIC_STATS;

#ifdef STATX_MNT_ID
	mask |= STATX_MNT_ID;
#endif
	return statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, mask, status);
}

/* Find where the file @path is. If fio has not made the file yet, its folder tells the
 * same. False: unknown. */
static bool find_place(const char *path, const char *mounts, struct place *place)
{
	char *copy;

	memset(place, 0, sizeof(*place));
	place->exists = !look(path, &place->status);
	if (!place->exists) {
		copy = strdup(path);
		if (!copy || look(dirname(copy), &place->status)) {
			free(copy);
			return false;
		}
		free(copy);
	}
	if (!place->exists || S_ISREG(place->status.stx_mode) ||
	    S_ISDIR(place->status.stx_mode))
		find_mount(mounts, place);
	return true;
}

/* Return the mounted block device, or 0. It is needed for files of btrfs and others,
 * whose device number belongs to no device. */
static dev_t mounted_device(const struct place *place)
{
	struct stat source;

	if (*place->source == '/' && !stat(place->source, &source) &&
	    S_ISBLK(source.st_mode))
		return source.st_rdev;
	return 0;
}

static struct tw_file_device device_at(const struct place *place)
{
	const struct statx *status = &place->status;
	const dev_t own = makedev(status->stx_rdev_major, status->stx_rdev_minor);
	const dev_t below = makedev(status->stx_dev_major, status->stx_dev_minor);

	if (place->exists && S_ISBLK(status->stx_mode))
		return (struct tw_file_device) { .number = own, .block = own };
	if (place->exists && S_ISCHR(status->stx_mode))
		return (struct tw_file_device) {
			.number = own,
			.is_character = true,
			.block = tw_block_device_of_char_in("", own),
		};
	return (struct tw_file_device) {
		.number = below,
		.block = major(below) ? below : mounted_device(place),
	};
}

static bool is_same(const struct tw_file_device *one, const struct tw_file_device *other)
{
	return one->number == other->number &&
	       one->is_character == other->is_character;
}

/* Return the index of @device in the list. A new device is added to the list. */
static unsigned add_device(struct tw_files *files, const struct tw_file_device *device)
{
	unsigned i;

	for (i = 0; i < files->device_count; i++)
		if (is_same(&files->devices[i], device))
			return i;
	if (i < TW_FILES_DEVICES)
		files->devices[files->device_count++] = *device;
	return i;
}

static void note_file(struct tw_files *files, const char *path, const char *mounts)
{
	unsigned at = TW_FILES_DEVICES;
	struct tw_file_device device;
	struct place place;

	if (path && find_place(path, mounts, &place)) {
		if (files->count < TW_FILES_NAMED)
			snprintf(files->filesystem[files->count],
				 sizeof(*files->filesystem), "%s",
				 place.filesystem);
		device = device_at(&place);
		at = add_device(files, &device);
	}
	files->other_files += at == TW_FILES_DEVICES;
	files->of_file[files->count++] = (uint8_t) at;
}

struct tw_files *tw_files_find(const struct thread_data *td)
{
	struct tw_files *files = calloc(1, sizeof(*files) + td->files_index);
	char *mounts;
	unsigned i;

	if (!files)
		return NULL;
	mounts = tw_text_file("/proc/self/mountinfo");
	if (!mounts && errno == ENOMEM) {
		free(files);
		return NULL;
	}
	for (i = 0; i < td->files_index; i++)
		note_file(files, td->files[i]->file_name, mounts);
	free(mounts);
	return files;
}

json_t *tw_file_device_name(const struct tw_file_device *device)
{
	char number[TW_DEVICE_NUMBER_SIZE];

	tw_device_number(device->number, number);
	return json_sprintf("%s%s", device->is_character ? "char " : "", number);
}
