/* SPDX-License-Identifier: MIT */
/*
 * The interval of pace holds the true difference of two counters' rates, and
 * decides by itself: beyond its limit it is the reason, below it is none. A
 * constant offset is no difference of pace, nor is a jump. An offset that a pace
 * has only led away from 0 is no offset.
 *
 * Fails if the sign is wrong, or if the distance in time is taken from the wrong
 * readings. Fails if a fast counter passes as a mere offset or a jump as a fast
 * counter. Fails also if the limit is ignored, or if the base is taken for right
 * and its own pace never checked.
 *
 * Also on other processors.
 */
#include <math.h>

#include "estimate_generate.h"

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

static void fill(struct made *made, const struct course *course,
		 uint64_t *random)
{
	made_init(made, 2, 1600);
	if (course->limit_ppb > 0)
		made->limits.pace_limit_ppb = course->limit_ppb;
	made->rates_ppb[0] = course->base_rate_ppb;
	made->rates_ppb[1] = course->rate_ppb;
	made->offsets_ticks[1] = course->offset_ticks;
	for (unsigned burst = 0; burst < 8; burst++) {
		if (burst == 4)
			made->offsets_ticks[1] += course->jump_ticks;
		made_probe(made, 200, random);
		made->time_ticks += course->distance_ticks;
	}
	made_judge(made, 1000);
}

/* True if the offset is held at the first reading and at the last. */
static int holds_offset(const struct made *made, const struct course *course)
{
	const struct tw_cpu_offset *pair = &made->result.offsets[0];
	double first = (double)course->offset_ticks;
	double last = first + course->rate_ppb / 1e9 *
		      (double)(made->time_ticks - course->distance_ticks -
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
static void try_course(const struct course *course, unsigned reasons,
		       uint64_t *random)
{
	double scale = (double)SHORT_TICKS / (double)course->distance_ticks;
	const struct tw_cpu_offset *pair;
	struct made made;
	double width_ppb;

	fill(&made, course, random);
	pair = &made.result.offsets[0];
	width_ppb = pair->pace_high_ppb - pair->pace_low_ppb;
	tap_ok(pair->pace_low_ppb <= course->rate_ppb &&
	       pair->pace_high_ppb >= course->rate_ppb &&
	       width_ppb < 44e3 * scale && width_ppb > 11e3 * scale,
	       "%+.1f ppm from %+" PRId64 " ticks on: in an interval of %.2f ppm",
	       course->rate_ppb / 1e3, course->offset_ticks, width_ppb / 1e3);
	tap_ok(holds_offset(&made, course), "the offset lies in its own");
	if (!tap_ok(made.result.reasons == reasons &&
		    made.result.verdict == (reasons ? TW_UNRELIABLE : TW_RELIABLE),
		    "reasons %#x, and the verdict follows", reasons))
		tap_note("are %#x; %" PRId64 " to %" PRId64 " ticks, %.2f to "
			 "%.2f ppm", made.result.reasons, pair->low_ticks,
			 pair->high_ticks, pair->pace_low_ppb / 1e3,
			 pair->pace_high_ppb / 1e3);
	made_free(&made);
}

static void try_jump(int64_t jump_ticks, uint64_t *random)
{
	const struct course course = {
		.jump_ticks = jump_ticks,
		.distance_ticks = SHORT_TICKS,
	};
	const struct tw_cpu_offset *pair;
	struct made made;

	fill(&made, &course, random);
	pair = &made.result.offsets[0];
	tap_ok(made.result.reasons == (TW_REASON_OFFSET | TW_REASON_BACKWARDS) &&
	       made.result.verdict == TW_UNRELIABLE,
	       "a jump of %+" PRId64 " ticks: an offset, no pace", jump_ticks);
	tap_ok(pair->pace_low_ppb <= 0 && pair->pace_high_ppb >= 0,
	       "whose interval of pace holds 0");
	tap_ok(pair->low_ticks <= (jump_ticks < 0 ? jump_ticks : 0) &&
	       pair->high_ticks >= (jump_ticks > 0 ? jump_ticks : 0),
	       "and that of offset all it was at");
	made_free(&made);
}

/* The other against a base that is 0.1 % fast: 1 / 1.001 - 1. */
static void try_fast_base(uint64_t *random)
{
	const struct course course = {
		.base_rate_ppb = 1e6,
		.distance_ticks = SHORT_TICKS,
	};
	double rate_ppb = (1 / 1.001 - 1) * 1e9;
	const struct tw_cpu_offset *pair;
	struct made made;

	fill(&made, &course, random);
	pair = &made.result.offsets[0];
	tap_ok(pair->pace_low_ppb <= rate_ppb && pair->pace_high_ppb >= rate_ppb,
	       "a base 0.1 %% fast: the other's pace lies in the interval");
	tap_ok((made.result.reasons & TW_REASON_PACE) &&
	       made.result.verdict == TW_UNRELIABLE, "and is found");
	made_free(&made);
}

/* The range over all pairs of three CPUs. */
static void try_range(uint64_t *random)
{
	double low_ppb = INFINITY, high_ppb = -INFINITY;
	struct made made;

	made_init(&made, 3, 4000);
	made.rates_ppb[1] = 100e3;
	made.rates_ppb[2] = -50e3;
	for (unsigned i = 0; i < 8; i++) {
		made_probe(&made, 400, random);
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
	made_free(&made);
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

int main(void)
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
	uint64_t random = tap_seed();

	/* In either direction. */
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct course course = cases[i].course;

		try_course(&course, cases[i].reasons, &random);
		course.rate_ppb = -course.rate_ppb;
		course.offset_ticks = -course.offset_ticks;
		try_course(&course, cases[i].reasons, &random);
	}
	try_jump(900, &random);
	try_jump(-900, &random);
	try_fast_base(&random);
	try_range(&random);
	try_coarse();
	try_ends();
	return tap_done();
}
