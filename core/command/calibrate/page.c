/* SPDX-License-Identifier: MIT */
/*
 * What tickwise calibrate found, as a page: the rate and where it comes from,
 * how well the samples bound it, what others say, and what none of them can.
 */
#include <stdio.h>

#include "command/calibrate/calibrate.h"
#include "command/command.h"

static void print_refusals(const struct tw_rate *rate)
{
	unsigned bit;

	for (bit = 1; bit && bit <= rate->refusal; bit <<= 1)
		if (rate->refusal & bit)
			printf("              kernel's own rate not used: %s\n",
			       tw_text(TW_ENUM_RATE_REFUSAL, bit));
}

static void print_source(const struct tw_rate *rate)
{
	switch (rate->source) {
	case TW_RATE_REGRESSION:
		printf("source        regression: what the samples say\n");
		print_refusals(rate);
		break;
	case TW_RATE_KERNEL:
	case TW_RATE_KERNEL_PROVISIONAL:
		printf("source        the kernel's own multiplier, %u / 2^%u"
		       " ns per tick\n", rate->kernel_mult, rate->kernel_shift);
		break;
	case TW_RATE_KERNEL_STEERED:
		printf("source        the kernel's own rate, %.3f Hz of"
		       " CLOCK_MONOTONIC_RAW,\n"
		       "              and what steers this clock, by adjtimex:"
		       " %+.4f ppb\n",
		       rate->hz * (1 + rate->steering_ppb / 1e9),
		       rate->steering_ppb);
		break;
	}
	if (rate->source == TW_RATE_KERNEL_PROVISIONAL)
		printf("              provisional: nothing else names this"
		       " rate yet; a longer --window can\n");
	else if (rate->source != TW_RATE_REGRESSION)
		printf("              confirmed by %s\n",
		       tw_name(TW_ENUM_WITNESS, rate->witness));
}

static void print_uncertainty(const struct tw_rate *rate)
{
	const char *against = tw_name(TW_ENUM_AGAINST, rate->against);

	printf("uncertainty   %.3g ppb of %s (1 sigma)", rate->uncertainty_ppb,
	       against);
	switch (rate->source) {
	case TW_RATE_REGRESSION:
		printf("\n");
		break;
	case TW_RATE_KERNEL_STEERED:
		printf(",\n              until NTP steers it anew\n");
		break;
	default:
		printf(",\n              that clock being this very"
		       " multiplication\n");
		break;
	}
	if (rate->source != TW_RATE_REGRESSION)
		printf("samples say   %.3f, %+.3g ppb beside it; 1 sigma"
		       " %.3g ppb\n", rate->measured_hz,
		       (rate->measured_hz / rate->hz - 1) * 1e9,
		       rate->measured_uncertainty_ppb);
	printf("hard bound    +-%.4g ppb: no rate outside fits every sample\n",
	       rate->bound_ppb);
}

static void print_hints(const struct tw_rate *rate,
			const struct tw_machine *machine)
{
	struct tw_hint hints[TW_HINTS];
	unsigned count = tw_hints_compare(machine, rate, hints);
	unsigned i;

	if (!count) {
		printf("\nNobody else names a rate here.\n");
		return;
	}
	printf("\nWhat others say (none is used by itself)\n"
	       "                               Hz     off, ppb   explained\n");
	for (i = 0; i < count; i++)
		printf("  %-18s %14.0f %+12.1f  +-%.1f\n", hints[i].name,
		       hints[i].hz, hints[i].difference_ppb,
		       hints[i].explained_ppb);
	for (i = 0; i < count; i++)
		if (hints[i].contradicts)
			printf("WARNING: %s contradicts the rate: it is"
			       " %+.1f ppb off, of which its resolution and the"
			       " rate's explain %.1f.\n", hints[i].name,
			       hints[i].difference_ppb, hints[i].explained_ppb);
}

/* What of SI time anything in the machine knows. */
static void print_seconds(const struct tw_rate *rate,
			  const struct tw_machine *machine)
{
	printf("\nThis is a rate per second of %s, not of SI.\n",
	       tw_name(TW_ENUM_AGAINST, rate->against));
	if (rate->against == TW_AGAINST_RAW)
		printf("That clock runs by what the kernel found, or was told,"
		       " at boot: often some ppm\n(1 ppm is 1000 ppb) off.");
	else
		printf("NTP steers that clock towards UTC; without NTP it is"
		       " CLOCK_MONOTONIC_RAW,\noften some ppm (1000 ppb) off.");
	if (machine->vmclock_hz > 0)
		printf(" The host's clock (vmclock) says\nhow far, above.");
	else
		printf(" The samples can't show how far.");
	if (machine->ntp_synchronized > 0)
		printf("\nNTP calls its clock synchronized and steers it by"
		       " %+.1f ppb: so far off SI it\nholds CLOCK_MONOTONIC_RAW"
		       " to be.\n", machine->ntp_steering_ppb);
	else if (machine->ntp_synchronized == 0)
		printf("\nNTP does not keep this machine's clock (adjtimex:"
		       " not synchronized).\n");
	else
		printf("\n");
}

void tw_calibrate_print_page(const struct tw_rate *rate,
			     const struct tw_machine *machine,
			     const struct tw_counter_facts *counter)
{
	printf("rate          %.3f ticks per second of %s\n", rate->hz,
	       tw_name(TW_ENUM_AGAINST, rate->against));
	print_source(rate);
	print_uncertainty(rate);
	printf("window        %.3f ms, %u samples, %u narrow enough; the"
	       " narrowest %llu ticks\n", (double)rate->window_ns / 1e6,
	       rate->samples, rate->used,
	       (unsigned long long)rate->bracket_ticks);
	print_hints(rate, machine);
	tw_command_counter_warnings(counter, stdout);
	print_seconds(rate, machine);
}
