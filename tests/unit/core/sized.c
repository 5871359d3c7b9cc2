/* SPDX-License-Identifier: MIT */
/*
 * Every public function takes structures of any version of its header: shorter ones
 * lack members, longer ones have members that the library does not know.
 *
 * Fails if a function ignores a size or uses a wrong one, or if it reads or writes
 * beyond the size. Fails also if it ignores an option that it does not know.
 */
#include <errno.h>
#include <string.h>

#include "no_estimate.h"
#include "sized.h"
#include "tap.h"

#define MORE	24		/* bytes that a later version adds */
#define AFTER	0x5a		/* what is behind a structure, and stays */

static struct tw_clock a_clock;
static struct tw_reliability a_reliability;

/* A caller's structure of any size. What is behind it is not the library's. */
static union {
	size_t size;
	unsigned char bytes[TW_MAX_SIZE + 2 * MORE];
	max_align_t align;
} given;

static int rate_measure(void *rate)
{
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = 1,
	};

	int ret = tw_rate_measure(rate, &options);

	/* Sizes come first: a window this short is refused next. */
	return ret == -EINVAL && given.size >= TW_FIRST_RATE ? 0 : ret;
}

static uint64_t no_ticks(void *context)
{
	(void)context;
	return 0;
}

/* Clocks that stand still: -EIO where the options are accepted. */
static int rate_options(void *options)
{
	const struct tw_time_source source = {
		.size = sizeof(source), .read_ticks = no_ticks,
		.read_ns = no_ticks, .granularity_ns = 1,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_rate_options *all = options;
	int ret;

	all->window_ns = 5000000;
	all->source = &source;
	ret = tw_rate_measure(&rate, options);
	return ret == -EIO ? 0 : ret;
}

/* The same for a source. */
static int time_source(void *source)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = 5000000, .source = source,
	};
	struct tw_time_source *all = source;
	int ret;

	all->read_ticks = no_ticks;
	all->read_ns = no_ticks;
	all->granularity_ns = 1;
	ret = tw_rate_measure(&rate, &options);
	return ret == -EIO ? 0 : ret;
}

/* The rest needs no more than the structure. A clock that reads the system's has no health;
 * sizes come first. */
static const struct tw_machine a_machine = { .size = sizeof(a_machine) };
static const struct tw_reliability_options default_options = {
	.size = sizeof(default_options),
};
static struct tw_reliability any_result;
static struct tw_scale any_scale;

static int unless_unsupported(int ret)
{
	return ret == -ENOTSUP ? 0 : ret;
}

static int scale_init(void *rate)
{
	((struct tw_rate *)rate)->hz = 1e9;
	return tw_scale_init(&any_scale, rate, 0);
}

#define CALL(name, result)	static int name(void *s) { return result; }
CALL(counter_check, tw_counter_check(s))
CALL(clock_rate, tw_clock_rate(&a_clock, s))
CALL(clock_mark, tw_clock_mark(TW_AGAINST_RAW, 1, s))
CALL(clock_check, unless_unsupported(tw_clock_check(&a_clock, s)))
CALL(reliability_result, unless_unsupported(tw_reliability_measure(s, &default_options)))
CALL(reliability_options, unless_unsupported(tw_reliability_measure(&any_result, s)))
CALL(machine_read, tw_machine_read(s))
CALL(contradictions_result, tw_contradictions(s, &a_machine))
CALL(contradictions_machine, tw_contradictions(&a_reliability, s))

static int clock_options(void *options)
{
	struct tw_clock_options *all = options;
	struct tw_clock clock;
	int ret;

	all->system = TW_ON;
	ret = tw_clock_init(&clock, options);
	if (!ret)
		tw_clock_free(&clock);
	return ret;
}

static const struct {
	const char *name;
	int (*call)(void *structure);
	size_t size;
	enum tw_first_size first;
	int is_input;
} cases[] = {
#define CASE(name, call, type, first, is_input)	{ name, call, sizeof(type), first, is_input }
	CASE("tw_counter_check(facts)", counter_check, struct tw_counter_facts, TW_FIRST_COUNTER_FACTS, 0),
	CASE("tw_rate_measure(rate)", rate_measure, struct tw_rate, TW_FIRST_RATE, 0),
	CASE("tw_rate_measure(options)", rate_options, struct tw_rate_options, TW_FIRST_RATE_OPTIONS, 1),
	CASE("tw_rate_measure(source)", time_source, struct tw_time_source, TW_FIRST_TIME_SOURCE, 1),
	CASE("tw_scale_init(rate)", scale_init, struct tw_rate, TW_FIRST_RATE, 1),
	CASE("tw_clock_init(options)", clock_options, struct tw_clock_options, TW_FIRST_CLOCK_OPTIONS, 1),
	CASE("tw_clock_rate(rate)", clock_rate, struct tw_rate, TW_FIRST_RATE, 0),
	CASE("tw_clock_mark(mark)", clock_mark, struct tw_clock_mark, TW_FIRST_CLOCK_MARK, 0),
	CASE("tw_clock_check(health)", clock_check, struct tw_clock_health, TW_FIRST_CLOCK_HEALTH, 0),
	CASE("tw_reliability_measure(result)", reliability_result, struct tw_reliability, TW_FIRST_RELIABILITY, 0),
	CASE("tw_reliability_measure(options)", reliability_options, struct tw_reliability_options, TW_FIRST_RELIABILITY_OPTIONS, 1),
	CASE("tw_machine_read(machine)", machine_read, struct tw_machine, TW_FIRST_MACHINE, 0),
	CASE("tw_contradictions(result)", contradictions_result, struct tw_reliability, TW_FIRST_RELIABILITY, 1),
	CASE("tw_contradictions(machine)", contradictions_machine, struct tw_machine, TW_FIRST_MACHINE, 1),
};

#define CASES	(sizeof(cases) / sizeof(cases[0]))

/* True if all bytes beyond @size are unchanged. */
static int is_untouched(size_t size)
{
	for (size_t i = size; i < sizeof(given.bytes); i++)
		if (given.bytes[i] != AFTER)
			return 0;
	return 1;
}

static int call(size_t i, size_t size)
{
	memset(given.bytes, AFTER, sizeof(given.bytes));
	memset(given.bytes, 0, size);
	given.size = size;
	return cases[i].call(&given);
}

static void try_sizes(size_t i)
{
	const char *name = cases[i].name;
	const size_t first = (size_t)cases[i].first, size = cases[i].size;
	const size_t good[] = { first, size, size + MORE };
	unsigned wrong = 0;

	tap_ok(call(i, 0) == -EINVAL && call(i, first - 1) == -EINVAL &&
	       call(i, TW_MAX_SIZE + 8) == -E2BIG,
	       "%s: a size of 0, less than there ever was, never set", name);
	/* Inputs write their own option even where a shorter structure ends. */
	for (unsigned k = 0; k < 3; k++)
		tap_ok(!call(i, good[k]) && given.size == good[k] &&
		       (cases[i].is_input || is_untouched(good[k])),
		       "%s: the %s version's", name,
		       k == 0 ? "first" : k == 1 ? "present" : "next");
	if (!cases[i].is_input)
		return;
	memset(given.bytes, AFTER, sizeof(given.bytes));
	memset(given.bytes, 0, size + MORE);
	given.size = size + MORE;
	for (unsigned more = 1; more < 256; more *= 2) {
		given.bytes[size + MORE - 1] = (unsigned char)more;
		wrong += cases[i].call(&given) != -E2BIG;
	}
	tap_ok(!wrong, "%s: what is not known has to be 0", name);
}

static void try_copies(void)
{
	struct { size_t size; int old, new; } full = { 0, 0, 0 };
	struct { size_t size; int old; } old = { sizeof(size_t) + sizeof(int), 7 };
	unsigned char later[32];
	size_t size = sizeof(later);
	enum tw_first_size first = (enum tw_first_size)old.size;

	full.new = 9;
	tap_ok(!tw_sized_take(&full, sizeof(full), &old, first) &&
	       full.old == 7 && full.new == 0,
	       "options of an older program: what they lack is 0");
	full.old = 8;
	full.new = 9;
	tw_sized_give(&old, &full, sizeof(full));
	tap_ok(old.old == 8 && old.size == sizeof(size_t) + sizeof(int),
	       "a result for an older program keeps its size");
	memset(later, AFTER, sizeof(later));
	memcpy(later, &size, sizeof(size));
	tw_sized_give(later, &full, sizeof(full));
	tap_ok(!memcmp(later + sizeof(size), &full.old, 2 * sizeof(int)) &&
	       later[sizeof(full)] == 0 && later[sizeof(later) - 1] == 0,
	       "a result for a newer program: what is not known is 0");
}

int main(void)
{
	const struct tw_clock_options system = {
		.size = sizeof(system), .system = TW_ON,
	};

	a_reliability = any_result = TW_SIZED(struct tw_reliability);
	if (tw_clock_init(&a_clock, &system)) {
		printf("Bail out! no clock\n");
		return 1;
	}
	compared = (struct tw_reliability) { .cpus = 1 };
	try_copies();
	for (size_t i = 0; i < CASES; i++)
		try_sizes(i);
	tw_clock_free(&a_clock);
	/* Its size and three numbers. */
	tap_is_u64(TW_FIRST_CLOCK_MARK, 4 * sizeof(uint64_t),
		   "the first version of struct tw_clock_mark");
	return tap_done();
}
