/* SPDX-License-Identifier: MIT */
/*
 * Reads caches and nodes from sysfs.
 */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "caches.h"
#include "text_file.h"

#define MAX_INDICES	16

size_t tw_parse_cache_size(const char *text)
{
	char *end;
	unsigned long long number = strtoull(text, &end, 10);

	if (end == text || *text == '-' || number == 0 || number > SIZE_MAX >> 31)
		return 0;
	switch (*end) {
	case 'K':
		return (size_t)number << 10;
	case 'M':
		return (size_t)number << 20;
	case 'G':
		return (size_t)number << 30;
	case '\0':
	case '\n':
		return (size_t)number;
	default:
		return 0;
	}
}

/* Parse one number, which ends at '-', at ',' or at the end. */
static int parse_number(const char **text, unsigned *number)
{
	char *end;
	unsigned long value;

	if (**text < '0' || **text > '9')
		return -EINVAL;
	value = strtoul(*text, &end, 10);
	if (value > INT_MAX)
		return -EINVAL;
	*number = (unsigned)value;
	*text = end;
	return 0;
}

int tw_parse_list(const char *text, unsigned *numbers, unsigned room)
{
	unsigned count = 0, first, last;

	while (*text && *text != '\n') {
		if (parse_number(&text, &first))
			return -EINVAL;
		last = first;
		if (*text == '-') {
			text++;
			if (parse_number(&text, &last) || last < first)
				return -EINVAL;
		}
		if (last - first >= INT_MAX - count)
			return -EINVAL;
		for (unsigned i = first; i <= last; i++, count++)
			if (count < room)
				numbers[count] = i;
		if (*text == ',')
			text++;
		else if (*text && *text != '\n')
			return -EINVAL;
	}
	return (int)count;
}

/* Read one attribute. The caller frees it. NULL if there is none. */
static char *attribute(const char *base, unsigned cpu, unsigned index,
		       const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/cpu%u/cache/index%u/%s", base, cpu,
		     index, name) >= (int)sizeof(path))
		return NULL;
	return tw_text_file(path);
}

static size_t number_of(const char *base, unsigned cpu, unsigned index,
			const char *name)
{
	char *text = attribute(base, cpu, index, name);
	size_t number = text ? tw_parse_cache_size(text) : 0;

	free(text);
	return number;
}

static unsigned sharers(const char *base, unsigned cpu, unsigned index)
{
	char *text = attribute(base, cpu, index, "shared_cpu_list");
	int count = text ? tw_parse_list(text, NULL, 0) : 0;

	free(text);
	return count > 0 ? (unsigned)count : 0;
}

static int is_for_data(const char *base, unsigned cpu, unsigned index)
{
	char *text = attribute(base, cpu, index, "type");
	int is = text && strncmp(text, "Instruction", 11) != 0;

	free(text);
	return is;
}

static int smaller_first(const void *left, const void *right)
{
	const struct tw_cache *a = left, *b = right;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

unsigned tw_caches_read(struct tw_cache caches[TW_CACHES], const char *base,
			unsigned cpu)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MAX_INDICES && count < TW_CACHES; i++) {
		struct tw_cache *cache = &caches[count];

		if (!is_for_data(base, cpu, i))
			continue;
		cache->bytes = number_of(base, cpu, i, "size");
		cache->level = (unsigned)number_of(base, cpu, i, "level");
		cache->line_bytes = number_of(base, cpu, i,
					      "coherency_line_size");
		cache->shared_by = sharers(base, cpu, i);
		count += cache->bytes && cache->level;
	}
	qsort(caches, count, sizeof(*caches), smaller_first);
	return count;
}

unsigned tw_memory_nodes_read(unsigned *nodes, unsigned room, const char *path)
{
	char *text = tw_text_file(path);
	int count = text ? tw_parse_list(text, nodes, room) : 0;

	free(text);
	if (count > 0)
		return (unsigned)count < room ? (unsigned)count : room;
	nodes[0] = 0;
	return 1;
}

unsigned tw_memory_nodes(unsigned *nodes, unsigned room)
{
	return tw_memory_nodes_read(nodes, room, TW_MEMORY_NODES_FILE);
}
