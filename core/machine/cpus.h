/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs there are, which of them this process may use, and what excludes
 * the others if the kernel tells. Internal.
 */
#ifndef TW_MACHINE_CPUS_H
#define TW_MACHINE_CPUS_H

#include "cpu_list.h"

/* Each of these may be unknown. */
struct tw_machine_cpus {
	struct tw_cpu_list present;	/* plugged in */
	struct tw_cpu_list online;
	struct tw_cpu_list allowed;	/* to the calling thread */
	struct tw_cpu_list cpuset;	/* by its control group */
};

/**
 * tw_machine_cpus_read - read these lists
 * @root: what the paths begin with: "" for this machine
 *
 * The cpuset is that of the process. It is cpuset.cpus.effective of its control
 * group, or of the nearest group above that has one. In a hierarchy of version
 * 1 it is cpuset.effective_cpus, or else cpuset.cpus. A thread may use the CPUs
 * that are in the cpuset and in its affinity mask. So the mask excludes what is
 * in the cpuset and not allowed.
 */
void tw_machine_cpus_read(struct tw_machine_cpus *cpus, const char *root);

/**
 * tw_parse_cgroup - find this process's control group in /proc/self/cgroup
 * @text: the file
 * @controller: "cpuset": of its version 1 hierarchy; "": of version 2
 *
 * Return: the group's path within @text, from its '/' to the newline; NULL if
 * there is none.
 */
const char *tw_parse_cgroup(const char *text, const char *controller);

#endif
