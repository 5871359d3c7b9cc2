/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: can the counter be trusted on the CPUs this command may run
 * on? Reads the options and measures; page.c and json.c print, and watch.c does
 * it again and again. Judges nothing itself: core/estimate/ does.
 */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/check/check.h"
#include "command/command.h"

#define MOST_TIME_MS		3600000
#define MOST_TOLERANCE_NS	1000000000
#define MOST_WATCH_SECONDS	86400
#define DEFAULT_WATCH_SECONDS	1
/* The library's own, given to it all the same: what is used is printed. */
#define DEFAULT_TOLERANCE_NS		500
#define DEFAULT_SWITCH_TOLERANCE_NS	100000
#define DEFAULT_LEAST_SWITCHES		100
#define DEFAULT_PACE_LIMIT_PPB		1000
#define DEFAULT_TIME_LIMIT_NS		500000000	/* after the least time */
#define LEAST_SWITCH_TIME_NS		40000000	/* no method=switch below */

/* Runs that follow idleness differ less in how narrow their bounds are than with
 * the library's few milliseconds, and nobody waits for this. */
#define DEFAULT_LEAST_TIME_NS		30000000

static const char usage[] =
"usage: tickwise check [--json] [--method=cas|switch] [--watch[=SECONDS]]\n"
"                      [--time-limit=MS] [--least-time=MS] [--tolerance=NS]\n"
"                      [--progress]\n"
"\n"
"Can the CPU's counter be trusted on the CPUs that this command may run on\n"
"(taskset narrows them)?\n"
"\n"
"  --json             print one JSON object instead of a page\n"
"  --method=METHOD    cas: threads on all CPUs take turns (the default);\n"
"                     switch: one thread is moved from CPU to CPU: wider bounds,\n"
"                     but nothing has to run at the same time\n"
"  --watch[=SECONDS]  check every so many seconds (1) until Ctrl-C and show\n"
"                     what changes; with --json one object a line\n"
"  --time-limit=MS    give up after so many milliseconds (500 more than\n"
"                     --least-time: 530; with --method=switch 540)\n"
"  --least-time=MS    go on for so long: narrows the bounds on pace (30; with\n"
"                     --method=switch 40)\n"
"  --tolerance=NS     offsets between CPUs must be proven smaller (500; with\n"
"                     --method=switch 100000)\n"
"  --progress         show how far it is, also where stderr is no terminal\n"
"  --help             print this\n"
"\n"
"Exit code: 0 reliable, 1 unreliable, 2 undecided (of a watch the worst), 64 and\n"
"up could not run.\n";

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

static int parse_method(struct tw_check_arguments *arguments)
{
	if (strcmp(optarg, "cas") == 0)
		arguments->options.method = TW_METHOD_CAS;
	else if (strcmp(optarg, "switch") == 0)
		arguments->options.method = TW_METHOD_SWITCH;
	else
		return tw_command_fail(TW_CHECK, TW_EXIT_USAGE,
				       "--method takes cas or switch, not '%s'",
				       optarg);
	return TW_EXIT_GOOD;
}

/* The value of @option in @unit, times @scale. */
static int parse_value(uint64_t *value, const char *option, const char *unit,
		       uint64_t most, uint64_t scale)
{
	uint64_t number = parse_number(optarg, most);

	*value = number * scale;
	if (number)
		return TW_EXIT_GOOD;
	return tw_command_fail(TW_CHECK, TW_EXIT_USAGE,
			       "%s takes %s, 1 to %" PRIu64 ", not '%s'",
			       option, unit, most, optarg);
}

static int parse_watch(struct tw_check_arguments *arguments)
{
	if (optarg)
		return parse_value(&arguments->watch_ns, "--watch", "seconds",
				   MOST_WATCH_SECONDS, TW_NS_PER_SECOND);
	arguments->watch_ns = DEFAULT_WATCH_SECONDS * TW_NS_PER_SECOND;
	return TW_EXIT_GOOD;
}

static int parse_option(void *context, int option)
{
	struct tw_check_arguments *arguments = context;
	struct tw_reliability_options *options = &arguments->options;

	switch (option) {
	case 'j':
		arguments->json = 1;
		return TW_EXIT_GOOD;
	case 'p':
		arguments->progress = 1;
		return TW_EXIT_GOOD;
	case 'h':
		arguments->help = 1;
		return TW_EXIT_GOOD;
	case 'm':
		return parse_method(arguments);
	case 'w':
		return parse_watch(arguments);
	case 't':
		return parse_value(&options->time_limit_ns, "--time-limit",
				   "milliseconds", MOST_TIME_MS, 1000000);
	case 'l':
		return parse_value(&options->least_time_ns, "--least-time",
				   "milliseconds", MOST_TIME_MS, 1000000);
	case 'n':
		return parse_value(&options->tolerance_ns, "--tolerance",
				   "nanoseconds", MOST_TOLERANCE_NS, 1);
	}
	return TW_EXIT_GOOD;
}

static int parse_arguments(struct tw_check_arguments *arguments, int argc,
			   char **argv)
{
	static const struct option known[] = {
		{ "json", no_argument, NULL, 'j' },
		{ "method", required_argument, NULL, 'm' },
		{ "watch", optional_argument, NULL, 'w' },
		{ "time-limit", required_argument, NULL, 't' },
		{ "least-time", required_argument, NULL, 'l' },
		{ "tolerance", required_argument, NULL, 'n' },
		{ "progress", no_argument, NULL, 'p' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};

	return tw_command_options_old(TW_CHECK, argc, argv, known, parse_option,
				  arguments);
}

int tw_check_exit_code(enum tw_verdict verdict)
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

const char *tw_check_method_name(enum tw_reliability_method method)
{
	return method == TW_METHOD_SWITCH ? "switch" : "cas";
}

/* What is shown while it runs. */
struct progress {
	int (*stop)(void);
	int terminal;
	int wanted;
	uint64_t shown_ns;
};

/* On a terminal the line is written over, elsewhere each has its own. */
static int show_progress(void *context,
			 const struct tw_reliability_progress *now)
{
	struct progress *progress = context;
	const char *before = progress->terminal ? "\r" : "";
	const char *after = progress->terminal ? "" : "\n";

	if (progress->stop && progress->stop())
		return 1;
	if (!progress->wanted ||
	    now->elapsed_ns < progress->shown_ns + TW_NS_PER_SECOND)
		return 0;
	progress->shown_ns = now->elapsed_ns;
	fprintf(stderr, "%stickwise check: %.0f of at most %.0f s, %u CPU%s, "
		"%" PRIu64 " reading%s%s", before,
		(double)now->elapsed_ns / 1e9, (double)now->time_limit_ns / 1e9,
		now->cpus, now->cpus == 1 ? "" : "s", now->probes,
		now->probes == 1 ? "" : "s", after);
	fflush(stderr);
	return 0;
}

static void end_progress(const struct progress *progress)
{
	if (progress->terminal && progress->shown_ns)
		fprintf(stderr, "\r%79s\r", "");
}

static int fail_to_measure(int error, const struct tw_counter_facts *counter)
{
	const char *why = error == -ENOTSUP ?
			  tw_text(TW_ENUM_COUNTER_STATE, counter->state) :
			  error == -EAGAIN ?
			  "no thread could be started on any CPU" :
			  strerror(-error);

	return tw_command_fail(TW_CHECK, TW_EXIT_SOFTWARE,
			       "could not measure: %s", why);
}

int tw_check_run(struct tw_check *check,
		 const struct tw_check_arguments *arguments, int (*stop)(void))
{
	struct tw_reliability_options options = arguments->options;
	struct progress progress = { .stop = stop };
	int error;

	memset(check, 0, sizeof(*check));
	progress.terminal = isatty(STDERR_FILENO);
	progress.wanted = progress.terminal || arguments->progress;
	options.progress = show_progress;
	options.context = &progress;
	tw_counter_check(&check->counter);
	tw_machine_cpus_read(&check->cpus.machine, "");
	error = tw_reliability_measure(&check->result, &options);
	end_progress(&progress);
	if (error == -ECANCELED)
		return error;
	if (error)
		return fail_to_measure(error, &check->counter);
	tw_check_cpus_find(&check->cpus, &check->result, tw_check_may_pin);
	tw_machine_read(&check->machine);
	check->contradictions = tw_contradictions(&check->result,
						  &check->machine);
	return TW_EXIT_GOOD;
}

void tw_check_free(struct tw_check *check)
{
	tw_reliability_free(&check->result);
}

static int check_once(const struct tw_check_arguments *arguments)
{
	struct tw_check check;
	int code = tw_check_run(&check, arguments, NULL);

	if (code != TW_EXIT_GOOD)
		return code;
	code = tw_check_exit_code(check.result.verdict);
	if (!arguments->json)
		tw_check_print_page(&check, arguments);
	else if (tw_check_print_json(&check, arguments))
		code = tw_command_fail(TW_CHECK, TW_EXIT_SOFTWARE,
				       "out of memory");
	tw_check_free(&check);
	return tw_command_finish(TW_CHECK, code);
}

static void fill_in_defaults(struct tw_reliability_options *options)
{
	int by_switching = options->method == TW_METHOD_SWITCH;

	if (!options->tolerance_ns)
		options->tolerance_ns = by_switching ?
					DEFAULT_SWITCH_TOLERANCE_NS :
					DEFAULT_TOLERANCE_NS;
	if (!options->least_time_ns)
		options->least_time_ns = DEFAULT_LEAST_TIME_NS;
	/* Below what switching needs the library does as it must. */
	if (by_switching && options->least_time_ns < LEAST_SWITCH_TIME_NS)
		options->least_time_ns = LEAST_SWITCH_TIME_NS;
	if (!options->time_limit_ns)
		options->time_limit_ns = options->least_time_ns +
					 DEFAULT_TIME_LIMIT_NS;
	options->least_switches = DEFAULT_LEAST_SWITCHES;
	options->pace_limit_ppb = DEFAULT_PACE_LIMIT_PPB;
}

int tw_command_check(int argc, char **argv)
{
	struct tw_check_arguments arguments = { 0 };
	int code = parse_arguments(&arguments, argc, argv);

	if (code != TW_EXIT_GOOD)
		return code;
	if (arguments.help) {
		fputs(usage, stdout);
		return tw_command_finish(TW_CHECK, TW_EXIT_GOOD);
	}
	fill_in_defaults(&arguments.options);
	return arguments.watch_ns ? tw_check_watch(&arguments) :
				    check_once(&arguments);
}
