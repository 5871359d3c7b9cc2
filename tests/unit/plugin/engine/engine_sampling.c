/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests: plugin/collect/choose.h core/report/tally.c
 *
 * Behaviour: with tw_kernel_every=16 one in 16 I/Os is split, whatever their order. The
 * report's estimates for all I/Os are within their stated 95 % error of what all of them
 * took, means and percentiles, also where each 16th I/O is slow or the times have a long
 * tail. The estimated stages add up to lat, which is exact. tw_kernel_every=1 has no
 * estimates. An I/O that was not chosen, and is slower than those in the list of the slowest,
 * is in that list with the stages from its completion on. A plain span is nine times as long
 * as a span of a pair, and no longer where all I/Os are split. What follows such a slow I/O in
 * the same io_u has none of its stamps, whatever operation it is. Defect: each 16th I/O is chosen
 * by its number, an error that is too small, chosen I/Os that count once, a job that splits
 * each I/O and is not looked at again, a counter that is called unreliable for old stamps.
 *
 * Each check is made in 100 runs, of which at least 88 have to hold. If an interval has the
 * truth in 95 % of the runs, fewer than 88 of 100 are seen once in 650 times. The stated
 * errors of means are larger than needed, so that these fail more rarely. The seed is fixed.
 */
#include <math.h>

#include "collect/choose.h"
#include "engine_world.h"
#include "record/job_record.h"
#include "latency/histogram.h"

#define RUNS	100
#define ENOUGH	88
#define IOS	8000
#define EVERY	16

enum { MEAN, P50, P90, CHECKS };

struct population {
	const char *name;
	uint64_t (*device_ticks)(unsigned i);
};

static uint64_t evenly(unsigned i)
{
	return 50000 + world_below(10000) + i % 2;
}

static uint64_t long_tail(unsigned i)
{
	return world_some_ticks() + 1000 + i % 2;
}

static uint64_t each_16th(unsigned i)
{
	return i % 16 == 3 ? 900000 + world_below(1000) : 20000 + world_below(1000);
}

/* One in 500 leaves the page cache. Often no I/O of this kind is chosen. */
static uint64_t rarely(unsigned i)
{
	return world_below(500) ? 1 + i % 2 : 200000;
}

static const struct population populations[] = {
	{ "even times", evenly }, { "a long tail", long_tail },
	{ "one in 500 is slow", rarely },
	{ "each 16th I/O is slow", each_16th },
};

static const unsigned stages[] = { TW_BLOCKQ, TW_DEVICE, TW_COMPLETE, TW_WORKER, TW_BEFORE,
				   TW_ADMISSION, TW_SCHEDULER };
#define CHECKED	(sizeof(stages) / sizeof(*stages))

static struct tw_padded_stamps entries[WORLD_DEPTH];
static struct tw_histogram right[TW_TIMES];
static uint64_t blockq_ticks, device_ticks;

/* The completion of I/O 0 is in the ring: all of its stamps are known. */
static void appeared(unsigned i)
{
	const uint64_t dispatched = engine_now_ticks - device_ticks - 500;
	const uint64_t finished = engine_now_ticks - 500;

	entries[i].stamps = world_stamps(i, world_monotonic_ns(dispatched - blockq_ticks),
			      world_monotonic_ns(dispatched), world_monotonic_ns(finished),
			      world_monotonic_ns(engine_now_ticks));
	entries[i].stamps.queued_ns = entries[i].stamps.dispatched_ns - blockq_ticks * 7 / 8;
	entries[i].stamps.got_ns = entries[i].stamps.dispatched_ns - blockq_ticks / 2;
	entries[i].stamps.handed_ns = entries[i].stamps.accepted_ns;
	entries[i].stamps.begun_ns = entries[i].stamps.dispatched_ns - blockq_ticks * 15 / 16;
	tw_histogram_add(&right[TW_WORKER], blockq_ticks - blockq_ticks * 15 / 16);
	tw_histogram_add(&right[TW_BEFORE], blockq_ticks * 15 / 16 - blockq_ticks * 7 / 8);
	tw_histogram_add(&right[TW_ADMISSION], blockq_ticks * 7 / 8 - blockq_ticks / 2);
	tw_histogram_add(&right[TW_SCHEDULER], blockq_ticks / 2);
	tw_histogram_add(&right[TW_BLOCKQ], blockq_ticks);
	tw_histogram_add(&right[TW_DEVICE], device_ticks);
	tw_histogram_add(&right[TW_COMPLETE], 500);
}

static bool is_within(const uint64_t bounds[2], uint64_t value)
{
	return bounds[0] <= value && value <= bounds[1];
}

/* Compare the report's estimates with all I/Os. */
static void check(const struct tw_tally *tally, unsigned held[CHECKED][CHECKS])
{
	static const double percents[CHECKS] = { [P50] = 50, [P90] = 90 };

	for (size_t i = 0; i < CHECKED; i++) {
		const struct tw_histogram *all = &right[stages[i]];
		const double off_ns = (double) tw_tally_stage_ns(tally, stages[i], TW_READ) -
				      (double) all->sum_ns;

		/* Each stamp is rounded to a nanosecond. */
		held[i][MEAN] += fabs(off_ns) <=
			tw_tally_stage_error_ns(tally, stages[i], TW_READ) + 2 * IOS;
		for (unsigned check = P50; check < CHECKS; check++) {
			uint64_t bounds[2];

			held[i][check] +=
				tw_tally_stage_percentile(tally, stages[i], TW_READ,
							  percents[check], bounds) &&
				is_within((const uint64_t[]) { bounds[0] - 1, bounds[1] + 1 },
					  tw_histogram_percentile(all, percents[check]));
		}
	}
}

/* Begin a job. The choice is seeded by the time of the start. */
static void begin(unsigned every, unsigned slowest)
{
	world_forget();
	world.options.kernel = TW_KERNEL_REQUIRE;
	world.options.kernel_every = every;
	world.options.slowest = slowest;
	world.kernel_entries = entries;
	world.kernel_parts = true;
	world.at_once = true;
	world_pass(world_below(1000000));
	world_start();
}

/* Run a job. @tally: released by the caller. */
static void run(const struct population *population, unsigned every, struct tw_tally *tally)
{
	struct tw_report_problem problem = { 0 };

	for (size_t i = 0; i < CHECKED; i++)
		tw_histogram_clear_all(&right[stages[i]]);
	begin(every, 0);
	world.appeared = appeared;
	for (unsigned i = 0; i < IOS; i++) {
		blockq_ticks = 100 + world_below(4000);
		device_ticks = population->device_ticks(i);
		world_one(DDIR_READ, blockq_ticks + device_ticks + 700);
	}
	world_end();
	*tally = (struct tw_tally) { 0 };
	if (tw_tally_from_json(tally, world.report, &problem) || problem.text[0])
		exit(1);
}

static void one(const struct population *population)
{
	unsigned held[CHECKED][CHECKS] = { { 0 } }, sums = 0;
	uint64_t chosen = 0, counted = 0;

	for (unsigned i = 0; i < RUNS; i++) {
		struct tw_tally tally;
		const struct tw_counts *counts = &tally.counts[TW_READ];
		uint64_t sum_ns = 0;

		run(population, EVERY, &tally);
		check(&tally, held);
		for (unsigned stage = 0; stage < TW_STAGES; stage++)
			sum_ns += tw_tally_stage_ns(&tally, stage, TW_READ);
		sums += sum_ns == tally.times[TW_LAT][TW_READ].sum_ns &&
			tw_tally_stage_ns(&tally, TW_BLOCKQ, TW_READ) ==
			tw_tally_stage_ns(&tally, TW_WORKER, TW_READ) +
			tw_tally_stage_ns(&tally, TW_BEFORE, TW_READ) +
			tw_tally_stage_ns(&tally, TW_ADMISSION, TW_READ) +
			tw_tally_stage_ns(&tally, TW_SCHEDULER, TW_READ);
		chosen += counts->split + counts->not_chosen == IOS ? counts->split : 0;
		counted += tally.times[TW_DEVICE][TW_READ].count;
		tw_tally_free(&tally);
	}
	tap_ok(sums == RUNS, "%s: the estimated stages add up to lat, the parts to "
	       "blockq", population->name);
	/* Five standard deviations of what chosen I/Os count: of those in plain spans, and of
	 * runs that end inside of a pair, with an I/O in 32 chosen there or none. */
	tap_ok(chosen > RUNS * IOS / EVERY * 0.8 && chosen < RUNS * IOS / EVERY * 1.1 &&
	       fabs((double) counted - RUNS * IOS) <
	       5 * sqrt(RUNS * IOS * 2. * EVERY + RUNS * 1100. * 1100),
	       "%" PRIu64 " I/Os were split, and count as %" PRIu64 " of %u", chosen, counted,
	       RUNS * IOS);
	for (size_t i = 0; i < CHECKED; i++)
		tap_ok(held[i][MEAN] >= ENOUGH && held[i][P50] >= ENOUGH &&
		       held[i][P90] >= ENOUGH,
		       "%s is within the stated error: mean, p50, p90 in %u, %u, %u of %u runs",
		       tw_time_metrics[stages[i]].name, held[i][MEAN], held[i][P50], held[i][P90],
		       RUNS);
}

/* ---- slow ones that were not chosen ---- */

#define SLOW_EVERY	1024
#define SLOWEST		4

static uint64_t took_ticks;

/* As the program in the kernel does: only a slow one gets stamps, and only the last two. */
static void appeared_late(unsigned i)
{
	const uint64_t key = world.ios[i].sqe.user_data;
	const uint64_t finished_ns = world_monotonic_ns(engine_now_ticks - 500);

	if (key & TW_KEY_CHOSEN)
		appeared(i);
	else if (tw_key_upper(key) && took_ticks >= tw_key_limit_ns(tw_key_upper(key)))
		entries[i].stamps = world_stamps(i, 0, 0, finished_ns,
				      world_monotonic_ns(engine_now_ticks));
}

static void slow_ones(void)
{
	unsigned known = 0, early = 0;

	begin(SLOW_EVERY, SLOWEST);
	world.appeared = appeared_late;
	for (unsigned i = 0; i < IOS; i++) {
		took_ticks = i % 1000 == 999 ? 100000 * (i / 1000 + 1) :
					      10000 + world_below(1000);
		blockq_ticks = 100;
		device_ticks = took_ticks - blockq_ticks;
		world_one(DDIR_READ, took_ticks + 700);
		/* Even times: few are slower than the list and its rounding. */
		early += !(i % 1000 == 999) && entries[0].stamps.key == world.ios[0].sqe.user_data;
	}
	tap_ok(tw_key_upper(world_state()->hot.key) ==
	       tw_key_limit(world_state()->collected.slowest.least), "the limit is that of the list");
	world_end();
	for (unsigned i = 0; i < SLOWEST; i++) {
		const json_t *stages = world_at(world.report, "slowest.%u.stages", i);

		known += json_object_get(stages, "complete") &&
			 json_object_get(stages, "reap") &&
			 json_object_get(stages, "kernel") &&
			 !json_object_get(stages, "submit") &&
			 !json_object_get(stages, "device");
	}
	tap_ok(known == SLOWEST, "%u of %u that were not chosen are known from their "
	       "completion on", known, SLOWEST);
	tap_ok(early < IOS / 20, "%u of the others got stamps", early);
}

/* It is slow and was not chosen. Its disk is known. */
static void appeared_first(unsigned i)
{
	entries[i].stamps = world_stamps(i, 0, 0, world_monotonic_ns(engine_now_ticks - 500),
				   world_monotonic_ns(engine_now_ticks));
	entries[i].stamps.flags = TW_STAMPS_DISK;
	entries[i].stamps.disk = 1;
	world.appeared = NULL;
}

/* Each operation, by the ring or by a system call. */
static void after_a_slow_one(void)
{
	static const struct {
		const char *name;
		enum fio_ddir ddir;
		enum fio_filetype type;
	} of[] = {
		{ "read", DDIR_READ, FIO_TYPE_FILE }, { "write", DDIR_WRITE, FIO_TYPE_FILE },
		{ "trim by the ring", DDIR_TRIM, FIO_TYPE_BLOCK },
		{ "trim by a call", DDIR_TRIM, FIO_TYPE_FILE },
		{ "fsync", DDIR_SYNC, FIO_TYPE_FILE },
		{ "fdatasync", DDIR_DATASYNC, FIO_TYPE_FILE },
		{ "sync_file_range", DDIR_SYNC_FILE_RANGE, FIO_TYPE_FILE },
#ifdef TW_FIO_SYNCFS
		{ "syncfs", DDIR_SYNCFS, FIO_TYPE_FILE },
#endif
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++) {
		begin(SLOW_EVERY, SLOWEST);
		world_state()->hot.sampling.chooser.left = UINT64_MAX;
		world.td.o.td_ddir |= TD_DDIR_TRIM;
		world.file.filetype = of[i].type;
		world.appeared = appeared_first;
		world_one(DDIR_READ, 1000000);
		world_pass(100000);
		world.takes_ticks[0] = 5000;
		if (world_queue(0, of[i].ddir) == FIO_Q_QUEUED)
			world_reap(1);
		world_end();
		tap_ok(!world_number("kernel_stages.negative_beyond") &&
		       !world_number("kernel_stages.negative_within") &&
		       world_at(world.report, "slowest.0.disk") &&
		       world_at(world.report, "slowest.1.stages") &&
		       !world_at(world.report, "slowest.1.disk"),
		       "%s after a slow I/O that was not chosen: nothing of that one's stamps",
		       of[i].name);
	}
}

/* The smallest limit that is enough is at most 1/16 above. */
static void limits(void)
{
	unsigned wrong = 0;

	for (uint64_t ns = 0; ns < 100000000000; ns += 1 + ns / 50) {
		const unsigned limit = tw_key_limit(ns);
		const uint64_t is_ns = tw_key_limit_ns(limit);

		wrong += !limit || limit > TW_KEY_UPPERS;
		wrong += ns > 17 && limit < TW_KEY_UPPERS &&
			 (is_ns < ns || is_ns > ns + ns / 16);
	}
	tap_ok(!wrong && tw_key_limit(UINT64_MAX) == TW_KEY_UPPERS, "limits in keys");
}

static void all_are_split(void)
{
	struct tw_tally tally;

	run(&populations[0], 1, &tally);
	tap_ok(tally.counts[TW_READ].split == IOS &&
	       !tw_tally_is_sampled(&tally, TW_READ) &&
	       !(tw_tally_stage_error_ns(&tally, TW_DEVICE, TW_READ) > 0),
	       "tw_kernel_every=1: all are split, and nothing is an estimate");
	tw_tally_free(&tally);
}

/* By hand: 1 us for each of 1000 I/Os. Of 50 ms 2 % are 1 ms, which all of them cost. */
static void shifts(void)
{
	static const struct {
		uint64_t cpu_ns;
		unsigned old, shift;
	} of[] = {
		{ 51000000, 0, 0 }, { 50900000, 0, 1 }, { 26000000, 0, 1 },
		{ 25900000, 0, 2 },
		/* One in 16 was split: 62.5 us. */
		{ 50062500, 4, 0 }, { 50062400, 4, 1 },
		/* At least half is the job's own: 1 us of 1.5 us. */
		{ 1500000, 0, 7 }, { 0, 0, TW_CHOOSE_SHIFT_MAX },
	};

	for (size_t i = 0; i < sizeof(of) / sizeof(*of); i++)
		tap_ok(tw_choose_shift(1000, 2, of[i].cpu_ns, 1000, of[i].old) ==
		       of[i].shift,
		       "%" PRIu64 " ns of CPU time: 1 in %u", of[i].cpu_ns, 1U << of[i].shift);
}

/* ---- the cost ---- */

#define COST_PAIRS	6
#define COST_IOS	80000		/* at most */
#define COST_EVERY	4
#define BURNT_NS	40000

/* A chosen I/O costs a known time more. The thread's CPU time is that of the world. */
static void burn(unsigned i)
{
	if (world.ios[i].sqe.user_data & TW_KEY_CHOSEN) {
		engine_now_ticks += BURNT_NS;
		world.ios[i].done_ticks += BURNT_NS;
	}
}

static void cost(void)
{
	const double truth_ns = (double) BURNT_NS / COST_EVERY;
	unsigned cpu_held = 0, lat_held = 0, pairs = 0;

	for (unsigned run = 0; run < RUNS; run++) {
		const struct tw_sampling *sampling;
		const struct tw_scalars *has;
		struct tw_cost cpu, lat;

		begin(COST_EVERY, 0);
		world.accepted = burn;
		sampling = &world_state()->hot.sampling;
		has = &world_state()->collected.filling.filled[0].tally.scalars;
		/* Plain spans do not count: their I/Os take longer, so that they are few. */
		for (unsigned i = 0; i < COST_IOS && has->cost_pairs < COST_PAIRS; i++)
			world_one(DDIR_READ, (sampling->place ? 80000 : 2000000) +
				  world_below(40000));
		cpu = tw_tally_cost(has, 0);
		lat = tw_tally_cost(has, 1);
		cpu_held += cpu.low_ns <= truth_ns && truth_ns <= cpu.high_ns;
		lat_held += lat.low_ns <= truth_ns && truth_ns <= lat.high_ns;
		pairs += has->cost_pairs;
		world_end();
	}
	tap_ok(pairs >= RUNS * COST_PAIRS, "%u pairs of spans in %u runs", pairs, RUNS);
	tap_ok(cpu_held >= ENOUGH && lat_held >= ENOUGH, "the known cost is in the interval of "
	       "CPU time and of lat in %u and %u of %u runs", cpu_held, lat_held, RUNS);
}

/* ---- spans ---- */

/* Do I/Os of @io_ticks until the next span begins. Return how long this one was. */
static uint64_t span_ticks(uint64_t io_ticks)
{
	const struct tw_sampling *sampling = &world_state()->hot.sampling;
	const uint64_t from_ticks = sampling->from_ticks;

	for (unsigned i = 0; i < 100000 && sampling->from_ticks == from_ticks; i++)
		world_one(DDIR_READ, io_ticks);
	return sampling->from_ticks - from_ticks;
}

/* A flush comes after 64 I/Os at most, so a span can be that much longer. */
static bool is_about(uint64_t ticks, uint64_t expected_ticks, uint64_t io_ticks)
{
	return ticks >= expected_ticks && ticks < expected_ticks + 70 * io_ticks;
}

/* A span in which an I/O takes a second, and one that begins at 100. */
static void pairs(void)
{
	struct tw_sampling sampling = { .from_ticks = 100 };

	tw_sampling_add_lat(&sampling, 100, 7);
	sampling.place = 1;
	tw_sampling_add_lat(&sampling, 99, 20);
	tap_ok(!sampling.lats && !sampling.lat_ns,
	       "lat counts neither in a plain span nor of an I/O from before the span");
	tw_sampling_add_lat(&sampling, 100, 7);
	tap_ok(sampling.lats == 1 && sampling.lat_ns == 7, "of each other it counts");
	tap_ok(tw_pair_is_good((const uint64_t[]) { 999999999999, 999999999999 }) &&
	       !tw_pair_is_good((const uint64_t[]) { 1000000000000, 1000 }) &&
	       !tw_pair_is_good((const uint64_t[]) { 1000, 1000000000000 }),
	       "a pair with a second an I/O in either span is no cost");
}

static void spans(void)
{
	const struct tw_sampling *sampling;
	uint64_t pair_ticks, first, second;
	unsigned i, good = 0, falls = 0, small = 0;

	/* Of 100 us of CPU time an I/O, all may be split. */
	begin(0, 0);
	sampling = &world_state()->hot.sampling;
	pair_ticks = sampling->pair_ticks;
	span_ticks(pair_ticks / 100);
	for (i = 0; i < 10; i++)
		good += is_about(span_ticks(pair_ticks / 100), 9 * pair_ticks,
				 pair_ticks / 100) && !sampling->chooser.shift;
	tap_ok(good == i, "%u of %u plain spans in a row are as long as the first", good, i);
	/* Of 2 us, they may not. */
	span_ticks(pair_ticks / 5000);
	tap_ok(sampling->chooser.shift && sampling->place == 1,
	       "a job that becomes faster has fewer I/Os split after that span");
	/* Then it becomes slower by and by. */
	for (uint64_t ticks = pair_ticks / 5000; ticks < pair_ticks / 100; ticks += ticks / 3) {
		const unsigned old = sampling->chooser.shift;

		for (i = 0; i < 3; i++)
			span_ticks(ticks);
		falls += sampling->chooser.shift < old;
		small += sampling->chooser.shift + 1 == old;
	}
	tap_ok(falls && !small, "more I/Os are split only by four times as many: %u times", falls);
	world.options.causes = 1;
	tw_sampling_start(&world.options, world_state());
	tap_ok(sampling->after_ticks == UINT64_MAX && !sampling->chooser.shift,
	       "with tw_causes=1 each stays split");
	world.options.causes = 0;
	world_end();

	/* With 1 ms an I/O, a span of a pair has to wait for its I/Os. */
	begin(4, 0);
	sampling = &world_state()->hot.sampling;
	span_ticks(pair_ticks / 10);
	for (i = good = 0; i < 3; i++) {
		first = span_ticks(pair_ticks / 10);
		second = span_ticks(pair_ticks / 10);
		good += first > 20 * pair_ticks && second > 20 * pair_ticks &&
			is_about(span_ticks(pair_ticks / 10), 9 * second, pair_ticks / 10);
	}
	tap_ok(good == i, "%u of %u plain spans are nine times as long as a span of a pair, "
	       "which waited for its I/Os", good, i);
	world_end();
}

int main(void)
{
	world_random = tap_seed();
	for (unsigned time = 0; time < TW_TIMES; time++)
		if (tw_histogram_init(&right[time], 3))
			return 1;
	for (size_t i = 0; i < sizeof(populations) / sizeof(*populations); i++)
		one(&populations[i]);
	slow_ones();
	after_a_slow_one();
	limits();
	all_are_split();
	cost();
	pairs();
	spans();
	shifts();
	for (unsigned time = 0; time < TW_TIMES; time++)
		tw_histogram_free(&right[time]);
	return tap_done();
}
