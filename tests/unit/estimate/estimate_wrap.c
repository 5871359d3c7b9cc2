/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/counter
 *
 * Computes the seconds until a 64-bit counter wraps, from the largest of some CPUs'
 * counters. The largest is taken wherever in the list it is, and a CPU that can't be
 * read is left out.
 *
 * Fails if the 2^64 ticks that are left overflow in the computation, as they do in
 * integers times 1e9 at counters below 1 GHz, or if an invalid rate gives a time to rely
 * on. Fails also if the smallest, the first or the last counter is taken.
 *
 * Also on other processors.
 */
#include <math.h>

#include "estimate/reliability.h"
#include "tap.h"
#include "tickwise.h"

/* By the CPU's number; 0: it can't be read. */
static const uint64_t counters[] = {
	500, 7000, 0, UINT64_C(1) << 63, 300, 7000, 1, 0,
};

static int read_counter(unsigned cpu, uint64_t *ticks)
{
	*ticks = counters[cpu] ? counters[cpu] : UINT64_MAX;
	return counters[cpu] ? 0 : -1;
}

static const struct {
	unsigned cpus[3], visited, largest_cpu;
	const char *what;
} tours[] = {
	{ { 1, 0, 4 }, 3, 1, "the first is largest" },
	{ { 0, 1, 4 }, 3, 1, "one in the middle" },
	{ { 0, 4, 1 }, 3, 1, "the last" },
	{ { 2, 6, 7 }, 1, 6, "only one of three can be had" },
	{ { 1, 0, 5 }, 3, 5, "two are equal: the later one" },
	{ { 1, 3, 5 }, 3, 3, "past 2^63" },
	{ { 2, 7, 2 }, 0, 0, "none can be had" },
};

/* 2^-52 for the conversion of the ticks to a double, and as much for the division. */
static int is_near(double is, double should)
{
	return fabs(is - should) <= fabs(should) * 0x1p-51;
}

int main(void)
{
	static const double rates[] = {
		10e6, 24e6, 25e6, 54e6, 62.5e6, 100e6, 999999999.0, 1e9, 2.6e9, 10e9,
	};

	for (unsigned i = 0; i < sizeof(tours) / sizeof(*tours); i++) {
		struct tw_wrap_tour tour = {
			.cpus = tours[i].cpus, .count = 3, .read = read_counter,
		};

		tw_wrap_visit(&tour);
		tap_ok(tour.visited == tours[i].visited && (!tour.visited ||
			(tour.largest_cpu == tours[i].largest_cpu &&
			 tour.largest_ticks == counters[tour.largest_cpu])), "%s",
		       tours[i].what);
	}
	for (unsigned i = 0; i < sizeof(rates) / sizeof(*rates); i++)
		tap_ok(is_near(tw_seconds_before_wrap(0, rates[i]), 0x1p64 / rates[i]),
		       "all of 2^64 ticks at %.9g Hz", rates[i]);
	tap_ok(is_near(tw_seconds_before_wrap(1ULL << 63, 24e6), 0x1p63 / 24e6) &&
	       tw_seconds_before_wrap(UINT64_MAX, 24e6) == 1 / 24e6 &&
	       tw_seconds_before_wrap(UINT64_MAX - 23999999, 24e6) == 1,
	       "half of them, the last tick, the last second");
	tap_ok(tw_seconds_before_wrap(0, 0) == 0 && tw_seconds_before_wrap(0, -1e9) == 0 &&
	       tw_seconds_before_wrap(0, (double)NAN) == 0 &&
	       tw_seconds_before_wrap(0, (double)INFINITY) == 0,
	       "0 Hz, a negative rate, no number, infinity: nothing is promised");
	return tap_done();
}
