/* SPDX-License-Identifier: MIT */
/*
 * tickwise compare: fio's clocks and ours side by side, how far off they are and
 * what they cost.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/command.h"
#include "command/compare/compare.h"

#define NAME		TW_COMPARE_NAME
#define LEAST_SECONDS	0.1
#define MOST_SECONDS	3600
#define MOST_ROUNDS	99

static const char usage[] =
"usage: tickwise compare [--fio=PROGRAM] [--fio-patched=PROGRAM] [--starts=N]\n"
"                        [--seconds=S] [--load=idle|hogs|both] [--rounds=N]\n"
"                        [--json]\n"
"\n"
"How far off is fio's clock from one start to the next, idle and while others\n"
"want the CPU, and how far off are ours? And what do they cost? fio's is read\n"
"from inside an fio that does no I/O. Takes some 40 seconds.\n"
"\n"
"  --fio=PROGRAM          the fio to look at (fio, or FIO); none: our clocks only\n"
"  --fio-patched=PROGRAM  another one beside it (FIO_PATCHED)\n"
"  --starts=N             start each clock N times, 1 to 1000 (5)\n"
"  --seconds=S            compare each start over S seconds, 0.1 to 3600 (4)\n"
"  --load=WHICH           idle, hogs (two spinning processes a CPU), both (both)\n"
"  --rounds=N             run the null engine N times with each clock, one\n"
"                         second each, 0 to 99 (3)\n"
"  --json                 print one JSON object instead of a page\n"
"  --help                 print this\n"
"\n"
"Exit code: 0 compared, 2 some clock came to no end, 64 and up could not run.\n";

static int parse_count(unsigned *count, const char *option, const char *text,
		       unsigned least, unsigned most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (end == text || *end || text[0] == '-' || value < least ||
	    value > most)
		return tw_command_fail(NAME, TW_EXIT_USAGE, "%s takes a number, "
				       "%u to %u, not '%s'", option, least,
				       most, text);
	*count = (unsigned)value;
	return TW_EXIT_GOOD;
}

static int parse_load(int *loads, const char *text)
{
	loads[TW_COMPARE_IDLE] = strcmp(text, "hogs") != 0;
	loads[TW_COMPARE_HOGS] = strcmp(text, "idle") != 0;
	if (!strcmp(text, "idle") || !strcmp(text, "hogs") ||
	    !strcmp(text, "both"))
		return TW_EXIT_GOOD;
	return tw_command_fail(NAME, TW_EXIT_USAGE, "--load takes idle, hogs "
			       "or both, not '%s'", text);
}

static int parse_option(void *context, int option)
{
	struct tw_compare_arguments *arguments = context;

	switch (option) {
	case 'f':
		arguments->fio = strcmp(optarg, "none") ? optarg : "";
		return TW_EXIT_GOOD;
	case 'p':
		arguments->fio_patched = optarg;
		return TW_EXIT_GOOD;
	case 'n':
		return parse_count(&arguments->starts, "--starts", optarg, 1,
				   TW_COMPARE_MOST_STARTS);
	case 's':
		return tw_command_seconds(NAME, optarg, LEAST_SECONDS,
					  MOST_SECONDS, &arguments->seconds);
	case 'l':
		return parse_load(arguments->loads, optarg);
	case 'r':
		return parse_count(&arguments->rounds, "--rounds", optarg, 0,
				   MOST_ROUNDS);
	case 'j':
		arguments->json = 1;
		return TW_EXIT_GOOD;
	case 'h':
		arguments->help = 1;
		return TW_EXIT_GOOD;
	}
	return TW_EXIT_GOOD;
}

static int parse(struct tw_compare_arguments *arguments, int argc, char **argv)
{
	static const struct option known[] = {
		{ "fio", required_argument, NULL, 'f' },
		{ "fio-patched", required_argument, NULL, 'p' },
		{ "starts", required_argument, NULL, 'n' },
		{ "seconds", required_argument, NULL, 's' },
		{ "load", required_argument, NULL, 'l' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "json", no_argument, NULL, 'j' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};

	return tw_command_options_old(NAME, argc, argv, known, parse_option,
				  arguments);
}

/* Ticks to ns, good enough for the brackets. */
static int calibrate(struct tw_compare_result *result)
{
	const struct tw_rate_options options = {
		.window_ns = 100000000, .longest_ns = 800000000,
	};
	struct tw_machine machine;
	struct tw_rate rate;
	int ret = tw_rate_measure(&rate, &options);

	if (ret)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s",
			ret == -ENOTSUP ? "this process may not read the "
			"counter" : ret == -EAGAIN ? "the machine is too busy "
			"to calibrate the counter" : strerror(-ret));
	tw_machine_read(&machine);
	result->ns_per_tick = 1e9 / rate.hz;
	result->steering_ppb = machine.ntp_steering_ppb;
	snprintf(result->clocksource, sizeof(result->clocksource), "%s",
		 machine.clocksource);
	return TW_EXIT_GOOD;
}

static int compare(struct tw_compare_result *result,
		   const struct tw_compare_arguments *arguments)
{
	int code = tw_compare_find(result, arguments);

	if (code == TW_EXIT_GOOD)
		code = calibrate(result);
	if (code == TW_EXIT_GOOD)
		code = tw_compare_starts(result, arguments);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_compare_null(result, arguments->rounds);
	if (!arguments->json)
		tw_compare_print_page(result, arguments);
	else if (tw_compare_print_json(result))
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "out of memory");
	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			if (arguments->loads[load] &&
			    !result->sum[i][load].starts)
				code = TW_EXIT_UNDECIDED;
	return code;
}

static const char *from_environment(const char *name, const char *otherwise)
{
	const char *value = getenv(name);

	return value && *value ? value : otherwise;
}

int tw_command_compare(int argc, char **argv)
{
	struct tw_compare_arguments arguments = {
		.fio = from_environment("FIO", "fio"),
		.fio_patched = from_environment("FIO_PATCHED", NULL),
		.starts = 5,
		.seconds = 4,
		.rounds = 3,
		.loads = { 1, 1 },
	};
	static struct tw_compare_result result;
	int code;

	code = parse(&arguments, argc, argv);
	if (code != TW_EXIT_GOOD)
		return code;
	if (arguments.help) {
		fputs(usage, stdout);
		return tw_command_finish(NAME, TW_EXIT_GOOD);
	}
	code = compare(&result, &arguments);
	for (unsigned i = 0; i < result.clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++)
			free(result.start[i][load]);
	if (code >= TW_EXIT_USAGE)
		return code;
	return tw_command_finish(NAME, code);
}
