/* SPDX-License-Identifier: MIT */
/*
 * Returns the largest counter over the CPUs that the caller may run on, and only
 * those. Fails if CPUs are read that are not allowed, or if the caller's own
 * affinity differs afterwards.
 */
#include <sched.h>
#include <stdlib.h>

#include "machine/cpus.h"
#include "tap.h"
#include "tickwise.h"

/* The largest CPU number; no test machine has more. */
#define SET_SIZE	sizeof(cpu_set_t)

static void measure(unsigned allowed, const char *what)
{
	cpu_set_t before, after;
	uint64_t early, ticks = 0, late;
	unsigned cpu = ~0u;
	int count;

	sched_getaffinity(0, SET_SIZE, &before);
	early = tw_ticks_begin();
	count = tw_ticks_largest(&ticks, &cpu);
	late = tw_ticks_end();
	sched_getaffinity(0, SET_SIZE, &after);
	tap_ok(count >= 1 && (unsigned)count <= allowed, "%s: %d of %u CPUs",
	       what, count, allowed);
	tap_ok(CPU_EQUAL(&before, &after), "the caller's affinity is as before");
	tap_ok(cpu < CPU_SETSIZE && CPU_ISSET(cpu, &before),
	       "CPU %u is one of those allowed", cpu);
	/* The difference between CPUs depends on the machine. */
	if (allowed == 1)
		tap_ok(ticks >= early && ticks <= late,
		       "and its counter was read in between");
}

int main(void)
{
	unsigned *cpus, count;
	cpu_set_t one;

	if (!tap_ok(!tw_allowed_cpus(&cpus, &count) && count > 0,
		    "CPUs allowed"))
		return tap_done();
	measure(count, "all");
	tap_ok(tw_ticks_largest(&(uint64_t) { 0 }, NULL) >= 1,
	       "also when nobody asks where");
	CPU_ZERO(&one);
	CPU_SET(cpus[count - 1], &one);
	sched_setaffinity(0, SET_SIZE, &one);
	measure(1, "the last only");
	free(cpus);
	return tap_done();
}
