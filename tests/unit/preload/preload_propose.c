/* SPDX-License-Identifier: MIT */
/*
 * A first segment is accepted only if the system's clock is not above its start and
 * the counter is well before it. Each limit is met to the tick, by clocks that move
 * just when the segment has been proposed. Fails if a segment is accepted that the
 * system's clock has passed: its readers would see time go back. Fails also if one
 * is accepted that other threads may have found, or if the answer is the system's
 * clock where it is above the coming segment.
 */
#include "preload/preload_clock.h"
#include "tap.h"

#define NS_AT_START	7000000000123ULL
#define PASSED		1000000ULL

/* One tick a nanosecond; the system's clock runs with it. Reading takes none. */
static struct machine {
	struct tw_preload_clock clock;
	uint64_t ticks;
	uint64_t jumped_ns;		/* the system's clock, forward */
	int64_t system_past_start_ns;	/* then; INT64_MIN: as it is */
	int64_t ticks_before_start;	/* then; INT64_MIN: as it is */
} machine;

static const struct tw_line *proposed(void)
{
	uint64_t word = machine.clock.word;

	return word & TW_WORD_PROPOSED ?
		&machine.clock.line[(word + 1) & TW_WORD_PLACE] : NULL;
}

static uint64_t read_ticks(void *context)
{
	const struct tw_line *next = proposed();

	(void)context;
	if (next && machine.ticks_before_start != INT64_MIN)
		return next->start - (uint64_t)machine.ticks_before_start;
	return machine.ticks;
}

static uint64_t read_ns(void *context)
{
	const struct tw_line *next = proposed();

	(void)context;
	if (next && machine.system_past_start_ns != INT64_MIN)
		return tw_line_ns(next, 0) +
		       (uint64_t)machine.system_past_start_ns;
	return NS_AT_START + machine.ticks + machine.jumped_ns;
}

static const struct tw_preload_source source = { read_ticks, read_ns, NULL };

/* Read until a segment has been proposed once. */
static struct tw_preload_counts propose(int64_t system_past_start_ns,
					int64_t ticks_before_start)
{
	machine = (struct machine) {
		.clock = TW_PRELOAD_CLOCK_INIT,
		.system_past_start_ns = system_past_start_ns,
		.ticks_before_start = ticks_before_start,
	};
	tw_preload_enable(&machine.clock, 1);
	for (unsigned i = 0; i < 100; i++) {
		machine.ticks += PASSED;
		tw_preload_ns(&machine.clock, &source, 64);
		if (machine.clock.counts.entered || machine.clock.counts.late)
			break;
	}
	return machine.clock.counts;
}

/* A tick is a nanosecond. */
static const struct {
	int64_t system_past_start_ns, ticks_before_start;
	int is_accepted;
	const char *what;
} proposals[] = {
	{ INT64_MIN, INT64_MIN, 1, "clocks as they are" },
	{ -1, INT64_MIN, 1, "the system's clock is just below the start" },
	{ 0, INT64_MIN, 1, "at the start" },
	{ 1, INT64_MIN, 0, "a nanosecond above it" },
	{ 50000, INT64_MIN, 0, "it was set forward" },
	{ INT64_MIN, TW_STEER_MARGIN_NS + 1, 1, "a tick more than the margin before the start" },
	{ INT64_MIN, TW_STEER_MARGIN_NS, 0, "the margin before it" },
	{ INT64_MIN, -5, 0, "past it" },
};

/*
 * A first segment has been accepted and begins in ten ticks. The system's clock is
 * read until then, and no answer may be above the segment's beginning, or time
 * would go back. Past its start the segment holds.
 */
static void until_it_begins(void)
{
	const struct tw_line *line;

	propose(INT64_MIN, INT64_MIN);
	line = &machine.clock.line[machine.clock.word & TW_WORD_PLACE];
	machine.ticks = line->start - 10;
	tap_is_u64(tw_preload_ns(&machine.clock, &source, 64),
		   NS_AT_START + machine.ticks, "before it: the system's clock");
	machine.jumped_ns = 50000;
	tap_is_u64(tw_preload_ns(&machine.clock, &source, 64),
		   tw_line_ns(line, 0), "which ran ahead: the segment's start");
	machine.ticks = line->start;
	tap_is_u64(tw_preload_ns(&machine.clock, &source, 64),
		   tw_line_ns(line, 0), "at its start: the segment");
	machine.ticks = line->start + 1000;
	tap_is_u64(tw_preload_ns(&machine.clock, &source, 64),
		   tw_line_ns(line, 1000), "and after it");
	/*
	 * The segment holds to its last tick. Then the system's clock is read,
	 * which is 50 us ahead.
	 */
	machine.ticks = line->start + line->hard;
	tap_is_u64(tw_preload_ns(&machine.clock, &source, 64),
		   NS_AT_START + machine.ticks + 50000, "it has expired");
}

/*
 * Test the system's clock @back_ns behind the end of an expired segment: what the
 * answer is then, and whether a new segment begins within 100 ms.
 */
static int enters_again(uint64_t back_ns, uint64_t *less_ns)
{
	const struct tw_line *line;
	uint64_t entered, end_ns;

	propose(INT64_MIN, INT64_MIN);
	line = &machine.clock.line[machine.clock.word & TW_WORD_PLACE];
	end_ns = tw_line_ceiling_ns(line);
	machine.ticks = line->start + line->hard;
	machine.jumped_ns = end_ns - back_ns - NS_AT_START - machine.ticks;
	entered = machine.clock.counts.entered;
	*less_ns = end_ns - tw_preload_ns(&machine.clock, &source, 64);
	for (unsigned i = 0; i < 100; i++) {
		machine.ticks += PASSED;
		tw_preload_ns(&machine.clock, &source, 64);
	}
	return machine.clock.counts.entered > entered;
}

/*
 * A clock that is behind makes readers wait. A clock that is a second behind is
 * another clock: a child moved to another time namespace.
 */
static void foreign(void)
{
	uint64_t less_ns;

	tap_ok(!enters_again(999999999, &less_ns) && less_ns == 0,
	       "under a second behind: what the segment ended with");
	tap_ok(enters_again(1000000000, &less_ns) && less_ns == 1000000000,
	       "a second behind: another clock, as it is");
}

/* 1100 ns over 2.4 ms are less than the steepest slew, and more than a segment follows. */
static void jumped(void)
{
	const struct tw_line *line;

	propose(INT64_MIN, INT64_MIN);
	line = &machine.clock.line[machine.clock.word & TW_WORD_PLACE];
	machine.ticks = line->start + line->renew;
	machine.jumped_ns = 1100;
	tw_preload_ns(&machine.clock, &source, 64);
	tap_ok(machine.clock.counts.jumped == 1 && !machine.clock.counts.renewed &&
	       machine.clock.steer.anchors == 0, "a jump: nothing that was learnt holds");
}

/* After fork() another thread's renewal is over; the thread's own goes on. */
static void forked(void)
{
	propose(INT64_MIN, INT64_MIN);
	machine.clock.lock = 64;
	tw_preload_forked(&machine.clock, 64);
	tap_ok(machine.clock.lock == 64 && machine.clock.steer.anchors > 0,
	       "forked by the one who renews: goes on");
	tw_preload_forked(&machine.clock, 68);
	tap_ok(machine.clock.lock == 0 && machine.clock.steer.anchors == 0,
	       "forked by another: begins anew");
}

int main(void)
{
	for (unsigned i = 0; i < sizeof(proposals) / sizeof(*proposals); i++) {
		struct tw_preload_counts counts =
			propose(proposals[i].system_past_start_ns,
				proposals[i].ticks_before_start);

		tap_ok(counts.entered == (uint64_t)proposals[i].is_accepted &&
		       counts.late == (uint64_t)!proposals[i].is_accepted, "%s: %s",
		       proposals[i].what, counts.entered ? "accepted" : "rejected");
	}
	until_it_begins();
	foreign();
	jumped();
	forked();
	return tap_done();
}
