/* SPDX-License-Identifier: MIT */
/*
 * Computes how long it takes until the counter wraps, from the largest value on any allowed
 * CPU. A separate thread moves over the CPUs, so the caller is never left on a wrong one.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>

#include "counter/state.h"
#include "machine/cpus.h"
#include "reliability.h"

void *tw_wrap_visit(void *argument)
{
	struct tw_wrap_tour *tour = argument;

	for (unsigned i = 0; i < tour->count; i++) {
		uint64_t ticks;

		if (tour->read(tour->cpus[i], &ticks))
			continue;
		if (!tour->visited++ || ticks >= tour->largest_ticks) {
			tour->largest_ticks = ticks;
			tour->largest_cpu = tour->cpus[i];
		}
	}
	return NULL;
}

/* Read the counter on a CPU. The CPU may have been taken away meanwhile. */
static int read_there(unsigned cpu, uint64_t *ticks)
{
	if (tw_pin_to_cpu(cpu) || sched_getcpu() != (int)cpu)
		return -EAGAIN;
	*ticks = tw_ticks_begin();
	return 0;
}

int tw_ticks_largest(uint64_t *ticks, unsigned *cpu)
{
	int saved_errno = errno;
	struct tw_wrap_tour tour = { .read = read_there };
	sigset_t all, before;
	pthread_t thread;
	unsigned *cpus;
	int ret, failed;

	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	ret = tw_allowed_cpus(&cpus, &tour.count);
	if (ret)
		goto out;
	tour.cpus = cpus;
	/* In the thread all signals are blocked, so that none of the caller's handlers runs
	 * there. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&thread, NULL, tw_wrap_visit, &tour);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (!failed)
		pthread_join(thread, NULL);
	free(cpus);
	ret = tour.visited ? (int)tour.visited : -EAGAIN;
	if (ret > 0)
		*ticks = tour.largest_ticks;
	if (ret > 0 && cpu)
		*cpu = tour.largest_cpu;
out:
	errno = saved_errno;
	return ret;
}

double tw_seconds_before_wrap(uint64_t ticks, double hz)
{
	if (!(hz > 0) || !isfinite(hz))
		return 0;
	/* UINT64_MAX - ticks is exact, while 2^64 - ticks in doubles is not. */
	return ((double)(UINT64_MAX - ticks) + 1) / hz;
}
