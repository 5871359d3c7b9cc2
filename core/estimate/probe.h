/* SPDX-License-Identifier: MIT */
/*
 * The collector of counter readings. With threads on all CPUs, compare-and-swap orders the
 * readings (probe_cas.c). With one thread that moves from CPU to CPU, its own course orders
 * them (probe_switch.c). Both record the same samples, in bursts at the same times
 * (probe_run.c). Internal.
 */
#ifndef TW_ESTIMATE_PROBE_H
#define TW_ESTIMATE_PROBE_H

#include <pthread.h>
#include <stdint.h>

#include "order.h"
#include "tickwise.h"

/* The functions of the system that can fail; tests pass their own. */
struct tw_probe_system {
	int (*create)(pthread_t *thread, const pthread_attr_t *attributes,
		      void *(*start)(void *), void *argument);
	int (*pin)(unsigned cpu);	/* the calling thread; 0 or -errno */
};

extern const struct tw_probe_system tw_probe_system_real;

struct tw_probe_run;

/* Allocate memory for the probes of @cpus, with rising numbers. @time_limit_ns: of all
 * calls of tw_probe_collect() together. @system: NULL for the real one. Return: 0;
 * -ENOMEM. */
int tw_probe_new(struct tw_probe_run **run, enum tw_reliability_method method,
		 const unsigned *cpus, unsigned count, uint64_t time_limit_ns,
		 const struct tw_probe_system *system);
void tw_probe_free(struct tw_probe_run *run);

/* Return the number of readings so far. Set @cpus to how many CPUs take part. */
uint64_t tw_probe_count(const struct tw_probe_run *run, unsigned *cpus);

/* When to stop: at the deadline, or when each CPU has reached the other two. */
struct tw_probe_goal {
	uint64_t deadline_ns;		/* of CLOCK_MONOTONIC */
	uint64_t least_switches;
	uint64_t min_span_ns;
};

/* Let the CPUs take turns until the goal or the deadline; samples are added to those of
 * earlier calls. CPUs on which no thread could be started or kept are left out from
 * then on. Return: 1 when the goal was reached; 0 at the deadline; -EAGAIN when no CPU
 * took part. */
int tw_probe_collect(struct tw_probe_run *run,
		     const struct tw_probe_goal *goal);

/* Hand out what was recorded, by rising CPU number; @samples has room for all CPUs.
 * Return how many CPUs took part to the end. @run still owns the samples. */
unsigned tw_probe_samples(const struct tw_probe_run *run,
			  struct tw_cpu_samples *samples);

#endif
