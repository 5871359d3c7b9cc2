/* SPDX-License-Identifier: MIT */
/*
 * Reads how much memory is available to this machine and to this process's
 * control groups. In a container the root of what can be seen is often the
 * group's own directory, whatever its name in /proc is. So the root's limit
 * always counts.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "available.h"
#include "pages.h"
#include "text_file.h"

/* The file names and keys of one version of control groups. */
struct names {
	const char *limit, *usage;
	const char *inactive, *active;	/* in memory.stat */
};

static const struct names version_2 = {
	"memory.max", "memory.current", "inactive_file ", "active_file ",
};
static const struct names version_1 = {
	"memory.limit_in_bytes", "memory.usage_in_bytes",
	"total_inactive_file ", "total_active_file ",
};

static char *read_of(const char *group, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", group, name) >=
	    (int)sizeof(path))
		return NULL;
	return tw_text_file(path);
}

/* Return the number of "KEY 123" at the beginning of a line; 0 if there is none. */
static uint64_t value_of(const char *text, const char *key)
{
	size_t length = strlen(key);

	while (text && *text) {
		if (strncmp(text, key, length) == 0)
			return strtoull(text + length, NULL, 10);
		text = strchr(text, '\n');
		text += text != NULL;
	}
	return 0;
}

static uint64_t number_in(const char *group, const char *name, uint64_t none)
{
	char *text = read_of(group, name);
	uint64_t number = text && *text >= '0' && *text <= '9' ?
			  strtoull(text, NULL, 10) : none;

	free(text);
	return number;
}

static uint64_t left_in(const char *group, const struct names *names)
{
	uint64_t limit = number_in(group, names->limit, UINT64_MAX);
	uint64_t usage = number_in(group, names->usage, 0);
	uint64_t cached;
	char *stat;

	if (limit == UINT64_MAX)
		return UINT64_MAX;
	stat = read_of(group, "memory.stat");
	cached = value_of(stat, names->inactive) +
		 value_of(stat, names->active);
	free(stat);
	usage -= cached < usage ? cached : usage;
	return limit > usage ? limit - usage : 0;
}

/* Return the least that is left, from a group's directory up to @root. @path
 * begins with @root. */
static uint64_t least_left(char *path, size_t root_length,
			   const struct names *names)
{
	uint64_t least = UINT64_MAX;

	for (;;) {
		uint64_t left = left_in(path, names);
		char *slash = strrchr(path, '/');

		if (left < least)
			least = left;
		if (!slash || (size_t)(slash - path) < root_length)
			return least;
		*slash = '\0';
	}
}

/* Return the group of this process in one hierarchy: "0::/a/b" in version 2,
 * "4:memory:/a/b" in version 1. @from is the text before the group. Return ""
 * if there is no such line. */
static const char *group_of(const char *membership, const char *from,
			    int *length)
{
	for (; membership && *membership;
	     membership += strcspn(membership, "\n") + 1) {
		const char *at = strstr(membership, from);
		int line = (int)strcspn(membership, "\n");

		if (at && at < membership + line) {
			at += strlen(from);
			*length = (int)(membership + line - at);
			return at;
		}
		if (!membership[line])
			break;
	}
	*length = 0;
	return "";
}

static uint64_t left_under(const char *root, const char *below,
			   const char *membership, const char *from,
			   const struct names *names)
{
	char path[PATH_MAX];
	int length;
	const char *group = group_of(membership, from, &length);

	/* The group is outside of what can be seen: "/../..". */
	if (length >= 3 && strncmp(group, "/..", 3) == 0)
		length = 0;
	if (snprintf(path, sizeof(path), "%s%s%.*s", root, below, length,
		     group) >= (int)sizeof(path))
		return UINT64_MAX;
	return least_left(path, strlen(root) + strlen(below), names);
}

uint64_t tw_group_left(const char *root, const char *membership)
{
	uint64_t newer = left_under(root, "", membership, "0::", &version_2);
	uint64_t older = left_under(root, "/memory", membership, ":memory:",
				    &version_1);

	return newer < older ? newer : older;
}

uint64_t tw_memory_available(void)
{
	char *text = tw_text_file("/proc/meminfo");
	char *membership = tw_text_file("/proc/self/cgroup");
	uint64_t bytes = text ? tw_meminfo_bytes(text, "MemAvailable:") : 0;
	uint64_t left = tw_group_left(TW_GROUPS_ROOT, membership);

	free(text);
	free(membership);
	if (left == UINT64_MAX)
		return bytes;
	return bytes && bytes < left ? bytes : left;
}
