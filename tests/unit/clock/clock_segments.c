/* SPDX-License-Identifier: MIT */
/*
 * Checks the segments of a refined clock, on a counter that is a variable. Times
 * before a segment stay what they were, none goes back at its beginning, and a
 * segment that comes too late changes nothing. Reading a clock writes nothing: one in
 * read-only memory is read before it is refined, after it, and at every moment in which
 * the refinement reads the counter.
 *
 * Fails if a segment starts from another time than the clock's, or if a late one is used.
 * Fails, with SIGSEGV, if a reader writes into the clock. Fails also if a reading made in
 * between gives another time later.
 *
 * Also on other processors.
 */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "clock_by_hand.h"

static struct tw_clock_state state;
static struct tw_clock tested;

struct counter {
	uint64_t ticks;
	uint64_t step;		/* added at each read */
};

static uint64_t read_counter(void *context)
{
	struct counter *counter = context;

	counter->ticks += counter->step;
	return counter->ticks;
}

static struct tw_rate rate_of(double hz)
{
	return (struct tw_rate) { .size = sizeof(struct tw_rate), .hz = hz };
}

static void make_clock(double hz)
{
	by_hand(&tested, &state, rate_of(hz), 5000000000, 1000000000);
}

static int append(double hz, uint64_t now, uint64_t step)
{
	struct counter counter = { now, step };
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = read_counter, .context = &counter,
	};
	struct tw_rate rate = rate_of(hz);

	return tw_segment_append(&tested, &rate, &source);
}

static uint64_t last_begin(void)
{
	return tested.tw__last->begin_ticks;
}

/*
 * Around the start of the last segment the clock never goes back and makes no step
 * forward. A tick of these clocks is at most a nanosecond, rounded, and scaled by a
 * rate that is at most 5 % off: from one to the next at most 2 ns.
 */
static int never_back(void)
{
	uint64_t begin = last_begin(), ticks;
	uint64_t ns = 0;

	for (ticks = begin - 20000; ticks < begin + 20000; ticks++) {
		uint64_t next_ns = tw_clock_ns_at(&tested, ticks);

		if (next_ns < ns || (ns && next_ns > ns + 2))
			return 0;
		ns = next_ns;
	}
	return 1;
}

#define STAMPS	1000

static void one_refinement(void)
{
	const uint64_t now = 5000000000 + 3600 * 2500000000ULL;
	static uint64_t before_ns[STAMPS];
	uint64_t begin, i, changed = 0;

	make_clock(2.5e9);
	for (i = 0; i < STAMPS; i++)
		before_ns[i] = tw_clock_ns_at(&tested, now - i * 7777777777);
	tap_ok(append(2.5e9 * (1 + 3e-6), now, 1000) == 0, "a segment");
	begin = last_begin();
	/*
	 * The counter is 1000 ticks on at its first reading. 20 ms at the new rate
	 * are 50000150 ticks.
	 */
	tap_is_u64(begin, now + 1000 + 50000150, "it begins 20 ms ahead");
	for (i = 0; i < STAMPS; i++)
		changed += before_ns[i] !=
			   tw_clock_ns_at(&tested, now - i * 7777777777);
	tap_is_u64(changed, 0, "times before it stay what they were");
	tap_ok(never_back(), "no time goes back where it begins");
	/* 2.5e12 ticks are 1e12 / (1 + 3e-6) ns, rounded twice, and 0.005 ppb. */
	i = tw_clock_ns_at(&tested, begin + 2500000000000ULL) -
	    tw_clock_ns_at(&tested, begin);
	tap_ok(i >= 999997000009 - 7 && i <= 999997000009 + 7,
	       "and then the new rate holds (%llu)", (unsigned long long)i);
	tap_is_u64(tw_clock_ns_at(&tested, 0), tested.base_ns,
		   "far behind the base: still the base");
}

static void too_late(void)
{
	const uint64_t now = 5000000000 + 2500000000ULL;
	uint64_t later = now + 100 * 2500000000ULL;
	uint64_t ns;

	make_clock(2.5e9);
	ns = tw_clock_ns_at(&tested, later);
	/* 10 ms of the new rate from one reading to the next, and a tick less. */
	tap_ok(append(2.4e9, now, 24000000) == -EAGAIN,
	       "the writer was held up: -EAGAIN");
	tap_is_u64(tw_clock_ns_at(&tested, later), ns, "nothing has changed");
	tap_ok(append(2.4e9, now + 10000000, 23999999) == 0 &&
	       state.segments == 1, "a tick less: in time");
	tap_ok(tw_clock_ns_at(&tested, later) != ns && never_back(),
	       "by a segment that holds");
}

static uint64_t published_then(void *context)
{
	uint64_t *last_ticks = context;

	return state.segments ? *last_ticks : 6000000000;
}

static void count_warning(void *context, int level, const char *message)
{
	*(unsigned *)context += level == TW_SAY_WARNING && message[0];
}

/*
 * It cannot be told whether the segment was published in time: it holds, and that
 * is reported.
 */
static void held_up(void)
{
	/* 20 ms at 1 GHz ahead, and a quarter of that before. */
	uint64_t last_ticks = 6000000000 + 20000000 - 5000000 - 1;
	const struct tw_time_source source = {
		.size = sizeof(source),
		.read_ticks = published_then, .context = &last_ticks,
	};
	struct tw_rate rate = rate_of(1e9);
	unsigned warnings = 0;

	tw_set_diagnostics(count_warning, &warnings);
	make_clock(1e9);
	tap_ok(!tw_segment_append(&tested, &rate, &source) && !warnings,
	       "5 ms and a tick are left when it is published: no warning");
	last_ticks++;
	make_clock(1e9);
	tap_ok(!tw_segment_append(&tested, &rate, &source) && warnings == 1 &&
	       state.segments == 1, "5 ms: it holds, with a warning");
	tw_set_diagnostics(NULL, NULL);
}

static void many(void)
{
	uint64_t now = 6000000000;
	unsigned good = 0;

	make_clock(1e9);
	for (unsigned i = 0; i < TW_CLOCK_SEGMENTS; i++) {
		now += 1000000000;
		good += append(1e9 * (1 + (i % 2 ? 4e-4 : -4e-4)), now, 100) ==
			0 && never_back();
	}
	tap_is_u64(good, TW_CLOCK_SEGMENTS, "all segments, none goes back");
	tap_ok(append(1e9, now + 1000000000, 100) == -ENOSPC,
	       "one more: -ENOSPC");
	tap_ok(append(1e6, now, 100) == -ERANGE, "no scale: -ERANGE");
	/* The segment begins 20 ms after now. */
	make_clock(1e9);
	now = tested.base_ticks + tested.scale.max_ticks - 20000000;
	tap_ok(append(1e9, now, 0) == -ERANGE && !state.segments,
	       "the end of the clock's range: -ERANGE");
	tap_ok(append(1e9, now - 1, 0) == 0, "a tick before it");
}

/* ---- in memory that can't be written ---- */

#define HZ	2500000000ULL
#define NOW	(105 * HZ)
#define MOMENTS	5

/* A clock, and the memory after it. */
static struct {
	struct tw_clock clock;
	struct tw_clock_state state;
} *memory;

/* The counter, and what was read while the clock was refined. */
static struct {
	unsigned readings;
	uint64_t ns[MOMENTS];
} seen;

static void allow(int protection)
{
	if (mprotect(memory, sizeof(*memory), protection))
		exit(1);
}

/* Read the clock in all ways, for times from long before the new rate to long after. */
static void read_all(uint64_t ns[MOMENTS])
{
	static const uint64_t after[MOMENTS] = { 0, HZ / 100, HZ / 50, HZ, 9 * HZ };
	struct tw_second second = { 0 };
	struct tw_interval interval = TW_SIZED(struct tw_interval);
	struct tw_stamp from, to;
	struct timespec now;
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	allow(PROT_READ);
	for (unsigned i = 0; i < MOMENTS; i++)
		ns[i] = tw_clock_ns_at(&memory->clock, NOW + after[i]);
	from = (struct tw_stamp) { NOW, 0 };
	to = (struct tw_stamp) { NOW + HZ, 0 };
	tw_interval(&memory->clock, &from, &to, &interval);
	tw_clock_timespec(&memory->clock, &second, &now);
	tw_clock_rate(&memory->clock, &rate);
	allow(PROT_READ | PROT_WRITE);
}

static uint64_t read_meanwhile(void *context)
{
	(void)context;
	seen.readings++;
	read_all(seen.ns);
	return NOW + seen.readings;
}

static void read_only(void)
{
	const struct tw_time_source source = {
		.size = sizeof(source), .read_ticks = read_meanwhile,
	};
	const struct tw_rate faster = rate_of(HZ * (1 + 100e-6));
	uint64_t before[MOMENTS], after[MOMENTS];

	memory = mmap(NULL, sizeof(*memory), PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		exit(1);
	by_hand(&memory->clock, &memory->state, rate_of(HZ), 5 * HZ, 1000000000);
	read_all(before);
	/* 100 s and the base's second; then 9 s more. */
	tap_is_u64(before[0], 101000000000, "read before it is refined");
	tap_is_u64(before[4], 110000000000, "and for later");
	tap_ok(tw_segment_append(&memory->clock, &faster, &source) == 0 &&
	       seen.readings == 3, "refined, and read meanwhile");
	read_all(after);
	tap_ok(!memcmp(after, seen.ns, sizeof(after)),
	       "as it was read from the moment on when it was published");
	tap_ok(after[0] == before[0] && after[1] == before[1],
	       "until the new rate begins it is as it was");
	/* The new rate begins 20 ms from now: 100 ppm less of 8.98 s are 898 us. */
	tap_ok(before[4] - after[4] >= 897900 && before[4] - after[4] <= 898000,
	       "then it is slower: %" PRIu64 " ns", before[4] - after[4]);
	munmap(memory, sizeof(*memory));
}

int main(void)
{
	one_refinement();
	too_late();
	held_up();
	many();
	read_only();
	return tap_done();
}
