/* SPDX-License-Identifier: MIT */
/*
 * Sets of CPUs in the kernel's own notation, "0-3,8". Pure arithmetic on a
 * fixed number of bits: the sets are copied and compared, and no allocation
 * fails. Internal.
 */
#ifndef TW_MACHINE_CPU_LIST_H
#define TW_MACHINE_CPU_LIST_H

#include <stdint.h>
#include <stdio.h>

/* The most that any kernel is built for: NR_CPUS with MAXSMP. Higher numbers
 * are left out. */
#define TW_CPU_LIST_MAX	8192

struct tw_cpu_list {
	int known;		/* 0: could not be found out; the rest is 0 */
	uint64_t bits[TW_CPU_LIST_MAX / 64];
};

void tw_cpu_list_add(struct tw_cpu_list *list, unsigned cpu);
int tw_cpu_list_has(const struct tw_cpu_list *list, unsigned cpu);
unsigned tw_cpu_list_count(const struct tw_cpu_list *list);

/* Those of @list that are not in @other; known if both are. */
void tw_cpu_list_without(struct tw_cpu_list *difference,
			 const struct tw_cpu_list *list,
			 const struct tw_cpu_list *other);

/* Are all of @cpus in @list? Not if one of the two is not known. */
int tw_cpu_list_covers(const struct tw_cpu_list *list,
		       const struct tw_cpu_list *cpus);

/**
 * tw_cpu_list_parse - "0-3,8" and a newline, as the kernel writes it
 * @list: the result; of no text at all an empty one
 *
 * Return: 0; -EINVAL with an unknown @list for all other text.
 */
int tw_cpu_list_parse(struct tw_cpu_list *list, const char *text);

/* In the same notation, without a newline; nothing for an empty list. */
void tw_cpu_list_print(const struct tw_cpu_list *list, FILE *out);

#endif
