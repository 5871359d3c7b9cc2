/* SPDX-License-Identifier: MIT */
/*
 * The preload clock's arithmetic by itself: a segment starts exactly where the
 * one before it stands, runs to where the system's clock will be, and is made
 * of good anchors only. Fails if it starts a fraction of a nanosecond off, at a
 * second's end too, or if a wide or contradictory anchor is learnt from.
 */
#include <math.h>

#include "preload/steer.h"
#include "tap.h"

#define HZ		2.6e9
#define NS_PER_TICK	(1e9 / HZ)
#define MS_TICKS	2600000ULL

/* A system clock that is 40 ppm fast, as an anchor 20 ns wide. */
static struct tw_anchor_at anchor_at(uint64_t ticks)
{
	double ns = (double)ticks * NS_PER_TICK * 1.00004;
	struct tw_anchor_at anchor = { .ticks = ticks, .ns = (uint64_t)ns };

	anchor.low_ns = ns - floor(ns) - 10;
	anchor.high_ns = ns - floor(ns) + 10;
	return anchor;
}

static uint64_t learn(struct tw_steer *steer, uint64_t ticks, unsigned count)
{
	enum tw_steer_result result = TW_STEER_EARLY;

	for (unsigned i = 0; i < count; i++, ticks += MS_TICKS * 2 / 5) {
		struct tw_anchor_at anchor = anchor_at(ticks);

		result = tw_steer_add(steer, &anchor);
		/* 2 ms are six anchors 0.4 ms apart. */
		if (i == 4)
			tap_ok(result == TW_STEER_EARLY,
			       "no slope from 1.6 ms");
	}
	tap_ok(result == TW_STEER_GOOD &&
	       fabs(tw_steer_slew_ppm(steer) - 40) < 0.1,
	       "the slope of %u anchors", count);
	return ticks - MS_TICKS * 2 / 5;
}

/* Segment after segment, over the end of a second. */
static void follow(void)
{
	uint64_t ticks = (uint64_t)(1.995 * HZ);
	unsigned stepped = 0, off = 0, i;
	struct tw_line line, next;
	struct tw_steer steer;

	tw_steer_init(&steer, NS_PER_TICK);
	ticks = learn(&steer, ticks, 8);
	tap_ok(tw_steer_enter(&steer, 0, ticks, &line) == TW_STEER_GOOD,
	       "a first segment");
	for (i = 0; i < 40; i++) {
		struct tw_anchor_at anchor;
		uint64_t since;
		double end_ns;

		ticks = line.start + line.renew;
		anchor = anchor_at(ticks);
		if (tw_steer_add(&steer, &anchor) != TW_STEER_GOOD ||
		    tw_steer_follow(&steer, &line, ticks, &next) !=
		    TW_STEER_GOOD)
			break;
		since = next.start - line.start;
		stepped += line.seconds * 1000000000 +
			   (tw_line_at(&line, since) >> 32) !=
			   tw_line_ns(&next, 0) ||
			   (uint32_t)tw_line_at(&line, since) !=
			   (uint32_t)next.base;
		end_ns = (double)(next.start + next.hard) * NS_PER_TICK *
			 1.00004;
		/* Whole ns, and a double's 4e-7. */
		off += fabs((double)tw_line_ns(&next, next.hard) - end_ns) > 2;
		line = next;
	}
	tap_is_u64(i, 40, "40 that follow");
	tap_is_u64(stepped, 0, "none with a step, to 2^-32 ns");
	tap_is_u64(off, 0, "each ends where the system's clock is");
	tap_ok(line.seconds == 2 && line.base >> 32 < 1000000000,
	       "into the next second");
}

static void anchors(void)
{
	struct tw_anchor_at anchor;
	struct tw_steer steer;

	/* 300 ticks are 115 ns. */
	tw_anchor_begin(&anchor, NS_PER_TICK, 5000, 70000, 5300);
	tap_ok(!tw_anchor_is_good(&anchor), "115 ns are too wide");
	tw_steer_init(&steer, NS_PER_TICK);
	tap_ok(tw_steer_add(&steer, &anchor) == TW_STEER_WIDE &&
	       !steer.anchors, "and not learnt from");
	/* Read late in the first, early in the second: 1300 ticks are 500 ns. */
	tw_anchor_begin(&anchor, NS_PER_TICK, 5000, 70000, 5300);
	tw_anchor_narrow(&anchor, NS_PER_TICK, 6300, 70431, 6600);
	tap_ok(tw_anchor_is_good(&anchor) && anchor.high_ns - anchor.low_ns < 50,
	       "two brackets are narrower than each");
	tw_anchor_narrow(&anchor, NS_PER_TICK, 7600, 71300, 7900);
	tap_ok(!tw_anchor_is_good(&anchor), "brackets that exclude each other");
}

static void ceiling(void)
{
	struct tw_steer steer;
	struct tw_line line;
	uint64_t ticks;

	tw_steer_init(&steer, NS_PER_TICK);
	ticks = learn(&steer, MS_TICKS, 8);
	tap_ok(tw_steer_enter(&steer, anchor_at(ticks).ns + 10000, ticks,
			      &line) == TW_STEER_EARLY,
	       "not below what was answered");
	tap_ok(tw_steer_enter(&steer, anchor_at(ticks).ns, ticks, &line) ==
	       TW_STEER_GOOD && line.after_system, "once it has passed that");
}

int main(void)
{
	follow();
	anchors();
	ceiling();
	return tap_done();
}
