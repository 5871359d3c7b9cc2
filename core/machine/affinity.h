/* SPDX-License-Identifier: MIT */
/*
 * The CPUs of the calling thread. Internal.
 */
#ifndef TW_MACHINE_AFFINITY_H
#define TW_MACHINE_AFFINITY_H

/**
 * tw_allowed_cpus - numbers of the CPUs the calling thread may run on
 * @cpus: allocated, rising; free() it
 * @count: how many
 *
 * Numbers of 1024 and more are found: the set grows until the kernel's fits.
 *
 * Return: 0; -ENOMEM; -errno of sched_getaffinity().
 */
int tw_allowed_cpus(unsigned **cpus, unsigned *count);

/* The calling thread, to one CPU. Return: 0; -ENOMEM; -errno of
 * sched_setaffinity(). */
int tw_pin_to_cpu(unsigned cpu);

#endif
