/* SPDX-License-Identifier: MIT */
/*
 * Makes many measurements of this machine's counters, one after the other. Prints
 * how long they took, how wide the offset intervals were, and how often there was
 * no decision. Ends with 1 if any verdict was "unreliable".
 *
 *	estimate_runs [RUNS [cas|switch [MIN_TIME_MS]]]
 *
 * Run it on an idle machine, and again with busy loops. With MIN_TIME_MS each
 * measurement lasts that long, which is for the interval of pace.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickwise.h"

struct series {
	const char *name;
	const char *unit;
	double *values;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void print_series(struct series *series, unsigned runs)
{
	double *v = series->values;

	if (!runs)
		return;
	qsort(v, runs, sizeof(*v), compare);
	printf("%-12s median %.4g, quartiles %.4g to %.4g, all %.4g to %.4g "
	       "%s\n", series->name, v[runs / 2], v[runs / 4],
	       v[runs - 1 - runs / 4], v[0], v[runs - 1], series->unit);
}

/* Return the pace that can remain: the larger end of the hull of all pairs' paces. */
static double pace_ppm(const struct tw_reliability *result)
{
	return fmax(-result->pace_low_ppb, result->pace_high_ppb) / 1e3;
}

static double width_ns(const struct tw_reliability *result)
{
	return ((double)result->offset_high_ticks -
		(double)result->offset_low_ticks) / result->hz * 1e9;
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 100;
	struct tw_reliability_options options = {
		.size = sizeof(options),
		.method = argc > 2 && !strcmp(argv[2], "switch") ?
			  TW_METHOD_SWITCH : TW_METHOD_CAS,
		.least_time_ns = argc > 3 ?
				 strtoull(argv[3], NULL, 10) * 1000000 : 0,
	};
	struct series took = { "took", "ms", calloc(runs + 1, sizeof(double)) };
	struct series wide = { "width", "ns", calloc(runs + 1, sizeof(double)) };
	struct series pace = { "pace within", "ppm",
			       calloc(runs + 1, sizeof(double)) };
	unsigned verdicts[3] = { 0 };
	unsigned reasons = 0;
	unsigned i;

	for (i = 0; i < runs; i++) {
		struct tw_reliability result = TW_SIZED(struct tw_reliability);

		if (tw_reliability_measure(&result, &options)) {
			fprintf(stderr, "estimate_runs: can't measure\n");
			return 70;
		}
		took.values[i] = (double)result.elapsed_ns / 1e6;
		wide.values[i] = width_ns(&result);
		pace.values[i] = pace_ppm(&result);
		verdicts[result.verdict]++;
		reasons |= result.reasons;
		tw_reliability_free(&result);
	}
	printf("%u runs: %u reliable, %u unreliable, %u undecided (%.1f %%); "
	       "reasons seen: %#x\n", runs, verdicts[TW_RELIABLE],
	       verdicts[TW_UNRELIABLE], verdicts[TW_UNDECIDED],
	       100.0 * verdicts[TW_UNDECIDED] / (runs ? runs : 1), reasons);
	print_series(&took, runs);
	print_series(&wide, runs);
	print_series(&pace, runs);
	free(took.values);
	free(wide.values);
	free(pace.values);
	return verdicts[TW_UNRELIABLE] != 0;
}
