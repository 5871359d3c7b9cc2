/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks the engine's arithmetic on stamps that contradict each other. A stage that ends
 * before it begins is 0 and counted, and lat is the sum of the others, with stamps of the
 * kernel and without. Fails if a negative time is taken for one of centuries.
 * engine_stages.c checks I/Os whose stamps are in order.
 */
#include "io_times.h"
#include "tap.h"

#define MONOTONIC_NS	3000000000000000

/* The stages that an I/O has without stamps of the kernel. */
static const enum tw_stage whole[] = { TW_QUEUE, TW_KERNEL, TW_DELIVER };
#define WHOLE	3

static uint64_t sum_of(const struct tw_io_times *times)
{
	uint64_t sum_ns = 0;

	for (unsigned stage = 0; stage < TW_STAGES; stage++)
		sum_ns += times->stage_ns[stage];
	return sum_ns;
}

/*
 * Each of three ends of a stage is a known time before its beginning, the others
 * after.
 */
static void backwards(const struct tw_clocks *clocks, unsigned stage)
{
	uint64_t ends[WHOLE], at = 1000000000, sum_ns = 0;
	struct tw_contradictions wrong = { 0 };
	struct tw_io_times times;
	unsigned i;

	for (i = 0; i < WHOLE; i++)
		ends[i] = at += i == stage ? (uint64_t)-26000 : 2600;
	times = tw_io_times(clocks, &(struct tw_io) {
		.prepared_ticks = 1000000000, .enter_ticks = ends[0],
		.seen_ticks = ends[1] }, ends[2], &wrong);
	for (i = 0; i < WHOLE; i++)
		sum_ns += i == stage ? 0 : 1000;
	tap_ok(times.stage_ns[whole[stage]] == 0 && wrong.negative == 1 &&
	       times.lat_ns == sum_ns && sum_ns == 2000,
	       "stage %u ends before it begins: 0, counted, and lat is that of "
	       "the others", stage);
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

/*
 * The engine's own stamps around the kernel contradict each other; the kernel's
 * stamps are in order, and anywhere.
 */
static void kernel_backwards(const struct tw_clocks *clocks)
{
	struct tw_join join = { .max_error_ns = 0 };
	struct tw_clocks joined = *clocks;
	unsigned at, bad = 0, unseen = 0;

	joined.join = &join;
	tw_join_read(&join, (struct tw_reading) { 0, MONOTONIC_NS, 1 });
	for (at = 0; at < 10000; at += 100) {
		const struct tw_io io = {
			.prepared_ticks = 1000, .enter_ticks = 13000,
			.seen_ticks = 10400,
			.kernel = { .accepted_ns = MONOTONIC_NS + at,
				    .dispatched_ns = MONOTONIC_NS + at + 1,
				    .finished_ns = MONOTONIC_NS + at + 2,
				    .posted_ns = MONOTONIC_NS + at + 3 },
		};
		struct tw_contradictions wrong = { 0 };
		struct tw_io_times times =
			tw_io_times(&joined, &io, 20800, &wrong);

		bad += sum_of(&times) != times.lat_ns ||
		       times.lat_ns > 20000 || times.stage_ns[TW_SUBMIT] ||
		       times.stage_ns[TW_REAP];
		unseen += !wrong.negative;
	}
	tap_ok(!bad && !unseen, "seen before it entered: each stage inside the "
	       "kernel is 0, and that is counted");
}

int main(void)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = 2.6e9 };
	struct timespec start = { 1, 999998999 };
	struct tw_scale scale;
	const struct tw_clocks clocks = { .scale = &scale };

	if (tw_scale_init(&scale, &rate, 0))
		return 1;
	for (unsigned stage = 0; stage < WHOLE; stage++)
		backwards(&clocks, stage);
	all_backwards(&clocks);
	kernel_backwards(&clocks);
	tap_ok(tw_span_ns(&scale, false, 5000, 3000) < 0 &&
	       !tw_earlier_ns(&scale, false, 5000, 4000),
	       "a span has its sign, and an event after its batch's end shifts nothing");
	tw_timespec_later(&start, tw_earlier_ns(NULL, true, 1000, 2001));
	tap_ok(start.tv_sec == 2 && start.tv_nsec == 0 && tw_earlier_ns(NULL, true, 5, 6) == 1,
	       "a shift to the end of a second, and one of a nanosecond");
	return tap_done();
}
