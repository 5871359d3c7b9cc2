/* SPDX-License-Identifier: MIT */
/*
 * The CPUs of the calling thread. Internal.
 */
#ifndef TW_MACHINE_AFFINITY_H
#define TW_MACHINE_AFFINITY_H

/**
 * tw_allowed_cpus - list the CPUs that the calling thread may run on
 * @cpus: their numbers, allocated, rising; free() it
 * @count: how many
 *
 * Numbers of 1024 and more are found: the set grows until it holds the kernel's.
 *
 * Return: 0; -ENOMEM; -errno of sched_getaffinity().
 */
int tw_allowed_cpus(unsigned **cpus, unsigned *count);

/* Pin the calling thread to one CPU. Return: 0; -ENOMEM; -errno of
 * sched_setaffinity(). */
int tw_pin_to_cpu(unsigned cpu);

#endif
