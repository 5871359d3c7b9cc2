/* SPDX-License-Identifier: MIT */
/*
 * Reads caches and NUMA nodes from sysfs, and how much memory is available to this machine
 * and to this process's control groups. In a container the root of what can be seen is
 * often the group's own directory, whatever its name in /proc is. So the root's limit
 * always counts.
 */
#include "sysfs.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

#define MAX_INDICES	16

const char *tw_next_line(const char *line)
{
	line = strchrnul(line, '\n');
	return line + (*line == '\n');
}

uint64_t tw_number_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	for (; text && *text; text = tw_next_line(text))
		if (strncmp(text, key, length) == 0)
			return strtoull(text + length, NULL, 10);
	return 0;
}

/* Read a file. The caller frees the text. NULL if there is none. */
static __attribute__((format(printf, 1, 2))) char *text_of(const char *format, ...)
{
	char path[PATH_MAX];
	va_list arguments;
	int length;

	va_start(arguments, format);
	length = vsnprintf(path, sizeof(path), format, arguments);
	va_end(arguments);
	return length < (int)sizeof(path) ? tw_text_file(path) : NULL;
}

/* ---- caches and nodes ---- */

size_t tw_parse_cache_size(const char *text)
{
	static const char units[] = "\nKMG";
	char *end;
	unsigned long long number = strtoull(text, &end, 10);
	const char *unit = *end ? strchr(units, *end) : units;

	if (end == text || *text == '-' || number > SIZE_MAX >> 31 || !unit)
		return 0;
	return (size_t)number << 10 * (unit - units);
}

/* Read a cache's attribute as a size or a number; 0: there is none. */
static size_t size_of(const char *base, unsigned cpu, unsigned index, const char *name)
{
	char *text = text_of("%s/cpu%u/cache/index%u/%s", base, cpu, index, name);
	size_t size = text ? tw_parse_cache_size(text) : 0;

	free(text);
	return size;
}

/* Read all of a cache. Return 1 if it is one that holds data. */
static int read_cache(struct tw_cache *cache, const char *base, unsigned cpu, unsigned index)
{
	char *type = text_of("%s/cpu%u/cache/index%u/type", base, cpu, index);
	char *shared = text_of("%s/cpu%u/cache/index%u/shared_cpu_list", base, cpu, index);
	int holds_data = type && strncmp(type, "Instruction", 11) != 0;
	struct tw_cpu_list sharers = { 0 };

	if (shared)
		tw_cpu_list_parse(&sharers, shared);
	*cache = (struct tw_cache) {
		.level = (unsigned)size_of(base, cpu, index, "level"),
		.bytes = size_of(base, cpu, index, "size"),
		.line_bytes = size_of(base, cpu, index, "coherency_line_size"),
		.shared_by = tw_cpu_list_count(&sharers),
	};
	free(type);
	free(shared);
	return holds_data && cache->bytes && cache->level;
}

static int smaller_first(const void *left, const void *right)
{
	const struct tw_cache *a = left, *b = right;

	if (a->level != b->level)
		return a->level < b->level ? -1 : 1;
	return a->bytes < b->bytes ? -1 : a->bytes > b->bytes;
}

unsigned tw_caches_read(struct tw_cache caches[TW_CACHES], const char *base, unsigned cpu)
{
	unsigned count = 0;

	for (unsigned i = 0; i < MAX_INDICES && count < TW_CACHES; i++)
		count += (unsigned)read_cache(&caches[count], base, cpu, i);
	qsort(caches, count, sizeof(*caches), smaller_first);
	return count;
}

void tw_memory_nodes(struct tw_cpu_list *nodes, const char *path)
{
	char *text = tw_text_file(path);

	*nodes = (struct tw_cpu_list) { 0 };
	if (text)
		tw_cpu_list_parse(nodes, text);
	free(text);
	if (!tw_cpu_list_count(nodes))
		tw_cpu_list_add(nodes, 0);
}

/* ---- available memory ---- */

/* One version of control groups: where memory's groups are below the root, the text before
 * a group's name in /proc/self/cgroup, file names, and keys in memory.stat. */
static const struct version {
	const char *below, *before_name;
	const char *limit, *usage;
	const char *inactive, *active;
} versions[] = {
	{ "", "0::", "memory.max", "memory.current", "inactive_file ", "active_file " },
	{ "/memory", ":memory:", "memory.limit_in_bytes", "memory.usage_in_bytes",
	  "total_inactive_file ", "total_active_file " },
};

static uint64_t number_in(const char *group, const char *name, uint64_t none)
{
	char *text = text_of("%s/%s", group, name);
	uint64_t number = text && *text >= '0' && *text <= '9' ?
			  strtoull(text, NULL, 10) : none;

	free(text);
	return number;
}

static uint64_t left_in(const char *group, const struct version *version)
{
	uint64_t limit = number_in(group, version->limit, UINT64_MAX);
	uint64_t usage = number_in(group, version->usage, 0), cached;
	char *stat;

	if (limit == UINT64_MAX)
		return UINT64_MAX;
	stat = text_of("%s/memory.stat", group);
	cached = tw_number_of(stat, version->inactive) + tw_number_of(stat, version->active);
	free(stat);
	usage -= cached < usage ? cached : usage;
	return limit > usage ? limit - usage : 0;
}

/* Return this process's group: "/a/b" in the line "0::/a/b" or "4:memory:/a/b", to its end.
 * Return "" if there is no such line, or if the group is outside of what can be seen
 * ("/../.."). */
static const char *group_of(const char *membership, const char *before_name)
{
	for (; membership && *membership; membership = tw_next_line(membership)) {
		const char *at = strstr(membership, before_name);

		if (at && at < strchrnul(membership, '\n')) {
			at += strlen(before_name);
			return strncmp(at, "/..", 3) == 0 ? "" : at;
		}
	}
	return "";
}

/* Return the least that is left, from this process's group up to the root. */
static uint64_t least_left(const char *root, const char *membership,
			   const struct version *version)
{
	const char *group = group_of(membership, version->before_name);
	uint64_t least = UINT64_MAX;
	size_t root_length = strlen(root) + strlen(version->below);
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s%s%.*s", root, version->below,
		     (int)strcspn(group, "\n"), group) >= (int)sizeof(path))
		return UINT64_MAX;
	for (;;) {
		uint64_t left = left_in(path, version);
		char *slash = strrchr(path, '/');

		if (left < least)
			least = left;
		if (!slash || (size_t)(slash - path) < root_length)
			return least;
		*slash = '\0';
	}
}

uint64_t tw_group_left(const char *root, const char *membership)
{
	uint64_t newer = least_left(root, membership, &versions[0]);
	uint64_t older = least_left(root, membership, &versions[1]);

	return newer < older ? newer : older;
}

uint64_t tw_memory_available(void)
{
	char *text = tw_text_file("/proc/meminfo");
	char *membership = tw_text_file("/proc/self/cgroup");
	uint64_t bytes = tw_number_of(text, "MemAvailable:") * 1024;
	uint64_t left = tw_group_left(TW_GROUPS_ROOT, membership);

	free(text);
	free(membership);
	if (left == UINT64_MAX)
		return bytes;
	return bytes && bytes < left ? bytes : left;
}
