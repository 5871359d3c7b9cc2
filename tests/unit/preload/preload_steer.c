/* SPDX-License-Identifier: MIT */
/*
 * Checks the preload clock's arithmetic by itself: a segment starts exactly where
 * the one before it stands, runs to where the system's clock will be, and is made
 * of good anchors only. Fails if it starts a fraction of a nanosecond off, also at
 * a second's end, or if it ends elsewhere than expected. Fails also if a wide or
 * contradictory anchor is used, or if a limit is off by one.
 */
#include <math.h>
#include <stdlib.h>

#include "preload/steer.h"
#include "tap.h"

/* A tick is a nanosecond, unless noted. */

static void brackets(void)
{
	struct tw_anchor_at anchor = tw_anchor_at(1000, 70);
	struct tw_steer steer;

	/* Half a nanosecond a tick: 100 ticks are 50 ns. */
	tw_anchor_narrow(&anchor, 0.5, 1000, 70, 1100);
	tap_ok(anchor.ticks == 1000 && anchor.ns == 70 && anchor.low_ns == -50 &&
	       anchor.high_ns == 1, "a bracket");
	/* 105 ns pass in 130 ns of ticks at most and 100 at least. */
	tw_anchor_narrow(&anchor, 0.5, 1200, 175, 1260);
	tap_ok(anchor.low_ns == -25 && anchor.high_ns == 1, "narrower from below");
	tw_anchor_narrow(&anchor, 0.5, 1400, 268, 1440);
	tap_ok(anchor.low_ns == -22 && anchor.high_ns == -1, "and from both sides");
	tw_steer_init(&steer, 0.5);
	anchor.low_ns = anchor.high_ns - TW_STEER_BRACKET_NS - 0.5;
	tap_ok(!tw_anchor_is_good(&anchor) && !steer.anchors &&
	       tw_steer_add(&steer, &anchor) == TW_STEER_WIDE && !steer.anchors,
	       "too wide, and not learnt from");
	anchor.low_ns = anchor.high_ns - TW_STEER_BRACKET_NS;
	tap_ok(tw_anchor_is_good(&anchor), "as wide as is used");
	tw_anchor_narrow(&anchor, 0.5, 1600, 500, 1700);
	tap_ok(!tw_anchor_is_good(&anchor), "brackets that exclude each other");
}

static enum tw_steer_result add(struct tw_steer *steer, uint64_t ticks,
				uint64_t ns, double middle_ns)
{
	const struct tw_anchor_at anchor = {
		.ticks = ticks, .ns = ns, .low_ns = middle_ns - 20,
		.high_ns = middle_ns + 20,
	};

	return tw_steer_add(steer, &anchor);
}

/* Return the slope of two anchors 2 ms apart, of which the second shows @more_ns. */
static enum tw_steer_result slope_of(struct tw_steer *steer, int64_t more_ns,
				     double middle_ns)
{
	tw_steer_init(steer, 1);
	if (add(steer, 1000000, 5000000, 10) != TW_STEER_EARLY)
		return TW_STEER_JUMPED;
	return add(steer, 3000000, 7000000 + (uint64_t)more_ns, middle_ns);
}

static void slopes(void)
{
	struct tw_steer steer;

	slope_of(&steer, 0, 0);
	tw_steer_reset(&steer);
	add(&steer, 1000000, 5000000, 0);
	tap_ok(add(&steer, 2999999, 6999999, 0) == TW_STEER_EARLY, "under 2 ms: no slope");
	tap_ok(slope_of(&steer, 0, -10) == TW_STEER_GOOD &&
	       fabs(steer.slope - (1 - 20 / 2e6)) < 1e-15,
	       "from middle to middle");
	tap_ok(slope_of(&steer, 999, 10) == TW_STEER_GOOD &&
	       slope_of(&steer, -999, 10) == TW_STEER_GOOD,
	       "499.5 ppm either way are followed");
	tap_ok(slope_of(&steer, 1001, 10) == TW_STEER_SLEWED &&
	       slope_of(&steer, -1001, 10) == TW_STEER_SLEWED,
	       "500.5 ppm are not");
	/* 0, 0.3 and 0.6 ms stay, and the last. */
	tw_steer_init(&steer, 1);
	for (unsigned i = 0; i < 8; i++)
		add(&steer, 1000000 + i * 100000, 5000000 + i * 100000, 0);
	tap_ok(steer.anchors == 4 && steer.anchor[1].ticks == 1300000,
	       "0.1 ms apart, three of four are one");
	tw_steer_init(&steer, 1);
	add(&steer, 1000000, 5000000, 0);
	add(&steer, 11000000, 15000000, 0);
	tap_is_u64(steer.anchors, 2, "10 ms without an anchor");
	add(&steer, 21000001, 25000001, 0);
	tap_is_u64(steer.anchors, 1, "a nanosecond more: anew");
	add(&steer, 21000000, 25000002, 0);
	tap_is_u64(steer.anchors, 1, "a counter that goes back: anew");
}

#define UNIT		4294967296.0
#define ANCHOR_TICKS	3000000ULL
#define ANCHOR_NS	7000000000ULL

/*
 * Take a slope of 1 and an anchor; return what follows, @since ticks after the anchor, from a
 * line that was begun 400000 ticks before it and is @ahead_ns ahead.
 */
static enum tw_steer_result follows(uint64_t hard, int64_t ahead_ns, uint64_t since,
				    struct tw_line *next)
{
	uint64_t ns = ANCHOR_NS - 400000 + (uint64_t)ahead_ns;
	const struct tw_line line = {
		.start = ANCHOR_TICKS - 400000, .hard = hard, .mult = 1ULL << 32,
		.seconds = ns / 1000000000, .base = ns % 1000000000 << 32,
	};
	struct tw_steer steer;

	tw_steer_init(&steer, 1);
	add(&steer, ANCHOR_TICKS - 2000000, ANCHOR_NS - 2000000, 0);
	add(&steer, ANCHOR_TICKS, ANCHOR_NS, 0);
	return tw_steer_follow(&steer, &line, ANCHOR_TICKS + since, next);
}

static void lines(void)
{
	static const struct {
		uint64_t hard;
		int64_t ahead_ns;
		uint64_t since_anchor;
		enum tw_steer_result result;
		const char *what;
	} cases[] = {
		{ 405000, 0, 1000, TW_STEER_WIDE, "not where the one before has ended" },
		{ 405001, 0, 1000, TW_STEER_GOOD, "but a tick before it has" },
		{ 900000, 0, 396000, TW_STEER_WIDE, "not when it would be to renew at once" },
		{ 900000, 0, 395999, TW_STEER_GOOD, "but a tick before" },
		{ 500000, 1001, 0, TW_STEER_JUMPED, "a microsecond ahead is a jump" },
		{ 500000, -1001, 0, TW_STEER_JUMPED, "and behind" },
	};
	unsigned off = 0, unrounded = 0;
	struct tw_line next;

	for (unsigned i = 0; i < 800; i++) {
		int64_t ahead_ns = (int64_t)i - 400;
		double slope = 1 - (double)ahead_ns / 495000;

		/* It starts 4000 after now, and ends 500000 after the anchor. */
		follows(500000, ahead_ns, 1000, &next);
		off += next.hard != 495000 || next.renew != 395000 ||
		       llabs((int64_t)(tw_line_ns(&next, next.hard) -
				       ANCHOR_NS - 500000)) > 1;
		unrounded += fabs((double)next.mult - slope * UNIT) > 0.51;
	}
	tap_is_u64(off, 0, "ends where the system's clock is expected");
	tap_is_u64(unrounded, 0, "by the nearest multiplier");
	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		tap_ok(follows(cases[i].hard, cases[i].ahead_ns, cases[i].since_anchor,
			       &next) == cases[i].result &&
		       (i != 3 || next.renew == 1), "%s", cases[i].what);
	/* The anchor is on a second, and the line starts 4 us after now. */
	follows(500000, 0, 0, &next);
	tap_ok(next.seconds == 7 && next.base == 4000ULL << 32, "4 us into second 7");
	follows(500000, 0, (uint64_t)-4000, &next);
	tap_ok(next.seconds == 7 && next.base == 0, "on its first nanosecond");
}

/* Segment after segment, over the end of a second, by a system clock that is 40 ppm fast. */
static void chain(void)
{
	static const double slope = 1.00004;
	uint64_t ticks = 6996000000;
	unsigned stepped = 0, off = 0, i;
	struct tw_line line, next;
	struct tw_steer steer;
	double ns;

	tw_steer_init(&steer, 1);
	for (i = 0; i < 2; i++, ticks += 2000000)
		add(&steer, ticks, (uint64_t)((double)ticks * slope), 0.5);
	ticks -= 2000000;
	ns = (double)ticks * slope;
	tap_ok(fabs(tw_steer_slew_ppm(&steer) - 40) < 0.001 &&
	       tw_steer_enter(&steer, (uint64_t)ns + 10000, ticks, &line) == TW_STEER_EARLY &&
	       tw_steer_enter(&steer, (uint64_t)ns, ticks, &line) == TW_STEER_GOOD &&
	       line.after_system, "a first segment, not below what was answered");
	for (i = 0; i < 40; i++, line = next) {
		uint64_t at, since;

		ticks = line.start + line.renew;
		ns = (double)ticks * slope;
		if (add(&steer, ticks, (uint64_t)ns, ns - floor(ns)) != TW_STEER_GOOD ||
		    tw_steer_follow(&steer, &line, ticks, &next) != TW_STEER_GOOD)
			break;
		since = next.start - line.start;
		at = tw_line_at(&line, since);
		stepped += tw_line_ns(&line, since) != tw_line_ns(&next, 0) ||
			   (uint32_t)at != (uint32_t)next.base;
		/* Whole ns, and a double's 1e-6. */
		off += fabs((double)tw_line_ns(&next, next.hard) -
			    (double)(next.start + next.hard) * slope) > 2;
	}
	tap_is_u64(i, 40, "40 that follow");
	tap_is_u64(stepped, 0, "none with a step, to 2^-32 ns");
	tap_is_u64(off, 0, "each ends where the system's clock is");
	tap_ok(line.seconds == 7 && line.base >> 32 < 1000000000, "into the next second");
}

int main(void)
{
	brackets();
	slopes();
	lines();
	chain();
	return tap_done();
}
