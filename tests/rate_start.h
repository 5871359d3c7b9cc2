/* SPDX-License-Identifier: MIT */
/*
 * One start on a simulated machine, drawn from a seed and its number, and counts
 * over many starts.
 */
#ifndef TW_TESTS_RATE_START_H
#define TW_TESTS_RATE_START_H

#include "clock/kernel_rate.h"
#include "rate_machine.h"

struct rate_counts {
	unsigned starts, failed, off, accepted, wrong;
	unsigned beyond, outside, sleeps;
	double squares, normed, worst_ppb;
};

__attribute__((unused))
static void rate_counts_add(struct rate_counts *to,
			    const struct rate_counts *from)
{
	to->starts += from->starts;
	to->failed += from->failed;
	to->off += from->off;
	to->accepted += from->accepted;
	to->wrong += from->wrong;
	to->beyond += from->beyond;
	to->outside += from->outside;
	to->sleeps += from->sleeps;
	to->squares += from->squares;
	to->normed += from->normed;
	to->worst_ppb = fmax(to->worst_ppb, from->worst_ppb);
}

/*
 * Draw a rate of 1 to 5 GHz: the kernel's rate for an integer kHz, or one between
 * that and the next multiplier. Return 1 for the latter.
 */
__attribute__((unused))
static int rate_draw(uint64_t *random, double *hz, uint64_t *mult60)
{
	uint32_t khz = 1000000 + (uint32_t)(tap_random(random) % 4000000);
	double share = (double)(tap_random(random) >> 11) * 0x1p-53;
	struct tw_kernel_rate rate, next;
	int is_off = tap_random(random) >> 62 == 0;

	tw_kernel_rate_of_khz(khz, &rate);
	do
		tw_kernel_rate_of_khz(++khz, &next);
	while (next.hz == rate.hz);
	*mult60 = (uint64_t)rate.mult << (60 - rate.shift);
	if (is_off)
		*mult60 -= (uint64_t)((0.25 + share / 2) *
				      ((double)*mult60 -
				       (double)next.mult *
				       exp2(60 - (double)next.shift)));
	*hz = 1e9 * 0x1p60 / (double)*mult60;
	return is_off;
}

__attribute__((unused))
static void rate_count(struct rate_counts *counts, const struct tw_rate *rate,
		       double truth_hz, int is_off)
{
	double error_ppb = (rate->measured_hz / truth_hz - 1) * 1e9;
	double sigma_ppb = rate->measured_uncertainty_ppb;

	counts->squares += error_ppb * error_ppb;
	counts->worst_ppb = fmax(counts->worst_ppb, fabs(error_ppb));
	counts->normed += error_ppb / sigma_ppb * error_ppb / sigma_ppb;
	counts->beyond += fabs(error_ppb) > 3 * sigma_ppb;
	counts->outside += truth_hz < rate->low_hz || truth_hz > rate->high_hz;
	if (rate->source == TW_RATE_REGRESSION)
		return;
	counts->accepted++;
	/* Multipliers are 1e-8 apart and more, doubles 1e-16. */
	counts->wrong += is_off || fabs(rate->hz / truth_hz - 1) > 1e-12;
}

/*
 * Mix @seed and number. Neighbouring ones give starts that have nothing in common
 * (splitmix64: Steele, Lea and Flood 2014). Never 0.
 */
__attribute__((unused))
static uint64_t rate_mix(uint64_t seed, uint64_t i)
{
	uint64_t z = seed * 0xd1342543de82ef95ULL + i * 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return z ? z : 1;
}

/*
 * Half of the counters move in steps: those of 25 and 100 MHz clocks, whole or not,
 * or scaled by a hypervisor.
 */
__attribute__((unused))
static double rate_draw_step(uint64_t *random)
{
	static const double steps[] = { 8, 24.5, 24.499978, 33.3, 41.6667, 100 };

	if (tap_random(random) >> 63)
		return 0;
	return steps[(tap_random(random) >> 33) % 6];
}

/* Try a start and count it in @counts[load]. */
__attribute__((unused))
static void rate_start(struct rate_counts *counts, uint64_t seed, uint64_t i,
		       double wander)
{
	uint64_t random = rate_mix(seed, i);
	struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = RATE_WINDOW_NS,
	};
	enum rate_load load = (enum rate_load)(i % RATE_LOADS);
	struct rate_machine machine;
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	uint64_t mult60;
	int is_off;
	double hz;

	is_off = rate_draw(&random, &hz, &mult60);
	rate_machine_init(&machine, tap_random(&random), hz, mult60, load,
			  wander);
	machine.counter_step_ticks = rate_draw_step(&random);
	options.source = &machine.source;
	counts += load;
	counts->starts++;
	counts->off += (unsigned)is_off;
	if (tw_rate_measure(&rate, &options))
		counts->failed++;
	else
		rate_count(counts, &rate, hz, is_off);
	counts->sleeps += machine.sleeps;
}

#endif
