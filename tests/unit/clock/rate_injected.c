/* SPDX-License-Identifier: MIT */
/*
 * Calibration on an injected pair of clocks of known rate, which rate_simulated.c does many
 * times. The truth is in the hard interval, however coarse a clock is. The kernel's rate is
 * found where there is one and never elsewhere. If more than one of the kernel's rates is
 * possible, or if there are too few samples, the calibration goes on for as long again until
 * one is left, and no longer than it may. It tells its progress, and the caller can end it. A
 * hole in the middle of a window does nothing; at an end, the drift that the reading's place
 * allows turns the line farther. Moments with narrower brackets than the rest are left out.
 *
 * Fails if a guess is too bold. Fails if it gives up early, goes on where nothing would help,
 * or loses samples. Fails also if brackets whose readings are at two places are mixed.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "clock/kernel_rate.h"
#include "tap.h"
#include "tickwise.h"

#define MS		UINT64_C(1000000)
#define KERNEL_MULT	6452780.0	/* 2599998 kHz, shift 24 */
#define KERNEL_HZ	(1e9 * 0x1p24 / KERNEL_MULT)

/*
 * The counter advances by the cost of a reading, 30 to 33 ticks; the reference is a
 * function of it. Unless it is clean, one reading in 500 is a short interruption, one in
 * 20000 a long one.
 */
struct machine {
	uint64_t ticks;
	double ns_per_tick;
	uint64_t step_ns;		/* granularity of the reference */
	uint64_t random;
	int is_clean, stands_still;
	uint64_t break_at_ticks;	/* from here 100 ppm faster; 0: never */
	uint64_t away_until_ticks;	/* all readings until then are disturbed */
	uint64_t gone_at_ticks;		/* here it is away for 21 ms; 0: never */
	uint64_t told_ns;		/* by the progress function */
	unsigned told;
	int is_forwards;
	uint64_t end_ns;		/* when @answer is given; 0: never */
	int answer;
};

static void pass(struct machine *machine)
{
	uint64_t random = tap_random(&machine->random);

	machine->ticks += 30 + random % 4;
	if (!machine->is_clean && (random >> 8) % 500 == 0)
		machine->ticks += 2000 + (random >> 40) % 2000;
	if (!machine->is_clean && (random >> 8) % 20000 == 0)
		machine->ticks += 3000000;
	if (machine->ticks < machine->away_until_ticks)
		machine->ticks += 2600000;	/* a millisecond */
	if (machine->gone_at_ticks && machine->ticks >= machine->gone_at_ticks) {
		machine->ticks += 21 * 2600000;
		machine->gone_at_ticks = 0;
	}
}

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;

	pass(machine);
	return machine->stands_still ? 42 : machine->ticks;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;
	double ns;

	pass(machine);
	ns = (double)machine->ticks * machine->ns_per_tick;
	if (machine->break_at_ticks && machine->ticks > machine->break_at_ticks)
		ns += (double)(machine->ticks - machine->break_at_ticks) *
		      machine->ns_per_tick * 1e-4;
	return (uint64_t)ns / machine->step_ns * machine->step_ns;
}

static void sleep_ns(void *context, uint64_t ns)
{
	struct machine *machine = context;

	machine->ticks += (uint64_t)((double)ns / machine->ns_per_tick);
}

static int tell(void *context, uint64_t elapsed_ns)
{
	struct machine *machine = context;

	machine->is_forwards &= elapsed_ns >= machine->told_ns;
	machine->told_ns = elapsed_ns;
	machine->told++;
	return machine->end_ns && elapsed_ns >= machine->end_ns ? machine->answer : 0;
}

static struct machine kernel_machine(uint64_t *random)
{
	return (struct machine) {
		.ticks = UINT64_C(1) << 40, .step_ns = 1, .is_forwards = 1,
		.ns_per_tick = KERNEL_MULT / 0x1p24, .random = tap_random(random) | 1,
	};
}

#define SOURCE	(struct tw_time_source)
#define OPTIONS	(struct tw_rate_options)
#define OURS	.counter_is_clocksource = 1
#define NAMED	OURS, .witness_khz = 2599998

/* Measure for 20 ms unless the options have another window. */
static int measure(struct machine *machine, struct tw_time_source source,
		   struct tw_rate_options options, struct tw_rate *rate)
{
	source.size = sizeof(source);
	source.read_ticks = read_ticks;
	source.read_ns = read_ns;
	source.context = machine;
	source.granularity_ns = machine->step_ns;
	options.size = sizeof(options);
	options.source = &source;
	options.context = machine;
	if (!options.window_ns)
		options.window_ns = 20 * MS;
	return tw_rate_measure(rate, &options);
}

/* ---- the kernel's rate ---- */

static struct {
	unsigned notes;
	char last[256];
} heard;

static void hear(void *context, int level, const char *message)
{
	(void)context;
	heard.notes += level == TW_SAY_NOTE;
	snprintf(heard.last, sizeof(heard.last), "%s", message);
}

/* A refusal is told with its reason, unless the caller asked for it or nobody listens. */
static void told_why(uint64_t *random)
{
	static const struct {
		struct tw_rate_options options;
		unsigned refusal;
	} cases[] = {
		{ { .kernel_rate = TW_DEFAULT }, TW_REFUSED_CLOCKSOURCE },
		{ { .kernel_rate = TW_OFF }, 0 }, { { .kernel_rate = TW_DEFAULT }, 0 },
	};
	struct machine machine = kernel_machine(random);
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	for (unsigned i = 0; i < 3; i++) {
		int ret;

		heard.notes = 0;
		tw_set_diagnostics(i < 2 ? hear : NULL, NULL);
		ret = measure(&machine, SOURCE { 0 }, cases[i].options, &rate);
		tap_ok(!ret && heard.notes == !!cases[i].refusal && (!cases[i].refusal ||
		       strstr(heard.last, tw_text(TW_ENUM_RATE_REFUSAL, cases[i].refusal))),
		       "%u notes: %s", heard.notes, heard.notes ? heard.last : "");
	}
}

/* Off x86 the kernel was told the frequency. 2^24 * 1e9 / 2500000400 is 6710885.3; the
 * whole kHz on both sides give 6710886 and 6710884. */
static void kernel_rates(uint64_t *random)
{
	struct machine machine = kernel_machine(random);
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	tap_ok(measure(&machine, SOURCE { NAMED }, OPTIONS { 0 }, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL && rate.kernel_mult == 6452780 &&
	       rate.hz == KERNEL_HZ && rate.bound_ppb > 0,
	       "with a witness: the kernel's rate, exactly, bound kept");
	tap_ok(measure(&machine, SOURCE { OURS }, OPTIONS { 0 }, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL_PROVISIONAL, "without a witness: provisional");
	tap_ok(measure(&machine, SOURCE { .witness_khz = 2599998 }, OPTIONS { 0 },
		       &rate) == 0 && rate.source == TW_RATE_REGRESSION &&
	       rate.refusal == TW_REFUSED_CLOCKSOURCE,
	       "the right rate by chance, but another clocksource: refused");
	tap_ok(measure(&machine, SOURCE { OURS, .witness_khz = 2600000 }, OPTIONS { 0 },
		       &rate) == 0 && rate.source == TW_RATE_KERNEL_PROVISIONAL,
	       "a witness for another rate is none");
	machine.ns_per_tick = 6710885 / 0x1p24;
	tap_ok(measure(&machine, SOURCE { OURS, .declared_hz = 2500000400 }, OPTIONS { 0 },
		       &rate) == 0 && rate.source == TW_RATE_KERNEL &&
	       rate.witness == TW_WITNESS_DECLARED && rate.kernel_mult == 6710885 &&
	       rate.kernel_shift == 24, "a declared frequency: the kernel's rate, exactly");
	tap_ok(measure(&machine, SOURCE { OURS, .declared_hz = 2500002900 }, OPTIONS { 0 },
		       &rate) == 0 && rate.source == TW_RATE_REGRESSION &&
	       rate.refusal == TW_REFUSED_NO_CANDIDATE,
	       "declared 1 ppm away from the truth: refused");
	tap_ok(measure(&machine, SOURCE { .declared_hz = 2500000400 }, OPTIONS { 0 },
		       &rate) == 0 && rate.refusal == TW_REFUSED_CLOCKSOURCE,
	       "declared, but another clocksource: refused");
}

/* A counter of arm64: slower than the code that reads it, and the kernel's clock is made of
 * it, so both move in the same steps. A reading takes 5 to 20 ns. */
struct slow_counter {
	double now_ns;
	double hz;
	struct tw_kernel_rate rate;
	uint64_t random;
};

static uint64_t slow_ticks(void *context)
{
	struct slow_counter *of = context;

	of->now_ns += 5 + (double)(tap_random(&of->random) % 16);
	return (uint64_t)(of->now_ns * of->hz / 1e9);
}

/* The kernel adds what has passed since its last tick. */
static uint64_t slow_ns(void *context)
{
	struct slow_counter *of = context;

	return (uint64_t)((double)slow_ticks(context) * 1e9 / of->rate.hz);
}

static void slow_sleep(void *context, uint64_t ns)
{
	struct slow_counter *of = context;

	of->now_ns += (double)ns;
}

/* The rms of these is 1 with a standard deviation of 0.07, if sigma is what it says. */
#define SLOW_STARTS	100

static void slow_counters(uint64_t *random)
{
	static const uint64_t all_hz[] = { 19200000, 24000000, 25000000, 50000000, 62500000 };

	for (unsigned i = 0; i < sizeof(all_hz) / sizeof(*all_hz); i++) {
		struct slow_counter of = {
			.now_ns = 1e12, .hz = (double)all_hz[i], .random = tap_random(random) | 1,
		};
		struct tw_time_source source = {
			.size = sizeof(source), .read_ticks = slow_ticks, .read_ns = slow_ns,
			.sleep_ns = slow_sleep, .context = &of, .granularity_ns = 1,
			.counter_is_clocksource = 1, .declared_hz = all_hz[i],
		};
		struct tw_rate_options options = {
			.size = sizeof(options), .source = &source, .window_ns = 20 * MS,
		};
		struct tw_rate rate = TW_SIZED(struct tw_rate);
		unsigned outside = 0;
		double squares = 0, rms;
		int ret;

		tw_kernel_rate_of_hz(all_hz[i], &of.rate);
		ret = tw_rate_measure(&rate, &options);
		tap_ok(!ret && rate.source == TW_RATE_KERNEL && rate.hz == of.rate.hz,
		       "%.1f MHz, declared: the kernel's rate, exactly", of.hz / 1e6);
		options.kernel_rate = TW_OFF;
		for (unsigned j = 0; j < SLOW_STARTS; j++) {
			ret = tw_rate_measure(&rate, &options);
			outside += ret || rate.source != TW_RATE_REGRESSION ||
				   of.rate.hz < rate.low_hz || of.rate.hz > rate.high_hz;
			squares += pow((rate.hz / of.rate.hz - 1) * 1e9 /
				       rate.uncertainty_ppb, 2);
		}
		rms = sqrt(squares / SLOW_STARTS);
		tap_ok(!outside && rms < 1.6,
		       "and measured %d times: %u outside of %.0f ppb, rms(error / sigma) %.2f",
		       SLOW_STARTS, outside, rate.bound_ppb, rms);
	}
}

static void broken(uint64_t *random)
{
	struct machine machine = kernel_machine(random);
	struct tw_rate rate = { .size = sizeof(rate), .hz = 1 };

	machine.stands_still = 1;
	tap_ok(measure(&machine, SOURCE { OURS }, OPTIONS { 0 }, &rate) == -EIO &&
	       rate.hz == 1, "a counter that stands still: -EIO, output untouched");
	machine.stands_still = 0;
	machine.break_at_ticks = machine.ticks + 26000000;
	tap_ok(measure(&machine, SOURCE { OURS }, OPTIONS { 0 }, &rate) == -EIO,
	       "a rate that changes by 100 ppm in mid-window: -EIO");
}

static void refused(void)
{
	struct tw_time_source empty = TW_SIZED(struct tw_time_source);
	const struct {
		struct tw_rate_options options;
		const char *what;
	} cases[] = {
		{ { .window_ns = 4999999 }, "a window under 5 ms" },
		{ { .window_ns = 3601 * TW_NS_PER_SECOND }, "one over an hour" },
		{ { .longest_ns = 3601 * TW_NS_PER_SECOND }, "longer than an hour" },
		{ { .source = &empty }, "a source without functions" },
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct tw_rate_options options = cases[i].options;

		options.size = sizeof(options);
		tap_ok(tw_rate_measure(&rate, &options) == -EINVAL, "%s: -EINVAL",
		       cases[i].what);
	}
}

/* ---- for how long ---- */

/*
 * Neighbouring multipliers are 155 ppb apart. The one taken must lie within E of the fit
 * and every other one beyond 2 E. E is six sigma and the drift that a reading's place
 * allows: a granularity of g ns over the window. 2 E < 385 (the next kHz) takes
 * g / window < 190 ppb at most.
 */
static void goes_on(uint64_t *random)
{
	static const struct {
		uint64_t step_ns, longest_ms;
		int is_clocksource;
		unsigned refusal;	/* 0: the kernel's rate */
		double ms;
		const char *what;
	} cases[] = {
		{ 1, 160, 1, 0, 20, "1 ns: 20 ms are enough" },
		{ 20, 0, 1, TW_REFUSED_AMBIGUOUS, 20, "20 ns, not allowed to go on" },
		{ 5, 160, 1, 0, 40, "5 ns: 40 ms" },
		{ 11, 160, 1, 0, 80, "11 ns: 80 ms" },
		{ 22, 160, 1, 0, 160, "22 ns: 160 ms" },
		{ 22, 159, 1, TW_REFUSED_AMBIGUOUS, 80, "allowed 159 ms: no more than 80" },
		{ 100, 160, 1, TW_REFUSED_AMBIGUOUS, 160, "100 ns: then it is left open" },
		{ 22, 160, 0, TW_REFUSED_CLOCKSOURCE, 20, "samples can't help" },
	};
	struct machine machine;
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	for (unsigned i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		machine = kernel_machine(random);
		machine.is_clean = 1;
		machine.step_ns = cases[i].step_ns;
		/* The window is the time between the first and the last sample. */
		if (!tap_ok(!measure(&machine, SOURCE {
				.counter_is_clocksource = cases[i].is_clocksource,
				.witness_khz = 2599998 },
				OPTIONS { .longest_ns = cases[i].longest_ms * MS }, &rate) &&
			    rate.refusal == cases[i].refusal &&
			    (rate.refusal ? rate.source == TW_RATE_REGRESSION :
			     rate.source == TW_RATE_KERNEL && rate.hz == KERNEL_HZ) &&
			    rate.low_hz <= KERNEL_HZ && rate.high_hz >= KERNEL_HZ &&
			    fabs((double)rate.window_ns / 1e6 - cases[i].ms) < 1, "%s",
			    cases[i].what))
			tap_note("%.3f ms, refusal %x", (double)rate.window_ns / 1e6,
				 rate.refusal);
	}
	/* A first reading and most of 20 ms are disturbed: too few blocks are left. */
	for (unsigned i = 0; i < 2; i++) {
		int ret;

		machine = kernel_machine(random);
		machine.is_clean = 1;
		machine.away_until_ticks = machine.ticks + 65000000;
		ret = measure(&machine, SOURCE { NAMED },
			      OPTIONS { .longest_ns = i * 160 * MS }, &rate);
		tap_ok(i ? !ret && rate.hz == KERNEL_HZ && rate.window_ns > 30 * MS &&
		       rate.window_ns < 90 * MS : ret == -EAGAIN,
		       "away for nearly all of 20 ms, %s", i ?
		       "allowed: the rate, after more" : "not allowed to go on: -EAGAIN");
	}
	/* Samples of 2 ms give a rate that is good to 50 ppm. */
	for (unsigned i = 0; i < 2; i++) {
		int ret;

		machine = kernel_machine(random);
		machine.is_clean = 1;
		machine.gone_at_ticks = machine.ticks + 6000000;
		ret = measure(&machine, SOURCE { 0 },
			      OPTIONS { .longest_ns = i * 160 * MS }, &rate);
		tap_ok(!ret && (i ? rate.window_ns > 35 * MS && rate.window_ns < 45 * MS :
				rate.window_ns < 3 * MS),
		       "away after 2 of 20 ms, %s: a window of %.1f ms",
		       i ? "allowed to go on" : "not allowed", (double)rate.window_ns / 1e6);
	}
}

static void progress(uint64_t *random)
{
	static const struct {
		uint64_t end_ns;
		int answer, ret;
		uint64_t window_ns;
	} cases[] = {
		{ 0, 0, 0, 1000 * MS }, { 300 * MS, TW_ENOUGH, 0, 300 * MS },
		{ 300 * MS, 1, -ECANCELED, 0 },
	};

	for (unsigned i = 0; i < 3; i++) {
		struct machine machine = kernel_machine(random);
		struct tw_rate rate = TW_SIZED(struct tw_rate);
		double window_ms;
		int ret;

		machine.is_clean = 1;
		machine.end_ns = cases[i].end_ns;
		machine.answer = cases[i].answer;
		ret = measure(&machine, SOURCE { .sleep_ns = sleep_ns }, OPTIONS {
				.window_ns = 1000 * MS, .longest_ns = 8000 * MS,
				.progress = tell }, &rate);
		window_ms = (double)rate.window_ns / 1e6;
		tap_ok(ret == cases[i].ret &&
		       (ret ? rate.hz == 0 : fabs(rate.hz / KERNEL_HZ - 1) < 1e-6) &&
		       fabs(window_ms - (double)cases[i].window_ns / 1e6) < 10,
		       "answer %d after %.0f ms: %d, a window of %.1f ms", cases[i].answer,
		       (double)cases[i].end_ns / 1e6, ret, window_ms);
		tap_ok(machine.told > (i ? 100 : 500) && machine.is_forwards &&
		       machine.told_ns < (i ? 310 : 1010) * MS &&
		       machine.told_ns > (i ? 290 : 900) * MS,
		       "told %u times, never less than before, up to the end", machine.told);
	}
}

/* The second window goes on where the first has ended. */
static void progress_of_two(uint64_t *random)
{
	struct machine machine = kernel_machine(random);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	int ret;

	machine.is_clean = 1;
	machine.step_ns = 5;
	ret = measure(&machine, SOURCE { NAMED, .sleep_ns = sleep_ns },
		      OPTIONS { .longest_ns = 160 * MS, .progress = tell }, &rate);
	tap_ok(!ret && rate.window_ns > 30 * MS && machine.is_forwards &&
	       machine.told_ns > 30 * MS && machine.told_ns < 165 * MS,
	       "told up to %.1f ms of two windows or more, %.1f ms",
	       (double)machine.told_ns / 1e6, (double)rate.window_ns / 1e6);
}

/* ---- fits of brackets made by hand: 1 GHz, 20 ms ---- */

#define COUNT	1600

/* Each reading is @before ticks after its bracket's begin and @after before its end. */
static int fit(struct tw_fit *fit, uint64_t tolerance_ticks, double step_ticks,
	       uint64_t (*before)(unsigned i, uint64_t *after))
{
	static struct tw_bracket bracket[COUNT];
	const struct tw_brackets brackets = {
		.bracket = bracket, .count = COUNT, .tolerance_ticks = tolerance_ticks,
		.granularity_ns = 1, .step_ticks = step_ticks,
	};

	for (unsigned i = 0; i < COUNT; i++) {
		uint64_t at = 1000000 + i * 12500ULL, after;
		uint64_t before_ticks = before(i, &after);

		bracket[i] = (struct tw_bracket) { at - before_ticks, at + after, at };
	}
	return tw_fit_brackets(&brackets, fit);
}

static uint64_t straight(unsigned i, uint64_t *after)
{
	(void)i;
	return *after = 40;
}

/* A counter that moves by 200 ticks: read right after a step, later right before one. */
static uint64_t in_steps(unsigned i, uint64_t *after)
{
	*after = i < COUNT / 2 ? 0 : -UINT64_C(199);
	return i < COUNT / 2 ? 100 : 299;
}

static void by_hand(void)
{
	struct tw_fit found = { 0 };
	int ret = fit(&found, 5, 1, straight);

	/* A nanosecond and a tick, rounded: sqrt(2 / 12) of one over the spread of COUNT. */
	tap_ok(ret == 0 &&
	       fabs(found.sigma_ppb / (sqrt(2.0 / COUNT) / 20e6 * 1e9) - 1) < 0.01,
	       "a straight line is as good as its roundings, %.3f ppb", found.sigma_ppb);
	tap_ok(fit(&found, 5, 200, in_steps) == 0 && found.low_hz <= 1e9 &&
	       found.high_hz >= 1e9, "a counter in steps: the truth in the hard interval");
}

static unsigned hole_from, hole_to;

/* Brackets of a hole are too wide to be kept. */
static uint64_t with_hole(unsigned i, uint64_t *after)
{
	uint64_t wider = i >= hole_from && i < hole_to ? 200 : i % 5;

	*after = 40 + wider - wider / 2;
	return 40 + wider / 2;
}

static int fit_with_hole(struct tw_fit *found, unsigned from, unsigned to)
{
	hole_from = from;
	hole_to = to;
	return fit(found, 12, 1, with_hole);
}

static void holes(void)
{
	struct tw_fit all, middle, end;

	tap_ok(fit_with_hole(&all, 0, 0) == 0 && all.blocks == TW_FIT_BLOCKS,
	       "no hole: every block has samples");
	tap_ok(fit_with_hole(&middle, COUNT / 4, COUNT * 3 / 4) == 0 &&
	       middle.blocks == TW_FIT_BLOCKS / 2,
	       "half of the window is one hole in the middle");
	/* The widths are the same, so is their spread, to 1 in COUNT. */
	tap_ok(fabs(middle.asymmetry_ppb / all.asymmetry_ppb - 1) < 1e-3,
	       "its drift is as for the whole window");
	/* Half the reach; the one last sample adds 1.7 % to it. */
	tap_ok(fit_with_hole(&end, COUNT / 2, COUNT - 1) == 0 &&
	       end.asymmetry_ppb / all.asymmetry_ppb > 1.9 &&
	       end.asymmetry_ppb / all.asymmetry_ppb < 2.01,
	       "a hole up to the last sample: its drift is twice that");
}

/* The first two of sixteen blocks have brackets of 80 ticks around the reading. The others
 * have 110, with the reading 70 ticks in. */
static uint64_t narrow_first(unsigned i, uint64_t *after)
{
	*after = 40;
	return i < COUNT / 8 ? 40 : 70;
}

/* A counter of 1 GHz that takes 20 ticks a reading for 0.3 ms, then 40. */
static uint64_t read_either(void *context)
{
	uint64_t *now = context;

	*now += *now < 300000 ? 20 : 40;
	return *now;
}

static void narrow_moments(void)
{
	uint64_t now = 1;
	const struct tw_time_source source = {
		.size = sizeof(source), .read_ticks = read_either, .read_ns = read_either,
		.context = &now, .granularity_ns = 1,
	};
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = 20 * MS, .source = &source,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_fit found;

	tap_ok(fit(&found, 5, 1, narrow_first) == 0 &&
	       found.blocks == TW_FIT_BLOCKS * 7 / 8 && found.used == COUNT * 7 / 8,
	       "the many are kept, the few not");
	/* Mixed, 15 ticks of another place in an eighth are some 400 ppb. */
	tap_ok(fabs(found.hz - 1e9) < 1e-3 && found.bracket_ticks == 80,
	       "the line is straight, and the narrowest are still known");
	tap_ok(tw_rate_measure(&rate, &options) == 0 && rate.window_ns > 19 * MS,
	       "a narrow moment before the window spoils nothing");
}

int main(void)
{
	uint64_t random = tap_seed();

	kernel_rates(&random);
	slow_counters(&random);
	told_why(&random);
	broken(&random);
	refused();
	goes_on(&random);
	progress(&random);
	progress_of_two(&random);
	by_hand();
	holes();
	narrow_moments();
	return tap_done();
}
