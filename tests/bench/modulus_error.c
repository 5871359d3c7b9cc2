/* SPDX-License-Identifier: MIT */
/*
 * How long a modulus, how long a calibration? WTMLIB's author left both questions
 * open; this program computes the answers. It prints the error that the scale
 * publishes for moduli from 10 ms to an hour. It also prints the worst error of an
 * interval for each of them together with calibrations from 20 ms to 100 s.
 *
 *	modulus_error [HZ [BRACKET_NS]]
 *
 * The calibration's part is its hard bound: two brackets at the ends of the window,
 * off in opposite ways, each by half of BRACKET_NS and a nanosecond of the system
 * clock's granularity. A usual calibration is some ten to a hundred times better.
 * The kernel's own rate, where recognised, has no such part ("exact").
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tickwise.h"

static const double moduli_s[] = {
	3600, 100, 10, 5, 3, 2, 1, 0.5, 0.1, 0.01, 0,
};
static const double windows_s[] = { 0.02, 0.1, 1, 10, 100, INFINITY };

#define MODULI	(sizeof(moduli_s) / sizeof(*moduli_s))
#define WINDOWS	(sizeof(windows_s) / sizeof(*windows_s))

static double argument(int argc, char **argv, int i, double otherwise)
{
	return argc > i ? strtod(argv[i], NULL) : otherwise;
}

/* Return 0 and an empty cell if the products of such a scale do not fit. */
static int scale_of(struct tw_scale *scale, double hz, double modulus_s)
{
	const struct tw_rate rate = { .size = sizeof(rate), .hz = hz };

	if (modulus_s > 0)
		printf("%8g s ", modulus_s);
	else
		printf("%10s ", "its own");
	if (!tw_scale_init(scale, &rate, (uint64_t)(modulus_s * 1e9)))
		return 1;
	printf("  -\n");
	return 0;
}

static double error_ns(const struct tw_scale *scale, double interval_s)
{
	return scale->error_ns + scale->error_ppb * interval_s;
}

static void print_moduli(double hz)
{
	struct tw_scale scale;

	printf("Conversion alone: error after an interval, ns\n\n"
	       "   modulus    taken, s      1 s     10 s      1 h   ppb in the"
	       " long run\n");
	for (unsigned i = 0; i < MODULI; i++)
		if (scale_of(&scale, hz, moduli_s[i]))
			printf("%11.3g %8.2f %8.2f %8.2f   %.2g\n",
			       (double)scale.modulus_ns * 1e-9,
			       error_ns(&scale, 1), error_ns(&scale, 10),
			       error_ns(&scale, 3600), scale.error_ppb);
}

static void print_grid(double hz, double bracket_ns, double interval_s)
{
	struct tw_scale scale;

	printf("\nAnd with calibrations of these lengths: worst error of an "
	       "interval of %g s, ns\n\n   modulus", interval_s);
	for (unsigned i = 0; i < WINDOWS; i++)
		if (isfinite(windows_s[i]))
			printf(" %8g s", windows_s[i]);
		else
			printf(" %10s", "exact");
	printf("\n");
	for (unsigned i = 0; i < MODULI; i++) {
		if (!scale_of(&scale, hz, moduli_s[i]))
			continue;
		for (unsigned j = 0; j < WINDOWS; j++)
			printf(" %10.5g", error_ns(&scale, interval_s) +
			       (bracket_ns + 2) / windows_s[j] * interval_s);
		printf("\n");
	}
}

int main(int argc, char **argv)
{
	double hz = argument(argc, argv, 1, 2.6e9);
	double bracket_ns = argument(argc, argv, 2, 40);

	if (!(hz >= 1e7 && hz <= 1e10 && bracket_ns >= 0)) {
		fprintf(stderr, "usage: modulus_error [HZ [BRACKET_NS]]\n");
		return 64;
	}
	printf("A counter of %g Hz, brackets of %g ns.\n\n", hz, bracket_ns);
	print_moduli(hz);
	print_grid(hz, bracket_ns, 1);
	print_grid(hz, bracket_ns, 10);
	print_grid(hz, bracket_ns, 3600);
	printf("\nA modulus shorter than the scale's own choice is rounded more "
	       "often, which shows in an\nhour; a longer one leaves the "
	       "multiplier too few bits, which shows in the first modulus.\n"
	       "Around that choice nothing is to be gained: any measured "
	       "rate's error is larger by\norders, so a longer calibration is "
	       "what pays. Only an exact rate makes it matter.\n");
	return 0;
}
