/* SPDX-License-Identifier: MIT */
/*
 * Finds which CPUs the calling thread may run on, and keeps it on one of them.
 */
#include "affinity.h"

#include <errno.h>
#include <sched.h>
#include <stdlib.h>

/* No kernel is built for more CPUs. The search for the set's size ends here. */
#define MAX_CPUS	(1 << 20)

static int collect_cpus(const cpu_set_t *set, size_t size, unsigned **cpus,
			unsigned *count)
{
	unsigned most = (unsigned)CPU_COUNT_S(size, set);
	unsigned *list = malloc((most ? most : 1) * sizeof(*list));
	unsigned found = 0;
	unsigned cpu;

	if (!list)
		return -ENOMEM;
	for (cpu = 0; found < most; cpu++)
		if (CPU_ISSET_S(cpu, size, set))
			list[found++] = cpu;
	*cpus = list;
	*count = found;
	return 0;
}

int tw_allowed_cpus(unsigned **cpus, unsigned *count)
{
	unsigned room = CPU_SETSIZE;
	int error = -EINVAL;

	for (; error == -EINVAL && room <= MAX_CPUS; room *= 2) {
		size_t size = CPU_ALLOC_SIZE(room);
		cpu_set_t *set = CPU_ALLOC(room);

		if (!set)
			return -ENOMEM;
		CPU_ZERO_S(size, set);
		error = sched_getaffinity(0, size, set) ? -errno : 0;
		if (!error)
			error = collect_cpus(set, size, cpus, count);
		CPU_FREE(set);
	}
	return error;
}

int tw_pin_to_cpu(unsigned cpu)
{
	size_t size = CPU_ALLOC_SIZE((size_t)cpu + 1);
	cpu_set_t *set = CPU_ALLOC((size_t)cpu + 1);
	int failed;

	if (!set)
		return -ENOMEM;
	CPU_ZERO_S(size, set);
	CPU_SET_S(cpu, size, set);
	failed = sched_setaffinity(0, size, set) ? -errno : 0;
	CPU_FREE(set);
	return failed;
}
