/* SPDX-License-Identifier: MIT */
/*
 * tickwise calibrate: how fast the counter runs, and how well that is known.
 * Measures once, then prints a page or a JSON object.
 */
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/calibrate/calibrate.h"
#include "command/command.h"

#define NAME	"calibrate"

static const char usage[] =
"usage: tickwise calibrate [--window=MS] [--against=raw|monotonic]\n"
"                          [--kernel-rate=on|off] [--json]\n"
"\n"
"How fast does the CPU's counter run against a system clock, and how well is\n"
"that known? Also what CPUID, the hypervisor and the kernel say about it.\n"
"\n"
"  --window=MS           length of the calibration, 5 to 3600000 ms (1000)\n"
"  --against=CLOCK       raw: CLOCK_MONOTONIC_RAW, the kernel's own rate\n"
"                        (default); monotonic: CLOCK_MONOTONIC, which NTP steers\n"
"  --kernel-rate=on|off  off: only what the samples say; on (default): the\n"
"                        kernel's exact rate, where it verifies itself\n"
"  --json                print one JSON object instead of a page\n"
"  --help                print this\n"
"\n"
"Exit code: 0 calibrated, 64 wrong usage, 70 could not be measured, 74 the\n"
"output could not be written.\n";

struct request {
	struct tw_rate_options options;
	int json;
	int help;
};

static int parse_window(const char *text, uint64_t *window_ns)
{
	char *end;
	double ms = strtod(text, &end);

	if (end == text || *end || !(ms >= 5 && ms <= 3600000))
		return tw_command_fail(NAME, TW_EXIT_USAGE, "--window takes "
			"milliseconds, 5 to 3600000, not '%s'", text);
	*window_ns = (uint64_t)llround(ms * 1e6);
	return TW_EXIT_GOOD;
}

static int parse_against(const char *text, enum tw_against *against)
{
	if (!strcmp(text, "raw"))
		*against = TW_AGAINST_RAW;
	else if (!strcmp(text, "monotonic"))
		*against = TW_AGAINST_MONOTONIC;
	else
		return tw_command_fail(NAME, TW_EXIT_USAGE, "--against takes "
				       "raw or monotonic, not '%s'", text);
	return TW_EXIT_GOOD;
}

static int parse_switch(const char *text, enum tw_switch *value)
{
	if (!strcmp(text, "on"))
		*value = TW_ON;
	else if (!strcmp(text, "off"))
		*value = TW_OFF;
	else
		return tw_command_fail(NAME, TW_EXIT_USAGE, "--kernel-rate "
				       "takes on or off, not '%s'", text);
	return TW_EXIT_GOOD;
}

static int parse_option(void *context, int option)
{
	struct request *request = context;

	switch (option) {
	case 'w':
		return parse_window(optarg, &request->options.window_ns);
	case 'a':
		return parse_against(optarg, &request->options.against);
	case 'k':
		return parse_switch(optarg, &request->options.kernel_rate);
	case 'j':
		request->json = 1;
		return TW_EXIT_GOOD;
	case 'h':
		request->help = 1;
		return TW_EXIT_GOOD;
	}
	return TW_EXIT_GOOD;
}

static int parse(struct request *request, int argc, char **argv)
{
	static const struct option known[] = {
		{ "window", required_argument, NULL, 'w' },
		{ "against", required_argument, NULL, 'a' },
		{ "kernel-rate", required_argument, NULL, 'k' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};

	return tw_command_options(NAME, argc, argv, known, parse_option,
				  request);
}

static const char *failure(int error, const struct tw_counter_facts *counter)
{
	switch (error) {
	case ENOTSUP:
		return tw_text(TW_ENUM_COUNTER_STATE, counter->state);
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
	struct tw_machine machine;
	struct tw_rate rate;
	int code, ret;

	code = parse(&request, argc, argv);
	if (code != TW_EXIT_GOOD)
		return code;
	if (request.help) {
		fputs(usage, stdout);
		return tw_command_finish(NAME, TW_EXIT_GOOD);
	}
	tw_counter_check(&counter);
	ret = tw_rate_measure(&rate, &request.options);
	if (ret)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s",
				       failure(-ret, &counter));
	tw_machine_read(&machine);
	if (!request.json)
		tw_calibrate_print_page(&rate, &machine, &counter);
	else if (tw_calibrate_print_json(&rate, &machine, &counter))
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "out of memory");
	return tw_command_finish(NAME, TW_EXIT_GOOD);
}
