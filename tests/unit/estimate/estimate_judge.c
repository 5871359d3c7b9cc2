/* SPDX-License-Identifier: MIT */
/*
 * The judge of readings whose truth is known: offsets, paces, their bounds and the reasons
 * that follow. The interval of every pair holds the truth, is as narrow as the readings
 * allow, and decides the verdict. A constant offset is no difference of pace, nor is a jump;
 * an offset that a pace has only led away from 0 is no offset.
 *
 * Fails if a bound is taken from the wrong one of two readings (its sign, or the reading
 * before a turn for the one at its end), if only pairs with the base are judged, or if
 * the range leaves out the base CPU's own 0. Fails if bounds are combined over a CPU
 * that jumped, or if a missing bound counts as a good one. Fails also if few turns, a
 * single CPU or a standing counter pass for a good one. Fails if a pace's sign or its
 * distance in time is wrong, if a fast counter passes as a mere offset or a jump as a fast
 * counter, or if the base is taken for right and its own pace never checked.
 *
 * Also on other processors.
 */
#include <math.h>
#include <string.h>

#include "estimate_samples.h"

static struct made made;
static uint64_t seed;

/* Let CPUs take turns, @gap_ticks apart, in an order that is repeated: "01". */
static void turns(const char *order, unsigned readings, uint64_t gap_ticks)
{
	for (unsigned i = 0; i < readings; i++) {
		unsigned cpu = (unsigned)(order[i % strlen(order)] - '0');

		made.time_ticks += gap_ticks;
		made_add(&made, cpu, made_shows(&made, cpu));
	}
}

static void begin(unsigned cpus, size_t room)
{
	made_free(&made);
	made_init(&made, cpus, room);
}

__attribute__((format(printf, 3, 4)))
static void is_judged(enum tw_verdict verdict, unsigned reasons, const char *format, ...)
{
	char what[200];
	va_list args;

	va_start(args, format);
	vsnprintf(what, sizeof(what), format, args);
	va_end(args);
	if (!tap_ok(made.result.verdict == verdict && made.result.reasons == reasons,
		    "%s: %s", what, tw_name(TW_ENUM_VERDICT, verdict)))
		tap_note("is %s, reasons %#x, should be %#x",
			 tw_name(TW_ENUM_VERDICT, made.result.verdict),
			 made.result.reasons, reasons);
}

static void is_pair(unsigned pair, unsigned base_cpu, unsigned cpu, int64_t low_ticks,
		    int64_t high_ticks, const char *what)
{
	const struct tw_cpu_offset *is = &made.result.offsets[pair];

	if (!tap_ok(is->base_cpu == base_cpu && is->cpu == cpu &&
		    is->low_ticks == low_ticks && is->high_ticks == high_ticks,
		    "CPU %u against CPU %u, %s", cpu, base_cpu, what))
		tap_note("is %" PRId64 " to %" PRId64 " ticks", is->low_ticks,
			 is->high_ticks);
}

/* ---- offsets ---- */

/*
 * With gaps of at least 40 ticks neither bound can be nearer to the truth than 40.
 * Of 3000 probes of 3 CPUs some 330 follow one given CPU on one given other at
 * once, with gaps evenly over 40 to 400. The smallest misses 100 in one of
 * (300/361)^-330 = 10^26 runs.
 */
static int is_tight(const struct tw_cpu_offset *pair, int64_t truth_ticks)
{
	return pair->low_ticks <= truth_ticks - 40 &&
	       pair->low_ticks >= truth_ticks - 100 &&
	       pair->high_ticks >= truth_ticks + 40 &&
	       pair->high_ticks <= truth_ticks + 100;
}

static void offset(int64_t one_ticks, int64_t two_ticks)
{
	const int64_t offsets_ticks[] = { 0, one_ticks, two_ticks };
	int64_t largest_ticks = 0;
	int right;

	begin(3, 3000);
	memcpy(made.offsets_ticks, offsets_ticks, sizeof(offsets_ticks));
	made_probe(&made, 3000, &seed);
	made_judge(&made, 1000);
	right = made.result.pairs == 3;
	for (unsigned i = 0; i < made.result.pairs; i++) {
		const struct tw_cpu_offset *pair = &made.result.offsets[i];
		int64_t truth_ticks = offsets_ticks[pair->cpu] -
				      offsets_ticks[pair->base_cpu];

		right &= is_tight(pair, truth_ticks);
		if (llabs(truth_ticks) > largest_ticks)
			largest_ticks = llabs(truth_ticks);
	}
	/* Below 40 ticks nothing can be proven, from 100 on all must be. */
	if (largest_ticks < 40)
		right &= made.result.verdict == TW_RELIABLE;
	if (largest_ticks > 100)
		right &= made.result.verdict == TW_UNRELIABLE &&
			 (made.result.reasons & TW_REASON_OFFSET);
	tap_ok(right, "two CPUs %+" PRId64 " and %+" PRId64 " ticks off", one_ticks,
	       two_ticks);
}

static void offsets(void)
{
	static const int64_t tried_ticks[] = {
		0, 1, -1, 30, -30, 150, -150, 500, -500, 2000, -2000,
	};
	enum { TRIED = sizeof(tried_ticks) / sizeof(tried_ticks[0]) };

	for (unsigned i = 0; i < TRIED; i++) {
		offset(tried_ticks[i], 0);
		offset(tried_ticks[i], tried_ticks[TRIED - 1 - i]);
	}
}

/* Two counters are five seconds apart. The width of the interval is some hundred ticks. */
static void far_apart(int64_t offset_ticks)
{
	int64_t width_ticks;

	begin(2, 2000);
	/* The counter that is behind has not been at 0 before. */
	made.time_ticks += UINT64_C(1) << 41;
	made.offsets_ticks[1] = offset_ticks;
	made_probe(&made, 2000, &seed);
	made_judge(&made, 1300);
	width_ticks = made.result.offset_high_ticks - made.result.offset_low_ticks;
	tap_ok(width_ticks >= llabs(offset_ticks) &&
	       width_ticks <= llabs(offset_ticks) + 400 &&
	       made.result.offset_low_ticks <= 0 && made.result.offset_high_ticks >= 0 &&
	       made.result.verdict == TW_UNRELIABLE,
	       "%+" PRId64 " ticks: the range is all of it, and holds the base's 0",
	       offset_ticks);
}

/*
 * Each CPU has TURNS turns. In one of 130 orders of two CPUs, some 30 in all, a given
 * other one of 64 CPUs never has a turn within the 400 ticks before. With 256 that
 * happens far more often: only combined bounds are all that tight.
 * machine/estimate shows how long it takes.
 */
#define TURNS	172

static void many_cpus(unsigned cpus, int64_t offset_ticks, int64_t tolerance_ticks)
{
	unsigned right = 0, blamed = 0, innocent = 0;

	begin(cpus, 2 * TURNS);
	made.offsets_ticks[17] = offset_ticks;
	made_probe(&made, (uint64_t)cpus * TURNS, &seed);
	made_judge(&made, tolerance_ticks);
	for (unsigned i = 0; i < made.result.pairs; i++) {
		const struct tw_cpu_offset *pair = &made.result.offsets[i];
		int64_t truth_ticks = made.offsets_ticks[pair->cpu] -
				      made.offsets_ticks[pair->base_cpu];

		right += pair->low_ticks <= truth_ticks &&
			 pair->high_ticks >= truth_ticks;
		if (pair->low_ticks <= 0 && pair->high_ticks >= 0)
			continue;
		if (pair->cpu == 17 || pair->base_cpu == 17)
			blamed++;
		else
			innocent++;
	}
	tap_is_u64(right, cpus * (cpus - 1) / 2, "pairs that hold the truth");
	tap_is_u64(blamed, offset_ticks ? cpus - 1 : 0, "pairs blamed");
	tap_is_u64(innocent, 0, "pairs blamed wrongly");
	tap_ok(made.result.verdict == (offset_ticks ? TW_UNRELIABLE : TW_RELIABLE),
	       "%u CPUs, one %" PRId64 " ticks off: the verdict", cpus, offset_ticks);
}

/* ---- bounds ---- */

/* Every change from CPU 0 to 1 takes @up_ticks, back it takes @down_ticks. A reading is
 * good to one tick, so the bounds are a tick wider. 300 are wanted. */
static void tolerance(uint64_t up_ticks, uint64_t down_ticks)
{
	int is_good = up_ticks < 300 && down_ticks < 300;

	begin(2, 200);
	for (unsigned i = 0; i < 400; i++) {
		made.time_ticks += i & 1 ? up_ticks : down_ticks;
		made_add(&made, i & 1, made.time_ticks);
	}
	made_judge(&made, 300);
	is_pair(0, 0, 1, -(int64_t)down_ticks - 1, (int64_t)up_ticks + 1, "exactly");
	is_judged(is_good ? TW_RELIABLE : TW_UNDECIDED, is_good ? 0 : TW_REASON_TOLERANCE,
		  "bounds of %" PRIu64 " and %" PRIu64 " ticks", down_ticks, up_ticks);
}

/* CPU 0 takes turns with CPU 1, 50 ticks apart, then with CPU 2, 70 apart. Each reading is
 * good to a tick, both ways. */
static void combined(int64_t tolerance_ticks)
{
	begin(3, 600);
	turns("01", 300, 50);
	turns("02", 300, 70);
	made_judge(&made, tolerance_ticks);
	is_pair(2, 1, 2, -122, 122, "which never met: over a third");
	is_judged(tolerance_ticks < 122 ? TW_UNDECIDED : TW_RELIABLE,
		  tolerance_ticks < 122 ? TW_REASON_TOLERANCE : 0, "wanted %" PRId64,
		  tolerance_ticks);
}

/*
 * CPU 0, CPU 2, CPU 1, CPU 2, 50 ticks apart: CPUs 0 and 1 never follow each other
 * within 100. In the middle CPU 2 goes back by 1000: through CPU 2, CPU 1 would be
 * less than 102 - 1000 ahead of CPU 0.
 */
static void combined_over_a_jump(void)
{
	const struct tw_cpu_offset *jumped;

	begin(3, 1200);
	turns("0212", 600, 50);
	made.offsets_ticks[2] = -1000;
	turns("0212", 600, 50);
	made_judge(&made, 60);
	is_pair(0, 0, 1, -101, 101, "over a third that jumped: not");
	jumped = &made.result.offsets[1];
	tap_ok(jumped->cpu == 2 && jumped->low_ticks < -1000 && jumped->high_ticks > 0 &&
	       (made.result.reasons & TW_REASON_OFFSET) &&
	       made.result.verdict == TW_UNRELIABLE,
	       "which is found, and nobody's bounds take its own away");
}

/*
 * By hand: CPU 1 follows 0 by 100, 90 and 170 ticks, 0 follows 1 by 150 and 160.
 * Only the second of the first three is tighter than one before it.
 */
static void narrowed(void)
{
	static const uint64_t ticks[] = { 1000, 1100, 1250, 1340, 1500, 1670 };

	begin(2, 10);
	for (unsigned i = 0; i < 6; i++)
		made_add(&made, i % 2, ticks[i]);
	made_judge(&made, 1000);
	tap_is_u64(made.result.offsets[0].bounds, 3, "bounds that narrowed the interval");
	is_pair(0, 0, 1, -151, 91, "to the tightest, and a tick more");
}

/* ---- too little ---- */

static void empty(void)
{
	static const unsigned counts[] = { 1, 2, 5 };

	for (unsigned i = 0; i < 3; i++) {
		begin(counts[i], 1);
		made_judge(&made, 1000);
		is_judged(TW_UNDECIDED, TW_REASON_STATISTICS |
			  (counts[i] == 1 ? TW_REASON_ONE_CPU : TW_REASON_TOLERANCE),
			  "%u CPUs without samples", counts[i]);
	}
	begin(2, 2000);
	made_probe(&made, 1000, &seed);
	made.cpus[1].count = 0;
	made_judge(&made, 1000);
	is_judged(TW_UNDECIDED, TW_REASON_STATISTICS | TW_REASON_TOLERANCE,
		  "one of two CPUs without samples");
	is_pair(0, 0, 1, -INT64_MAX, INT64_MAX, "no bound is made up");

	begin(2, 1);
	made_add(&made, 0, 1000);
	made_add(&made, 1, 1100);
	made_judge(&made, 1000);
	is_judged(TW_UNDECIDED, TW_REASON_STATISTICS | TW_REASON_TOLERANCE,
		  "one sample each");
	is_pair(0, 0, 1, -INT64_MAX, 101, "only the one bound there is");

	begin(4, 200);
	turns("01", 400, 50);
	turns("23", 400, 50);
	made_judge(&made, 1000);
	is_judged(TW_UNDECIDED, TW_REASON_STATISTICS | TW_REASON_TOLERANCE,
		  "two pairs that never met");

	/* Reads that are counted and of which only one was kept. */
	begin(1, 10);
	made_add(&made, 0, 1000);
	made.cpus[0].probes = 1000;
	made_judge(&made, 1000);
	is_judged(TW_UNDECIDED, TW_REASON_STATISTICS | TW_REASON_ONE_CPU,
		  "one CPU, one sample");
}

/* 100 switches per CPU are needed; the very first turn is none. Each probes twice at a
 * time. */
static void rounds(unsigned count, enum tw_verdict should)
{
	begin(3, 2 * (size_t)count);
	turns("001122", 6 * count, 50);
	made_judge(&made, 1000);
	is_judged(should, should == TW_RELIABLE ? 0 : TW_REASON_STATISTICS, "%u rounds",
		  count);
	tap_is_u64(made.result.switches, 3 * (uint64_t)count - 1, "switches");
	tap_is_u64(made.result.full_loops, count - 1, "full loops");
}

/* CPUs 0 and 1 by turns, CPU 2 in one of 60. */
static void rare_turns(unsigned readings, uint64_t gap_ticks)
{
	turns("010101010101010101010101010101010101010101010101010101010102", readings,
	      gap_ticks);
}

static void statistics(void)
{
	rounds(10, TW_UNDECIDED);
	rounds(100, TW_UNDECIDED);
	rounds(101, TW_RELIABLE);
	begin(3, 2000);
	rare_turns(3000, 50);
	made_judge(&made, 1000);
	is_judged(TW_UNDECIDED, TW_REASON_STATISTICS,
		  "50 turns of one CPU, thousands of the others");
	/* The base is back before the third had its turn: that closes no loop. */
	begin(3, 10);
	turns("01012021010", 11, 50);
	made_judge(&made, 1000);
	tap_is_u64(made.result.full_loops, 2, "loops with all three");
}

/* ---- faults ---- */

/* Return the sample with that place in the order. */
static struct tw_sample *at(uint64_t sequence)
{
	for (unsigned cpu = 0; cpu < made.count; cpu++)
		for (size_t i = 0; i < made.cpus[cpu].count; i++)
			if (made.samples[cpu][i].sequence == sequence)
				return &made.samples[cpu][i];
	exit(1);
}

/* Each reading that is smaller is followed by a larger one, which is not counted. */
static void backwards(uint64_t every, uint64_t by_ticks, uint64_t should, const char *what)
{
	begin(2, 4000);
	made_probe(&made, 2000, &seed);
	for (uint64_t i = every; i < 2000; i += every)
		at(i)->ticks = at(i - 1)->ticks - by_ticks;
	made_judge(&made, 1000);
	tap_is_u64(made.result.backwards, should, what);
	tap_ok(made.result.monotonic == !should &&
	       (made.result.verdict == TW_UNRELIABLE) == (should != 0) &&
	       !(made.result.reasons & TW_REASON_BACKWARDS) == !should,
	       "the verdict follows");
}

/* A counter that is merely slow is not accused of standing still. */
static void standing(unsigned count, unsigned standing_mask)
{
	begin(count, 600);
	for (unsigned i = 0; i < 600; i++) {
		unsigned cpu = i % count;

		made.time_ticks += 40 + (tap_random(&seed) >> 11) % 100;
		made_add(&made, cpu, standing_mask >> cpu & 1 ?
			 UINT64_C(1) << 40 : made.time_ticks);
	}
	made_judge(&made, 1000);
	tap_ok(!(made.result.reasons & TW_REASON_STANDS_STILL) == !standing_mask &&
	       (made.result.verdict == TW_UNRELIABLE) == (standing_mask != 0),
	       "%u CPUs, those standing still: 0x%x", count, standing_mask);
}

/* 15 readings, 40 ns apart, of a counter of 10 MHz may all be the same. */
static void equal(unsigned readings, int should)
{
	begin(1, readings);
	for (unsigned i = 0; i < readings; i++)
		made_add(&made, 0, 5);
	made_judge(&made, 1000);
	tap_ok(!(made.result.reasons & TW_REASON_STANDS_STILL) == !should,
	       "%u equal readings prove %s", readings, should ? "it" : "nothing");
}

static void faults(void)
{
	backwards(5000, 0, 0, "none is smaller than the one before");
	backwards(1000, 0, 0, "two equal ones");
	backwards(1000, 1, 1, "one, by one tick");
	backwards(100, 1000, 19, "nineteen, far back");
	standing(1, 0x0);
	standing(1, 0x1);
	standing(2, 0x0);
	standing(2, 0x3);
	standing(3, 0x2);
	standing(3, 0x7);
	equal(15, 0);
	equal(16, 1);
}

static void one_cpu(void)
{
	begin(1, 1000);
	made_probe(&made, 1000, &seed);
	made_judge(&made, 1000);
	is_judged(TW_RELIABLE, TW_REASON_ONE_CPU, "one CPU");
	tap_ok(made.result.pairs == 0 && made.result.offset_low_ticks == 0 &&
	       made.result.offset_high_ticks == 0 && made.result.full_loops == 0,
	       "no pairs, no range, no loops over others");
	made.samples[0][500].ticks = made.samples[0][499].ticks - 1;
	made_judge(&made, 1000);
	is_judged(TW_UNRELIABLE, TW_REASON_BACKWARDS, "one CPU that ran backwards");
}

/* "Unreliable" comes with what proves it and nothing else: wide bounds or few turns are no
 * reason for it. */
static void proofs(void)
{
	begin(3, 400);
	rare_turns(600, 200);
	made_judge(&made, 100);
	is_judged(TW_UNDECIDED, TW_REASON_TOLERANCE | TW_REASON_STATISTICS,
		  "wide bounds and few turns");
	begin(3, 400);
	made.offsets_ticks[1] = 5000;
	rare_turns(600, 200);
	made_judge(&made, 100);
	is_judged(TW_UNRELIABLE, TW_REASON_OFFSET | TW_REASON_BACKWARDS,
		  "an offset as well: for that alone");
}

/* ---- the counter's step ---- */

#define PARTS	16	/* of a tick, the unit of time and truth */
#define TRIES	500

/* Return what a counter that is @ahead shows at @time, both in parts of a tick. */
static uint64_t shows(uint64_t time, int64_t ahead, uint64_t step_ticks)
{
	return (time + (uint64_t)ahead) / PARTS / step_ticks * step_ticks;
}

/* Readings are from almost nothing to three steps apart: dense enough for an interval of
 * 0 if readings were taken for exact. */
static void in_steps(int64_t ahead, uint64_t step_ticks)
{
	uint64_t time = PARTS * (UINT64_C(1) << 40);

	begin(2, 1000);
	made.limits.step_ticks = (double)step_ticks;
	for (unsigned i = 0; i < 1000; i++) {
		unsigned cpu = (unsigned)(tap_random(&seed) >> 33) % 2;

		time += 1 + (tap_random(&seed) >> 11) % (3 * PARTS * step_ticks);
		made_add(&made, cpu, shows(time, cpu ? ahead : 0, step_ticks));
	}
	made_judge(&made, 1000);
}

static void step_holds_truth(uint64_t step_ticks)
{
	unsigned held = 0, honest = 0, zero = 0;

	for (unsigned i = 0; i < TRIES; i++) {
		const int64_t span = (int64_t)step_ticks * PARTS * 3;
		const int64_t ahead = (int64_t)(tap_random(&seed) >> 11) % (2 * span) -
				      span;
		const struct tw_cpu_offset *pair;

		in_steps(ahead, step_ticks);
		pair = &made.result.offsets[0];
		held += pair->low_ticks * PARTS < ahead && pair->high_ticks * PARTS > ahead;
		/* A proof is reported as one, and anything else allows 0. */
		honest += !(made.result.reasons & TW_REASON_OFFSET) ==
			  (pair->low_ticks < 0 && pair->high_ticks > 0);
		zero += pair->low_ticks == 0 && pair->high_ticks == 0;
	}
	tap_note("steps of %" PRIu64, step_ticks);
	tap_is_u64(held, TRIES, "intervals that hold the truth");
	tap_is_u64(honest, TRIES, "reasons that are those of the intervals");
	tap_is_u64(zero, 0, "intervals of nothing but 0");
}

/* By turns, 50 ticks apart: the readings alone give -50 to 50. */
static void step_widens(uint64_t step_ticks, int64_t should_ticks)
{
	begin(2, 400);
	made.limits.step_ticks = (double)step_ticks;
	turns("01", 400, 50);
	made_judge(&made, 1000);
	tap_note("a step of %" PRIu64, step_ticks);
	is_pair(0, 0, 1, -should_ticks, should_ticks, "a step wider than the readings");
}

static void steps(void)
{
	step_holds_truth(1);
	step_holds_truth(2);
	step_holds_truth(42);
	step_widens(1, 51);
	step_widens(2, 52);
	step_widens(38, 88);
	begin(1, 2);
	tap_ok(tw_step_of_samples(made.cpus, 1) == 1, "of no reading: 1");
	made_add(&made, 0, 5);
	made_add(&made, 0, 5);
	tap_ok(tw_step_of_samples(made.cpus, 1) == 1, "of equal ones: 1");
}

/* ---- pace ---- */

/*
 * 8 bursts, as far apart as the collector's: 14 million ticks in all, some ms; or
 * two thousand million, about a second.
 */
#define SHORT_TICKS	UINT64_C(2000000)
#define LONG_TICKS	UINT64_C(300000000)

struct course {
	double rate_ppb, base_rate_ppb;
	int64_t offset_ticks;
	int64_t jump_ticks;	/* of the second half */
	uint64_t distance_ticks;
	double limit_ppb;	/* 0: 1 ppm */
};

/* Return the two CPUs' pair. */
static const struct tw_cpu_offset *run(const struct course *course)
{
	begin(2, 1600);
	if (course->limit_ppb > 0)
		made.limits.pace_limit_ppb = course->limit_ppb;
	made.rates_ppb[0] = course->base_rate_ppb;
	made.rates_ppb[1] = course->rate_ppb;
	made.offsets_ticks[1] = course->offset_ticks;
	for (unsigned burst = 0; burst < 8; burst++) {
		if (burst == 4)
			made.offsets_ticks[1] += course->jump_ticks;
		made_probe(&made, 200, &seed);
		made.time_ticks += course->distance_ticks;
	}
	made_judge(&made, 1000);
	return &made.result.offsets[0];
}

/* True if the offset is held at the first reading and at the last. */
static int holds_offset(const struct course *course)
{
	const struct tw_cpu_offset *pair = &made.result.offsets[0];
	double first = (double)course->offset_ticks;
	double last = first + course->rate_ppb / 1e9 *
		      (double)(made.time_ticks - course->distance_ticks -
			       (UINT64_C(1) << 40));

	return (double)pair->low_ticks <= fmin(first, last) &&
	       (double)pair->high_ticks >= fmax(first, last);
}

/*
 * In each burst bounds are at least 40 ticks off, so the interval is at least 2 *
 * 80 ticks over the run wide, 11 ppm over the short one. Among some 50 switches
 * each way the smallest gap is under 150 but in one of (250/361)^-50 = 10^8 runs.
 * That leaves 4 * 151 ticks: 43 ppm, and 0.29 ppm over the long run.
 */
static void try_course(const struct course *course, unsigned reasons)
{
	double scale = (double)SHORT_TICKS / (double)course->distance_ticks;
	const struct tw_cpu_offset *pair = run(course);
	double width_ppb = pair->pace_high_ppb - pair->pace_low_ppb;

	tap_ok(pair->pace_low_ppb <= course->rate_ppb &&
	       pair->pace_high_ppb >= course->rate_ppb &&
	       width_ppb < 44e3 * scale && width_ppb > 11e3 * scale,
	       "%+.1f ppm from %+" PRId64 " ticks on: in an interval of %.2f ppm",
	       course->rate_ppb / 1e3, course->offset_ticks, width_ppb / 1e3);
	tap_ok(holds_offset(course), "the offset lies in its own");
	if (!tap_ok(made.result.reasons == reasons &&
		    made.result.verdict == (reasons ? TW_UNRELIABLE : TW_RELIABLE),
		    "reasons %#x, and the verdict follows", reasons))
		tap_note("are %#x; %" PRId64 " to %" PRId64 " ticks, %.2f to "
			 "%.2f ppm", made.result.reasons, pair->low_ticks,
			 pair->high_ticks, pair->pace_low_ppb / 1e3,
			 pair->pace_high_ppb / 1e3);
}

static void try_jump(int64_t jump_ticks)
{
	const struct tw_cpu_offset *pair = run(&(struct course) {
		.jump_ticks = jump_ticks, .distance_ticks = SHORT_TICKS });

	tap_ok(made.result.reasons == (TW_REASON_OFFSET | TW_REASON_BACKWARDS) &&
	       made.result.verdict == TW_UNRELIABLE,
	       "a jump of %+" PRId64 " ticks: an offset, no pace", jump_ticks);
	tap_ok(pair->pace_low_ppb <= 0 && pair->pace_high_ppb >= 0,
	       "whose interval of pace holds 0");
	tap_ok(pair->low_ticks <= (jump_ticks < 0 ? jump_ticks : 0) &&
	       pair->high_ticks >= (jump_ticks > 0 ? jump_ticks : 0),
	       "and that of offset all it was at");
}

/* The other against a base that is 0.1 % fast: 1 / 1.001 - 1. */
static void try_fast_base(void)
{
	const struct tw_cpu_offset *pair = run(&(struct course) {
		.base_rate_ppb = 1e6, .distance_ticks = SHORT_TICKS });
	double rate_ppb = (1 / 1.001 - 1) * 1e9;

	tap_ok(pair->pace_low_ppb <= rate_ppb && pair->pace_high_ppb >= rate_ppb,
	       "a base 0.1 %% fast: the other's pace lies in the interval");
	tap_ok((made.result.reasons & TW_REASON_PACE) &&
	       made.result.verdict == TW_UNRELIABLE, "and is found");
}

/* The range over all pairs of three CPUs. */
static void try_range(void)
{
	double low_ppb = INFINITY, high_ppb = -INFINITY;

	begin(3, 4000);
	made.rates_ppb[1] = 100e3;
	made.rates_ppb[2] = -50e3;
	for (unsigned i = 0; i < 8; i++) {
		made_probe(&made, 400, &seed);
		made.time_ticks += SHORT_TICKS;
	}
	made_judge(&made, 1000);
	for (unsigned i = 0; i < 3; i++) {
		low_ppb = fmin(low_ppb, made.result.offsets[i].pace_low_ppb);
		high_ppb = fmax(high_ppb, made.result.offsets[i].pace_high_ppb);
	}
	tap_ok(made.result.pace_low_ppb == low_ppb &&
	       made.result.pace_high_ppb == high_ppb && low_ppb < -150e3 &&
	       high_ppb > 100e3, "over three pairs: %.1f to %.1f ppm",
	       low_ppb / 1e3, high_ppb / 1e3);
}

/*
 * The time at which a bound held is known to a step: from less than 0 to more than
 * 10 in 100 ticks, or in 110, or 90; and the same downwards and backwards in time.
 */
static void try_coarse(void)
{
	struct tw_pace_bounds bounds = {
		.upper = { { .ticks = 0, .at_ticks = 1000 } },
		.lower = { { .ticks = 10, .at_ticks = 1100 } },
		.uppers = 1, .lowers = 1, .step_ticks = 10,
	};
	struct tw_cpu_offset pair;

	tap_ok(tw_pace_fit(&bounds, &pair) &&
	       fabs(pair.pace_low_ppb - 10 / 110.0 * 1e9) < 1,
	       "a rise takes the longest time there can be");
	bounds.lower[0].ticks = -10;
	tw_pace_fit(&bounds, &pair);
	tap_ok(fabs(pair.pace_low_ppb + 10 / 90.0 * 1e9) < 1,
	       "a fall the shortest");
	bounds.lower[0].at_ticks = 900;
	tw_pace_fit(&bounds, &pair);
	tap_ok(fabs(pair.pace_high_ppb - 10 / 90.0 * 1e9) < 1 &&
	       isinf(pair.pace_low_ppb), "so does what was before");
	bounds.lower[0].at_ticks = 1010;
	bounds.lower[0].ticks = 10;
	tw_pace_fit(&bounds, &pair);
	tap_ok(isinf(pair.pace_low_ppb) && isinf(pair.pace_high_ppb),
	       "a step apart they may have been at once");
	bounds.lower[0].at_ticks = 1005;
	tw_pace_fit(&bounds, &pair);
	tap_ok(isinf(pair.pace_low_ppb) && isinf(pair.pace_high_ppb),
	       "within a step nobody knows which was first");
}

/*
 * Offsets at the ends of what 64 bits hold: a line that leaves them ends there. And
 * where the pace has no bound on one side, nothing is known but what was seen.
 */
static void try_ends(void)
{
	struct tw_pace_bounds bounds = {
		.upper[0] = { INT64_MAX - 5, 1000 },
		.lower[0] = { -INT64_MAX + 5, 1000 },
		.uppers = 1, .lowers = 1, .begin_ticks = 0, .end_ticks = 2000,
	};
	struct tw_cpu_offset offset = {
		.pace_low_ppb = -1e9, .pace_high_ppb = 1e9,
	};

	tw_pace_span(&bounds, 1, &offset);
	tap_ok(offset.low_ticks == -INT64_MAX && offset.high_ticks == INT64_MAX,
	       "lines beyond 64 bits: %" PRId64 " to %" PRId64, offset.low_ticks,
	       offset.high_ticks);
	offset.pace_high_ppb = INFINITY;
	tw_pace_span(&bounds, 1, &offset);
	tap_ok(offset.low_ticks == -INT64_MAX + 5 &&
	       offset.high_ticks == INT64_MAX - 5,
	       "no bound on the pace: what was seen");
	bounds.upper[0].ticks = 70;
	bounds.lower[0].ticks = -30;
	offset.pace_low_ppb = offset.pace_high_ppb = 0;
	tw_pace_span(&bounds, 1, &offset);
	tap_ok(offset.low_ticks == -30 && offset.high_ticks == 70,
	       "one bound on each side, no pace: these");
	bounds.upper[0].ticks = -50;
	bounds.lower[0].ticks = 40;
	tw_pace_span(&bounds, 0, &offset);
	tap_ok(offset.low_ticks == 40 && offset.high_ticks == -50,
	       "no line: from the lowest bound to the highest, and no others");
}

static void pace(void)
{
	enum {
		OFFSET = TW_REASON_OFFSET | TW_REASON_BACKWARDS,
		MOVED = TW_REASON_PACE | TW_REASON_BACKWARDS,
		BOTH = OFFSET | MOVED,
	};
	static const struct {
		struct course course;
		unsigned reasons;
	} cases[] = {
		/* 7 ticks in the short run and 35 in half of it are too little to be
		 * known. */
		{ { .rate_ppb = 0, .distance_ticks = SHORT_TICKS }, 0 },
		{ { .rate_ppb = 500, .distance_ticks = SHORT_TICKS }, 0 },
		{ { .rate_ppb = 5e3, .distance_ticks = SHORT_TICKS / 2 }, 0 },
		{ { .rate_ppb = 50e3, .distance_ticks = SHORT_TICKS }, MOVED },
		{ { .rate_ppb = 100e3, .distance_ticks = SHORT_TICKS }, MOVED },
		{ { .rate_ppb = 1e6, .distance_ticks = SHORT_TICKS }, MOVED },
		/* A thousand ticks in the long one, which finally runs backwards. But
		 * half a ppm is allowed, and so are 5 where 10 are. */
		{ { .rate_ppb = 500, .distance_ticks = LONG_TICKS }, TW_REASON_BACKWARDS },
		{ { .rate_ppb = 5e3, .distance_ticks = LONG_TICKS }, MOVED },
		{ { .rate_ppb = 5e3, .distance_ticks = LONG_TICKS, .limit_ppb = 10e3 },
		  TW_REASON_BACKWARDS },
		{ { .rate_ppb = 50e3, .distance_ticks = LONG_TICKS, .limit_ppb = 10e3 },
		  MOVED },
		/* Across 0, towards 0, and away from 0. */
		{ { 100e3, 0, -1000, 0, SHORT_TICKS, 0 }, MOVED },
		{ { 0, 0, 5000, 0, SHORT_TICKS, 0 }, OFFSET },
		{ { 1e6, 0, 5000, 0, SHORT_TICKS, 0 }, BOTH },
		{ { -1e6, 0, 5000, 0, SHORT_TICKS, 0 }, MOVED },
		/* Further apart than the run is long, 14 million ticks: this shows whose
		 * ticks a moment is in. */
		{ { 0, 0, INT64_C(1) << 36, 0, SHORT_TICKS, 0 }, OFFSET },
		{ { 100e3, 0, INT64_C(1) << 36, 0, SHORT_TICKS, 0 }, BOTH },
	};

	/* In either direction. */
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct course course = cases[i].course;

		try_course(&course, cases[i].reasons);
		course.rate_ppb = -course.rate_ppb;
		course.offset_ticks = -course.offset_ticks;
		try_course(&course, cases[i].reasons);
	}
	try_jump(900);
	try_jump(-900);
	try_fast_base();
	try_range();
	try_coarse();
	try_ends();
}

int main(void)
{
	static const uint64_t gaps[][2] = {
		{ 299, 299 }, { 300, 300 }, { 100, 300 }, { 300, 100 }, { 299, 100 },
		{ 100, 299 },
	};

	seed = tap_seed();
	offsets();
	far_apart(5 * INT64_C(2600000000));
	far_apart(-5 * INT64_C(2600000000));
	many_cpus(64, 0, 400);
	many_cpus(64, 50000, 400);
	many_cpus(64, -50000, 400);
	many_cpus(256, 0, 800);
	many_cpus(256, 200000, 800);
	for (unsigned i = 0; i < sizeof(gaps) / sizeof(*gaps); i++)
		tolerance(gaps[i][0], gaps[i][1]);
	combined(122);
	combined(121);
	combined_over_a_jump();
	narrowed();
	empty();
	statistics();
	faults();
	one_cpu();
	proofs();
	steps();
	pace();
	made_free(&made);
	return tap_done();
}
