/* SPDX-License-Identifier: MIT */
/*
 * The table of tickwise compare, and what must be said with it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/compare/compare.h"

/* Eight characters, three digits. */
static void print_ppb(double ppb)
{
	if (ppb < 10)
		printf(" %8.2f", ppb);
	else if (ppb < 1000)
		printf(" %8.1f", ppb);
	else
		printf(" %8.0f", ppb);
}

static void print_against(double median_ppb, double worst_ppb,
			  double error_ppb)
{
	print_ppb(median_ppb);
	print_ppb(worst_ppb);
	print_ppb(error_ppb);
}

static void print_errors(const struct tw_compare_result *result, int load)
{
	printf("%-19s %6s %26s %26s %9s\n", "", "", "off RAW, ppb, known",
	       "off MONOTONIC, ppb, known", "start-up,");
	printf("%-19s %6s %8s %8s %8s %8s %8s %8s %9s\n", "clock", "starts",
	       "median", "worst", "to +-", "median", "worst", "to +-", "ms");
	for (unsigned i = 0; i < result->clocks; i++) {
		const struct tw_compare_sum *sum = &result->sum[i][load];

		printf("%-19s %6u", result->clock[i].name, sum->starts);
		if (!sum->starts) {
			printf(" no start of %u came to its end\n",
			       sum->failed);
			continue;
		}
		print_against(sum->raw_median_ppb, sum->raw_worst_ppb,
			      sum->raw_error_ppb);
		print_against(sum->monotonic_median_ppb,
			      sum->monotonic_worst_ppb,
			      sum->monotonic_error_ppb);
		printf(" %9.1f", sum->startup_ns / 1e6);
		if (sum->failed)
			printf("  (%u failed)", sum->failed);
		putchar('\n');
	}
}

static int is_known(double value)
{
	return value > 0;
}

static void print_costs(const struct tw_compare_result *result, int load)
{
	printf("%-20s %8s %10s %11s\n", "clock", "read, ns", "reads/I/O",
	       "null, IOPS");
	for (unsigned i = 0; i < result->clocks; i++) {
		printf("%-20s", result->clock[i].name);
		if (is_known(result->sum[i][load].read_ns))
			printf(" %8.1f", result->sum[i][load].read_ns);
		else
			printf(" %8s", "-");
		if (is_known(result->reads_per_io[i]))
			printf(" %10.2f", result->reads_per_io[i]);
		else
			printf(" %10s", "-");
		if (is_known(result->null_iops[i]))
			printf(" %11.0f\n", result->null_iops[i]);
		else
			printf(" %11s\n", "-");
	}
}

static int is_tie(const struct tw_compare_sum *sum, enum tw_against against)
{
	return sum->starts && (against == TW_AGAINST_RAW ?
			       sum->raw_worst_ppb <= sum->raw_error_ppb :
			       sum->monotonic_worst_ppb <=
			       sum->monotonic_error_ppb);
}

/* Where nothing is left to tell two clocks apart. */
static void print_ties(const struct tw_compare_result *result, int load,
		       enum tw_against against)
{
	int printed = 0;

	for (unsigned i = 0; i < result->clocks; i++) {
		if (!is_tie(&result->sum[i][load], against))
			continue;
		if (!printed)
			printf("against %s a tie, all within what is known: ",
			       against == TW_AGAINST_RAW ? "RAW" : "MONOTONIC");
		printf("%s%s", printed ? ", " : "", result->clock[i].name);
		printed = 1;
	}
	if (printed)
		putchar('\n');
}

static void print_clocks(const struct tw_compare_result *result)
{
	puts("clocks");
	for (unsigned i = 0; i < result->clocks; i++)
		printf("  %-20s %s%s%s%s\n", result->clock[i].name,
		       result->clock[i].what,
		       result->clock[i].version[0] ? " (" : "",
		       result->clock[i].version,
		       result->clock[i].version[0] ? ")" : "");
}

void tw_compare_print_page(const struct tw_compare_result *result,
			   const struct tw_compare_arguments *arguments)
{
	int first = arguments->loads[TW_COMPARE_IDLE] ? TW_COMPARE_IDLE :
							TW_COMPARE_HOGS;

	for (int load = 0; load < TW_COMPARE_LOADS; load++) {
		if (!arguments->loads[load])
			continue;
		if (load == TW_COMPARE_HOGS)
			printf("under load, %u hogs:\n", result->hogs);
		else
			puts("idle, as far as this machine is:");
		print_errors(result, load);
		print_ties(result, load, TW_AGAINST_RAW);
		print_ties(result, load, TW_AGAINST_MONOTONIC);
		putchar('\n');
	}
	print_costs(result, first);
	printf("\nEach start was compared over %g s. Errors are of the rate: 1 "
	       "ppb is 1 ns per second.\n", (double)arguments->window_ns / 1e9);
	printf("CLOCK_MONOTONIC is said to run %+.1f ppb of "
	       "CLOCK_MONOTONIC_RAW, the kernel keeps time by %s;\nneither is "
	       "SI. A frequency at which fio's clock is exact by luck hides "
	       "what it is off at others.\n", result->steering_ppb,
	       result->clocksource[0] ? result->clocksource : "something unknown");
	puts("Such an error hardly shows in one I/O: 1000 ppb of 100 us are "
	     "0.1 ns. It matters for run times,\nrates, and results held "
	     "against those of other tools.\n");
	print_clocks(result);
}
