/* SPDX-License-Identifier: MIT */
/*
 * The preload clock's arithmetic, see steer.h. Called within clock_gettime(),
 * so in signal handlers, too: no memory, no errno, no library.
 */
#include "steer.h"

#define UNIT		4294967296.0	/* 2^32 */
#define SECOND_NS	1000000000ULL
#define SECOND		(SECOND_NS << 32)

/* Slopes are measured over this much at least. */
#define BASELINE_NS	2000000.0
/* Eight of them are more than that. */
#define APART_NS	300000.0
/* Anchors further apart may have a suspend between them. */
#define LARGEST_GAP_NS	10000000.0
/* Further off than any slew that is followed can be half a millisecond later. */
#define JUMP_NS		1000.0

static double ticks_after(uint64_t later, uint64_t earlier)
{
	return (double)(int64_t)(later - earlier);
}

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

/* ---- anchors ---- */

void tw_anchor_begin(struct tw_anchor_at *anchor, double slope, uint64_t before,
		     uint64_t ns, uint64_t after)
{
	anchor->ticks = before;
	anchor->ns = ns;
	/* It had not reached ns + 1 at @before, and was at ns by @after. */
	anchor->low_ns = -ticks_after(after, before) * slope;
	anchor->high_ns = 1;
}

void tw_anchor_narrow(struct tw_anchor_at *anchor, double slope,
		      uint64_t before, uint64_t ns, uint64_t after)
{
	double past_ns = (double)(int64_t)(ns - anchor->ns);
	double low_ns = past_ns - ticks_after(after, anchor->ticks) * slope;
	double high_ns = past_ns + 1 -
			 ticks_after(before, anchor->ticks) * slope;

	if (low_ns > anchor->low_ns)
		anchor->low_ns = low_ns;
	if (high_ns < anchor->high_ns)
		anchor->high_ns = high_ns;
}

int tw_anchor_is_good(const struct tw_anchor_at *anchor)
{
	/* Brackets that exclude each other: a clock was not what it seems. */
	return anchor->high_ns >= anchor->low_ns &&
	       anchor->high_ns - anchor->low_ns <= TW_STEER_BRACKET_NS;
}

/* ---- the slope ---- */

static const struct tw_anchor_at *anchor_before(const struct tw_steer *steer,
						unsigned back)
{
	return &steer->anchor[(steer->anchors - back) % TW_STEER_ANCHORS];
}

/* Those that come close upon each other are one: a baseline is to be had from
 * as many as there is room for. */
static void keep(struct tw_steer *steer, const struct tw_anchor_at *anchor)
{
	if (steer->anchors > 1 &&
	    ticks_after(anchor_before(steer, 1)->ticks,
			anchor_before(steer, 2)->ticks) *
	    steer->ns_per_tick < APART_NS)
		steer->anchors--;
	steer->anchor[steer->anchors++ % TW_STEER_ANCHORS] = *anchor;
	/* Only whether it is more than there is room for matters. */
	if (steer->anchors == 3 * TW_STEER_ANCHORS)
		steer->anchors = 2 * TW_STEER_ANCHORS;
}

/* From the oldest anchor that is kept; 0: they are too near to each other. */
static double measured_slope(const struct tw_steer *steer)
{
	unsigned kept = steer->anchors < TW_STEER_ANCHORS ? steer->anchors :
							    TW_STEER_ANCHORS;
	const struct tw_anchor_at *newest = anchor_before(steer, 1);
	const struct tw_anchor_at *oldest = anchor_before(steer, kept);
	double ticks = ticks_after(newest->ticks, oldest->ticks);

	if (ticks * steer->ns_per_tick < BASELINE_NS)
		return 0;
	return ((double)(int64_t)(newest->ns - oldest->ns) +
		middle_ns(newest) - middle_ns(oldest)) / ticks;
}

static int is_too_steep(const struct tw_steer *steer, double slope)
{
	double off = slope / steer->ns_per_tick - 1;
	double limit = TW_STEER_SLEW_PPM * 1e-6;

	return off > limit || off < -limit;
}

/* What the slope was last is the best guess there is, if it was one. */
static void begin_anew(struct tw_steer *steer)
{
	steer->anchors = 0;
	if (is_too_steep(steer, steer->slope))
		tw_steer_reset(steer);
}

enum tw_steer_result tw_steer_add(struct tw_steer *steer,
				  const struct tw_anchor_at *anchor)
{
	double gap, slope;

	if (!tw_anchor_is_good(anchor))
		return TW_STEER_WIDE;
	if (steer->anchors) {
		gap = ticks_after(anchor->ticks,
				  anchor_before(steer, 1)->ticks);
		if (gap <= 0 || gap * steer->ns_per_tick > LARGEST_GAP_NS)
			begin_anew(steer);
	}
	keep(steer, anchor);
	slope = measured_slope(steer);
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

/* What the system's clock is expected to show @ticks, against @ns. */
static double expected_ns(const struct tw_steer *steer, uint64_t ticks,
			  uint64_t ns)
{
	const struct tw_anchor_at *newest = anchor_before(steer, 1);

	return (double)(int64_t)(newest->ns - ns) + middle_ns(newest) +
	       ticks_after(ticks, newest->ticks) * steer->slope;
}

static void set_base(struct tw_line *line, uint64_t seconds, uint64_t base)
{
	while (base >= SECOND) {
		base -= SECOND;
		seconds++;
	}
	line->seconds = seconds;
	line->base = base;
}

/*
 * The slope from where the line starts to the system's clock at its end, and
 * where these two moments are.
 */
static enum tw_steer_result aim(const struct tw_steer *steer,
				struct tw_line *line)
{
	const struct tw_anchor_at *newest = anchor_before(steer, 1);
	double lasts = TW_STEER_HARD_NS / steer->ns_per_tick -
		       ticks_after(line->start, newest->ticks);
	double renew = lasts - (TW_STEER_HARD_NS - TW_STEER_RENEW_NS) /
			       steer->ns_per_tick;
	double ahead_ns, slope, off;
	uint64_t start_ns;

	if (renew <= 0)
		return TW_STEER_WIDE;
	line->hard = (uint64_t)lasts;
	line->renew = (uint64_t)renew;
	start_ns = tw_line_ns(line, 0);
	ahead_ns = (double)(line->base & 0xffffffff) / UNIT -
		   expected_ns(steer, line->start, start_ns);
	slope = steer->slope - ahead_ns / (double)line->hard;
	/* Twice the largest slew in what renewing takes, and the anchors. */
	off = slope / steer->ns_per_tick - 1;
	if (ahead_ns > JUMP_NS || ahead_ns < -JUMP_NS || off > 0.01 ||
	    off < -0.01)
		return TW_STEER_JUMPED;
	line->mult = (uint64_t)(slope * UNIT + 0.5);
	return TW_STEER_GOOD;
}

static uint64_t start_after(const struct tw_steer *steer, uint64_t now)
{
	return now + (uint64_t)(TW_STEER_AHEAD_NS / steer->ns_per_tick);
}

enum tw_steer_result tw_steer_follow(const struct tw_steer *steer,
				     const struct tw_line *line, uint64_t now,
				     struct tw_line *next)
{
	next->start = start_after(steer, now);
	/* It must come to hold while this one does. */
	if (next->start - line->start >= line->hard)
		return TW_STEER_WIDE;
	next->after_system = 0;
	set_base(next, line->seconds,
		 tw_line_at(line, next->start - line->start));
	return aim(steer, next);
}

enum tw_steer_result tw_steer_enter(const struct tw_steer *steer,
				    uint64_t ceiling_ns, uint64_t now,
				    struct tw_line *next)
{
	const struct tw_anchor_at *newest = anchor_before(steer, 1);
	uint64_t ns;

	next->start = start_after(steer, now);
	ns = newest->ns + (uint64_t)(int64_t)expected_ns(steer, next->start,
							 newest->ns);
	if (ns < ceiling_ns)
		return TW_STEER_EARLY;
	next->after_system = 1;
	set_base(next, ns / SECOND_NS, (ns % SECOND_NS) << 32);
	return aim(steer, next);
}
