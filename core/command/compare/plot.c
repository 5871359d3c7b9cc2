/* SPDX-License-Identifier: MIT */
/*
 * Errors of all starts on one logarithmic axis, in characters.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/compare/compare.h"

#define WIDTH		64
#define LEAST_LOG	-2	/* 0.01 ppb and less */
#define MOST_LOG	6	/* 1000000 ppb */

static int column(double ppb)
{
	double at = (log10(fmax(ppb, 1e-9)) - LEAST_LOG) /
		    (MOST_LOG - LEAST_LOG);

	return (int)(fmin(fmax(at, 0), 1) * (WIDTH - 1));
}

/* Of one start against the nearer of the two: what it was set by. */
static double error_ppb(const struct tw_compare_start *start)
{
	return fmin(fabs(start->raw_ppb), fabs(start->monotonic_ppb));
}

static void print_line(const struct tw_compare_result *result, unsigned which,
		       int load)
{
	const struct tw_compare_sum *sum = &result->sum[which][load];
	char line[WIDTH + 1];
	unsigned i;

	memset(line, ' ', WIDTH);
	line[WIDTH] = '\0';
	/* Left of it nothing can be seen. */
	for (i = 0; (int)i <= column(sum->uncertainty_ppb); i++)
		line[i] = '.';
	for (i = 0; i < sum->starts; i++)
		line[column(error_ppb(&result->start[which][load][i]))] = 'o';
	printf("%-19s %-4s |%s|\n", result->clock[which].name,
	       tw_compare_load_name(load), line);
}

void tw_compare_print_plot(const struct tw_compare_result *result)
{
	int log;

	puts("each start's error, ppb, against the nearer of RAW and MONOTONIC "
	     "(dots: not to be told from 0)");
	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (result->sum[i][load].starts)
				print_line(result, i, load);
	printf("%25s", "");
	for (log = LEAST_LOG; log < MOST_LOG; log += 2)
		printf("%-16g", pow(10, log));
	putchar('\n');
}
