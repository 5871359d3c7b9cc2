/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Checks the engine's arithmetic on given stamps: the stages of an I/O that is not split
 * inside the kernel (engine_stages.c has the others), the
 * submitting call, and what fio is told with tw_event_time=1. All are right to 2
 * ns, at any rate of the counter and after years of ticks. lat is the sum of the
 * stages, to the last bit. A stage that ends before it begins is 0, and counted.
 * Fails if a stage is taken between the wrong stamps, if a shift goes the wrong way
 * or by the batch's time, or if ticks are taken for nanoseconds.
 *
 * The right value is computed from the ticks in 128 bits. The library promises 1 ns
 * and 0.01 ppb for one conversion; lat is below 31 s, so that is 1.4 ns. Rounding
 * the right value adds half a nanosecond.
 */
#include "io_times.h"
#include "tap.h"

#define RANDOM_IOS	200000
#define PROMISED_NS	2
#define MONOTONIC_NS		3000000000000000

static uint64_t random_below(uint64_t *random, uint64_t limit)
{
	return tap_random(random) % limit;
}

/* Return exactly @ticks at @hz, to the nearest ns. */
static int64_t exact_ns(int64_t ticks, uint64_t hz)
{
	__extension__ __int128 scaled = (__int128)ticks * 1000000000;

	scaled += ticks < 0 ? -(__int128)(hz / 2) : (__int128)(hz / 2);
	return (int64_t)(scaled / (__int128)hz);
}

/* Return 100 ns to 20 s, as many short ones as long ones. */
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

/* The stages that an I/O has without stamps of the kernel. */
static const enum tw_stage whole[] = { TW_QUEUE, TW_KERNEL, TW_DELIVER };
#define WHOLE	3

struct worst {
	int64_t stage, call, lat, fio_clat, fio_lat;
	struct tw_contradictions negative;
	unsigned wrong;
};

static bool is_clean(const struct tw_contradictions *wrong)
{
	return !wrong->negative && !wrong->inside.within &&
	       !wrong->inside.beyond;
}

static uint64_t sum_of(const struct tw_io_times *times)
{
	uint64_t sum_ns = 0;

	for (unsigned stage = 0; stage < TW_STAGES; stage++)
		sum_ns += times->stage_ns[stage];
	return sum_ns;
}

/*
 * Check one of a batch: it was seen, others were waited for, and fio's clock was
 * read after all.
 */
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

	tw_timespec_later(&issue, tw_earlier_ns(scale, false, seen, taken));
	tw_timespec_later(&start, tw_earlier_ns(scale, false, seen, taken));
	if (issue.tv_nsec >= 1000000000 || start.tv_nsec >= 1000000000)
		worst->wrong++;
	note_error(&worst->fio_clat, fio_ns - (uint64_t)ns_of(&issue),
		   (int64_t)(own_ns - issue_ns));
	note_error(&worst->fio_lat, fio_ns - (uint64_t)ns_of(&start),
		   (int64_t)(own_ns - start_ns));
}

static void one_io(const struct tw_scale *scale, uint64_t hz, uint64_t *random,
		   struct worst *worst)
{
	const struct tw_clocks clocks = { .scale = scale };
	const uint64_t begin = random_below(random, 94000000 * hz) + 30 * hz;
	/* A transfer that enters as soon as it is prepared has a queue of 0. */
	const uint64_t spans[WHOLE] = {
		random_below(random, 4) ? random_span(random, hz) : 0,
		random_span(random, hz),
		random_below(random, 4) ? random_span(random, hz) : 0,
	};
	const uint64_t call = random_span(random, hz);
	const bool called = random_below(random, 8) != 0;
	const struct tw_io io = {
		.prepared_ticks = begin,
		.enter_ticks = begin + spans[0],
		.entered_ticks = called ? begin + spans[0] + call : 0,
		.seen_ticks = begin + spans[0] + spans[1],
	};
	const uint64_t returned = io.seen_ticks + spans[2];
	const struct tw_io_times times =
		tw_io_times(&clocks, &io, returned, &worst->negative);
	const struct tw_io_times alone =
		tw_io_lat(&clocks, &(struct tw_io) { .prepared_ticks = begin },
			  returned, &worst->negative);

	for (unsigned i = 0; i < WHOLE; i++)
		note_error(&worst->stage, times.stage_ns[whole[i]],
			   exact_ns((int64_t)spans[i], hz));
	worst->wrong += sum_of(&times) != times.lat_ns ||
			times.stages != TW_STAGES_WHOLE || sum_of(&alone) ||
			alone.stages || alone.call_ns;
	note_error(&worst->call, times.call_ns,
		   called ? exact_ns((int64_t)call, hz) : 0);
	note_error(&worst->lat, alone.lat_ns,
		   exact_ns((int64_t)(returned - begin), hz));
	one_event(scale, hz, random, io.seen_ticks, worst);
}

static void at_rate(uint64_t hz, uint64_t *random)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = (double)hz };
	struct worst worst = { .wrong = 0 };
	struct tw_scale scale;
	unsigned i;

	if (!tap_ok(!tw_scale_init(&scale, &rate, 0), "%" PRIu64 " Hz", hz))
		return;
	for (i = 0; i < RANDOM_IOS; i++)
		one_io(&scale, hz, random, &worst);
	tap_note("worst of %d in ns: a stage %" PRId64 ", the call %" PRId64 ", lat alone %" PRId64
		 ", fio's clat %" PRId64 ", fio's lat %" PRId64, RANDOM_IOS,
		 worst.stage, worst.call, worst.lat,
		 worst.fio_clat, worst.fio_lat);
	tap_ok(!worst.wrong && is_clean(&worst.negative), "lat is the sum of "
	       "the stages, without stages there are none, and none is negative");
	tap_ok(worst.stage <= PROMISED_NS && worst.call <= PROMISED_NS &&
	       worst.lat <= PROMISED_NS,
	       "stages, call, and lat without stages to %d ns", PROMISED_NS);
	tap_ok(worst.fio_clat <= PROMISED_NS && worst.fio_lat <= PROMISED_NS,
	       "what fio takes for clat and lat, too");
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

static void of_the_system(void)
{
	const struct tw_clocks clocks = { .system = true };
	const struct tw_io io = { .prepared_ticks = 1000, .enter_ticks = 3000,
		.entered_ticks = 7000, .seen_ticks = 15000 };
	struct timespec issue = { 1, 999999999 }, start = { 1, 999999000 };
	struct tw_contradictions wrong = { 0 };
	struct tw_io_times times = tw_io_times(&clocks, &io, 31000, &wrong);

	tap_ok(times.stage_ns[TW_QUEUE] == 2000 &&
	       times.stage_ns[TW_KERNEL] == 12000 &&
	       times.stage_ns[TW_DELIVER] == 16000 && times.call_ns == 4000 &&
	       times.lat_ns == 30000 && is_clean(&wrong) &&
	       tw_span_ns(NULL, true, 1000, 15000) == 14000,
	       "stamps of the system clock are nanoseconds already");
	tw_timespec_later(&issue, tw_earlier_ns(NULL, true, 1000, 2001));
	tw_timespec_later(&start, tw_earlier_ns(NULL, true, 1000, 2001));
	tap_ok(issue.tv_sec == 2 && issue.tv_nsec == 1000 &&
	       start.tv_sec == 2 && start.tv_nsec == 1,
	       "a shift over the end of a second");
}

int main(void)
{
	static const uint64_t rates[] = { 10000000, 24000000, 62500000,
		1000000000, 2599998000, 4999999937, 10000000000 };
	const struct tw_rate rate = { .size = sizeof(rate), .hz = 2.6e9 };
	uint64_t random = tap_seed();
	struct tw_scale scale;
	const struct tw_clocks clocks = { .scale = &scale };
	size_t i;

	for (i = 0; i < sizeof(rates) / sizeof(rates[0]); i++)
		at_rate(rates[i], &random);
	if (tap_ok(!tw_scale_init(&scale, &rate, 0), "2.6 GHz")) {
		for (unsigned stage = 0; stage < WHOLE; stage++)
			backwards(&clocks, stage);
		all_backwards(&clocks);
		kernel_backwards(&clocks);
		tap_ok(tw_span_ns(&scale, false, 5000, 3000) < 0 &&
		       !tw_earlier_ns(&scale, false, 5000, 4000),
		       "a span has its sign, and an event after its batch's end shifts "
		       "nothing");
	}
	of_the_system();
	return tap_done();
}
