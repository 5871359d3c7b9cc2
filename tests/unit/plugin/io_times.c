/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks the engine's arithmetic on stamps that contradict each other. A stage that ends
 * before it begins is 0 and counted, and lat is the sum. Fails if a negative time is taken
 * for one of centuries. engine_stages.c checks I/Os whose stamps are in order, and
 * kernel_join.c stamps of the kernel in any order.
 */
#include "io_times.h"
#include "tap.h"

static uint64_t sum_of(const struct tw_io_times *times)
{
	uint64_t sum_ns = 0;

	for (unsigned stage = 0; stage < TW_STAGES; stage++)
		sum_ns += times->stage_ns[stage];
	return sum_ns;
}

static void all_backwards(const struct tw_clocks *clocks)
{
	const struct tw_io io = { .prepared_ticks = 5000, .enter_ticks = 4000,
		.entered_ticks = 3000, .seen_ticks = 2000 };
	struct tw_contradictions wrong = { 0 };
	struct tw_io_times times = tw_io_times(clocks, &io, 1000, &wrong);

	tap_ok(!sum_of(&times) && !times.call_ns && !times.lat_ns,
	       "all of them: 0, the call as well");
	tap_ok(wrong.negative == 4, "and each of the four is counted");
	wrong.negative = 0;
	times = tw_io_lat(clocks, &io, 1000, &wrong);
	tap_ok(times.lat_ns == 0 && wrong.negative == 1,
	       "lat without stages, too");
}

int main(void)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = 2.6e9 };
	struct timespec start = { 1, 999998999 };
	struct tw_scale scale;
	const struct tw_clocks clocks = { .scale = &scale };

	if (tw_scale_init(&scale, &rate, 0))
		return 1;
	all_backwards(&clocks);
	tap_ok(tw_span_ns(&scale, false, 5000, 3000) < 0 &&
	       !tw_earlier_ns(&scale, false, 5000, 4000),
	       "a span has its sign, and an event after its batch's end shifts nothing");
	tw_timespec_later(&start, tw_earlier_ns(NULL, true, 1000, 2001));
	tap_ok(start.tv_sec == 2 && start.tv_nsec == 0 && tw_earlier_ns(NULL, true, 5, 6) == 1,
	       "a shift to the end of a second, and one of a nanosecond");
	return tap_done();
}
