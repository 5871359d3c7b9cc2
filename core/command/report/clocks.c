/* SPDX-License-Identifier: MIT */
/*
 * The clock table of a report's page: how far off each clock was in the run.
 *
 * Every error stands beside its uncertainty; one that the uncertainty covers
 * is marked, so that nobody takes its digits for a finding.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "command/output/format.h"
#include "command/report/report.h"

/* Also where both are 0: a measurement without any error is none. */
static int within_uncertainty(const struct tw_report_clock *clock)
{
	return fabs(clock->error_ns) <= clock->uncertainty_ns ||
	       fabs(clock->error_ppb) <= clock->uncertainty_ppb;
}

static void print_clock_name(int which, const struct tw_report_clock *clock)
{
	char name[64] = "CLOCK_MONOTONIC";
	struct tw_paragraph cell = { .column = 2 };

	if (which == TW_REPORT_TICKWISE)
		snprintf(name, sizeof(name), "tickwise");
	else if (which == TW_REPORT_FIO)
		snprintf(name, sizeof(name), "fio (%s)", clock->kind);
	printf("  ");
	tw_paragraph_add(&cell, name);
	printf("%*s", cell.column < 21 ? 21 - cell.column : 1, "");
}

static void print_clock(int which, const struct tw_report_clock *clock,
			const char *expected)
{
	char text[TW_FORMAT_SIZE];

	print_clock_name(which, clock);
	printf(" %9s", tw_format_signed(text, clock->error_ns));
	printf(" %9s", tw_format_signed(text, clock->error_ppb));
	printf(" %9s", tw_format_number(text, clock->uncertainty_ns));
	printf(" %9s", tw_format_number(text, clock->uncertainty_ppb));
	printf(" %9s", tw_format_ns(text, (double)clock->over_ns));
	if (within_uncertainty(clock))
		printf("  within");
	if (strcmp(clock->against, expected) != 0)
		printf("  *");
	putchar('\n');
}

static void print_off_monotonic(const struct tw_report_group *group)
{
	struct tw_report_clock off;
	int any = 0;

	for (int i = 0; i < TW_REPORT_CLOCKS; i++) {
		if (!tw_report_clock_off_monotonic(group->worst[i], &off))
			continue;
		if (!any++)
			puts("  off CLOCK_MONOTONIC, which NTP may steer");
		print_clock(i, &off, "CLOCK_MONOTONIC");
	}
}

static void print_refit(const struct tw_report_clock *clock)
{
	struct tw_paragraph line = { .column = 2, .indent = 4 };
	char bound[TW_FORMAT_SIZE], error[TW_FORMAT_SIZE];

	if (!clock->refit.known)
		return;
	printf("  ");
	tw_paragraph_printf(&line, "over the whole run it was %.3f Hz, +-%s "
			    "ppb at most: the rate used ran %s ppb off that",
			    clock->refit.hz,
			    tw_format_number(bound, clock->refit.bound_ppb),
			    tw_format_signed(error,
					     clock->refit.frozen_error_ppb));
	tw_paragraph_end(&line);
}

/* Where the rate came from that turned ticks into nanoseconds. */
static void print_rate(const struct tw_report_clock *clock)
{
	static const char *const sources[][2] = {
		{ "kernel", "the kernel's own rate, verified" },
		{ "kernel_provisional",
		  "the kernel's own rate, without a second witness" },
		{ "regression", "as calibrated at the start of the job" },
		{ "system", "the system clock, not the counter" },
	};
	const char *says = clock->kind;
	struct tw_paragraph line = { .column = 2, .indent = 4 };
	char text[TW_FORMAT_SIZE];

	for (size_t i = 0; i < sizeof(sources) / sizeof(*sources); i++)
		if (strcmp(sources[i][0], clock->kind) == 0)
			says = sources[i][1];
	printf("  ");
	tw_paragraph_add(&line, "tickwise's clock:");
	if (clock->hz > 0)
		tw_paragraph_printf(&line, "%.3f Hz,", clock->hz);
	tw_paragraph_add(&line, says);
	if (clock->bound_ppb > 0)
		tw_paragraph_printf(&line, "(the samples alone bound it to "
				    "+-%s ppb)",
				    tw_format_number(text, clock->bound_ppb));
	if (clock->window_ns > 0)
		tw_paragraph_printf(&line, "(calibrated in %s)",
				    tw_format_ns(text, clock->window_ns));
	tw_paragraph_end(&line);
}

static void print_other_references(const struct tw_report_group *group)
{
	for (int i = 0; i < TW_REPORT_CLOCKS; i++) {
		const struct tw_report_clock *clock = group->worst[i];
		struct tw_paragraph line = { .column = 2, .indent = 4 };

		if (!clock || !strcmp(clock->against, "CLOCK_MONOTONIC_RAW"))
			continue;
		printf("  ");
		tw_paragraph_printf(&line, "* %s: against %s",
				    tw_report_clocks_names[i], clock->against);
		tw_paragraph_end(&line);
	}
}

static int has_clocks(const struct tw_report_group *group)
{
	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (group->worst[i])
			return 1;
	return 0;
}

void tw_report_print_clocks(const struct tw_report_group *group)
{
	if (!has_clocks(group)) {
		puts("\nclocks in this run: none was measured");
		return;
	}
	printf("\nclocks in this run%s\n", group->size == 1 ? "" :
	       ": of all its jobs, for each clock the one farthest off");
	printf("  %-19s %19s %19s\n", "", "off MONOTONIC_RAW",
	       "+- uncertainty");
	printf("  %-19s %9s %9s %9s %9s %9s\n", "clock", "ns", "ppb",
	       "ns", "ppb", "over");
	for (int i = 0; i < TW_REPORT_CLOCKS; i++)
		if (group->worst[i])
			print_clock(i, group->worst[i], "CLOCK_MONOTONIC_RAW");
	print_off_monotonic(group);
	print_other_references(group);
	if (!group->worst[TW_REPORT_TICKWISE])
		return;
	print_rate(group->worst[TW_REPORT_TICKWISE]);
	print_refit(group->worst[TW_REPORT_TICKWISE]);
}
