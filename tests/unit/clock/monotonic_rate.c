/* SPDX-License-Identifier: MIT */
/*
 * Computes CLOCK_MONOTONIC's rate from adjtimex, on a timekeeper that works as the
 * kernel's: two whole multipliers in turns, chosen at each tick. The computed rate
 * is its mean, within the stated error. Where anything else steers, the rate is
 * measured, and the result tells why.
 *
 * Fails if a sign or a unit is wrong, or if a slew or a change goes unnoticed.
 * Fails also if samples that disagree pass, or if the turns are left out of the
 * error.
 */
#include <math.h>
#include <sys/timex.h>

#include "clock/kernel_rate.h"
#include "tap.h"

#define MULT		6452780u	/* 2599998 kHz */
#define SHIFT		24
#define WITNESS_KHZ	2599998

/*
 * Nanoseconds are in units of 2^-32, as on the kernel's NTP side. NTP's own time
 * gains tick_length on every interval, the clock gains interval * mult, and the
 * next mult depends on whether the clock is behind.
 */
struct keeper {
	unsigned kernel_hz;
	double second_ns;		/* NTP's length of a second */
	uint64_t interval;		/* counter ticks in a tick of the kernel */
	int64_t remainder;		/* 2^-SHIFT ns */
	uint64_t slow_mult, mult;
	uint64_t last_ticks;
	uint64_t shifted_ns;		/* at last_ticks, 2^-SHIFT ns */
	int64_t behind;			/* 2^-32 ns */
	int64_t length;			/* 2^-32 ns */
};

static void keeper_init(struct keeper *keeper, unsigned kernel_hz,
			double second_ns)
{
	uint64_t whole = (uint64_t)(1000000000 / kernel_hz) << SHIFT;

	*keeper = (struct keeper) { .kernel_hz = kernel_hz };
	keeper->second_ns = second_ns;
	keeper->interval = (whole + MULT / 2) / MULT;
	keeper->remainder = (int64_t)(whole - keeper->interval * MULT);
	keeper->length = (int64_t)(second_ns / kernel_hz * 0x1p32);
	keeper->slow_mult = (uint64_t)((keeper->length >> (32 - SHIFT)) -
				       keeper->remainder) / keeper->interval;
	keeper->mult = keeper->slow_mult;
}

static uint64_t keeper_read(struct keeper *keeper, uint64_t ticks)
{
	while (ticks - keeper->last_ticks >= keeper->interval) {
		uint64_t gained = keeper->interval * keeper->mult;

		keeper->last_ticks += keeper->interval;
		keeper->shifted_ns += gained;
		keeper->behind += keeper->length -
			(((int64_t)gained + keeper->remainder) *
			 (1 << (32 - SHIFT)));
		keeper->mult = keeper->slow_mult + (keeper->behind > 0);
	}
	return (keeper->shifted_ns +
		(ticks - keeper->last_ticks) * keeper->mult) >> SHIFT;
}

struct machine {
	uint64_t ticks;
	uint64_t random;
	struct keeper keeper;
	struct timex timex;		/* what adjtimex returns */
	long adjust_us;			/* of ADJ_OFFSET_SS_READ */
	long then_freq;			/* from the second reading on */
	int readings;
	int fails;
};

static void pass(struct machine *machine)
{
	machine->ticks += 30 + tap_random(&machine->random) % 4;
}

static uint64_t read_ticks(void *context)
{
	struct machine *machine = context;

	pass(machine);
	return machine->ticks;
}

static uint64_t read_ns(void *context)
{
	struct machine *machine = context;

	pass(machine);
	return keeper_read(&machine->keeper, machine->ticks);
}

static uint64_t read_raw_ns(void *context)
{
	struct machine *machine = context;

	pass(machine);
	return machine->ticks * MULT >> SHIFT;
}

static int say_adjtimex(void *context, struct timex *timex)
{
	struct machine *machine = context;
	unsigned modes = timex->modes;

	if (machine->fails)
		return -1;
	*timex = machine->timex;
	if (modes == ADJ_OFFSET_SS_READ) {
		timex->offset = machine->adjust_us;
		/* The last question of a reading. */
		if (++machine->readings == 1 && machine->then_freq)
			machine->timex.freq = machine->then_freq;
	}
	return 0;
}

static double second_of(const struct timex *timex)
{
	return (double)timex->tick * 100 * 1e3 +
	       (double)timex->freq / 65536 * 1e3;
}

static struct machine machine_at(long tick, long freq, uint64_t *random)
{
	struct machine machine = {
		.ticks = 1 << 20, .random = tap_random(random) | 1,
		.timex = { .tick = tick, .freq = freq, .status = STA_NANO },
	};

	keeper_init(&machine.keeper, 250, second_of(&machine.timex));
	return machine;
}

static struct tw_time_source source_of(struct machine *machine)
{
	return (struct tw_time_source) {
		.size = sizeof(struct tw_time_source),
		.read_ticks = read_ticks, .read_ns = read_ns,
		.context = machine, .granularity_ns = 1,
		.counter_is_clocksource = 1, .witness_khz = WITNESS_KHZ,
		.read_raw_ns = read_raw_ns, .adjtimex = say_adjtimex,
	};
}

static int measure(const struct tw_time_source *source, uint64_t window_ms,
		   struct tw_rate *rate)
{
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = window_ms * 1000000,
		.against = TW_AGAINST_MONOTONIC, .source = source,
	};

	return tw_rate_measure(rate, &options);
}

/* Return the ticks per second of the keeper itself over an hour. */
static double long_run_hz(const struct keeper *keeper)
{
	struct keeper own = *keeper;
	uint64_t ticks = own.last_ticks, first_ns;
	const uint64_t many = 3600ULL * 2600000000;

	own.shifted_ns = 0;
	first_ns = keeper_read(&own, ticks);
	/* 2^64 >> 24 ns are 18 minutes: subtract the seconds on the way. */
	for (uint64_t gone = 0, ns = 0;; ) {
		uint64_t now_ns = keeper_read(&own, ticks + gone) - first_ns;

		ns += now_ns;
		own.shifted_ns -= now_ns << SHIFT;
		if (gone >= many)
			return (double)gone / (double)ns * 1e9;
		gone += 260000000000;
	}
}

static void steered(uint64_t *random)
{
	static const struct {
		long tick, freq;
	} cases[] = {
		{ 10000, 0 }, { 10000, 809041 }, { 10000, -809041 },
		{ 10000, 1 }, { 10000, 32768000 }, { 10001, -1234567 },
		{ 9990, 100 },
	};

	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct machine machine = machine_at(cases[i].tick,
						    cases[i].freq, random);
		double truth_hz = long_run_hz(&machine.keeper), off_ppb;
		struct tw_time_source source = source_of(&machine);
		struct tw_rate rate = TW_SIZED(struct tw_rate);

		tap_ok(measure(&source, 100, &rate) == 0 &&
		       rate.source == TW_RATE_KERNEL_STEERED &&
		       rate.refusal == 0 && rate.kernel_mult == 0 &&
		       rate.witness == TW_WITNESS_CPUID,
		       "tick %ld, freq %ld: taken from adjtimex",
		       cases[i].tick, cases[i].freq);
		/*
		 * 1 h ends within 1 ns and a tick's lag: under 0.001 ppb. The rest
		 * is the remainder of an interval of 10^7 ticks.
		 */
		off_ppb = (rate.hz / truth_hz - 1) * 1e9;
		tap_ok(fabs(off_ppb) < 0.001 +
		       fabs(rate.steering_ppb) / (double)(2 * machine.keeper.interval),
		       "%+.5f ppb off the long run, steered by %+.4f ppb",
		       off_ppb, rate.steering_ppb);
		tap_ok(rate.hz >= rate.low_hz && rate.hz <= rate.high_hz &&
		       fabs(rate.measured_hz / rate.hz - 1) * 1e9 <
		       5 * hypot(rate.measured_uncertainty_ppb,
				 rate.uncertainty_ppb),
		       "and the samples agree: %+.2f ppb, sigma %.2f and %.2f",
		       (rate.measured_hz / rate.hz - 1) * 1e9,
		       rate.measured_uncertainty_ppb, rate.uncertainty_ppb);
	}
}

static void refusals(uint64_t *random)
{
	/* Only the clock itself shows the last microsecond of an adjtime: it is 1000 ppb for
	 * up to a second. */
	static const struct {
		const char *what;
		unsigned refusal;
	} cases[] = {
		{ "an offset is slewed away", TW_REFUSED_SLEWED },
		{ "adjtime has something left", TW_REFUSED_SLEWED },
		{ "a pulse per second", TW_REFUSED_SLEWED },
		{ "another frequency at the end", TW_REFUSED_CHANGED },
		{ "adjtimex fails", TW_REFUSED_AGAINST },
		{ "a steering that is not shown", TW_REFUSED_NO_CANDIDATE },
		{ "a source without adjtimex", TW_REFUSED_AGAINST },
		{ "a source without RAW", TW_REFUSED_AGAINST },
		{ "another clocksource", TW_REFUSED_CLOCKSOURCE },
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_time_source source;
	struct machine machine;

	for (unsigned i = 0; i < 9; i++) {
		machine = machine_at(10000, i == 5 ? 0 : 809041, random);
		machine.timex.offset = i == 0 ? -1 : 0;
		machine.adjust_us = i == 1;
		machine.timex.status |= i == 2 ? STA_PPSFREQ : 0;
		machine.then_freq = i == 3 ? 809042 : 0;
		machine.fails = i == 4;
		if (i == 5)
			keeper_init(&machine.keeper, 250, 1e9 + 1e3);
		source = source_of(&machine);
		source.adjtimex = i == 6 ? NULL : source.adjtimex;
		source.read_raw_ns = i == 7 ? NULL : source.read_raw_ns;
		source.counter_is_clocksource = i != 8;
		if (!tap_ok(measure(&source, 20, &rate) == 0 &&
			    rate.source == TW_RATE_REGRESSION &&
			    rate.hz == rate.measured_hz && rate.refusal == cases[i].refusal &&
			    rate.steering_ppb == 0, "%s: measured", cases[i].what))
			tap_note("refusal 0x%x, source %s", rate.refusal,
				 tw_name(TW_ENUM_RATE_SOURCE, rate.source));
	}
	/*
	 * Without steering, so that 20 ms are enough to recognise the multiplier.
	 * The two readings of RAW then allow +-1300 ppb, and +-65 after 400 ms. The
	 * next whole kHz is 385 ppb away.
	 */
	machine = machine_at(10000, 0, random);
	source = source_of(&machine);
	source.witness_khz = 0;
	tap_ok(measure(&source, 20, &rate) == 0 &&
	       rate.source == TW_RATE_REGRESSION &&
	       rate.refusal == TW_REFUSED_AMBIGUOUS,
	       "no witness: nothing is provisional here");
	tap_ok(measure(&source, 400, &rate) == 0 &&
	       rate.source == TW_RATE_KERNEL_STEERED &&
	       rate.witness == TW_WITNESS_BOUND,
	       "a window so long that RAW itself is the witness");
}

/* 300 Hz: an interval is a third of a nanosecond longer than its whole ones. */
static void odd_kernel_hz(void)
{
	struct tw_steering steering = {
		.tick_us = 10000, .user_hz = 100, .kernel_hz = 300,
	};
	struct keeper keeper;
	double truth_ppb;

	keeper_init(&keeper, 300, 1e9);
	truth_ppb = (1e9 * 0x1p24 / MULT / long_run_hz(&keeper) - 1) * 1e9;
	tap_ok(fabs(tw_steering_ppb(&steering) - truth_ppb) < 0.001,
	       "a kernel of 300 Hz: %+.4f ppb, the keeper's %+.4f",
	       tw_steering_ppb(&steering), truth_ppb);
	steering.kernel_hz = 1000;
	tap_ok(tw_steering_ppb(&steering) == 0, "of 1000 Hz: none");
}

/* Compare means over windows anywhere with the greatest error that is stated. */
static void turns(uint64_t *random)
{
	const struct tw_steering steering = {
		.tick_us = 10000, .user_hz = 100, .kernel_hz = 250,
		.freq = 809041, .status = STA_NANO,
	};
	const uint64_t window_ns = 20000000, window_ticks = 51999963;
	double max_ppb = tw_steering_dither_ppb(&steering, MULT, window_ns);
	double hz = 1e9 * 0x1p24 / MULT / (1 + tw_steering_ppb(&steering) / 1e9);
	/* Two readings cut to whole nanoseconds. */
	double cut_ppb = 1e9 / (double)window_ns;
	double worst_ppb = 0, squares = 0;
	struct keeper keeper;
	uint64_t ticks = 0;

	keeper_init(&keeper, 250, 1e9 + 809041 / 65.536);
	for (unsigned i = 0; i < 10000; i++) {
		uint64_t first_ns, last_ns;
		double off_ppb;

		ticks += tap_random(random) % 40000000;
		first_ns = keeper_read(&keeper, ticks);
		ticks += window_ticks;
		last_ns = keeper_read(&keeper, ticks);
		off_ppb = ((double)(last_ns - first_ns) /
			   ((double)window_ticks / hz * 1e9) - 1) * 1e9;
		worst_ppb = fmax(worst_ppb, fabs(off_ppb));
		squares += off_ppb * off_ppb;
	}
	tap_ok(worst_ppb < max_ppb + cut_ppb,
	       "10000 windows of 20 ms: at most %.1f ppb off, stated %.1f",
	       worst_ppb, max_ppb + cut_ppb);
	tap_ok(sqrt(squares / 10000) < hypot(max_ppb, cut_ppb) * 0.58,
	       "rms %.1f ppb, within the sigma", sqrt(squares / 10000));
}

static void hidden_offset(void)
{
	const struct tw_kernel_rate kernel = { .mult = MULT, .hz = 2.6e9 };
	struct tw_steering steering = {
		.tick_us = 10000, .user_hz = 100, .kernel_hz = 250,
		.constant = 2,
	};
	double quiet_ppb = tw_steering_sigma_ppb(&steering, &kernel, 1000000000);

	/* Up to 1 us may be left, of which a 16th is slewed in a second. */
	steering.status = STA_PLL;
	tap_ok(quiet_ppb < 0.02 &&
	       fabs(tw_steering_sigma_ppb(&steering, &kernel, 1000000000) -
		    62.5 / sqrt(3)) < 0.01,
	       "a loop that shows microseconds leaves 62.5 ppb in doubt");
	steering.status |= STA_NANO;
	tap_ok(tw_steering_sigma_ppb(&steering, &kernel, 1000000000) < 0.05,
	       "one that shows nanoseconds does not");
}

int main(void)
{
	uint64_t random = tap_seed();

	steered(&random);
	refusals(&random);
	odd_kernel_hz();
	turns(&random);
	hidden_offset();
	return tap_done();
}
