/* SPDX-License-Identifier: MIT */
/*
 * The largest of some CPUs' counters is taken, wherever in the list it is, and a
 * CPU that can't be read is left out. Fails if the smallest, the first or the last
 * is taken, or if a CPU that was not read takes part.
 */
#include "estimate/wrap.h"
#include "tap.h"

/* By the CPU's number; 0: it can't be read. */
static const uint64_t counters[] = {
	500, 7000, 0, UINT64_C(1) << 63, 300, 7000, 1, 0,
};

static int read_counter(unsigned cpu, uint64_t *ticks)
{
	*ticks = counters[cpu] ? counters[cpu] : UINT64_MAX;
	return counters[cpu] ? 0 : -1;
}

static void check(const unsigned *cpus, unsigned count, unsigned visited,
		  unsigned cpu, const char *what)
{
	struct tw_wrap_tour tour = {
		.cpus = cpus, .count = count, .read = read_counter,
	};

	tw_wrap_visit(&tour);
	tap_is_u64(tour.visited, visited, what);
	tap_is_u64(tour.largest_cpu, cpu, "the CPU");
	tap_is_u64(tour.largest_ticks, counters[cpu], "and its counter");
}

static void none(void)
{
	struct tw_wrap_tour tour = {
		.cpus = (const unsigned[]) { 2, 7 }, .count = 2,
		.read = read_counter,
	};

	tw_wrap_visit(&tour);
	tap_is_u64(tour.visited, 0, "none can be had");
}

int main(void)
{
	check((const unsigned[]) { 1, 0, 4 }, 3, 3, 1, "the first is largest");
	check((const unsigned[]) { 0, 1, 4 }, 3, 3, 1, "one in the middle");
	check((const unsigned[]) { 0, 4, 1 }, 3, 3, 1, "the last");
	check((const unsigned[]) { 2, 6, 7 }, 3, 1, 6,
	      "only one of three can be had");
	check((const unsigned[]) { 1, 0, 5 }, 3, 3, 5,
	      "two are equal: the later one");
	check((const unsigned[]) { 1, 3, 5 }, 3, 3, 3, "past 2^63");
	none();
	return tap_done();
}
