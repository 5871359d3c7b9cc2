/* SPDX-License-Identifier: MIT */
/*
 * Sets of CPUs in the kernel's notation, "0-3,8". Pure arithmetic on a fixed
 * number of bits. So sets can be copied and compared, and no allocation can
 * fail. Internal.
 */
#ifndef TW_MACHINE_CPU_LIST_H
#define TW_MACHINE_CPU_LIST_H

#include <stdint.h>
#include <stdio.h>

/* No kernel is built for more: this is NR_CPUS with MAXSMP. Higher numbers are left
 * out. */
#define TW_CPU_LIST_MAX	8192

struct tw_cpu_list {
	int known;		/* 0: it could not be found out; the rest is 0 */
	uint64_t bits[TW_CPU_LIST_MAX / 64];
};

void tw_cpu_list_add(struct tw_cpu_list *list, unsigned cpu);
int tw_cpu_list_has(const struct tw_cpu_list *list, unsigned cpu);
unsigned tw_cpu_list_count(const struct tw_cpu_list *list);

/* Set @difference to what is in @list and not in @other. It is known if both
 * are. */
void tw_cpu_list_without(struct tw_cpu_list *difference,
			 const struct tw_cpu_list *list,
			 const struct tw_cpu_list *other);

/* True if all of @cpus are in @list. False if one of the two is not known. */
int tw_cpu_list_covers(const struct tw_cpu_list *list,
		       const struct tw_cpu_list *cpus);

/**
 * tw_cpu_list_parse - parse "0-3,8" and a newline, as the kernel writes it
 * @list: the result; empty if the text is empty
 *
 * Return: 0; -EINVAL for any other text, and @list is unknown.
 */
int tw_cpu_list_parse(struct tw_cpu_list *list, const char *text);

/* Print in the same notation, without a newline. An empty list prints nothing. */
void tw_cpu_list_print(const struct tw_cpu_list *list, FILE *out);

#endif
