/* SPDX-License-Identifier: MIT */
/*
 * Reads from the kernel's files which CPUs there are and which are allowed; see
 * cpus.h.
 */
#include "cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "affinity.h"
#include "text_file.h"

#define CPUS_PATH	"/sys/devices/system/cpu/"
#define CGROUP_PATH	"/sys/fs/cgroup"

#define MAX_PATH	4096

static void read_list(struct tw_cpu_list *list, const char *path)
{
	char *text = tw_text_file(path);

	memset(list, 0, sizeof(*list));
	if (text)
		tw_cpu_list_parse(list, text);
	free(text);
}

static void read_system_list(struct tw_cpu_list *list, const char *root,
			     const char *name)
{
	char path[MAX_PATH];
	int wanted = snprintf(path, sizeof(path), "%s" CPUS_PATH "%s", root,
			      name);

	memset(list, 0, sizeof(*list));
	if (wanted > 0 && (size_t)wanted < sizeof(path))
		read_list(list, path);
}

static void read_allowed(struct tw_cpu_list *list)
{
	unsigned *cpus;
	unsigned count, i;

	memset(list, 0, sizeof(*list));
	if (tw_allowed_cpus(&cpus, &count))
		return;
	for (i = 0; i < count; i++)
		tw_cpu_list_add(list, cpus[i]);
	free(cpus);
	list->known = 1;
}

/* True if @word is one of the words of "a,b,c:". If there are no words, "" is
 * one. */
static int names_controller(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (;;) {
		size_t had = strcspn(words, ",:\n");

		if (had == length && !memcmp(words, word, length))
			return 1;
		words += had;
		if (*words != ',')
			return 0;
		words++;
	}
}

/* The file's lines are "number:controllers:path". */
const char *tw_parse_cgroup(const char *text, const char *controller)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n");
		const char *words = memchr(text, ':', (size_t)(end - text));
		const char *path = words ? memchr(words + 1, ':',
				(size_t)(end - words - 1)) : NULL;

		if (path && path[1] == '/' &&
		    names_controller(words + 1, controller))
			return path + 1;
		text = end + (*end == '\n');
	}
	return NULL;
}

/* Search from the group upwards. @names: files that can hold the list, best
 * first; then NULL. */
static void search_group(struct tw_cpu_list *list, const char *mount,
			 const char *group, const char *const *names)
{
	char path[MAX_PATH];
	size_t length = strcspn(group, "\n");
	unsigned i;

	while (!list->known) {
		for (i = 0; names[i] && !list->known; i++) {
			int wanted = snprintf(path, sizeof(path), "%s%.*s/%s",
					      mount, (int)length, group,
					      names[i]);

			if (wanted > 0 && (size_t)wanted < sizeof(path))
				read_list(list, path);
		}
		if (!length)
			return;
		while (length && group[--length] != '/')
			;
	}
}

static void read_cpuset(struct tw_cpu_list *list, const char *root)
{
	static const char *const new_names[] = { "cpuset.cpus.effective",
						 NULL };
	static const char *const old_names[] = { "cpuset.effective_cpus",
						 "cpuset.cpus", NULL };
	char path[MAX_PATH / 2], text[MAX_PATH];
	const char *group;

	memset(list, 0, sizeof(*list));
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (tw_text_file_begin(path, text, sizeof(text)) < 0)
		return;
	/* A controller is in one hierarchy only. A path that leads out of the
	 * namespace is not below the mount that this process sees. */
	group = tw_parse_cgroup(text, "cpuset");
	if (group && strncmp(group, "/..", 3)) {
		snprintf(path, sizeof(path), "%s" CGROUP_PATH "/cpuset", root);
		search_group(list, path, group, old_names);
		return;
	}
	group = group ? NULL : tw_parse_cgroup(text, "");
	if (group && strncmp(group, "/..", 3)) {
		snprintf(path, sizeof(path), "%s" CGROUP_PATH, root);
		search_group(list, path, group, new_names);
	}
}

void tw_machine_cpus_read(struct tw_machine_cpus *cpus, const char *root)
{
	int saved_errno = errno;

	read_system_list(&cpus->present, root, "present");
	read_system_list(&cpus->online, root, "online");
	read_allowed(&cpus->allowed);
	read_cpuset(&cpus->cpuset, root);
	errno = saved_errno;
}
