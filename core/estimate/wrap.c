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

/* Make the tour in a thread. All signals are blocked there, so that none of the
 * caller's handlers runs in it. */
static int run_apart(struct tw_wrap_tour *tour)
{
	sigset_t all, before;
	pthread_t thread;
	int failed;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(&thread, NULL, tw_wrap_visit, tour);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (failed)
		return -EAGAIN;
	pthread_join(thread, NULL);
	return tour->visited ? (int)tour->visited : -EAGAIN;
}

int tw_ticks_largest(uint64_t *ticks, unsigned *cpu)
{
	int saved_errno = errno;
	struct tw_wrap_tour tour = { .read = read_there };
	unsigned *cpus;
	int ret;

	if (tw_counter_permission() != TW_COUNTER_OK)
		return -ENOTSUP;
	ret = tw_allowed_cpus(&cpus, &tour.count);
	if (!ret) {
		tour.cpus = cpus;
		ret = run_apart(&tour);
		free(cpus);
	}
	errno = saved_errno;
	if (ret < 0)
		return ret;
	*ticks = tour.largest_ticks;
	if (cpu)
		*cpu = tour.largest_cpu;
	return ret;
}

double tw_seconds_before_wrap(uint64_t ticks, double hz)
{
	if (!(hz > 0) || !isfinite(hz))
		return 0;
	/* UINT64_MAX - ticks is exact, while 2^64 - ticks in doubles is not. */
	return ((double)(UINT64_MAX - ticks) + 1) / hz;
}
