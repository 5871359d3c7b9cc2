/* SPDX-License-Identifier: MIT */
/*
 * tw_interval(): nanoseconds between two stamps, and the parts of their error.
 * All is arithmetic on the clock and its reliability.
 */
#include "clock.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "counter/step.h"
#include "sized.h"

static void add(struct tw_error *sum, const struct tw_error *part)
{
	sum->low_ns += part->low_ns;
	sum->high_ns += part->high_ns;
}

static int compare_pair(const void *key, const void *entry)
{
	const struct tw_cpu_offset *wanted = key, *pair = entry;

	if (wanted->base_cpu != pair->base_cpu)
		return wanted->base_cpu < pair->base_cpu ? -1 : 1;
	return (wanted->cpu > pair->cpu) - (wanted->cpu < pair->cpu);
}

/* True if the offset did not change: otherwise it is no bound. */
static int was_constant(const struct tw_reliability *reliability,
			const struct tw_cpu_offset *pair)
{
	return !(reliability->reasons & (TW_REASON_PACE | TW_REASON_BACKWARDS |
					 TW_REASON_STANDS_STILL)) &&
	       (!pair || (pair->pace_low_ppb <= 0 && pair->pace_high_ppb >= 0));
}

/* tw_reliability_measure() sorts its pairs, the smaller CPU first. */
static const struct tw_cpu_offset *
find_pair(const struct tw_reliability *reliability, unsigned one, unsigned other)
{
	const struct tw_cpu_offset wanted = {
		.base_cpu = one < other ? one : other,
		.cpu = one < other ? other : one,
	};

	return bsearch(&wanted, reliability->offsets, reliability->pairs,
		       sizeof(wanted), compare_pair);
}

double tw_offset_ns(int64_t ticks, double hz)
{
	if (ticks == INT64_MAX)
		return INFINITY;
	if (ticks == -INT64_MAX || ticks == INT64_MIN)
		return -INFINITY;
	return (double)ticks / hz * 1e9;
}

/* Return the error from two CPUs' counters. If the counter at the end is ahead by some
 * ticks, the interval is longer; if that at the beginning is ahead, it is shorter. */
static struct tw_error cpu_error(const struct tw_reliability *reliability,
				 double hz, const struct tw_stamp *begin,
				 const struct tw_stamp *end,
				 enum tw_interval_cpus *cpus)
{
	const struct tw_cpu_offset *pair = NULL;
	double low, high;

	if (begin->cpu == end->cpu && begin->cpu != TW_CPU_UNKNOWN) {
		*cpus = TW_CPUS_SAME;
		return (struct tw_error) { 0, 0 };
	}
	*cpus = TW_CPUS_UNJUDGED;
	if (!reliability)
		return (struct tw_error) { -INFINITY, INFINITY };
	if (begin->cpu == TW_CPU_UNKNOWN || end->cpu == TW_CPU_UNKNOWN) {
		/* Each of the two can be any CPU, and one that was not judged can
		 * have any offset. */
		if (reliability->cpus_skipped ||
		    !was_constant(reliability, NULL))
			return (struct tw_error) { -INFINITY, INFINITY };
		*cpus = TW_CPUS_ANY;
		low = tw_offset_ns(reliability->offset_low_ticks, hz);
		high = tw_offset_ns(reliability->offset_high_ticks, hz);
		return (struct tw_error) { -fmax(-low, high), fmax(-low, high) };
	}
	if (reliability->offsets)
		pair = find_pair(reliability, begin->cpu, end->cpu);
	if (!pair || !was_constant(reliability, pair))
		return (struct tw_error) { -INFINITY, INFINITY };
	*cpus = TW_CPUS_PAIR;
	low = tw_offset_ns(pair->low_ticks, hz);
	high = tw_offset_ns(pair->high_ticks, hz);
	if (pair->cpu == end->cpu)
		return (struct tw_error) { -high, -low };
	return (struct tw_error) { low, high };
}

/* Ticks are converted as one number, and rounded once. A counter that shows t is between t
 * and t + step. */
static double quantisation_ns(const struct tw_clock *clock, double ns)
{
	double reach_ticks = (double)tw_step_reach_ticks(clock->state->read.step_ticks);

	return reach_ticks / clock->scale.hz * 1e9 + clock->scale.error_ns +
	       clock->scale.error_ppb * 1e-9 * fabs(ns);
}

static double squared_sigma(const struct tw_error *error)
{
	double width = error->high_ns - error->low_ns;

	return width * width / 12;
}

/* A counter that is faster than the scale's rate counted more ticks in the same time. */
static struct tw_error rate_error(const struct tw_clock *clock, double ns)
{
	const struct tw_rate *rate = &clock->state->rate;
	double one = ns * (clock->scale.hz / rate->high_hz - 1);
	double other = ns * (clock->scale.hz / rate->low_hz - 1);

	return (struct tw_error) { fmin(one, other), fmax(one, other) };
}

int tw_interval(const struct tw_clock *clock, const struct tw_stamp *begin,
		const struct tw_stamp *end, struct tw_interval *interval)
{
	int ret = tw_sized_check(interval->size, TW_FIRST_INTERVAL);
	struct tw_reliability reliability;
	struct tw_interval out = { 0 };
	double rounding, sigma_ns;

	if (ret)
		return ret;
	if (clock->state->reliability)
		ret = tw_sized_take(&reliability, sizeof(reliability),
				    clock->state->reliability,
				    TW_FIRST_RELIABILITY);
	if (ret)
		return ret;
	if (clock->system)
		return -ENOTSUP;
	if (begin->ticks - clock->base_ticks > clock->scale.max_ticks ||
	    end->ticks - clock->base_ticks > clock->scale.max_ticks)
		return -ERANGE;
	out.ns = tw_ticks_delta_to_ns(&clock->scale,
				      (int64_t)(end->ticks - begin->ticks));
	out.cpu_offset = cpu_error(clock->state->reliability ? &reliability : NULL,
				   clock->scale.hz, begin, end, &out.cpus);
	out.rate = rate_error(clock, (double)out.ns);
	sigma_ns = clock->state->rate.uncertainty_ppb * 1e-9 * (double)out.ns;
	/* Reading only adds to an interval. How little it adds at another core frequency
	 * is not known, so the bound is 0. */
	out.read = (struct tw_error) { -clock->state->read.high_ns, 0 };
	rounding = quantisation_ns(clock, (double)out.ns);
	out.quantisation = (struct tw_error) { -rounding, rounding };
	add(&out.total, &out.read);
	add(&out.total, &out.cpu_offset);
	add(&out.total, &out.rate);
	add(&out.total, &out.quantisation);
	out.sigma_ns = sqrt(squared_sigma(&out.read) + squared_sigma(&out.cpu_offset) +
			    squared_sigma(&out.quantisation) + sigma_ns * sigma_ns);
	tw_sized_give(interval, &out, sizeof(out));
	return 0;
}
