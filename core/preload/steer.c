/* SPDX-License-Identifier: MIT */
/*
 * The preload clock's arithmetic, see steer.h. It is called within
 * clock_gettime(), and so in signal handlers, too: no memory, no errno, no
 * library.
 */
#include "steer.h"

#define UNIT		4294967296.0	/* 2^32 */
#define SECOND_NS	1000000000ULL
#define SECOND		(SECOND_NS << 32)

/* Slopes are measured over at least this time. */
#define BASELINE_NS	2000000.0
/* Anchors closer than this count as one. Eight of these are more than the
 * baseline. */
#define APART_NS	300000.0
/* Between anchors that are further apart there may be a suspend. */
#define LARGEST_GAP_NS	10000000.0
/* No slew that is followed gets further off than this in half a millisecond. */
#define JUMP_NS		1000.0

static double middle_ns(const struct tw_anchor_at *anchor)
{
	return (anchor->low_ns + anchor->high_ns) / 2;
}

void tw_steer_init(struct tw_steer *steer, double ns_per_tick)
{
	steer->ns_per_tick = ns_per_tick;
	tw_steer_reset(steer);
}

void tw_steer_reset(struct tw_steer *steer)
{
	steer->anchors = 0;
	steer->slope = steer->ns_per_tick;
	steer->is_measured = 0;
}

double tw_steer_slew_ppm(const struct tw_steer *steer)
{
	return (steer->slope / steer->ns_per_tick - 1) * 1e6;
}

int tw_anchor_is_good(const struct tw_anchor_at *anchor)
{
	/* If the brackets exclude each other, one of the clocks is faulty. */
	return anchor->high_ns >= anchor->low_ns &&
	       anchor->high_ns - anchor->low_ns <= TW_STEER_BRACKET_NS;
}

/* ---- the slope ---- */

static const struct tw_anchor_at *anchor_before(const struct tw_steer *steer,
						unsigned back)
{
	return &steer->anchor[(steer->anchors - back) % TW_STEER_ANCHORS];
}

static int is_too_steep(const struct tw_steer *steer, double slope)
{
	double off = slope / steer->ns_per_tick - 1;
	double limit = TW_STEER_SLEW_PPM * 1e-6;

	return off > limit || off < -limit;
}

enum tw_steer_result tw_steer_add(struct tw_steer *steer,
				  const struct tw_anchor_at *anchor)
{
	const struct tw_anchor_at *newest, *oldest;
	double gap, ticks, slope;

	if (!tw_anchor_is_good(anchor))
		return TW_STEER_WIDE;
	if (steer->anchors) {
		gap = tw_difference(anchor->ticks,
				  anchor_before(steer, 1)->ticks);
		if (gap <= 0 || gap * steer->ns_per_tick > LARGEST_GAP_NS) {
			/* Anew. The last slope is the best guess, unless it was too steep. */
			steer->anchors = 0;
			if (is_too_steep(steer, steer->slope))
				tw_steer_reset(steer);
		}
	}
	/* Anchors that are close to each other count as one, so that those kept always make a
	 * baseline. */
	if (steer->anchors > 1 &&
	    tw_difference(anchor_before(steer, 1)->ticks, anchor_before(steer, 2)->ticks) *
	    steer->ns_per_tick < APART_NS)
		steer->anchors--;
	steer->anchor[steer->anchors++ % TW_STEER_ANCHORS] = *anchor;
	/* It only matters whether there are more anchors than places. */
	if (steer->anchors == 3 * TW_STEER_ANCHORS)
		steer->anchors = 2 * TW_STEER_ANCHORS;
	newest = anchor_before(steer, 1);
	oldest = anchor_before(steer, steer->anchors < TW_STEER_ANCHORS ? steer->anchors :
								  TW_STEER_ANCHORS);
	ticks = tw_difference(newest->ticks, oldest->ticks);
	slope = ticks * steer->ns_per_tick < BASELINE_NS ? 0 :
		(tw_difference(newest->ns, oldest->ns) + middle_ns(newest) -
		 middle_ns(oldest)) / ticks;
	if (slope > 0) {
		steer->slope = slope;
		steer->is_measured = 1;
	}
	if (!steer->is_measured)
		return TW_STEER_EARLY;
	return is_too_steep(steer, steer->slope) ? TW_STEER_SLEWED :
						   TW_STEER_GOOD;
}

/* ---- segments ---- */

/* Return what the system's clock will probably show at @ticks, relative to @ns. */
static double expected_ns(const struct tw_steer *steer, uint64_t ticks,
			  uint64_t ns)
{
	const struct tw_anchor_at *newest = anchor_before(steer, 1);

	return tw_difference(newest->ns, ns) + middle_ns(newest) +
	       tw_difference(ticks, newest->ticks) * steer->slope;
}

/*
 * Aim the line from its start, @base after the beginning of @seconds, at the system's clock
 * at its end: set its slope, and when it ends and when its renewal is due.
 */
static enum tw_steer_result aim(const struct tw_steer *steer, struct tw_line *line,
				uint64_t seconds, uint64_t base)
{
	const struct tw_anchor_at *newest = anchor_before(steer, 1);
	double lasts = TW_STEER_HARD_NS / steer->ns_per_tick -
		       tw_difference(line->start, newest->ticks);
	double renew = lasts - (TW_STEER_HARD_NS - TW_STEER_RENEW_NS) /
			       steer->ns_per_tick;
	double ahead_ns, slope, off;
	uint64_t start_ns;

	if (renew <= 0)
		return TW_STEER_WIDE;
	line->seconds = seconds + base / SECOND;
	line->base = base % SECOND;
	line->hard = (uint64_t)lasts;
	line->renew = (uint64_t)renew;
	start_ns = tw_line_ns(line, 0);
	ahead_ns = (double)(line->base & 0xffffffff) / UNIT -
		   expected_ns(steer, line->start, start_ns);
	slope = steer->slope - ahead_ns / (double)line->hard;
	/* The limit is twice the largest slew during a renewal, and the
	 * anchors' error. */
	off = slope / steer->ns_per_tick - 1;
	if (ahead_ns > JUMP_NS || ahead_ns < -JUMP_NS || off > 0.01 ||
	    off < -0.01)
		return TW_STEER_JUMPED;
	line->mult = (uint64_t)(slope * UNIT + 0.5);
	return TW_STEER_GOOD;
}

enum tw_steer_result tw_steer_follow(const struct tw_steer *steer,
				     const struct tw_line *line, uint64_t now,
				     struct tw_line *next)
{
	next->start = now + (uint64_t)(TW_STEER_AHEAD_NS / steer->ns_per_tick);
	/* The next segment must begin while this one holds. */
	if (next->start - line->start >= line->hard)
		return TW_STEER_WIDE;
	next->after_system = 0;
	return aim(steer, next, line->seconds, tw_line_at(line, next->start - line->start));
}

enum tw_steer_result tw_steer_enter(const struct tw_steer *steer,
				    uint64_t ceiling_ns, uint64_t now,
				    struct tw_line *next)
{
	const struct tw_anchor_at *newest = anchor_before(steer, 1);
	uint64_t ns;

	next->start = now + (uint64_t)(TW_STEER_AHEAD_NS / steer->ns_per_tick);
	ns = newest->ns + (uint64_t)(int64_t)expected_ns(steer, next->start,
							 newest->ns);
	if (ns < ceiling_ns)
		return TW_STEER_EARLY;
	next->after_system = 1;
	return aim(steer, next, ns / SECOND_NS, (ns % SECOND_NS) << 32);
}
