/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: can the counter be trusted on the CPUs this command may run
 * on? Measures once, then prints a page or a JSON object. Judges nothing
 * itself: core/estimate/ does.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "command.h"

#define NAME			"check"
#define MOST_TIME_LIMIT_MS	3600000
#define MOST_TOLERANCE_NS	1000000000
#define DEFAULT_TOLERANCE_NS	500	/* the library's; also printed */

struct arguments {
	struct tw_reliability_options options;
	int json;
	int help;
};

static const char usage[] =
"usage: tickwise check [--json] [--time-limit=MS] [--tolerance=NS]\n"
"\n"
"Can the CPU's counter be trusted on the CPUs that this command may run on\n"
"(taskset narrows them)?\n"
"\n"
"  --json           print one JSON object instead of a page\n"
"  --time-limit=MS  give up after so many milliseconds (500)\n"
"  --tolerance=NS   offsets between CPUs must be proven smaller (500)\n"
"  --help           print this\n"
"\n"
"Exit code: 0 reliable, 1 unreliable, 2 undecided, 64 and up could not run.\n";

/* A whole number from 1 to @most. Return: 0 if @text is none. */
static uint64_t parse_number(const char *text, uint64_t most)
{
	char *end;
	uint64_t number;

	if (*text < '0' || *text > '9')
		return 0;
	number = strtoull(text, &end, 10);
	return *end || number > most ? 0 : number;
}

static int parse_option(void *context, int option, const char *given)
{
	struct arguments *arguments = context;

	uint64_t number;

	switch (option) {
	case 'j':
		arguments->json = 1;
		return TW_EXIT_GOOD;
	case 'h':
		arguments->help = 1;
		return TW_EXIT_GOOD;
	case 't':
		number = parse_number(optarg, MOST_TIME_LIMIT_MS);
		arguments->options.time_limit_ns = number * 1000000;
		if (number)
			return TW_EXIT_GOOD;
		return tw_command_fail(NAME, TW_EXIT_USAGE,
			"--time-limit takes milliseconds, 1 to %d, not '%s'",
			MOST_TIME_LIMIT_MS, optarg);
	case 'n':
		number = parse_number(optarg, MOST_TOLERANCE_NS);
		arguments->options.tolerance_ns = number;
		if (number)
			return TW_EXIT_GOOD;
		return tw_command_fail(NAME, TW_EXIT_USAGE,
			"--tolerance takes nanoseconds, 1 to %d, not '%s'",
			MOST_TOLERANCE_NS, optarg);
	default:
		return tw_command_fail(NAME, TW_EXIT_USAGE,
				       "unknown option %s (see --help)", given);
	}
}

static int parse_arguments(struct arguments *arguments, int argc, char **argv)
{
	static const struct option known[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "time-limit", required_argument, NULL, 't' },
		{ "tolerance", required_argument, NULL, 'n' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};

	return tw_command_options(NAME, argc, argv, known, parse_option,
				  arguments);
}

static int exit_code(enum tw_verdict verdict)
{
	switch (verdict) {
	case TW_RELIABLE:
		return TW_EXIT_GOOD;
	case TW_UNRELIABLE:
		return TW_EXIT_BAD_VERDICT;
	default:
		return TW_EXIT_UNDECIDED;
	}
}

static const char *why_not(int error)
{
	switch (error) {
	case -EAGAIN:
		return "no thread could be started on any CPU";
	default:
		return strerror(-error);
	}
}

static int check(const struct arguments *arguments)
{
	struct tw_counter_facts counter = { 0 };
	struct tw_reliability result;
	struct tw_machine machine;
	int code, error;

	tw_counter_check(&counter);
	error = tw_reliability_measure(&result, &arguments->options);
	if (error == -ENOTSUP)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE,
				       "could not measure: %s",
				       tw_counter_state_text(counter.state));
	if (error)
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE,
				       "could not measure: %s", why_not(error));
	tw_machine_read(&machine);
	code = exit_code(result.verdict);
	if (!arguments->json)
		tw_check_print_page(&result, &machine, &counter,
				    &arguments->options);
	else if (tw_check_print_json(&result, &machine, &counter))
		code = tw_command_fail(NAME, TW_EXIT_SOFTWARE, "out of memory");
	tw_reliability_free(&result);
	return tw_command_finish(NAME, code);
}

int tw_command_check(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	int code = parse_arguments(&arguments, argc, argv);

	if (code != TW_EXIT_GOOD)
		return code;
	if (arguments.help) {
		fputs(usage, stdout);
		return tw_command_finish(NAME, TW_EXIT_GOOD);
	}
	if (!arguments.options.tolerance_ns)
		arguments.options.tolerance_ns = DEFAULT_TOLERANCE_NS;
	return check(&arguments);
}
