/* SPDX-License-Identifier: MIT */
/*
 * How short can the modulus of a conversion be, and what does that buy? This is the
 * second question that WTMLIB's author left open.
 *
 * For moduli of 2^10 to 2^40 ticks, and counters of 10 MHz to 10 GHz, converts
 * the ticks before the end of a second, of an hour and of thirty days, and compares
 * with exact integers. A table has the worst error among rates near each frequency,
 * since a rate can be lucky. Another has the form of the article, which derives the
 * nanoseconds of a modulus from the multiplier. The last part is the cost.
 */
#include <inttypes.h>

#include "questions.h"

#include "command/bench/wide.h"

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
static const struct {
	const char *name;
	uint64_t s;
} intervals[] = { { "1 s", 1 }, { "1 h", 3600 }, { "30 days", 30 * DAY_S } };

#define COUNT(array)	(sizeof(array) / sizeof(*(array)))

/* Set up a scale with a modulus of 2^@bits ticks; 0: the library's choice. */
static int scale_of(struct tw_scale *scale, double hz, unsigned bits)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = hz };
	double modulus_ns = ldexp(1e9 / hz, (int)bits);

	return tw_scale_init(scale, &rate,
			     bits ? (uint64_t)llround(modulus_ns) : 0);
}

/* Rates within 0.1 % of @hz, spread evenly but for their last digits. */
static double near(double hz, unsigned i)
{
	double part = fmod(i * 0.6180339887498949, 1) - 0.5;

	return fmin(fmax(hz * (1 + part / 500), 1e7), 1e10);
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

/* The worst error, in ns, of a form near the end of an interval. */
static double worst_ns(double hz, unsigned bits, uint64_t interval_s,
		       int of_article)
{
	double worst = 0;

	for (unsigned i = 0; i < RATES; i++) {
		const double rate_hz = near(hz, i);
		const uint64_t end = (uint64_t)(rate_hz * (double)interval_s);
		struct tw_scale scale;

		if (!of_article && scale_of(&scale, rate_hz, bits))
			return NAN;
		for (uint64_t j = 0; j < TICKS_TRIED; j++) {
			/* Spread over the last modulus, its end among them. */
			const uint64_t back = j * ((1ULL << (bits ? bits : 30)) /
						   TICKS_TRIED);
			const uint64_t ticks = end > back ? end - back : end;
			const uint64_t ns = of_article ?
				article_ns(rate_hz, bits, ticks) :
				tw_ticks_to_ns(&scale, ticks);

			worst = fmax(worst, fabs(off_ns(ns, ticks, rate_hz)));
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

static void print_errors(uint64_t interval_s, const char *name, int of_article)
{
	printf("%s: worst error after %s, ns\n\n%-12s",
	       of_article ? "The article's form" : "Ours", name, "modulus");
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++)
		printf(" %5.5g MHz", frequencies_hz[f] / 1e6);
	printf("\n");
	for (unsigned m = 0; m < COUNT(moduli_log2); m++) {
		printf("2^%-10u", moduli_log2[m]);
		for (unsigned f = 0; f < COUNT(frequencies_hz); f++)
			print_ns(worst_ns(frequencies_hz[f], moduli_log2[m],
					  interval_s, of_article));
		printf("\n");
	}
	if (!of_article) {
		printf("%-12s", "its own");
		for (unsigned f = 0; f < COUNT(frequencies_hz); f++)
			print_ns(worst_ns(frequencies_hz[f], 0, interval_s, 0));
		printf("\n");
	}
	printf("\n");
}

/* What tw_scale_init() chooses, and what it publishes. */
static void print_choice(void)
{
	printf("What tw_scale_init() chooses\n\n%-12s %7s %10s %12s %12s %10s\n",
	       "about", "modulus", "length, s", "bits of mult",
	       "error, ns", "error, ppb");
	for (unsigned f = 0; f < COUNT(frequencies_hz); f++) {
		struct tw_scale scale;

		/* A round rate is exact with any modulus: take one near it. */
		if (scale_of(&scale, near(frequencies_hz[f], 1), 0))
			continue;
		printf("%8.5g MHz %4s%-3u %10.3f %12.0f %12.3f %10.2g\n",
		       frequencies_hz[f] / 1e6, "2^", scale.modulus_log2,
		       (double)scale.modulus_ns / 1e9,
		       floor(log2((double)scale.mult)) + 1, scale.error_ns,
		       scale.error_ppb);
	}
	printf("\n");
}

/* ---- cost ---- */

enum form { EMPTY, SHORT, CHOSEN, LONG, WIDE, FORMS };

static const char *const form_names[FORMS] = {
	"nothing", "modulus 2^20", "its own", "modulus 2^38",
	"128-bit product, no modulus",
};

struct forms {
	struct tw_scale scale[WIDE];
	struct tw_wide wide;
};

/* Both flags are constants where this is called, so that a loop has no branch. In a
 * chain each conversion waits for the one before. */
static inline __attribute__((always_inline)) double
block_ticks(enum form form, const struct forms *forms, int is_chain)
{
	const struct tw_scale *scale = &forms->scale[form < WIDE ? form : CHOSEN];
	const struct tw_wide *wide = &forms->wide;
	uint64_t ticks = tw_ticks() >> 8;
	const uint64_t begin = tw_ticks_begin();

	for (unsigned i = 0; i < CALLS; i++) {
		uint64_t ns = ticks;

		FORGET(scale);
		FORGET(wide);
		FORGET(ticks);
		if (form == WIDE)
			ns = tw_wide_ns(wide, ticks);
		else if (form != EMPTY)
			ns = tw_ticks_to_ns(scale, ticks);
		KEEP(ns);
		ticks += 1021;
		if (is_chain)
			ticks += ns & 1;
	}
	return (double)(tw_ticks_end() - begin) / CALLS;
}

static double time_form(enum form form, const struct forms *forms, int is_chain)
{
	if (form == EMPTY)
		return is_chain ? block_ticks(EMPTY, forms, 1) :
				  block_ticks(EMPTY, forms, 0);
	if (form == WIDE)
		return is_chain ? block_ticks(WIDE, forms, 1) :
				  block_ticks(WIDE, forms, 0);
	/* The same code for all three: only the numbers differ. */
	return is_chain ? block_ticks(form, forms, 1) :
			  block_ticks(form, forms, 0);
}

static int print_costs(unsigned rounds)
{
	double *samples[FORMS][2];
	struct tw_clock clock;
	struct forms forms;
	int ret = clock_here(&clock);

	if (ret)
		return ret;
	scale_of(&forms.scale[EMPTY], clock.scale.hz, 0);
	scale_of(&forms.scale[SHORT], clock.scale.hz, 20);
	scale_of(&forms.scale[CHOSEN], clock.scale.hz, 0);
	scale_of(&forms.scale[LONG], clock.scale.hz, 38);
	forms.wide = tw_wide_of(&(struct tw_rate) { .hz = clock.scale.hz });
	for (unsigned form = 0; form < FORMS; form++)
		for (unsigned chain = 0; chain < 2; chain++) {
			samples[form][chain] = calloc(rounds, sizeof(double));
			if (!samples[form][chain])
				exit(1);
		}
	/* Forms take turns, so that a disturbance meets all of them. */
	for (unsigned i = 0; i < rounds; i++)
		for (unsigned form = 0; form < FORMS; form++)
			for (unsigned chain = 0; chain < 2; chain++)
				samples[form][chain][i] = time_form(form,
					&forms, (int)chain);
	printf("Cost of a conversion above a loop without one, ns: median "
	       "(p10 - p90)\n\n%-28s   %-20s   %s\n", "form",
	       "independent", "each waits for the last");
	for (unsigned form = 0; form < FORMS; form++) {
		printf("%-28s", form_names[form]);
		for (unsigned chain = 0; chain < 2; chain++) {
			struct spread own = spread_of(samples[form][chain],
						      rounds);
			double empty = form ? samples[EMPTY][chain][rounds / 2] :
					      0;
			double ns = 1e9 / clock.scale.hz;

			printf("   %5.2f (%5.2f - %5.2f)",
			       (own.median - empty) * ns,
			       (own.p10 - empty) * ns, (own.p90 - empty) * ns);
		}
		printf("\n");
	}
	tw_clock_free(&clock);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned rounds;

	help(argc, argv, 1, usage);
	rounds = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 400;
	print_machine();
	print_choice();
	for (unsigned i = 0; i < COUNT(intervals); i++)
		print_errors(intervals[i].s, intervals[i].name, 0);
	print_errors(1, "1 s", 1);
	print_errors(3600, "1 h", 1);
	return print_costs(rounds ? rounds : 1);
}
