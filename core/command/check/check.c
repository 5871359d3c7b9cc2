/* SPDX-License-Identifier: MIT */
/*
 * tickwise check: can the counter be trusted on the CPUs that this command may
 * run on? This file reads the options and measures. page.c and json.c print,
 * and watch.c repeats the check. core/trust.c judges.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/check/output.h"
#include "command/command.h"
#include "base/allocate.h"
#include "command/output/page.h"
#include "command/output/progress.h"
#include "trust.h"

/* After the CPUs were idle, bounds of the library's few milliseconds vary more
 * in width from run to run. A user of the command does not wait for these 30
 * ms. */
#define DEFAULT_MIN_TIME_NS		30000000

/* unit/command/check/check_defaults.c compares the defaults in the text with those in use. */
static const struct tw_option table[] = {
	TW_OPTION_JSON(struct tw_check_arguments, wanted),
	TW_OPTION_HTML(struct tw_check_arguments, wanted),
	{ .name = "method", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("cas", "switch"), .preset = "cas",
	  .sets = TW_METHOD_CAS,
	  .help = "Compare counters between threads on all CPUs, which take turns, or "
		  "with one thread that is moved from CPU to CPU",
	  .more = "With `cas` the threads take turns at a number in memory, by "
		  "compare-and-swap. With `switch` offsets are bounded by the shortest "
		  "moves there and back: some ten microseconds or more instead of tenths "
		  "of one. But nothing has to run at the same time.",
	  TW_OPTION_AT(struct tw_check_arguments, options.method) },
	{ .name = "watch", .kind = TW_OPTION_TIME, .value = "SECONDS", .bare = "1",
	  .min = 1, .max = 86400,
	  .help = "Check again and again, at this interval, until Ctrl-C, and show what "
		  "changes",
	  .more = "With --json there is one object a line. "
		  "What can change: the verdict, its reasons and contradictions; CPUs "
		  "that come and go; the kernel's clocksource; how the counter can be "
		  "read (trapped, disabled). Rates that kernel, processor and hypervisor "
		  "name are shown when they change, and the measured one when it changes "
		  "by more than 500 ppm. An offset has moved when its interval has "
		  "nothing in common with what all earlier ones left. "
		  "At the end, after SIGINT or SIGTERM, all checks are summed up, with "
		  "the bounds on pace that the time between the first and the last "
		  "gives. The exit code is that of the worst verdict.",
	  TW_OPTION_AT(struct tw_check_arguments, watch_ns) },
	{ .name = "time-limit", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 1, .max = TW_TRUST_MAX_TIME_NS / 1e6,
	  .otherwise = "500 more than --least-time: 530; with `switch` 540",
	  .help = "Give up after this time",
	  TW_OPTION_AT(struct tw_check_arguments, options.time_limit_ns) },
	{ .name = "least-time", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 1, .max = TW_TRUST_MAX_TIME_NS / 1e6,
	  .otherwise = "30; with `switch` 40 and no less",
	  .help = "Measure for at least this time, which narrows the bounds on "
		  "pace",
	  .more = "The time limit may come first. The intervals of pace become narrower "
		  "with the time: some 30 ppm in 10 ms, 4 in 50, 0.2 in a second.",
	  TW_OPTION_AT(struct tw_check_arguments, options.least_time_ns) },
	{ .name = "tolerance", .kind = TW_OPTION_TIME, .value = "NS",
	  .min = 1, .max = 1000000000,
	  .otherwise = "500; with `switch` 100000",
	  .help = "Require a proof that offsets between CPUs are smaller than this",
	  .more = "Moving a thread takes microseconds, so `switch` can prove nothing near "
		  "500. With it, RELIABLE says that the counters are within 100 us of "
		  "each other. Only `cas` can prove 500 ns.",
	  TW_OPTION_AT(struct tw_check_arguments, options.tolerance_ns) },
	{ .name = "progress",
	  .help = "Show progress also where stderr is no terminal",
	  .more = "Once a second, if a check takes longer than that.",
	  TW_OPTION_AT(struct tw_check_arguments, progress) },
	{ .name = NULL },
};

const struct tw_options tw_check_options = {
	.command = TW_CHECK,
	.about =
	"Check whether the CPU's counter can be trusted on the CPUs that this command "
	"may run on. taskset(1) narrows them.",
	.codes =
	"Exit codes: 0 reliable, 1 unreliable, 2 undecided; with --watch the worst of "
	"all; 64 and above could not run.",
	.table = table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

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

/* What a running check shows. */
struct progress {
	int (*stop)(void);
	struct tw_progress line;
};

static int show_progress(void *context,
			 const struct tw_reliability_progress *now)
{
	struct progress *progress = context;
	int answer = progress->stop();

	if (answer)
		return answer;
	tw_progress_show(&progress->line,
			 (double)now->elapsed_ns / (double)now->time_limit_ns,
			 "%u CPU%s, %" PRIu64 " reading%s", now->cpus, tw_format_plural(now->cpus), now->probes,
			 tw_format_plural(now->probes));
	return 0;
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
	struct progress progress = {
		.stop = stop,
		.line = tw_progress_begin(TW_CHECK, arguments->progress),
	};
	int error;

	*check = (struct tw_check) {
		.counter = TW_SIZED(struct tw_counter_facts),
		.result = TW_SIZED(struct tw_reliability),
		.machine = TW_SIZED(struct tw_machine),
	};
	options.size = sizeof(options);
	options.progress = show_progress;
	options.context = &progress;
	tw_counter_check(&check->counter);
	tw_machine_cpus_read(&check->cpus.machine, "");
	error = tw_must(tw_reliability_measure(&check->result, &options));
	tw_progress_end(&progress.line);
	if (error == -ECANCELED)
		return error;
	if (error)
		return fail_to_measure(error, &check->counter);
	tw_check_cpus_find(&check->cpus, &check->result, tw_check_may_pin);
	tw_machine_read(&check->machine);
	check->contradictions = (unsigned)tw_contradictions(&check->result,
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
	int code;

	tw_command_catch_interrupts();
	code = tw_check_run(&check, arguments, tw_command_has_enough);
	if (code != TW_EXIT_GOOD)
		return code;
	code = tw_command_show(TW_CHECK, &arguments->wanted,
			       tw_check_page(&check, arguments), NULL,
			       tw_check_json(&check, arguments));
	if (code == TW_EXIT_GOOD)
		code = tw_check_exit_code(check.result.verdict);
	tw_check_free(&check);
	return tw_command_finish(TW_CHECK, code);
}

/* Set every option that is 0. No default is left to the library, since the
 * options in use are printed. */
void tw_check_fill_in_defaults(struct tw_reliability_options *options)
{
	if (!options->least_time_ns)
		options->least_time_ns = DEFAULT_MIN_TIME_NS;
	tw_trust_options(options);
}

static int check_together(const struct tw_check_arguments *arguments)
{
	if (arguments->watch_ns && arguments->wanted.html)
		return tw_command_fail(TW_CHECK, TW_EXIT_USAGE, "--html is of one check, "
				       "not of --watch");
	return tw_command_try_html(TW_CHECK, &arguments->wanted);
}

int tw_command_check(int argc, char **argv)
{
	struct tw_check_arguments arguments = { 0 };
	int code = tw_command_options(&tw_check_options, &arguments, argv, NULL);

	(void)argc;
	if (code == TW_GO_ON)
		code = check_together(&arguments);
	if (code != TW_GO_ON)
		return code;
	tw_check_fill_in_defaults(&arguments.options);
	return arguments.watch_ns ? tw_check_watch(&arguments) :
				    check_once(&arguments);
}
