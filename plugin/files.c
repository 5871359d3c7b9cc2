/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Where files are: see files.h.
 */
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "block_device.h"
#include "files.h"

/* The line of a mount in /proc/self/mountinfo: "ID ... - TYPE SOURCE OPTIONS". */
static void find_mount(const char *mounts, struct tw_place *place)
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

bool tw_find_place(const char *path, const char *mounts, struct tw_place *place)
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

/* Files of btrfs and others have the number of no device; what is mounted may be
 * one. */
static dev_t mounted_device(const struct tw_place *place)
{
	struct stat source;

	if (*place->source == '/' && !stat(place->source, &source) &&
	    S_ISBLK(source.st_mode))
		return source.st_rdev;
	return 0;
}

struct tw_file_device tw_device_at(const struct tw_place *place)
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
