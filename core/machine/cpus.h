/* SPDX-License-Identifier: MIT */
/*
 * Which CPUs there are, and which of them this process may run on, with what
 * keeps it from the others where the kernel says so. Internal.
 */
#ifndef TW_MACHINE_CPUS_H
#define TW_MACHINE_CPUS_H

#include "cpu_list.h"

/* Each on its own may be unknown. */
struct tw_machine_cpus {
	struct tw_cpu_list present;	/* plugged in */
	struct tw_cpu_list online;
	struct tw_cpu_list allowed;	/* to the calling thread */
	struct tw_cpu_list cpuset;	/* by its control group */
};

/**
 * tw_machine_cpus_read - collect them
 * @root: what the paths begin with: "" for this machine
 *
 * The cpuset is that of the process: cpuset.cpus.effective of its control group
 * or of the nearest above it that has one; in a version 1 hierarchy
 * cpuset.effective_cpus, else cpuset.cpus. A thread is allowed what is in the
 * cpuset and in its affinity mask, so what is in the cpuset and not allowed is
 * excluded by the mask.
 */
void tw_machine_cpus_read(struct tw_machine_cpus *cpus, const char *root);

/**
 * tw_parse_cgroup - this process's control group in /proc/self/cgroup
 * @text: the file
 * @controller: "cpuset": its version 1 hierarchy; "": that of version 2
 *
 * Return: the group's path within @text, which begins with '/' and ends at the
 * newline; NULL if there is none.
 */
const char *tw_parse_cgroup(const char *text, const char *controller);

#endif
