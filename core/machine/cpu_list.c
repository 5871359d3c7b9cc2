/* SPDX-License-Identifier: MIT */
/*
 * Parses, prints and compares sets of CPUs. See cpu_list.h.
 */
#include "cpu_list.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WORDS	(TW_CPU_LIST_MAX / 64)

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
	unsigned i;

	for (i = 0; i < WORDS; i++)
		count += (unsigned)__builtin_popcountll(list->bits[i]);
	return count;
}

void tw_cpu_list_without(struct tw_cpu_list *difference,
			 const struct tw_cpu_list *list,
			 const struct tw_cpu_list *other)
{
	unsigned i;

	memset(difference, 0, sizeof(*difference));
	difference->known = list->known && other->known;
	for (i = 0; difference->known && i < WORDS; i++)
		difference->bits[i] = list->bits[i] & ~other->bits[i];
}

int tw_cpu_list_covers(const struct tw_cpu_list *list,
		       const struct tw_cpu_list *cpus)
{
	struct tw_cpu_list rest;

	tw_cpu_list_without(&rest, cpus, list);
	return rest.known && tw_cpu_list_count(&rest) == 0;
}

/* Read the number at *@text, and move *@text behind it. Return 0 if there is
 * none. */
static int take_number(const char **text, unsigned long *number)
{
	char *end;

	if (!isdigit((unsigned char)**text))
		return 0;
	*number = strtoul(*text, &end, 10);
	*text = end;
	return 1;
}

/* Read "8" or "0-3". Return 0 if there is neither. */
static int take_range(const char **text, struct tw_cpu_list *list)
{
	unsigned long first, last, cpu;

	if (!take_number(text, &first))
		return 0;
	last = first;
	if (**text == '-') {
		++*text;
		if (!take_number(text, &last) || last < first)
			return 0;
	}
	for (cpu = first; cpu <= last && cpu < TW_CPU_LIST_MAX; cpu++)
		tw_cpu_list_add(list, (unsigned)cpu);
	return 1;
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
