/* SPDX-License-Identifier: MIT */
/*
 * The executable mappings of this process, and the functions in them that must not be timed.
 * `tickwise profile` finds these before the program runs, since it reads symbols. It writes a
 * file with a line for each: where it is in which object.
 *
 *	OFFSET PATH		of the function in the object's file, hexadecimal
 *
 * Mappings are read without streams, because the program may be in the middle of stdio.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "array.h"
#include "base/open_file.h"
#include "profile.h"

void tw_maps_each(void (*take)(void *context, const struct tw_map *map), void *context)
{
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	/* Room for a path and for what is before it in a line. */
	char line[PATH_MAX + 128];
	size_t length = 0;
	ssize_t got;

	while ((got = read(file, line + length, sizeof(line) - 1 - length)) > 0) {
		char *begin = line, *newline;

		length += (size_t)got;
		while ((newline = memchr(begin, '\n', length)) != NULL) {
			struct tw_map map;
			int path = 0;
			char is_code;

			*newline = 0;
			/* begin-end perms offset device inode   path */
			if (sscanf(begin, "%lx-%lx %*2c%c%*c %lx %*s %*s %n", &map.begin, &map.end,
				   &is_code, &map.offset, &path) == 4 && path && is_code == 'x') {
				map.path = begin + path;
				take(context, &map);
			}
			length -= (size_t)(newline + 1 - begin);
			begin = newline + 1;
		}
		/* The line is longer than any path allows. Skip it. */
		if (length == sizeof(line) - 1)
			length = 0;
		memmove(line, begin, length);
	}
	if (file >= 0)
		close(file);
}

/* ---- functions that must not be timed ---- */

static struct entry {
	uint64_t offset;
	const void *address;		/* NULL: its object is not loaded */
	char *path;
} *entries;
static size_t entry_count;

int tw_profile_is_filtered(const void *address)
{
	for (size_t i = 0; i < entry_count; i++)
		if (__atomic_load_n(&entries[i].address, __ATOMIC_RELAXED) == address)
			return 1;
	return 0;
}

static void resolve_in(void *context, const struct tw_map *map)
{
	(void)context;
	for (size_t i = 0; i < entry_count; i++) {
		struct entry *entry = &entries[i];
		uint64_t in_map = entry->offset - map->offset;

		if (in_map < map->end - map->begin && strcmp(entry->path, map->path) == 0)
			__atomic_store_n(&entry->address,
					 (const void *)(uintptr_t)(map->begin + in_map),
					 __ATOMIC_RELAXED);
	}
}

void tw_profile_filter_resolve(void)
{
	if (entry_count)
		tw_maps_each(resolve_in, NULL);
}

void tw_profile_filter_read(const char *path)
{
	char line[PATH_MAX + 32], *end;
	int fd = tw_input_open(path, 0);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "r");

	if (!file) {
		tw_profile_say("can't open %s: everything is timed", path);
		return;
	}
	while (fgets(line, sizeof(line), file)) {
		uint64_t offset = strtoull(line, &end, 16);
		struct entry *entry = *end == ' ' ? tw_one_more(&entries, &entry_count) : NULL;

		line[strcspn(line, "\n")] = 0;
		if (!entry)
			continue;
		entry->offset = offset;
		entry->path = strdup(end + 1);
		/* Without memory nothing has this path. */
		entry_count -= !entry->path;
	}
	fclose(file);
	tw_profile_filter_resolve();
}
