/* SPDX-License-Identifier: MIT */
/*
 * Reads /proc/self/maps without stdio, because the program may be in the middle
 * of stdio.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "maps.h"

/* Room for a path and for what is before it in a line. */
#define LINE_SIZE	(PATH_MAX + 128)

static const char *hex(const char *text, uint64_t *value)
{
	uint64_t read = 0;

	for (;; text++) {
		if (*text >= '0' && *text <= '9')
			read = read << 4 | (uint64_t)(*text - '0');
		else if (*text >= 'a' && *text <= 'f')
			read = read << 4 | (uint64_t)(*text - 'a' + 10);
		else
			break;
	}
	*value = read;
	return text;
}

/* Parse a line: begin-end perms offset device inode   path */
int tw_map_parse(struct tw_map *map, const char *line)
{
	line = hex(line, &map->begin);
	if (*line != '-')
		return 0;
	line = hex(line + 1, &map->end);
	if (strnlen(line, 6) < 6 || line[3] != 'x')
		return 0;
	line = hex(line + 6, &map->offset);
	for (int field = 0; field < 2; field++) {
		line += strspn(line, " ");
		line += strcspn(line, " ");
	}
	map->path = line + strspn(line, " ");
	return map->end > map->begin;
}

int tw_maps_each(void (*take)(void *context, const struct tw_map *map),
		 void *context)
{
	int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	char line[LINE_SIZE];
	size_t length = 0;
	ssize_t got;

	if (file < 0)
		return -errno;
	while ((got = read(file, line + length,
			   sizeof(line) - 1 - length)) > 0) {
		char *begin = line, *newline;

		length += (size_t)got;
		while ((newline = memchr(begin, '\n', length)) != NULL) {
			struct tw_map map;

			*newline = 0;
			if (tw_map_parse(&map, begin))
				take(context, &map);
			length -= (size_t)(newline + 1 - begin);
			begin = newline + 1;
		}
		/* The line is longer than any path allows. Skip it. */
		if (length == sizeof(line) - 1)
			length = 0;
		memmove(line, begin, length);
	}
	close(file);
	return got < 0 ? -EIO : 0;
}
