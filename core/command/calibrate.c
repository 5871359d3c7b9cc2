/* SPDX-License-Identifier: MIT */
/*
 * tickwise calibrate: how fast the counter runs, and how well that is known.
 */
#include <errno.h>
#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "tickwise.h"

static const char usage[] =
"usage: tickwise calibrate [--window=MS] [--against=raw|monotonic]\n"
"                          [--kernel-rate=on|off] [--json]\n"
"\n"
"Measures the rate of the CPU's counter against a system clock.\n"
"\n"
"  --window=MS         length of the calibration, 5 to 3600000 ms (1000)\n"
"  --against=CLOCK     raw: CLOCK_MONOTONIC_RAW, the kernel's own rate (default)\n"
"                      monotonic: CLOCK_MONOTONIC, which NTP steers\n"
"  --kernel-rate=off   only what the samples say; do not look for the kernel's\n"
"                      exact multiplier\n"
"  --json              machine-readable\n"
"  --help              this text\n"
"\n"
"Exit code: 0 calibrated, 64 wrong usage, 70 could not be measured.\n";

struct request {
	struct tw_rate_options options;
	int json;
};

enum { OPTION_WINDOW = 256, OPTION_AGAINST, OPTION_KERNEL, OPTION_JSON,
       OPTION_HELP };

static const struct option long_options[] = {
	{ "window", required_argument, NULL, OPTION_WINDOW },
	{ "against", required_argument, NULL, OPTION_AGAINST },
	{ "kernel-rate", required_argument, NULL, OPTION_KERNEL },
	{ "json", no_argument, NULL, OPTION_JSON },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static int parse_window(const char *text, uint64_t *window_ns)
{
	char *end;
	double ms = strtod(text, &end);

	if (end == text || *end || !(ms >= 5 && ms <= 3600000))
		return -EINVAL;
	*window_ns = (uint64_t)llround(ms * 1e6);
	return 0;
}

static int parse_against(const char *text, enum tw_against *against)
{
	if (!strcmp(text, "raw"))
		*against = TW_AGAINST_RAW;
	else if (!strcmp(text, "monotonic"))
		*against = TW_AGAINST_MONOTONIC;
	else
		return -EINVAL;
	return 0;
}

static int parse_switch(const char *text, enum tw_switch *value)
{
	if (!strcmp(text, "on"))
		*value = TW_ON;
	else if (!strcmp(text, "off"))
		*value = TW_OFF;
	else
		return -EINVAL;
	return 0;
}

/* 0: go on; else done, with *code. */
static int parse(int argc, char **argv, struct request *request, int *code)
{
	int option, index = 0, bad;

	optind = 1;
	opterr = 0;
	while ((option = getopt_long(argc, argv, "", long_options,
				     &index)) != -1) {
		bad = 0;
		switch (option) {
		case OPTION_WINDOW:
			bad = parse_window(optarg, &request->options.window_ns);
			break;
		case OPTION_AGAINST:
			bad = parse_against(optarg, &request->options.against);
			break;
		case OPTION_KERNEL:
			bad = parse_switch(optarg,
					   &request->options.kernel_rate);
			break;
		case OPTION_JSON:
			request->json = 1;
			break;
		case OPTION_HELP:
			fputs(usage, stdout);
			*code = tw_command_finish("calibrate", TW_EXIT_GOOD);
			return 1;
		default:
			*code = tw_command_fail("calibrate", TW_EXIT_USAGE,
				"unknown or incomplete option %s (see --help)",
				argv[optind - 1]);
			return 1;
		}
		if (bad) {
			*code = tw_command_fail("calibrate", TW_EXIT_USAGE,
				"--%s: %s is not a value it takes (see --help)",
				long_options[index].name, optarg);
			return 1;
		}
	}
	if (optind < argc) {
		*code = tw_command_fail("calibrate", TW_EXIT_USAGE,
			"unexpected argument %s (see --help)", argv[optind]);
		return 1;
	}
	return 0;
}

static json_t *refusals_to_json(unsigned refusal)
{
	json_t *reasons = json_array();
	unsigned bit;

	for (bit = 1; bit && bit <= refusal; bit <<= 1)
		if (refusal & bit)
			json_array_append_new(reasons,
				json_string(tw_rate_refusal_text(bit)));
	return reasons;
}

static int print_json(const struct tw_rate *rate,
		      const struct tw_counter_facts *counter)
{
	json_t *json = json_pack(
		"{ss, si, sf, sf, sf, ss, ss, ss, sI, sI, sI, sI, sI, sI,"
		" sf, sf, sf, sf, so, ss}",
		"schema", "tickwise-calibrate",
		"version", 1,
		"hz", rate->hz,
		"uncertainty_ppb", rate->uncertainty_ppb,
		"bound_ppb", rate->bound_ppb,
		"source", tw_rate_source_name(rate->source),
		"against", tw_against_name(rate->against),
		"witness", tw_witness_name(rate->witness),
		"kernel_mult", (json_int_t)rate->kernel_mult,
		"kernel_shift", (json_int_t)rate->kernel_shift,
		"window_ns", (json_int_t)rate->window_ns,
		"samples", (json_int_t)rate->samples,
		"used", (json_int_t)rate->used,
		"bracket_ticks", (json_int_t)rate->bracket_ticks,
		"measured_hz", rate->measured_hz,
		"measured_uncertainty_ppb", rate->measured_uncertainty_ppb,
		"low_hz", rate->low_hz,
		"high_hz", rate->high_hz,
		"kernel_rate_refused", refusals_to_json(rate->refusal),
		"counter_state", tw_counter_state_name(counter->state));

	if (!json)
		return tw_command_fail("calibrate", TW_EXIT_SOFTWARE,
				       "out of memory");
	/* What can't be written shows when the output is finished. */
	json_dumpf(json, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
	putchar('\n');
	json_decref(json);
	return tw_command_finish("calibrate", TW_EXIT_GOOD);
}

static void print_source(const struct tw_rate *rate)
{
	const char *against = tw_against_name(rate->against);
	unsigned bit;

	if (rate->source != TW_RATE_REGRESSION) {
		printf("source        the kernel's own multiplier, %u / 2^%u"
		       " ns per tick\n", rate->kernel_mult, rate->kernel_shift);
		printf("              so 0 ppb off %s while the kernel keeps"
		       " it\n", against);
		if (rate->source == TW_RATE_KERNEL)
			printf("              confirmed by %s\n",
			       tw_witness_name(rate->witness));
		else
			printf("              provisional: nothing else names"
			       " this rate yet; a longer --window can\n");
		printf("samples say   %.3f Hz, 1 sigma %.3g ppb\n",
		       rate->measured_hz, rate->measured_uncertainty_ppb);
		return;
	}
	printf("uncertainty   %.3g ppb of %s (1 sigma)\n",
	       rate->uncertainty_ppb, against);
	printf("source        regression\n");
	for (bit = 1; bit && bit <= rate->refusal; bit <<= 1)
		if (rate->refusal & bit)
			printf("              kernel's multiplier not used: %s\n",
			       tw_rate_refusal_text(bit));
}

static int print_page(const struct tw_rate *rate,
		      const struct tw_counter_facts *counter)
{
	printf("rate          %.3f ticks per second of %s\n", rate->hz,
	       tw_against_name(rate->against));
	print_source(rate);
	printf("hard bound    +-%.4g ppb: no rate outside fits every sample\n",
	       rate->bound_ppb);
	printf("window        %.3f ms, %u samples, %u narrow enough; the"
	       " narrowest %llu ticks\n", (double)rate->window_ns / 1e6,
	       rate->samples, rate->used,
	       (unsigned long long)rate->bracket_ticks);
	tw_command_counter_warnings(counter, stdout);
	printf("\n%s is not SI time: it runs at what the kernel found at"
	       " boot.\nNothing inside the machine shows how far that crystal"
	       " is off (often some ppm).\n", tw_against_name(rate->against));
	return tw_command_finish("calibrate", TW_EXIT_GOOD);
}

static const char *failure(int error, const struct tw_counter_facts *counter)
{
	switch (error) {
	case ENOTSUP:
		return tw_counter_state_text(counter->state);
	case EAGAIN:
		return "too few undisturbed samples: the machine is too busy "
		       "for this window; try a longer one";
	case EIO:
		return "the counter and the system clock do not run at one "
		       "steady rate to each other";
	default:
		return strerror(error);
	}
}

int tw_command_calibrate(int argc, char **argv)
{
	struct tw_counter_facts counter = { 0 };
	struct request request = { 0 };
	struct tw_rate rate;
	int code, ret;

	if (parse(argc, argv, &request, &code))
		return code;
	tw_counter_check(&counter);
	ret = tw_rate_measure(&rate, &request.options);
	if (ret)
		return tw_command_fail("calibrate", TW_EXIT_SOFTWARE, "%s",
				       failure(-ret, &counter));
	return request.json ? print_json(&rate, &counter) :
			      print_page(&rate, &counter);
}
