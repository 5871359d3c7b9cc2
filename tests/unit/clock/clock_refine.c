/* SPDX-License-Identifier: MIT */
/*
 * Refines two clocks made by hand. A measured rate gets better with the baseline
 * and stays honest. The kernel's rate is found later where 20 ms were too few,
 * confirmed when nothing else is left, and given up when it is disproved. A clock
 * that jumped is not refined. Fails if a wrong rate is kept, if a jump is taken for
 * a rate, or if time steps. Fails also if some readers can use a segment and others not.
 */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "clock_by_hand.h"

/* A counter and a system clock computed from it, exactly ticks * mult >> shift, as the kernel
 * makes it. Both advance by the cost of a reading, with jitter and now and then an
 * interruption. */
struct two_clocks {
	uint64_t ticks;
	uint64_t mult;			/* may change on the way: */
	unsigned shift;
	uint64_t from_ticks, from_ns;	/* since then it is this mult */
	uint64_t random;
};

static void two_clocks_pass(struct two_clocks *clocks)
{
	uint64_t random = tap_random(&clocks->random);

	clocks->ticks += 30 + random % 4;
	if ((random >> 8) % 500 == 0)
		clocks->ticks += 2000 + (random >> 40) % 2000;
}

static uint64_t two_clocks_ns(const struct two_clocks *clocks)
{
	__extension__ typedef unsigned __int128 u128;

	return clocks->from_ns +
	       (uint64_t)((u128)(clocks->ticks - clocks->from_ticks) *
			  clocks->mult >> clocks->shift);
}

/* Change the multiplier; time goes on from its present value. */
static void two_clocks_change(struct two_clocks *clocks, uint64_t mult,
			      unsigned shift)
{
	clocks->from_ns = two_clocks_ns(clocks);
	clocks->from_ticks = clocks->ticks;
	clocks->mult = mult;
	clocks->shift = shift;
}

static uint64_t two_clocks_read_ticks(void *context)
{
	two_clocks_pass(context);
	return ((struct two_clocks *)context)->ticks;
}

static uint64_t two_clocks_read_ns(void *context)
{
	two_clocks_pass(context);
	return two_clocks_ns(context);
}

#define MULT	6452780ULL		/* of 2599998 kHz */
#define SHIFT	24
#define HZ	(1e9 * 0x1p24 / 6452780.0)

static struct tw_clock_state state;
static struct tw_clock tested;
static struct two_clocks clocks;
static struct tw_time_source source = { .size = sizeof(source) };

static void begin(uint64_t mult, unsigned shift, int is_clocksource,
		  enum tw_switch kernel_rate)
{
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = 20000000,
		.kernel_rate = kernel_rate, .source = &source,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	clocks = (struct two_clocks) {
		.ticks = 1000000000000, .mult = mult, .shift = shift, .random = 12345,
	};
	source = (struct tw_time_source) {
		.size = sizeof(source), .context = &clocks, .granularity_ns = 1,
		.read_ticks = two_clocks_read_ticks, .read_ns = two_clocks_read_ns,
		.counter_is_clocksource = is_clocksource,
	};
	if (tw_rate_measure(&rate, &options))
		exit(1);
	by_hand(&tested, &state, rate, 0, 0);
	if (tw_refine_begin(&tested, TW_DEFAULT, &source))
		exit(1);
	tested.base_ticks = tested.anchor_ticks = clocks.ticks;
	tested.base_ns = tested.anchor_ns = two_clocks_ns(&clocks);
}

/* By the kernel's multiplier, whose clock is of this counter. */
static void begin_kernels(enum tw_switch kernel_rate)
{
	begin(MULT, SHIFT, 1, kernel_rate);
}

/* By a rate that is off the lattice of those that a kernel can have. */
static void begin_between(void)
{
	begin(MULT * 65536 + 20000, SHIFT + 16, 0, TW_DEFAULT);
}

static int refine_after(double seconds, struct tw_rate *rate)
{
	int ret;

	clocks.ticks += (uint64_t)(seconds * HZ);
	ret = tw_refine_with(&tested, &source);
	tw_clock_rate(&tested, rate);
	return ret;
}

static double off_ppb(const struct tw_rate *rate, double hz)
{
	return (rate->hz / hz - 1) * 1e9;
}

static void measured(void)
{
	const double hz = 1e9 * 0x1p40 / (6452780ULL * 65536 + 20000);
	unsigned i, honest = 0, better = 0, inside = 0, segments = 0;
	struct tw_rate rate = TW_SIZED(struct tw_rate), before = rate;
	const unsigned rounds = 12;

	begin_between();
	tw_clock_rate(&tested, &before);
	for (i = 0; i < rounds; i++) {
		double off;

		if (refine_after(0.1 * (1 << i), &rate))
			break;
		off = off_ppb(&rate, hz);
		honest += fabs(off) <= 3 * rate.uncertainty_ppb;
		inside += hz >= rate.low_hz && hz <= rate.high_hz &&
			  fabs(off) <= rate.bound_ppb;
		better += rate.uncertainty_ppb <= before.uncertainty_ppb;
		segments += rate.hz != before.hz;
		before = rate;
	}
	tap_ok(i == rounds && segments > rounds / 2,
	       "a measured rate: refined %u times", segments);
	tap_is_u64(better, rounds, "it only gets better");
	tap_is_u64(inside, rounds, "within its hard bound each time");
	tap_is_u64(honest, rounds, "and within 3 sigma");
	/* 400 s: two readings of 0.5 ns are 2 ppt. */
	tap_ok(fabs(off_ppb(&rate, hz)) < 0.005, "after 400 s off by %.4f ppb",
	       off_ppb(&rate, hz));
	tap_ok(rate.source == TW_RATE_REGRESSION && rate.kernel_mult == 0,
	       "and not called the kernel's");
	refine_after(10, &before);
	tap_ok(before.hz == rate.hz, "too little more: nothing changes");
	/* From 20 ms to 5 s there are eight doublings: at most as many new rates. */
	begin_between();
	for (i = 0; i < 500; i++)
		if (refine_after(0.01, &rate))
			break;
	tap_ok(i == 500 && state.segments >= 2 && state.segments <= 8,
	       "500 times in 5 s: %u new rates", state.segments);
}

static void found_later(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	begin_kernels(TW_OFF);
	tap_ok(state.rate.source == TW_RATE_REGRESSION, "begun as measured");
	tap_ok(refine_after(0.3, &rate) == 0 && rate.kernel_mult == MULT &&
	       rate.kernel_shift == SHIFT,
	       "the kernel's rate is found with a longer baseline");
	tap_ok(refine_after(3, &rate) == 0 && rate.source == TW_RATE_KERNEL &&
	       rate.witness == TW_WITNESS_BOUND,
	       "and is certain when no other is left: %s",
	       tw_name(TW_ENUM_RATE_SOURCE, rate.source));
	tap_is_u64(state.segments, 1, "one new rate for that");
}

static void confirmed(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	begin_kernels(TW_DEFAULT);
	tap_ok(state.rate.source == TW_RATE_KERNEL_PROVISIONAL,
	       "begun as provisional");
	tap_ok(refine_after(2, &rate) == 0 && rate.source == TW_RATE_KERNEL,
	       "confirmed after 2 s");
	tap_is_u64(state.segments, 0, "which is no new rate");
	tap_ok(rate.bound_ppb > 0 && rate.bound_ppb < 100,
	       "the hard bound stays the samples' (%.1f ppb)", rate.bound_ppb);
	refine_after(3600, &rate);
	tap_ok(rate.source == TW_RATE_KERNEL && off_ppb(&rate, HZ) == 0,
	       "an hour later as well");
}

/* The multiplier next to the true one, taken by mistake. */
static void disproved(void)
{
	uint64_t begin_ticks, before_ns, after_ns;
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	begin_kernels(TW_DEFAULT);
	state.rate.kernel_mult = MULT + 1;
	state.rate.hz = 1e9 * 0x1p24 / (double)(MULT + 1);
	state.refined_rate[0] = state.rate;
	tw_scale_init(&tested.scale, &state.rate, 0);
	tap_ok(refine_after(0.02, &rate) == 0 && rate.kernel_mult == MULT + 1,
	       "a wrong guess: 20 ms do not show it");
	tap_ok(refine_after(5, &rate) == 0 &&
	       rate.source == TW_RATE_REGRESSION && rate.kernel_mult == 0 &&
	       rate.refusal & TW_REFUSED_DISPROVED, "5 s do: given up");
	/* The place of the reading does not wander here: 0.6 ns of 5 s. */
	tap_ok(fabs(off_ppb(&rate, HZ)) < 0.2,
	       "the measured rate holds instead, off by %.3f ppb",
	       off_ppb(&rate, HZ));
	/* A tick is 0.4 ns: a step of one is rounded to 0 or 1. */
	begin_ticks = tested.tw__last->begin_ticks;
	before_ns = tw_clock_ns_at(&tested, begin_ticks - 1);
	after_ns = tw_clock_ns_at(&tested, begin_ticks);
	tap_ok(after_ns >= before_ns && after_ns <= before_ns + 1,
	       "and time did not step");
	refine_after(20, &rate);
	tap_ok(rate.source == TW_RATE_REGRESSION,
	       "no other guess is made later");
}

static void jumped(void)
{
	static const char *const what[] = {
		"the system clock jumped by 1 ms", "by 1 us, with a rate that is certain",
		"the counter was set back", "another clocksource since",
		"the counter's rate changed by 1 ppm",
	};
	static const double seconds[] = { 1, 10, 0.1, 1, 100 };

	for (unsigned i = 0; i < 5; i++) {
		struct tw_rate rate = TW_SIZED(struct tw_rate), before = rate;
		unsigned segments;

		if (i == 4)
			begin_between();
		else
			begin_kernels(TW_DEFAULT);
		/* Two readings do not disprove a rate that is certain. */
		if (i == 1 || i == 4)
			refine_after(i == 1 ? 2 : 1, &before);
		tw_clock_rate(&tested, &before);
		segments = state.segments;
		clocks.from_ns += i == 0 ? 1000000 : i == 1 ? 1000 : i == 2 ? 2000000000 : 0;
		clocks.ticks -= i == 2 ? 2500000000 : 0;
		source.counter_is_clocksource &= i != 3;
		if (i == 4)
			two_clocks_change(&clocks, MULT * 65536 + 400000, SHIFT + 16);
		tap_ok((i != 1 || before.source == TW_RATE_KERNEL) &&
		       refine_after(seconds[i], &rate) == -ESTALE && rate.hz == before.hz &&
		       state.segments == segments, "%s: -ESTALE, nothing changes", what[i]);
	}
}

/* adjtimex(2) gave CLOCK_MONOTONIC's rate at the start, and then NTP changed it. */
static void steered_anew(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	begin(MULT * 65536, SHIFT + 16, 1, TW_OFF);
	state.rate.against = TW_AGAINST_MONOTONIC;
	state.rate.source = TW_RATE_KERNEL_STEERED;
	state.rate.uncertainty_ppb = 0.01;
	state.refined_rate[0] = state.rate;
	two_clocks_change(&clocks, MULT * 65536 + 400000, SHIFT + 16);
	tap_ok(refine_after(10, &rate) == 0 &&
	       rate.source == TW_RATE_REGRESSION,
	       "CLOCK_MONOTONIC steered anew by 1 ppm: measured from now on");
	tap_ok(fabs(off_ppb(&rate, HZ) + 946) < 5,
	       "at its mean, %.1f ppb", off_ppb(&rate, HZ));
}

static void refused(void)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	begin(MULT, SHIFT, 0, TW_DEFAULT);
	refine_after(10, &rate);
	tap_ok(rate.source == TW_RATE_REGRESSION,
	       "another clocksource: never the kernel's rate");
	begin_kernels(TW_OFF);
	state.start.kernel_rate_wanted = 0;
	refine_after(10, &rate);
	tap_ok(rate.source == TW_RATE_REGRESSION,
	       "nor where the caller does not want it");
	state.refining = getpid();
	tap_ok(refine_after(1, &rate) == -EBUSY, "two at once: -EBUSY");
	tested.system = 1;
	tap_ok(refine_after(1, &rate) == -ENOTSUP,
	       "a clock that reads the system's: -ENOTSUP");
}

/* ---- threads ---- */

/*
 * Four threads read a clock while it is refined over and over: no reading is behind any
 * other that happened before it. "Before" is by a shared maximum: a thread takes the maximum,
 * reads the clock, and must not be behind.
 *
 * The rates alternate, 500 ppm apart, so that a segment that some saw a millisecond late shows
 * as half a microsecond. The counter is one number in memory that each reading advances: no
 * machine's counters, and no time that passes, decide anything here. The writer is held up
 * until the segment's start has passed. If it has not published the segment by then, it must
 * not. If it has, the segment must hold for all.
 */
#define READERS		4
#define THREADS_HZ	2.5e9
/*
 * From any reading to the next, of whichever thread: 200 ns. A segment that begins
 * 20 milliseconds ahead is 100000 readings away.
 */
#define STEP_TICKS	500

static uint64_t counter_ticks = 1000000000000;
static struct tw_clock_state shared_state;
static struct tw_clock shared;
static uint64_t latest_ns, readings, behind;
static int stop;

static uint64_t next_ticks(void *context)
{
	(void)context;
	return __atomic_add_fetch(&counter_ticks, STEP_TICKS, __ATOMIC_SEQ_CST);
}

/* Wait until the readers have advanced the counter. */
static void wait_ms(unsigned ms)
{
	uint64_t end = __atomic_load_n(&counter_ticks, __ATOMIC_SEQ_CST) +
		       ms * (uint64_t)(THREADS_HZ / 1e3);

	while (__atomic_load_n(&counter_ticks, __ATOMIC_SEQ_CST) < end)
		sched_yield();
}

struct held_up {
	unsigned made, before;
};

/*
 * The writer's readings: one for the present, one before it publishes, and one
 * after. It is held up before one of these, until the start is past.
 */
static uint64_t read_held_up(void *context)
{
	struct held_up *held_up = context;

	if (++held_up->made == held_up->before)
		wait_ms(25);
	return next_ticks(NULL);
}

static void *read_on(void *unused)
{
	(void)unused;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
		uint64_t seen_ns = __atomic_load_n(&latest_ns, __ATOMIC_ACQUIRE);
		uint64_t ns = tw_clock_ns_at(&shared, next_ticks(NULL));

		__atomic_fetch_add(&readings, 1, __ATOMIC_RELAXED);
		if (ns < seen_ns)
			__atomic_fetch_add(&behind, 1, __ATOMIC_RELAXED);
		while (seen_ns < ns &&
		       !__atomic_compare_exchange_n(&latest_ns, &seen_ns, ns, 1,
						    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			;
	}
	return NULL;
}

/* Begin all segments that a clock has, as fast as they can begin. Return how many came too
 * late. */
static unsigned refine_on(void)
{
	unsigned i = 0, late = 0, tries = 0;

	while (i < TW_CLOCK_SEGMENTS && late < 1000) {
		const struct tw_rate rate = {
			.size = sizeof(rate),
			.hz = THREADS_HZ * (i % 2 ? 1 + 2.5e-4 : 1 - 2.5e-4),
		};
		/* By turns: not at all, before it publishes, not at all, after. */
		struct held_up held_up = { .before = tries % 2 ? 2 + tries / 2 % 2 : 0 };
		const struct tw_time_source counter = {
			.size = sizeof(counter), .read_ticks = read_held_up,
			.context = &held_up,
		};

		tries++;
		if (tw_segment_append(&shared, &rate, &counter))
			late++;
		else
			i++;
		/* Some begin while the one before is still to begin. */
		wait_ms(i % 4 * 10);
	}
	/* The last begins 20 ms after it was made. */
	wait_ms(30);
	return late;
}

static void threads(void)
{
	pthread_t reader[READERS];
	unsigned late;

	by_hand(&shared, &shared_state, (struct tw_rate) { .hz = THREADS_HZ },
		next_ticks(NULL), 5000);
	for (unsigned i = 0; i < READERS; i++)
		if (pthread_create(&reader[i], NULL, read_on, NULL))
			exit(1);
	late = refine_on();
	__atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < READERS; i++)
		pthread_join(reader[i], NULL);
	tap_note("%" PRIu64 " readings by %d threads over %u segments, %u came too late",
		 readings, READERS, shared_state.segments, late);
	tap_ok(shared_state.segments == TW_CLOCK_SEGMENTS && late > 0,
	       "segments began, and some came too late");
	tap_is_u64(behind, 0, "no reading is behind one before it");
}

int main(void)
{
	measured();
	found_later();
	confirmed();
	disproved();
	jumped();
	steered_anew();
	refused();
	threads();
	return tap_done();
}
