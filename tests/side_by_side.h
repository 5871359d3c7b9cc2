/* SPDX-License-Identifier: MIT */
/*
 * Can two threads run at the same time here, each on a CPU of its own? Not where
 * a program is run under valgrind, say, which lets one go on at a time: what
 * needs that can't be tested there.
 *
 * Told by the time for which one thread sees nothing new of another that does
 * nothing but count, in the best of many short rounds: where others have one of
 * the CPUs for part of the time, some are left undisturbed.
 */
#ifndef TESTS_SIDE_BY_SIDE_H
#define TESTS_SIDE_BY_SIDE_H

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <time.h>

#define SIDE_BY_SIDE_ROUNDS	50
#define SIDE_BY_SIDE_NS		500000

struct side_by_side {
	unsigned cpu;
	atomic_uint_fast64_t count;
	atomic_int stop;
};

static inline uint64_t side_by_side_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static inline void *side_by_side_count(void *arg)
{
	struct side_by_side *other = arg;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(other->cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	while (!atomic_load(&other->stop))
		atomic_fetch_add(&other->count, 1);
	return NULL;
}

/* The longest standstill seen within a round. */
static inline uint64_t side_by_side_still_ns(struct side_by_side *other)
{
	uint64_t start_ns = side_by_side_now_ns(), now_ns = start_ns;
	uint64_t moved_ns = start_ns, still_ns = 0;
	uint_fast64_t count = atomic_load(&other->count);

	while (now_ns - start_ns < SIDE_BY_SIDE_NS) {
		uint_fast64_t seen = atomic_load(&other->count);

		now_ns = side_by_side_now_ns();
		if (now_ns - moved_ns > still_ns)
			still_ns = now_ns - moved_ns;
		if (seen != count)
			moved_ns = now_ns;
		count = seen;
	}
	return still_ns;
}

/*
 * For how long at least a thread on @cpu stands still while the caller, on @own,
 * runs: some microseconds on CPUs that are free for a moment. UINT64_MAX: no such
 * thread. The caller may run where it could before.
 */
static inline uint64_t side_by_side_ns(unsigned own, unsigned cpu)
{
	struct side_by_side other = { .cpu = cpu };
	uint64_t least_ns = UINT64_MAX;
	cpu_set_t before, set;
	pthread_t thread;
	unsigned i;

	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&set);
	CPU_SET(own, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (!pthread_create(&thread, NULL, side_by_side_count, &other)) {
		while (!atomic_load(&other.count))
			sched_yield();
		for (i = 0; i < SIDE_BY_SIDE_ROUNDS; i++) {
			uint64_t still_ns = side_by_side_still_ns(&other);

			if (still_ns < least_ns)
				least_ns = still_ns;
		}
		atomic_store(&other.stop, 1);
		pthread_join(thread, NULL);
	}
	sched_setaffinity(0, sizeof(before), &before);
	return least_ns;
}

#endif
