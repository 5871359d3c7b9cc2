/* SPDX-License-Identifier: MIT */
/*
 * The collector of counter readings: by threads on all CPUs, ordered by
 * compare-and-swap (probe_cas.c), or by one thread that is moved from CPU to
 * CPU, ordered by its own course (probe_switch.c). Both record the same samples
 * and keep the same hours (probe_run.c). Internal.
 */
#ifndef TW_ESTIMATE_PROBE_H
#define TW_ESTIMATE_PROBE_H

#include <pthread.h>
#include <stdint.h>

#include "samples.h"
#include "tickwise.h"

/* What can fail outside of this program; tests put their own here. */
struct tw_probe_system {
	int (*create)(pthread_t *thread, const pthread_attr_t *attributes,
		      void *(*start)(void *), void *argument);
	int (*pin)(unsigned cpu);	/* the calling thread; 0 or -errno */
};

extern const struct tw_probe_system tw_probe_system_real;

struct tw_probe_run;

/**
 * tw_probe_new - memory for the probes of some CPUs
 * @run: the result; release with tw_probe_free()
 * @method: how
 * @cpus: their numbers, rising; copied
 * @count: how many, 1 and more
 * @time_limit_ns: of all calls of tw_probe_collect() together
 * @system: NULL for the real one
 *
 * Return: 0; -ENOMEM.
 */
int tw_probe_new(struct tw_probe_run **run, enum tw_reliability_method method,
		 const unsigned *cpus, unsigned count, uint64_t time_limit_ns,
		 const struct tw_probe_system *system);
void tw_probe_free(struct tw_probe_run *run);

/* Readings so far, and CPUs that take part. */
uint64_t tw_probe_count(const struct tw_probe_run *run, unsigned *cpus);

/* When to stop: at the deadline, or when each CPU has all of the rest. */
struct tw_probe_goal {
	uint64_t deadline_ns;		/* of CLOCK_MONOTONIC */
	uint64_t least_switches;
	uint64_t min_span_ns;
};

/**
 * tw_probe_collect - let the CPUs take turns until the goal or the deadline
 * @run: may have samples already, more are added
 * @goal: when to stop
 *
 * CPUs on which no thread could be started or kept are left out from then on.
 *
 * Return: 1 when the goal was reached; 0 at the deadline; -EAGAIN when no CPU
 * at all took part.
 */
int tw_probe_collect(struct tw_probe_run *run,
		     const struct tw_probe_goal *goal);

/**
 * tw_probe_samples - what was recorded, by rising CPU number
 * @run: not collecting at the moment
 * @samples: room for as many as CPUs were asked for
 *
 * Return: how many CPUs took part to the end. The samples stay @run's.
 */
unsigned tw_probe_samples(const struct tw_probe_run *run,
			  struct tw_cpu_samples *samples);

#endif
