/* SPDX-License-Identifier: MIT */
/*
 * How are the error of the modulus and the error of the rate balanced? This is the
 * third question that WTMLIB's author left open.
 *
 * First on paper: a rate is rounded to whole ticks per millisecond, per second and
 * per minute, and converted with moduli of several lengths. The table has the
 * error after a second, an hour and thirty days, from exact integers, of the worst
 * of many rates near this machine's. Then for real: the rate is measured in
 * windows of several lengths, without taking the kernel's. The kernel's own rate is
 * the truth.
 */
#include "questions.h"

static const char usage[] =
	"usage: balance [WINDOWS [HZ]]\n\n"
	"Prints the total error of a conversion by its modulus and by how its rate\n"
	"is known. WINDOWS (default: 20) windows of each length are measured;\n"
	"HZ: a counter's rate for the first table (default: this machine's).\n";

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
	uint64_t s;
} intervals[] = { { "1 s", 1 }, { "1 h", 3600 }, { "30 days", 30 * DAY_S } };
static const struct {
	const char *name;
	double per_s;		/* as many units in a second; 0: exact */
} roundings[] = { { "ticks per ms", 1e3 }, { "ticks per s", 1 },
		  { "ticks per min", 1.0 / 60 }, { "exact", 0 } };

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

static int scale_of(struct tw_scale *scale, double hz, double modulus_s)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = hz };

	return tw_scale_init(scale, &rate, (uint64_t)(modulus_s * 1e9));
}

/* The worst error, in ns, after an interval; the true rates are near @hz. @broken
 * counts conversions that break the scale's own promise. */
static double worst_ns(double hz, double per_s, double modulus_s,
		       uint64_t interval_s, unsigned *broken)
{
	double worst = 0;

	for (unsigned i = 0; i < RATES; i++) {
		const double true_hz = hz * (1 + (fmod(i * 0.618034, 1) - 0.5) *
					     1e-3);
		const double told_hz = per_s > 0 ? round(true_hz / per_s) * per_s :
					       true_hz;
		const uint64_t end = (uint64_t)(true_hz * (double)interval_s);
		struct tw_scale scale;

		if (scale_of(&scale, told_hz, modulus_s))
			return NAN;
		for (uint64_t j = 0; j < TICKS_TRIED; j++) {
			const uint64_t back = j * ((scale.mask + 1) /
						   TICKS_TRIED);
			const uint64_t ticks = end > back ? end - back : end;
			const uint64_t ns = tw_ticks_to_ns(&scale, ticks);

			worst = fmax(worst, fabs(off_ns(ns, ticks, true_hz)));
			*broken += fabs(off_ns(ns, ticks, told_hz)) >
				   scale.error_ns + scale.error_ppb * 1e-9 *
				   (double)ns;
		}
	}
	return worst;
}

static void print_ns(double ns)
{
	if (isnan(ns))
		printf(" %9s", "-");
	else if (ns < 1000)
		printf(" %9.2f", ns);
	else
		printf(" %9.3g", ns);
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
	printf("Conversions outside what the scale promises: %u\n\n", broken);
}

/* ---- for real ---- */

struct windows {
	double off_ppb[MAX_WINDOWS];
	double square, bound_ppb;
	unsigned count;
};

static int measure(struct windows *windows, uint64_t window_ns, double true_hz,
		   unsigned wanted)
{
	const struct tw_rate_options options = {
		.size = sizeof(options), .window_ns = window_ns,
		.kernel_rate = TW_OFF,
	};

	*windows = (struct windows) { .count = 0 };
	for (unsigned i = 0; i < wanted; i++) {
		struct tw_rate rate = TW_SIZED(struct tw_rate);
		double off_ppb;

		if (tw_rate_measure(&rate, &options))
			continue;
		off_ppb = (rate.hz / true_hz - 1) * 1e9;
		windows->off_ppb[windows->count++] = fabs(off_ppb);
		windows->square += off_ppb * off_ppb;
		windows->bound_ppb = fmax(windows->bound_ppb, rate.bound_ppb);
	}
	return windows->count ? 0 : 2;
}

static int print_measured(const struct tw_clock *clock, unsigned wanted)
{
	static const uint64_t windows_ms[] = { 5, 20, 100, 1000 };
	struct tw_rate rate = TW_SIZED(struct tw_rate);

	if (tw_clock_rate(clock, &rate) || !rate.kernel_mult) {
		printf("The kernel's rate was not recognised: no truth to "
		       "compare measured rates with.\n");
		return 0;
	}
	printf("Measured, the kernel's rate (mult %u, shift %u) being the "
	       "truth\n\n%-8s %7s %9s %9s %9s %9s   %s\n", rate.kernel_mult,
	       rate.kernel_shift, "window", "windows", "median", "rms", "worst",
	       "bound", "rms error, ns, after 1 s, 1 h, 30 days");
	for (unsigned w = 0; w < COUNT(windows_ms); w++) {
		static struct windows windows;
		unsigned count = windows_ms[w] < 1000 ? wanted : wanted / 4 + 1;
		struct spread spread;
		double rms;

		if (measure(&windows, windows_ms[w] * 1000000, rate.hz, count))
			continue;
		rms = sqrt(windows.square / windows.count);
		spread = spread_of(windows.off_ppb, windows.count);
		printf("%4u ms  %7u %9.2f %9.2f %9.2f %9.1f  ",
		       (unsigned)windows_ms[w], windows.count, spread.median,
		       rms, windows.off_ppb[windows.count - 1],
		       windows.bound_ppb);
		for (unsigned t = 0; t < COUNT(intervals); t++)
			printf(" %9.3g", clock->scale.error_ns +
			       (rms + clock->scale.error_ppb) *
			       (double)intervals[t].s);
		printf("\n");
	}
	printf("%-8s %7s %9s %9s %9s %9s  ", "kernel's", "-", "0", "0", "0", "0");
	for (unsigned t = 0; t < COUNT(intervals); t++)
		printf(" %9.3g", clock->scale.error_ns +
		       clock->scale.error_ppb * (double)intervals[t].s);
	printf("\n\nErrors of rates are in ppb. Errors in ns are those of the "
	       "rate and of the scale together.\n");
	return 0;
}

int main(int argc, char **argv)
{
	struct tw_clock clock;
	unsigned wanted;
	int ret;

	help(argc, argv, 2, usage);
	wanted = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 20;
	print_machine();
	ret = clock_here(&clock);
	if (ret && argc <= 2)
		return ret;
	print_paper(argc > 2 ? strtod(argv[2], NULL) : clock.scale.hz);
	if (!ret) {
		ret = print_measured(&clock, wanted < MAX_WINDOWS ? wanted :
				     MAX_WINDOWS);
		tw_clock_free(&clock);
	}
	return ret;
}
