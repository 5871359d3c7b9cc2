/* SPDX-License-Identifier: MIT */
/*
 * How short can the modulus of a conversion be, and what does that buy? This is the
 * second question that WTMLIB's author left open.
 *
 * For moduli of 2^10 to 2^40 ticks, and counters of 10 MHz to 10 GHz, converts
 * numbers of ticks up to a second, an hour and thirty days, and compares with exact
 * integers. A table has the worst error among rates near each frequency, since a
 * rate can be lucky. Its last rows are the best power of two, the library's choice,
 * a kernel's rate (a fraction of 2^24) and 128-bit products. Another table has the
 * form of the article, which derives the nanoseconds of a modulus from the
 * multiplier. The last part is the cost.
 */
#include <inttypes.h>

#include "questions.h"

static const char usage[] =
	"usage: modulus [ROUNDS]\n\n"
	"Prints the error of a conversion by the length of its modulus, and its\n"
	"cost on this machine, measured ROUNDS times (default: 400).\n";

#define RATES		64	/* tried near each frequency */
#define TICKS_TRIED	32
#define CALLS		256

static const double frequencies_hz[] = { 1e7, 1e8, 1e9, 2.6e9, 1e10 };
static const unsigned moduli_log2[] = {
	10, 14, 18, 20, 22, 24, 26, 28, 29, 30, 31, 32, 33, 34, 36, 38, 40,
};

enum form { OURS, KERNEL, ARTICLE, WIDE, NEAREST };

/* The rate as measured, or as Linux keeps it. Linux takes shift 23 or 24 at these
 * frequencies; here it is always 24. */
static struct tw_rate rate_of(double hz, enum form form)
{
	struct tw_rate rate = { .size = sizeof(rate), .hz = hz };

	if (form == KERNEL) {
		rate.kernel_shift = 24;
		rate.kernel_mult = (uint32_t)llround(ldexp(1e9 / hz, 24));
		rate.hz = ldexp(1e9, 24) / rate.kernel_mult;
	}
	return rate;
}

/* Set up a scale with a modulus of 2^@bits ticks; 0: the library's choice. */
static int scale_of_bits(struct tw_scale *scale, double hz, unsigned bits,
			 enum form form)
{
	const struct tw_rate rate = rate_of(hz, form);

	return scale_of(scale, &rate, bits ? ldexp(1, (int)bits) / rate.hz : 0);
}

/* The article's form: shift and multiplier as large as 64 bits allow, both
 * truncated, and the nanoseconds of a modulus computed from them. */
static uint64_t article_ns(double hz, unsigned bits, uint64_t ticks)
{
	const uint64_t modulus = 1ULL << bits;
	const double bound = ldexp(1, 64 - (int)bits) * hz / 1e9;
	const unsigned shift = (unsigned)floor(log2(bound));
	const u128 under = (u128)ldexp(hz, 30);
	const uint64_t mult = (uint64_t)(((u128)TW_NS_PER_SECOND << 30) /
					 under << shift) +
		(uint64_t)((((u128)TW_NS_PER_SECOND << 30) % under << shift) /
			   under);
	const uint64_t whole_ns = (uint64_t)((u128)modulus * mult >> shift);

	return (ticks >> bits) * whole_ns +
	       (uint64_t)((u128)(ticks & (modulus - 1)) * mult >> shift);
}

/* How far a form is off at @ticks, in ns; 2^@bits is the length of the modulus. */
static double off_form(enum form form, const struct tw_scale *scale, double hz,
		       unsigned bits, uint64_t ticks)
{
	const struct tw_rate rate = rate_of(hz, form);
	struct tw_wide wide;

	switch (form) {
	case ARTICLE:
		return off_ns(article_ns(hz, bits, ticks), ticks, hz);
	case WIDE:
		wide = tw_wide_of(&rate);
		return off_ns(tw_wide_ns(&wide, ticks), ticks, hz);
	case NEAREST:
		wide = tw_wide_of(&rate);
		return off_ns(wide_nearest_ns(&wide, ticks), ticks, hz);
	case KERNEL:
		/* Exact in integers: the truth is the kernel's own fraction. */
		return ldexp((double)(((i128)tw_ticks_to_ns(scale, ticks) << 24) -
				      (i128)ticks * rate.kernel_mult), -24);
	case OURS:
	default:
		return off_ns(tw_ticks_to_ns(scale, ticks), ticks, hz);
	}
}

/* The worst error, in ns, of a form near the end of an interval. */
static double worst_ns(double hz, unsigned bits, uint64_t interval_s,
		       enum form form)
{
	double worst = 0;

	for (unsigned i = 0; i < RATES; i++) {
		const double rate_hz = near(hz, i);
		const uint64_t end = (uint64_t)(rate_hz * (double)interval_s);
		struct tw_scale scale;
		uint64_t modulus, span;

		if (scale_of_bits(&scale, rate_hz, bits, form))
			return NAN;
		modulus = form == ARTICLE ? 1ULL << bits : scale.mask + 1;
		/* Spread over the last modulus, or over a shorter interval. */
		span = modulus < end ? modulus : end;
		for (uint64_t j = 0; j < TICKS_TRIED; j++)
			worst = fmax(worst, fabs(off_form(
				form, &scale, rate_hz, bits,
				end - j * (span / TICKS_TRIED))));
	}
	return worst;
}

static void print_row(const char *name, unsigned bits, uint64_t interval_s,
		      enum form form)
{
	printf("%-16s", name);
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++)
		print_ns(worst_ns(frequencies_hz[f], bits, interval_s, form));
	printf("\n");
}

/* The power of two that has the smallest worst error, one for all rates near a
 * frequency. */
static void print_best(uint64_t interval_s, enum form form)
{
	unsigned best_bits[COUNT(frequencies_hz)] = { 0 };

	printf("%-16s", "the best");
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++) {
		double best_ns = INFINITY;

		for (unsigned bits = 10; bits <= 40; bits++) {
			double ns = worst_ns(frequencies_hz[f], bits,
					     interval_s, form);

			if (!(ns < best_ns))
				continue;
			best_ns = ns;
			best_bits[f] = bits;
		}
		print_ns(best_bits[f] ? best_ns : NAN);
	}
	printf("\n%-16s", "  is");
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++)
		if (best_bits[f])
			printf("      2^%2u", best_bits[f]);
		else
			printf(" %9s", "-");
	printf("\n");
}

static void print_errors(uint64_t interval_s, const char *name, enum form form)
{
	printf("%s: worst error after %s, ns\n\n%-16s",
	       form == ARTICLE ? "The article's form" : "Ours", name, "modulus");
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++)
		printf(" %5.5g MHz", frequencies_hz[f] / 1e6);
	printf("\n");
	for (unsigned m = 0; m < COUNT(moduli_log2); m++) {
		char modulus[16];

		snprintf(modulus, sizeof(modulus), "2^%u", moduli_log2[m]);
		print_row(modulus, moduli_log2[m], interval_s, form);
	}
	print_best(interval_s, form);
	if (form == OURS) {
		print_row("its own", 0, interval_s, OURS);
		print_row("kernel's, 2^20", 20, interval_s, KERNEL);
		print_row("kernel's, its own", 0, interval_s, KERNEL);
		print_row("128-bit product", 0, interval_s, WIDE);
		print_row("  to nearest", 0, interval_s, NEAREST);
	}
	printf("\n");
}

/* What tw_scale_init() chooses, and what it publishes: from and to, of the rates near
 * a frequency that need rounding, or of those that need none. */
static void print_choice_row(double hz, enum form form, int exact)
{
	struct tw_scale low = { .modulus_ns = UINT64_MAX }, high = { 0 };
	double error_ns = 0, error_ppb = 0;
	char name[16];

	for (unsigned i = 0; i < RATES; i++) {
		struct tw_scale scale;

		if (scale_of_bits(&scale, near(hz, i), 0, form) ||
		    (scale.error_ppb <= 0) != exact)
			continue;
		if (scale.modulus_ns < low.modulus_ns)
			low = scale;
		if (scale.modulus_ns > high.modulus_ns)
			high = scale;
		error_ns = fmax(error_ns, scale.error_ns);
		error_ppb = fmax(error_ppb, scale.error_ppb);
	}
	if (!high.modulus_ns)
		return;
	snprintf(name, sizeof(name), "%.5g MHz", hz / 1e6);
	printf("%9s%-7s 2^%u to 2^%u %8.2f to %8.2f %10.3f %11.2g\n", name,
	       exact ? ", exact" : "", low.modulus_log2, high.modulus_log2,
	       (double)low.modulus_ns / 1e9, (double)high.modulus_ns / 1e9,
	       error_ns, error_ppb);
}

static void print_choice(enum form form)
{
	printf("What tw_scale_init() chooses, %s. Exact: no rounding is needed.\n\n"
	       "%-16s %12s %20s %10s %11s\n",
	       form == KERNEL ? "a kernel's rate" : "a measured rate", "about",
	       "modulus", "length, s", "error, ns", "error, ppb");
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++) {
		print_choice_row(frequencies_hz[f], form, 0);
		print_choice_row(frequencies_hz[f], form, 1);
	}
	printf("\n");
}

/* ---- cost ---- */

enum cost { EMPTY, SHORT, CHOSEN, LONG, PRODUCT, ROUNDED, COSTS };

static const char *const cost_names[COSTS] = {
	"nothing", "modulus 2^20", "its own", "modulus 2^38",
	"128-bit product, no modulus", "  to nearest",
};

struct costs {
	struct tw_scale scale[COSTS];	/* of those with a modulus */
	struct tw_wide wide;
};

/* Each conversion waits for the one before. Neither form checks its range. @cost is
 * a constant where this is called, so that the loop has no branch. */
static inline __attribute__((always_inline)) double
block_ticks(enum cost cost, const struct tw_scale *scale,
	    const struct tw_wide *wide)
{
	uint64_t ticks = tw_ticks() >> 8;
	const uint64_t begin = tw_ticks_begin();

	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t ns = ticks;

		FORGET(scale);
		FORGET(wide);
		FORGET(ticks);
		if (cost == PRODUCT)
			ns = tw_wide_ns(wide, ticks);
		else if (cost == ROUNDED)
			ns = wide_nearest_ns(wide, ticks);
		else if (cost != EMPTY)
			ns = tw__scale_modulus(scale, ticks);
		KEEP(ns);
		ticks += 1021 + (ns & 1);
	}
	return (double)(tw_ticks_end() - begin) / CALLS;
}

/* The three with a modulus are the same code. */
static double time_cost(enum cost cost, const struct costs *costs)
{
	const struct tw_scale *scale = &costs->scale[cost];

	switch (cost) {
	case EMPTY:
		return block_ticks(EMPTY, scale, &costs->wide);
	case PRODUCT:
		return block_ticks(PRODUCT, scale, &costs->wide);
	case ROUNDED:
		return block_ticks(ROUNDED, scale, &costs->wide);
	default:
		return block_ticks(CHOSEN, scale, &costs->wide);
	}
}

static int print_costs(unsigned rounds)
{
	struct costs costs = { 0 };
	double *samples[COSTS], tick_ns;
	struct spread none = { 0 };
	struct tw_clock clock;
	int ret = clock_here(&clock);

	if (ret)
		return ret;
	tick_ns = 1e9 / clock.scale.hz;
	if (scale_of_bits(&costs.scale[SHORT], clock.scale.hz, 20, OURS) ||
	    scale_of_bits(&costs.scale[CHOSEN], clock.scale.hz, 0, OURS) ||
	    scale_of_bits(&costs.scale[LONG], clock.scale.hz, 38, OURS)) {
		fprintf(stderr, "no scale for %.6g Hz\n", clock.scale.hz);
		return 1;
	}
	costs.wide = tw_wide_of(&(struct tw_rate) { .hz = clock.scale.hz });
	tw_clock_free(&clock);
	for (unsigned cost = 0; cost < COSTS; cost++) {
		samples[cost] = calloc(rounds, sizeof(double));
		if (!samples[cost])
			return 1;
	}
	/* Forms take turns, so that a disturbance meets all of them. */
	for (unsigned i = 0; i < rounds; i++)
		for (unsigned cost = 0; cost < COSTS; cost++)
			samples[cost][i] = time_cost(cost, &costs);
	printf("Cost of a conversion that waits for the one before, above a loop "
	       "without one,\nns: median (p10 - p90)\n\n");
	for (unsigned cost = 0; cost < COSTS; cost++) {
		const struct spread own = spread_of(samples[cost], rounds);

		printf("%-28s   %5.2f (%5.2f - %5.2f)\n", cost_names[cost],
		       (own.median - none.median) * tick_ns,
		       (own.p10 - none.median) * tick_ns,
		       (own.p90 - none.median) * tick_ns);
		if (cost == EMPTY)
			none = own;
		free(samples[cost]);
	}
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rounds;

	help(argc, argv, 1, usage);
	rounds = count_of(argv[1], 400, 1, MOST, usage);
	print_machine();
	print_choice(OURS);
	print_choice(KERNEL);
	for (unsigned i = 0; i < COUNT(intervals); i++)
		print_errors(intervals[i].s, intervals[i].name, OURS);
	print_errors(1, "1 s", ARTICLE);
	print_errors(3600, "1 h", ARTICLE);
	return print_costs(rounds);
}
