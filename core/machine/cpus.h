/* SPDX-License-Identifier: MIT */
/*
 * CPUs: those that the calling thread may use, sets of them in the kernel's notation,
 * and what excludes the others if the kernel tells. Internal.
 */
#ifndef TW_MACHINE_CPUS_H
#define TW_MACHINE_CPUS_H

#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- the calling thread's ---- */

/* List the CPUs that the calling thread may run on, rising; free() the list. Numbers below
 * TW_CPU_LIST_MAX are found. Return: 0; -ENOMEM; -errno of sched_getaffinity(). */
int tw_allowed_cpus(unsigned **cpus, unsigned *count);

/* Pin the calling thread to one CPU. Return: 0; -errno of sched_setaffinity(). */
int tw_pin_to_cpu(unsigned cpu);

/* ---- sets, "0-3,8" ---- */

/* Sets have a fixed number of bits. So they can be copied and compared, and no
 * allocation can fail. */

/* No kernel is built for more: this is NR_CPUS with MAXSMP. Higher numbers are left
 * out. */
#define TW_CPU_LIST_MAX	8192

struct tw_cpu_list {
	int known;		/* 0: it could not be found out; the rest is 0 */
	uint64_t bits[TW_CPU_LIST_MAX / 64];
};

/* Set @list to the CPUs that a thread may run on; 0: the calling one. Return: 0; -errno of
 * sched_getaffinity(), and @list is unknown. */
int tw_cpu_list_allowed(struct tw_cpu_list *list, pid_t thread);

/* Let the calling thread run on these CPUs alone. Return: 0; -errno of sched_setaffinity(). */
int tw_cpu_list_allow(const struct tw_cpu_list *list);

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

/* Parse "0-3,8" and a newline, as the kernel writes it; an empty text is an empty list.
 * Return: 0; -EINVAL for any other text, and @list is unknown. */
int tw_cpu_list_parse(struct tw_cpu_list *list, const char *text);

/* Print in the same notation, without a newline. An empty list prints nothing. */
void tw_cpu_list_print(const struct tw_cpu_list *list, FILE *out);

/* ---- this machine's ---- */

/* Each of these may be unknown. */
struct tw_machine_cpus {
	struct tw_cpu_list present;	/* plugged in */
	struct tw_cpu_list online;
	struct tw_cpu_list allowed;	/* to the calling thread */
	struct tw_cpu_list cpuset;	/* by its control group */
};

/*
 * Read these lists. @root: what the paths begin with: "" for this machine.
 *
 * The cpuset is that of the process: cpuset.cpus.effective of its control group, or of
 * the nearest group above that has one. In a hierarchy of version 1 it is
 * cpuset.effective_cpus, or else cpuset.cpus. The affinity mask excludes what is in the
 * cpuset and not allowed.
 */
void tw_machine_cpus_read(struct tw_machine_cpus *cpus, const char *root);

/* Find this process's control group in the text of /proc/self/cgroup. @controller: such as
 * "cpuset", of its version 1 hierarchy; "": of version 2. Return its path, which a newline
 * ends; NULL if there is none. */
const char *tw_cgroup_of(const char *text, const char *controller);

#endif
