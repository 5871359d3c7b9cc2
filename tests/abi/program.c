/* SPDX-License-Identifier: MIT */
/*
 * A user's program for tests/unit/grown_struct.t: it uses every structure that
 * begins with its size, with bytes behind each that must stay as they are, and
 * those that inline functions read. It prints a line for each thing that it tried.
 *
 * GROWN: it was built with a header whose structures have two members more than the
 * library knows of.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <tickwise.h>

/* What is behind a structure, and stays. */
#define BEHIND	16
#define FOUR	0x5a, 0x5a, 0x5a, 0x5a
#define MARKED	{ FOUR, FOUR, FOUR, FOUR }

/* A structure of its size, with others' memory behind it. */
#define GUARDED(type, name) \
	struct { \
		struct type it; \
		unsigned char behind[BEHIND]; \
	} name = { TW_SIZED(struct type), MARKED }

static void tell(int passed, const char *what)
{
	printf("%s %s\n", passed ? "ok" : "not ok", what);
}

static int is_untouched(const unsigned char *behind)
{
	static const unsigned char marked[BEHIND] = MARKED;

	return !memcmp(behind, marked, BEHIND);
}

#ifdef GROWN
#define SPOIL(structure)	((structure).it.grown[0] = 1)
#define IS_CLEARED(structure) \
	((structure).it.grown[0] == 0 && (structure).it.grown[1] == 0)
/* An option that the library does not know of. */
#define REFUSES(options, call) do { \
	(options).grown[1] = 1; \
	tell((call) == -E2BIG, "an unknown option is refused: " #call); \
	(options).grown[1] = 0; \
} while (0)
#else
#define SPOIL(structure)		((void)0)
#define IS_CLEARED(structure)		1
#define REFUSES(options, call)		((void)0)
#endif

#define FITS(structure) \
	(is_untouched((structure).behind) && IS_CLEARED(structure) && \
	 (structure).it.size == sizeof((structure).it))

/* Two clocks that advance by being read: 2.5 ticks are a nanosecond. */
static uint64_t now_ns = 1000000000;

static uint64_t read_ticks(void *context)
{
	(void)context;
	now_ns += 20;
	return now_ns / 2 * 5;
}

static uint64_t read_ns(void *context)
{
	(void)context;
	now_ns += 20;
	return now_ns;
}

static void try_rate(struct tw_rate *copy)
{
	struct tw_time_source source = TW_SIZED(struct tw_time_source);
	struct tw_rate_options options = TW_SIZED(struct tw_rate_options);
	struct tw_scale scale;
	GUARDED(tw_rate, rate);

	source.read_ticks = read_ticks;
	source.read_ns = read_ns;
	source.granularity_ns = 1;
	options.window_ns = 5000000;
	options.source = &source;
	SPOIL(rate);
	tell(!tw_rate_measure(&rate.it, &options) && rate.it.samples > 100 &&
	     rate.it.hz > 2.4999e9 && rate.it.hz < 2.5001e9 && FITS(rate),
	     "a rate that is measured");
	tell(rate.it.low_hz <= rate.it.hz && rate.it.high_hz >= rate.it.hz &&
	     rate.it.steering_ppb == 0, "to its last member");
	REFUSES(options, tw_rate_measure(&rate.it, &options));
	REFUSES(source, tw_rate_measure(&rate.it, &options));
	rate.it.hz = 2.5e9;
	tell(!tw_scale_init(&scale, &rate.it, 0) &&
	     tw_ticks_to_ns(&scale, 2500000000) == 1000000000 &&
	     tw_ticks_delta_to_ns(&scale, -2500) == -1000,
	     "a scale of it, which inline functions read");
	*copy = rate.it;
}

static uint64_t raw_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return (uint64_t)now.tv_sec * TW_NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

static void try_system_clock(const struct tw_rate *rate)
{
	struct tw_clock_options options = TW_SIZED(struct tw_clock_options);
	GUARDED(tw_clock_health, health);
	GUARDED(tw_rate, found);
	struct tw_second second = { 0, 0 };
	struct {
		struct tw_clock it;
		unsigned char behind[64];
	} clock = { .behind = MARKED };
	struct timespec now;
	uint64_t before_ns, ns;

	options.system = TW_ON;
	options.rate = rate;
	tell(!tw_clock_init(&clock.it, &options) && clock.it.system == 1 &&
	     clock.it.clock_id == CLOCK_MONOTONIC_RAW &&
	     is_untouched(clock.behind), "a clock that reads the system's");
	before_ns = raw_ns();
	ns = tw_clock_ns(&clock.it);
	tw_clock_timespec(&clock.it, &second, &now);
	tell(before_ns <= ns && ns <= raw_ns() && now.tv_nsec < 1000000000,
	     "which inline functions read");
	SPOIL(found);
	tell(!tw_clock_rate(&clock.it, &found.it) &&
	     found.it.against == rate->against && FITS(found), "its rate");
	tell(tw_clock_check(&clock.it, &health.it) == -ENOTSUP &&
	     is_untouched(health.behind), "and no health");
	REFUSES(options, tw_clock_init(&clock.it, &options));
	tw_clock_free(&clock.it);
	tell(!clock.it.state, "free again");
}

/* Of a counter whose rate is wrong: it is about the structures. */
static void try_clock(const struct tw_rate *rate)
{
	struct tw_clock_options options = TW_SIZED(struct tw_clock_options);
	GUARDED(tw_interval, interval);
	GUARDED(tw_clock_health, health);
	struct tw_stamp begin, end;
	struct tw_clock clock;
	int ret;

	options.rate = rate;
	if (tw_clock_init(&clock, &options)) {
		tell(0, "a clock");
		return;
	}
	if (!clock.system) {
		SPOIL(interval);
		SPOIL(health);
		tw_stamp_now(&begin);
		tw_stamp_now(&end);
		end.cpu = begin.cpu;
		tell(!tw_interval(&clock, &begin, &end, &interval.it) &&
		     interval.it.cpus == TW_CPUS_SAME && interval.it.ns >= 0 &&
		     interval.it.total.low_ns < interval.it.total.high_ns &&
		     FITS(interval), "an interval on a clock");
		/* A machine may be too busy to look. */
		ret = tw_clock_check(&clock, &health.it);
		tell((ret == -EIO && is_untouched(health.behind)) ||
		     (!ret && FITS(health) && health.it.over_ns > 0 &&
		      health.it.verdict <= TW_UNDECIDED),
		     "the health of a clock");
	}
	tw_clock_free(&clock);
}

static void try_machine(void)
{
	struct tw_reliability_options options =
		TW_SIZED(struct tw_reliability_options);
	GUARDED(tw_counter_facts, facts);
	GUARDED(tw_machine, machine);
	GUARDED(tw_reliability, reliability);
	GUARDED(tw_clock_mark, mark);
	int ret;

	SPOIL(facts);
	SPOIL(machine);
	SPOIL(reliability);
	SPOIL(mark);
	tell(!tw_counter_check(&facts.it) && facts.it.call_cost_ns > 0 &&
	     facts.it.state <= TW_COUNTER_COARSE && FITS(facts), "the counter");
	ret = tw_clock_mark(TW_AGAINST_RAW, 5, &mark.it);
	tell(is_untouched(mark.behind) && (ret == -ENOTSUP ||
	     (!ret && FITS(mark) && mark.it.system_ns > 0 &&
	      mark.it.ticks_after >= mark.it.ticks_before)), "a mark");
	tell(!tw_machine_read(&machine.it) && machine.it.cpus_online > 0 &&
	     machine.it.ntp_synchronized >= -1 && FITS(machine), "the machine");
	options.time_limit_ns = 20000000;
	ret = tw_reliability_measure(&reliability.it, &options);
	tell(is_untouched(reliability.behind) && (ret == -ENOTSUP ||
	     ret == -EAGAIN || (!ret && FITS(reliability) &&
	     reliability.it.elapsed_ns > 0 && reliability.it.step_ticks >= 1)),
	     "the counters of the CPUs");
	REFUSES(options, tw_reliability_measure(&reliability.it, &options));
	if (!ret)
		tell(tw_contradictions(&reliability.it, &machine.it) >= 0,
		     "contradictions");
	tw_reliability_free(&reliability.it);
}

static void try_histogram(void)
{
	struct {
		struct tw_histogram it;
		unsigned char behind[BEHIND];
	} histogram = { .behind = MARKED };

	tell(!tw_histogram_init(&histogram.it, 3) &&
	     is_untouched(histogram.behind), "a histogram");
	tw_histogram_add(&histogram.it, 1000);
	tw_histogram_add(&histogram.it, 3000);
	tell(histogram.it.count == 2 &&
	     tw_histogram_mean_ns(&histogram.it) == 2000 &&
	     tw_histogram_percentile(&histogram.it, 100) == 3000,
	     "which an inline function writes");
	tw_histogram_free(&histogram.it);
}

int main(void)
{
	struct tw_rate rate;

	try_rate(&rate);
	try_system_clock(&rate);
	try_clock(&rate);
	try_machine();
	try_histogram();
	tell(!strcmp(tw_name(TW_ENUM_VERDICT, TW_UNRELIABLE), "unreliable"),
	     "names");
	return 0;
}
