/* SPDX-License-Identifier: MIT */
/*
 * The executable mappings of this process, from /proc/self/maps.
 */
#ifndef TW_PROFILE_MAPS_H
#define TW_PROFILE_MAPS_H

#include <stdint.h>

struct tw_map {
	uint64_t begin, end, offset;
	const char *path;		/* to the end of the line; may be "" */
};

/* Call @take for each mapping. Return 0; -errno of opening the file. Allocates
 * nothing. */
int tw_maps_each(void (*take)(void *context, const struct tw_map *map),
		 void *context);

/* Parse a line without its newline. Return 1 for an executable mapping, else 0.
 * Pure. */
int tw_map_parse(struct tw_map *map, const char *line);

#endif
