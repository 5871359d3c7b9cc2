/* SPDX-License-Identifier: MIT */
/*
 * How are the error of the modulus and the error of the rate balanced? This is the
 * third question that WTMLIB's author left open.
 *
 * First on paper: a rate is truncated to whole ticks per millisecond, per second
 * and per minute, and converted with moduli of several lengths. The table has the
 * error after a second, an hour and thirty days, from exact integers, of the worst
 * of many rates near this machine's. Then for real: the rate is measured in
 * windows of several lengths, which take turns, without taking the kernel's. The
 * kernel's own rate is the truth. So errors are against CLOCK_MONOTONIC_RAW.
 */
#include "questions.h"

static const char usage[] =
	"usage: balance [WINDOWS [HZ]]\n\n"
	"Prints the total error of a conversion by its modulus and by how its rate\n"
	"is known. WINDOWS (default: 100) windows of each length are measured;\n"
	"HZ: a counter's rate for the first table (default: this machine's). With\n"
	"0 windows and HZ nothing is measured.\n";

#define RATES		128
#define TICKS_TRIED	16
#define MAX_WINDOWS	1000

static const struct {
	const char *name;
	double s;		/* 0: tw_scale_init()'s own choice */
} moduli[] = { { "10 ms", 0.01 }, { "its own", 0 }, { "10 s", 10 },
	       { "1 h", 3600 } };
static const struct {
	const char *name;
	double per_s;		/* as many units in a second; 0: exact */
} roundings[] = { { "ticks per ms", 1e3 }, { "ticks per s", 1 },
		  { "ticks per min", 1.0 / 60 }, { "exact", 0 } };

/* The worst error, in ns, after an interval; the true rates are near @hz. @broken
 * counts conversions that break the scale's own promise. */
static double worst_ns(double hz, double per_s, double modulus_s,
		       uint64_t interval_s, unsigned *broken)
{
	double worst = 0;

	for (unsigned i = 0; i < RATES; i++) {
		const double true_hz = near(hz, i);
		const double told_hz = per_s > 0 ? floor(true_hz / per_s) * per_s :
					       true_hz;
		const uint64_t end = (uint64_t)(true_hz * (double)interval_s);
		const struct tw_rate told = { .size = sizeof(told),
					      .hz = told_hz };
		struct tw_scale scale;
		uint64_t span;

		if (scale_of(&scale, &told, modulus_s))
			return NAN;
		span = scale.mask < end ? scale.mask + 1 : end;
		for (uint64_t j = 0; j < TICKS_TRIED; j++) {
			const uint64_t ticks = end - j * (span / TICKS_TRIED);
			const uint64_t ns = tw_ticks_to_ns(&scale, ticks);

			worst = fmax(worst, fabs(off_ns(ns, ticks, true_hz)));
			*broken += fabs(off_ns(ns, ticks, told_hz)) >
				   scale.error_ns + scale.error_ppb * 1e-9 *
				   (double)ns;
		}
	}
	return worst;
}

/* From and to: the moduli that tw_scale_init() chooses by itself, and the errors
 * that it publishes for them. */
static void print_choice(double hz)
{
	double low_s = INFINITY, high_s = 0, low_ppb = INFINITY, high_ppb = 0;

	for (unsigned i = 0; i < RATES; i++) {
		const struct tw_rate rate = { .size = sizeof(rate),
					      .hz = near(hz, i) };
		struct tw_scale scale;

		if (scale_of(&scale, &rate, 0))
			continue;
		low_s = fmin(low_s, (double)scale.modulus_ns / 1e9);
		high_s = fmax(high_s, (double)scale.modulus_ns / 1e9);
		low_ppb = fmin(low_ppb, scale.error_ppb);
		high_ppb = fmax(high_ppb, scale.error_ppb);
	}
	printf("\"Its own\" is %.2f to %.2f s, with errors of %.2g to %.2g "
	       "ppb.\n", low_s, high_s, low_ppb, high_ppb);
}

static void print_paper(double hz)
{
	unsigned broken = 0;

	printf("On paper: worst error, ns, of %d rates near %.6g MHz\n\n",
	       RATES, hz / 1e6);
	for (unsigned t = 0; t < COUNT(intervals); t++) {
		printf("after %-10s", intervals[t].name);
		for (unsigned m = 0; m < COUNT(moduli); m++)
			printf(" %9s", moduli[m].name);
		printf("\n");
		for (unsigned r = 0; r < COUNT(roundings); r++) {
			printf("%-16s", roundings[r].name);
			for (unsigned m = 0; m < COUNT(moduli); m++)
				print_ns(worst_ns(hz, roundings[r].per_s,
						  moduli[m].s, intervals[t].s,
						  &broken));
			printf("\n");
		}
		printf("\n");
	}
	print_choice(hz);
	printf("Conversions outside what the scale promises: %u\n\n", broken);
}

/* ---- for real ---- */

static const unsigned windows_ms[] = { 5, 20, 100, 1000 };

/* What measurements in windows of one length gave. */
struct windows {
	double off_ppb[MAX_WINDOWS];
	double square, bound_ppb;
	double square_ns[COUNT(intervals)];	/* of conversions, squared */
	unsigned count, failed;
};

/* How far a conversion by this rate is off after an interval; the truth is @truth. */
static double off_after_ns(const struct tw_rate *rate,
			   const struct tw_rate *truth, uint64_t interval_s)
{
	const uint64_t ticks = (uint64_t)(truth->hz * (double)interval_s);
	const u128 exact = (u128)ticks * truth->kernel_mult;
	struct tw_scale scale;

	if (tw_scale_init(&scale, rate, 0))
		return NAN;
	return ldexp((double)((i128)((u128)tw_ticks_to_ns(&scale, ticks) <<
				     truth->kernel_shift) - (i128)exact),
		     -(int)truth->kernel_shift);
}

static void measure(struct windows *windows, unsigned window_ms,
		    const struct tw_rate *truth)
{
	const struct tw_rate_options options = {
		.size = sizeof(options), .kernel_rate = TW_OFF,
		.window_ns = window_ms * 1000000ULL,
	};
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	double off_ppb;

	if (tw_rate_measure(&rate, &options)) {
		windows->failed++;
		return;
	}
	off_ppb = (rate.hz / truth->hz - 1) * 1e9;
	windows->off_ppb[windows->count++] = fabs(off_ppb);
	windows->square += off_ppb * off_ppb;
	windows->bound_ppb = fmax(windows->bound_ppb, rate.bound_ppb);
	for (unsigned t = 0; t < COUNT(intervals); t++) {
		double off = off_after_ns(&rate, truth, intervals[t].s);

		windows->square_ns[t] += off * off;
	}
}

static void print_windows(struct windows *windows, unsigned window_ms)
{
	struct spread spread;

	printf("%4u ms  %7u %7u", window_ms, windows->count, windows->failed);
	if (windows->count) {
		spread = spread_of(windows->off_ppb, windows->count);
		printf(" %9.3f %9.3f %9.3f %9.1f  ", spread.median,
		       sqrt(windows->square / windows->count),
		       windows->off_ppb[windows->count - 1],
		       windows->bound_ppb);
		for (unsigned t = 0; t < COUNT(intervals); t++)
			printf(" %9.3g", sqrt(windows->square_ns[t] /
					      windows->count));
	}
	printf("\n");
}

static void print_load(void)
{
	double load[3];

	if (getloadavg(load, 3) == 3)
		printf("Load average: %.2f %.2f %.2f\n", load[0], load[1],
		       load[2]);
}

/* Long windows are measured a quarter as often. */
static void print_measured(const struct tw_clock *clock, unsigned wanted)
{
	static struct windows all[COUNT(windows_ms)];
	struct tw_rate truth = TW_SIZED(struct tw_rate);

	if (tw_clock_rate(clock, &truth) || !truth.kernel_mult) {
		printf("The kernel's rate was not recognised: no truth to "
		       "compare measured rates with.\n");
		return;
	}
	print_load();
	for (unsigned i = 0; i < wanted; i++)
		for (unsigned w = 0; w < COUNT(windows_ms); w++)
			if (windows_ms[w] < 1000 || i % 4 == 0)
				measure(&all[w], windows_ms[w], &truth);
	printf("Measured, the kernel's rate (mult %u, shift %u) being the "
	       "truth: errors in ppb,\nand of a conversion in ns\n\n"
	       "%-8s %7s %7s %9s %9s %9s %9s   %s\n", truth.kernel_mult,
	       truth.kernel_shift, "window", "windows", "failed", "median",
	       "rms", "worst", "bound", "rms, ns, after 1 s, 1 h, 30 days");
	for (unsigned w = 0; w < COUNT(windows_ms); w++)
		print_windows(&all[w], windows_ms[w]);
	printf("%-64s  ", "the kernel's rate, worst case");
	for (unsigned t = 0; t < COUNT(intervals); t++)
		printf(" %9.3g", clock->scale.error_ns +
		       clock->scale.error_ppb * (double)intervals[t].s);
	printf("\n");
	print_load();
}

/* Read a counter's rate; NULL: 0. End the program if @text is none. */
static double hz_of(const char *text)
{
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_scale scale;
	char *end;

	if (!text)
		return 0;
	rate.hz = strtod(text, &end);
	if (end == text || *end || scale_of(&scale, &rate, 0)) {
		fprintf(stderr, "%s is no rate of a counter in Hz\n%s", text,
			usage);
		exit(64);
	}
	return rate.hz;
}

int main(int argc, char **argv)
{
	struct tw_clock clock;
	unsigned wanted;
	double hz;
	int ret;

	help(argc, argv, 2, usage);
	wanted = count_of(argv[1], 100, 0, MAX_WINDOWS, usage);
	hz = argc > 1 ? hz_of(argv[2]) : 0;
	print_machine();
	if (hz > 0 && !wanted) {
		print_paper(hz);
		return 0;
	}
	ret = clock_here(&clock);
	if (ret)
		return ret;
	print_paper(hz > 0 ? hz : clock.scale.hz);
	if (wanted)
		print_measured(&clock, wanted);
	tw_clock_free(&clock);
	return 0;
}
