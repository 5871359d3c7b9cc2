/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The engine's arithmetic on stamps that are given to it: every stage of an I/O
 * and what fio is told with tw_event_time=1 come out to 50 ns at most, at any
 * rate of the counter and after years of ticks; a stage that ends before it
 * begins is 0. Fails if a stage is taken between the wrong stamps, a shift goes
 * the wrong way or by the batch's time, or ticks are taken for nanoseconds.
 *
 * What is right is worked out from the ticks in 128 bits. What the library
 * promises of one conversion is 1 ns and 0.01 ppb; stages are below 20 s, so
 * that is 1.2 ns, and rounding what is right itself adds half of one.
 */
#include "../../plugin/stage_times.h"
#include "tap.h"

#define RANDOM_IOS	200000
#define ALLOWED_NS	50
#define PROMISED_NS	2

static uint64_t random_below(uint64_t *random, uint64_t limit)
{
	return tap_random(random) % limit;
}

/* Exactly @ticks at @hz, to the nearest ns. */
static int64_t exact_ns(int64_t ticks, uint64_t hz)
{
	__extension__ __int128 scaled = (__int128)ticks * 1000000000;

	scaled += ticks < 0 ? -(__int128)(hz / 2) : (__int128)(hz / 2);
	return (int64_t)(scaled / (__int128)hz);
}

/* 100 ns to 20 s, as many short ones as long ones. */
static uint64_t random_span(uint64_t *random, uint64_t hz)
{
	uint64_t ns = 100ULL << random_below(random, 27);

	ns += random_below(random, ns / 2 + 1);
	return ns * (hz / 1000) / 1000000;
}

static void note_error(int64_t *worst, uint64_t found_ns, int64_t right_ns)
{
	int64_t error = (int64_t)found_ns - right_ns;

	if (error < 0)
		error = -error;
	if (error > *worst)
		*worst = error;
}

static struct timespec timespec_of(uint64_t ns)
{
	return (struct timespec) {
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};
}

static int64_t ns_of(const struct timespec *ts)
{
	return (int64_t)ts->tv_sec * 1000000000 + ts->tv_nsec;
}

struct worst {
	int64_t queue, enter, inflight, clat, lat;
	uint64_t negative;
	int missing;
};

/* One of a batch: seen, others waited for, fio's clock read after all. */
static void one_event(const struct tw_scale *scale, uint64_t hz,
		      uint64_t *random, uint64_t seen, struct worst *worst)
{
	uint64_t taken = seen + random_span(random, hz);
	uint64_t start_ns = random_below(random, 1ULL << 60);
	uint64_t issue_ns = start_ns + random_below(random, 3000000000U);
	uint64_t own_ns = issue_ns + random_below(random, 3000000000U);
	uint64_t fio_ns = own_ns +
		(uint64_t)exact_ns((int64_t)(taken - seen), hz);
	struct timespec start = timespec_of(start_ns);
	struct timespec issue = timespec_of(issue_ns);

	tw_shift_to_event(scale, false, seen, taken, &issue, &start);
	if (issue.tv_nsec >= 1000000000 || start.tv_nsec >= 1000000000)
		worst->missing++;
	note_error(&worst->clat, fio_ns - (uint64_t)ns_of(&issue),
		   (int64_t)(own_ns - issue_ns));
	note_error(&worst->lat, fio_ns - (uint64_t)ns_of(&start),
		   (int64_t)(own_ns - start_ns));
}

static void one_io(const struct tw_scale *scale, uint64_t hz, uint64_t *random,
		   struct worst *worst)
{
	uint64_t begin = random_below(random, 94000000 * hz);
	uint64_t queue = random_below(random, 4) ? random_span(random, hz) : 0;
	uint64_t enter = random_span(random, hz);
	uint64_t rest = random_span(random, hz);
	bool called = random_below(random, 8) != 0;
	const struct tw_io io = {
		.queued_ticks = begin,
		.enter_ticks = begin + queue,
		.entered_ticks = called ? begin + queue + enter : 0,
	};
	const struct tw_stage_times times =
		tw_stage_times(&io, begin + queue + rest, &worst->negative);

	if (times.entered != called || times.waited != (queue != 0))
		worst->missing++;
	if (times.entered)
		note_error(&worst->enter,
			   tw_ticks_to_ns(scale, times.enter_ticks),
			   exact_ns((int64_t)enter, hz));
	if (times.waited) {
		note_error(&worst->queue,
			   tw_ticks_to_ns(scale, times.queue_ticks),
			   exact_ns((int64_t)queue, hz));
		note_error(&worst->inflight,
			   tw_ticks_to_ns(scale, times.inflight_ticks),
			   exact_ns((int64_t)rest, hz));
	}
	one_event(scale, hz, random, begin + queue + rest, worst);
}

static void at_rate(uint64_t hz, uint64_t *random)
{
	const struct tw_rate rate = { .hz = (double)hz };
	struct worst worst = { .missing = 0 };
	struct tw_scale scale;
	unsigned i;

	if (!tap_ok(!tw_scale_init(&scale, &rate, 0), "%" PRIu64 " Hz", hz))
		return;
	for (i = 0; i < RANDOM_IOS; i++)
		one_io(&scale, hz, random, &worst);
	tap_note("worst of %d in ns: queue %" PRId64 ", enter %" PRId64
		 ", inflight %" PRId64 ", clat %" PRId64 ", lat %" PRId64,
		 RANDOM_IOS, worst.queue, worst.enter, worst.inflight,
		 worst.clat, worst.lat);
	tap_ok(!worst.missing && !worst.negative,
	       "those stages that there are, no others, none negative");
	tap_ok(worst.queue <= PROMISED_NS && worst.enter <= PROMISED_NS &&
	       worst.inflight <= PROMISED_NS,
	       "stages to %d ns (the bar is %d)", PROMISED_NS, ALLOWED_NS);
	tap_ok(worst.clat <= PROMISED_NS && worst.lat <= PROMISED_NS,
	       "what fio takes for clat and lat, too");
}

static void backwards(const struct tw_scale *scale)
{
	const struct tw_io io = { 5000, 4000, 3000 };
	struct timespec issue = { 1, 999999999 }, start = { 1, 0 };
	uint64_t negative = 0;
	struct tw_stage_times times =
		tw_stage_times(&io, 2000, &negative);

	tap_ok(times.queue_ticks == 0 && times.enter_ticks == 0 &&
	       times.inflight_ticks == 0, "stages that end before they begin: 0");
	tap_ok(negative == 3, "and each of the three is counted");
	tap_ok(tw_span_ns(scale, false, 5000, 3000) < 0,
	       "but a span has its sign");
	tw_shift_to_event(scale, false, 5000, 4000, &issue, &start);
	tap_ok(issue.tv_sec == 1 && issue.tv_nsec == 999999999 &&
	       start.tv_sec == 1 && start.tv_nsec == 0,
	       "an event after its batch's end shifts nothing");
}

static void of_the_system(void)
{
	const struct tw_io io = { 1000, 3000, 7000 };
	struct timespec issue = { 1, 999999999 }, start = { 1, 999999000 };
	uint64_t negative = 0;
	struct tw_stage_times times =
		tw_stage_times(&io, 15000, &negative);

	tap_ok(times.queue_ticks == 2000 && times.enter_ticks == 4000 &&
	       times.inflight_ticks == 12000 && !negative &&
	       tw_span_ns(NULL, true, 1000, 15000) == 14000,
	       "stamps of the system clock are nanoseconds already");
	tw_shift_to_event(NULL, true, 1000, 2001, &issue, &start);
	tap_ok(issue.tv_sec == 2 && issue.tv_nsec == 1000 &&
	       start.tv_sec == 2 && start.tv_nsec == 1,
	       "a shift over the end of a second");
}

int main(void)
{
	static const uint64_t rates[] = { 10000000, 24000000, 62500000,
		1000000000, 2599998000, 4999999937, 10000000000 };
	const struct tw_rate rate = { .hz = 2.6e9 };
	uint64_t random = tap_seed();
	struct tw_scale scale;
	size_t i;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		at_rate(rates[i], &random);
	if (tap_ok(!tw_scale_init(&scale, &rate, 0), "2.6 GHz"))
		backwards(&scale);
	of_the_system();
	return tap_done();
}
