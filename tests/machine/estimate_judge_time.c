/* SPDX-License-Identifier: MIT */
/*
 * Measures how long the judge of 64 and 256 CPUs takes. It takes TURNS * cpus *
 * cpus steps and cpus^3 more: a tenth of a second for 256 on a machine of 2.4 GHz.
 * Fails if its time grows with the square of the samples, which is some hundred
 * times as long.
 *
 * Compares CPU time of this process with the time that as much arithmetic takes:
 * other programs make either some times longer.
 */
#include "unit/estimate/estimate_generate.h"

/* TURNS turns of each CPU, whatever the number of CPUs. */
#define TURNS	172

/* 33 ms at 2.4 GHz. Under sanitizers, which slow down accesses and not
 * arithmetic, an order of magnitude more. */
#define YARDSTICK_STEPS	20000000
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define LIMIT_YARDSTICKS	600
#else
#define LIMIT_YARDSTICKS	60
#endif

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double yardstick_seconds(void)
{
	volatile uint64_t result;
	uint64_t value = 1, i;
	double begin = seconds();

	for (i = 0; i < YARDSTICK_STEPS; i++)
		value = (value ^ (value >> 7)) * 0x9e3779b97f4a7c15;
	result = value;
	(void)result;
	return seconds() - begin;
}

static void try_cpus(unsigned cpus, int64_t tolerance_ticks, uint64_t *random)
{
	double limit = LIMIT_YARDSTICKS * yardstick_seconds();
	struct made made;
	double begin, took;

	made_init(&made, cpus, 2 * TURNS);
	made_probe(&made, (uint64_t)cpus * TURNS, random);
	begin = seconds();
	made_judge(&made, tolerance_ticks);
	took = seconds() - begin;
	tap_ok(took < limit, "%u CPUs judged in %.3f s, limit %.2f s", cpus,
	       took, limit);
	made_free(&made);
}

int main(void)
{
	uint64_t random = tap_seed();

	try_cpus(64, 400, &random);
	try_cpus(256, 800, &random);
	return tap_done();
}
