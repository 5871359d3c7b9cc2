/* SPDX-License-Identifier: MIT */
/*
 * The executable mappings of this process, as /proc/self/maps has them.
 */
#ifndef TW_PROFILE_MAPS_H
#define TW_PROFILE_MAPS_H

#include <stdint.h>

struct tw_map {
	uint64_t begin, end, offset;
	const char *path;		/* to the end of the line; may be "" */
};

/* Calls @take for each. 0; -errno of opening the file. Allocates nothing. */
int tw_maps_each(void (*take)(void *context, const struct tw_map *map),
		 void *context);

/* One line of it, without its newline. 1: an executable mapping; 0: not. Pure. */
int tw_map_parse(struct tw_map *map, const char *line);

#endif
