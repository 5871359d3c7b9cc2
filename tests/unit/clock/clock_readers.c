/* SPDX-License-Identifier: MIT */
/*
 * Tests: core/counter
 *
 * Checks the clock's edges, on a clock made by hand. A counter a little behind
 * gives a time a little earlier, one far behind gives the base, one far ahead the
 * limit. The timespec equals the division at every kind of step. A counter that is
 * not used is replaced by the clock of the anchor. Fails if a small step back wraps
 * to centuries, if the cached second goes stale, or if the system clock is not that
 * of the given rate.
 *
 * Wraps: calloc free
 *
 * Also on other processors.
 */
#include <errno.h>
#include <string.h>

#include "clock_by_hand.h"
#include "timespec.h"

static struct tw_clock begun(uint64_t base_ns)
{
	static struct tw_clock_state state;
	struct tw_clock clock;

	by_hand(&clock, &state, (struct tw_rate) { .hz = 2.5e9 }, 1000000000000, base_ns);
	return clock;
}

static void edges(void)
{
	struct tw_clock clock = begun(5000), slow;
	struct tw_clock_state state;

	tap_is_u64(tw_clock_ns_at(&clock, 1000000002500), 6000, "1000 ns after the base");
	tap_is_u64(tw_clock_ns_at(&clock, 999999999990), 5000, "behind the base: the base");
	tap_is_u64(tw_clock_ns_at(&clock, 0), 5000, "far behind the base: the base");
	tap_is_u64(tw_clock_ns_at(&clock, 1000000000000 + clock.scale.max_ticks + 1),
		   5000 + clock.scale.max_ns, "beyond the range: the limit");
	by_hand(&slow, &state, (struct tw_rate) { .hz = 1e8 }, 1000, 5000);
	tap_is_u64(tw_clock_ns_at(&slow, 999), 5000, "behind it by a tick of 10 ns: the base");
}

/*
 * Check tw_clock_timespec() at chosen times, one cache for all: move the base instead. Two
 * readings in a row are less than a millisecond of counter apart, or the result lies between
 * the two times before and after.
 */
static void timespecs(void)
{
	static const struct {
		uint64_t ns;
		const char *what;
	} times[] = {
		{ 100, "from a zeroed cache" },
		{ 5500000000, "the middle of second 5" },
		{ 5900000000, "later in second 5" },
		{ 6000000000, "second 6" },
		{ 999999999000, "just before second 1000" },
		{ 3000000007, "back to 3" },
		{ 4000000000 * TW_NS_PER_SECOND, "second 4e9" },
	};
	struct tw_second second = { 0 };

	for (unsigned i = 0; i < sizeof(times) / sizeof(*times); i++) {
		struct tw_clock clock = begun(times[i].ns);
		struct timespec ts;
		uint64_t seen_ns;

		clock.base_ticks = tw_ticks();
		tw_clock_timespec(&clock, &second, &ts);
		seen_ns = tw_timespec_ns(&ts);
		tap_ok(ts.tv_nsec >= 0 && ts.tv_nsec < 1000000000 &&
		       seen_ns >= times[i].ns && seen_ns <= tw_clock_ns(&clock), "%s",
		       times[i].what);
	}
}

static void system_clock_is(enum tw_against anchor, clockid_t id, const char *what)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .system = TW_ON, .anchor = anchor,
	};
	struct timespec before, after;
	struct tw_clock clock;
	uint64_t ns;

	tap_ok(tw_clock_init(&clock, &options) == 0 && clock.system && clock.clock_id == id,
	       "%s", what);
	clock_gettime(id, &before);
	ns = tw_clock_ns(&clock);
	clock_gettime(id, &after);
	tap_ok(ns >= tw_timespec_ns(&before) && ns <= tw_timespec_ns(&after), "which is read");
	tw_clock_free(&clock);
}

static void refused(void)
{
	const struct {
		struct tw_clock_options options;
		const char *what;
	} cases[] = {
		{ { .system = TW_ON, .anchor = (enum tw_against)2 }, "an unknown anchor" },
		{ { .window_ns = 1 }, "a calibration of a nanosecond" },
	};

	for (unsigned i = 0; i < 2; i++) {
		struct tw_clock_options options = cases[i].options;
		struct tw_clock clock = { .anchor_ns = 7 };

		options.size = sizeof(options);
		tap_ok(tw_clock_init(&clock, &options) == -EINVAL && clock.anchor_ns == 7,
		       "refused: %s", cases[i].what);
	}
}

/* The linker replaces the library's function by this one (--wrap). */
static int has_no_memory;
static int blocks;

void *__real_calloc(size_t count, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void __real_free(void *block);
void __wrap_free(void *block);

void *__wrap_calloc(size_t count, size_t size)
{
	blocks += !has_no_memory;
	return has_no_memory ? NULL : __real_calloc(count, size);
}

void __wrap_free(void *block)
{
	blocks -= block != NULL;
	__real_free(block);
}

static void no_memory(void)
{
	struct tw_clock_options options = {
		.size = sizeof(options), .system = TW_ON,
	};
	struct tw_clock clock = { .anchor_ns = 7 };

	has_no_memory = 1;
	tap_ok(tw_clock_init(&clock, &options) == -ENOMEM &&
	       clock.anchor_ns == 7, "no memory: -ENOMEM, untouched");
	has_no_memory = 0;
	blocks = 0;
	options.anchor = (enum tw_against)2;
	tap_ok(tw_clock_init(&clock, &options) == -EINVAL && !blocks,
	       "a clock that can't be set up leaves none behind");
}

static void freed(void)
{
	const struct tw_clock_options options = {
		.size = sizeof(options), .system = TW_ON,
	};
	const struct tw_clock none = { 0 };
	struct tw_clock clock;

	tap_ok(!tw_clock_init(&clock, &options) && clock.state,
	       "a clock has memory of the library's");
	tw_clock_free(&clock);
	tap_ok(!memcmp(&clock, &none, sizeof(clock)), "freed: all zeros");
	tw_clock_free(&clock);
	tap_ok(!clock.state, "and may be freed again");
	tap_is_u64(tw_clock_ns(&clock) | tw_clock_ns_at(&clock, 12345), 0,
		   "a clock that was never set up shows 0");
}

static void marks(void)
{
	struct tw_clock_mark mark = TW_SIZED(struct tw_clock_mark);

	tap_ok(tw_clock_mark(TW_AGAINST_RAW, 0, &mark) == -EINVAL,
	       "a mark of no tries: -EINVAL");
	tap_ok(tw_clock_mark(TW_AGAINST_RAW, 1000001, &mark) == -EINVAL &&
	       tw_clock_mark(TW_AGAINST_RAW, 1000000, &mark) == 0,
	       "a mark of a million tries, and no more");
	tap_ok(tw_clock_mark(TW_AGAINST_RAW, 10, &mark) == 0 &&
	       mark.ticks_after >= mark.ticks_before && mark.system_ns,
	       "a mark encloses a reading");
}

int main(void)
{
	edges();
	timespecs();
	system_clock_is(TW_AGAINST_RAW, CLOCK_MONOTONIC_RAW, "no anchor named: RAW");
	system_clock_is(TW_AGAINST_MONOTONIC, CLOCK_MONOTONIC, "or the one that is named");
	refused();
	no_memory();
	freed();
	marks();
	return tap_done();
}
