/* SPDX-License-Identifier: MIT */
/*
 * Knows the functions that must not be timed. `tickwise profile` finds them
 * before the program runs, since it reads symbols. It writes a file with a line
 * for each: where it is in which object.
 *
 *	OFFSET PATH		of the function in the object's file, hexadecimal
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "array.h"
#include "maps.h"
#include "profile.h"

struct entry {
	uint64_t offset;
	const void *address;		/* NULL: its object is not loaded */
	char *path;
};

static struct entry *entries;
static size_t entry_count;

int tw_profile_is_filtered(const void *address)
{
	for (size_t i = 0; i < entry_count; i++)
		if (__atomic_load_n(&entries[i].address, __ATOMIC_RELAXED) ==
		    address)
			return 1;
	return 0;
}

static void resolve_in(void *context, const struct tw_map *map)
{
	(void)context;
	for (size_t i = 0; i < entry_count; i++) {
		struct entry *entry = &entries[i];

		if (entry->offset < map->offset ||
		    entry->offset - map->offset >= map->end - map->begin ||
		    strcmp(entry->path, map->path) != 0)
			continue;
		__atomic_store_n(&entry->address, (const void *)(uintptr_t)
				 (map->begin + entry->offset - map->offset),
				 __ATOMIC_RELAXED);
	}
}

void tw_profile_filter_resolve(void)
{
	if (entry_count)
		tw_maps_each(resolve_in, NULL);
}

static void add(char *line)
{
	struct entry *entry;
	uint64_t offset;
	char *end, *path;

	line[strcspn(line, "\n")] = 0;
	offset = strtoull(line, &end, 16);
	path = *end == ' ' ? strdup(end + 1) : NULL;
	entry = path ? tw_one_more(&entries, &entry_count) : NULL;
	if (!entry) {
		free(path);
		return;
	}
	entry->offset = offset;
	entry->path = path;
}

void tw_profile_filter_read(const char *path)
{
	char line[PATH_MAX + 32];
	FILE *file = fopen(path, "re");

	if (!file) {
		tw_profile_say("can't open %s: everything is timed", path);
		return;
	}
	while (fgets(line, sizeof(line), file))
		add(line);
	fclose(file);
	tw_profile_filter_resolve();
}
