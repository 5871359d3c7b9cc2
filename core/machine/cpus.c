/* SPDX-License-Identifier: MIT */
/*
 * Finds which CPUs there are and which are allowed, and has the sets of CPUs; see
 * cpus.h.
 */
#include "cpus.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "text_file.h"

/* ---- the calling thread's ---- */

int tw_allowed_cpus(unsigned **cpus, unsigned *count)
{
	struct tw_cpu_list list;
	const int error = tw_cpu_list_allowed(&list, 0);

	if (error)
		return error;
	*cpus = calloc(tw_cpu_list_count(&list) + 1, sizeof(**cpus));
	if (!*cpus)
		return -ENOMEM;
	*count = 0;
	for (unsigned cpu = 0; cpu < TW_CPU_LIST_MAX; cpu++)
		if (tw_cpu_list_has(&list, cpu))
			(*cpus)[(*count)++] = cpu;
	return 0;
}

int tw_pin_to_cpu(unsigned cpu)
{
	struct tw_cpu_list list = { .known = 1 };

	tw_cpu_list_add(&list, cpu);
	return tw_cpu_list_allow(&list);
}

/* ---- sets ---- */

#define WORDS	(TW_CPU_LIST_MAX / 64)

/* The bits have the kernel's format. */
int tw_cpu_list_allowed(struct tw_cpu_list *list, pid_t thread)
{
	memset(list, 0, sizeof(*list));
	if (sched_getaffinity(thread, sizeof(list->bits), (cpu_set_t *)(void *)list->bits))
		return -errno;
	list->known = 1;
	return 0;
}

int tw_cpu_list_allow(const struct tw_cpu_list *list)
{
	return sched_setaffinity(0, sizeof(list->bits),
				 (const cpu_set_t *)(const void *)list->bits) ? -errno : 0;
}

void tw_cpu_list_add(struct tw_cpu_list *list, unsigned cpu)
{
	if (cpu < TW_CPU_LIST_MAX)
		list->bits[cpu / 64] |= 1ULL << cpu % 64;
}

int tw_cpu_list_has(const struct tw_cpu_list *list, unsigned cpu)
{
	return cpu < TW_CPU_LIST_MAX && list->bits[cpu / 64] >> cpu % 64 & 1;
}

unsigned tw_cpu_list_count(const struct tw_cpu_list *list)
{
	unsigned count = 0;

	for (unsigned i = 0; i < WORDS; i++)
		count += (unsigned)__builtin_popcountll(list->bits[i]);
	return count;
}

void tw_cpu_list_without(struct tw_cpu_list *difference,
			 const struct tw_cpu_list *list,
			 const struct tw_cpu_list *other)
{
	memset(difference, 0, sizeof(*difference));
	difference->known = list->known && other->known;
	for (unsigned i = 0; difference->known && i < WORDS; i++)
		difference->bits[i] = list->bits[i] & ~other->bits[i];
}

int tw_cpu_list_covers(const struct tw_cpu_list *list,
		       const struct tw_cpu_list *cpus)
{
	struct tw_cpu_list rest;

	tw_cpu_list_without(&rest, cpus, list);
	return rest.known && tw_cpu_list_count(&rest) == 0;
}

/* Read "8" or "0-3", and move *@text behind it. Return 0 if there is neither. */
static int take_range(const char **text, struct tw_cpu_list *list)
{
	unsigned long first, last, cpu;
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	first = last = strtoul(*text, &end, 10);
	if (*end == '-') {
		if (!isdigit((unsigned char)end[1]))
			return 0;
		last = strtoul(end + 1, &end, 10);
	}
	for (cpu = first; cpu <= last && cpu < TW_CPU_LIST_MAX; cpu++)
		tw_cpu_list_add(list, (unsigned)cpu);
	*text = end;
	return first <= last;
}

int tw_cpu_list_parse(struct tw_cpu_list *list, const char *text)
{
	int good = 1;

	memset(list, 0, sizeof(*list));
	if (*text && *text != '\n')
		do
			good = take_range(&text, list);
		while (good && *text == ',' && text++);
	if (!good || (*text && strcmp(text, "\n"))) {
		memset(list, 0, sizeof(*list));
		return -EINVAL;
	}
	list->known = 1;
	return 0;
}

void tw_cpu_list_print(const struct tw_cpu_list *list, FILE *out)
{
	const char *before = "";
	unsigned cpu, last;

	for (cpu = 0; cpu < TW_CPU_LIST_MAX; cpu = last + 1) {
		last = cpu;
		if (!tw_cpu_list_has(list, cpu))
			continue;
		while (tw_cpu_list_has(list, last + 1))
			last++;
		fprintf(out, "%s%u", before, cpu);
		if (last > cpu)
			fprintf(out, "-%u", last);
		before = ",";
	}
}

/* ---- this machine's ---- */

#define CPUS_PATH	"/sys/devices/system/cpu"
#define CGROUP_PATH	"/sys/fs/cgroup"

#define MAX_PATH	4096

/* Read the list in a file, whose path is @root, @length bytes of @folder, and @name. */
static void read_list(struct tw_cpu_list *list, const char *root, const char *folder,
		      size_t length, const char *name)
{
	char *text = tw_text_file("%s%.*s/%s", root, (int)length, folder, name);

	memset(list, 0, sizeof(*list));
	if (text)
		tw_cpu_list_parse(list, text);
	free(text);
}

/* Lines are "number:controllers:path". Of no controllers "" is one. */
const char *tw_cgroup_of(const char *text, const char *controller)
{
	while (*text) {
		const char *end = text + strcspn(text, "\n");
		const char *words = memchr(text, ':', (size_t)(end - text));
		const char *path = words ? memchr(words + 1, ':',
				(size_t)(end - words - 1)) : NULL;

		if (path && path[1] == '/' &&
		    tw_text_has_word(words + 1, controller, ",:\n", ","))
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
	size_t length = strcspn(group, "\n");

	while (!list->known) {
		for (unsigned i = 0; names[i] && !list->known; i++)
			read_list(list, mount, group, length, names[i]);
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
	int is_old;

	memset(list, 0, sizeof(*list));
	snprintf(path, sizeof(path), "%s/proc/self/cgroup", root);
	if (tw_text_file_begin(path, text, sizeof(text)) < 0)
		return;
	/* A controller is in one hierarchy only. A path that leads out of the
	 * namespace is not below the mount that this process sees. */
	group = tw_cgroup_of(text, "cpuset");
	is_old = group != NULL;
	if (!is_old)
		group = tw_cgroup_of(text, "");
	if (!group || !strncmp(group, "/..", 3))
		return;
	snprintf(path, sizeof(path), "%s" CGROUP_PATH "%s", root, is_old ? "/cpuset" : "");
	search_group(list, path, group, is_old ? old_names : new_names);
}

void tw_machine_cpus_read(struct tw_machine_cpus *cpus, const char *root)
{
	int saved_errno = errno;

	read_list(&cpus->present, root, CPUS_PATH, strlen(CPUS_PATH), "present");
	read_list(&cpus->online, root, CPUS_PATH, strlen(CPUS_PATH), "online");
	tw_cpu_list_allowed(&cpus->allowed, 0);
	read_cpuset(&cpus->cpuset, root);
	errno = saved_errno;
}
