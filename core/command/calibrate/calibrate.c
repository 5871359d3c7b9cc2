/* SPDX-License-Identifier: MIT */
/*
 * tickwise calibrate: measures how fast the counter runs, and how well that
 * rate is known. Measures once, then prints a page or a JSON object.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/calibrate/calibrate.h"
#include "command/command.h"
#include "command/output/progress.h"
#include "command/show.h"
#include "trust.h"

#define NAME	"calibrate"

struct request {
	struct tw_rate_options options;
	struct tw_wanted wanted;
};

static const struct tw_option table[] = {
	{ .name = "window", .kind = TW_OPTION_TIME, .value = "MS",
	  .min = 5, .max = 3600000, .preset = "1000",
	  .help = "Calibrate for this time",
	  .more = "A longer calibration is a better one.",
	  TW_OPTION_AT(struct request, options.window_ns) },
	{ .name = "against", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("raw", "monotonic"),
	  .sets = TW_AGAINST_RAW, .preset = "raw",
	  .help = "Measure against CLOCK_MONOTONIC_RAW, the kernel's own rate, or "
		  "CLOCK_MONOTONIC, which NTP steers",
	  .more = "With `monotonic`, adjtimex(2) tells whether NTP asks for more than a "
		  "constant rate. While it does not, the rate is computed from the "
		  "kernel's own (source \"kernel_adjtimex\"), and holds until NTP steers "
		  "anew. Otherwise it is measured.",
	  TW_OPTION_AT(struct request, options.against) },
	{ .name = "kernel-rate", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("on", "off"),
	  .sets = TW_ON, .preset = "on",
	  .help = "Use the kernel's exact rate if the samples confirm it",
	  .more = "With `off` the rate comes from the samples alone.",
	  TW_OPTION_AT(struct request, options.kernel_rate) },
	TW_OPTION_JSON(struct request, wanted),
	TW_OPTION_HTML(struct request, wanted),
	{ .name = NULL },
};

const struct tw_options tw_calibrate_options = {
	.command = NAME,
	.about =
	"Measure how fast the CPU's counter runs against a system clock, and how well "
	"that is known. Show what CPUID, the hypervisor and the kernel say about it.",
	.codes =
	"Exit codes: 0 calibrated, 2 interrupted, 64 wrong command line, 70 could not be measured, 74 "
	"the output could not be written.",
	.table = table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

struct waiting {
	struct tw_progress line;
	uint64_t window_ns;
};

static int show_progress(void *context, uint64_t elapsed_ns)
{
	struct waiting *waiting = context;

	tw_progress_show(&waiting->line,
			 (double)elapsed_ns / (double)waiting->window_ns,
			 "reading the counter and the clock");
	return tw_command_has_enough();
}

static int measure(struct tw_rate *rate, struct tw_rate_options *options)
{
	struct waiting waiting = {
		.line = tw_progress_begin(NAME, 0), .window_ns = options->window_ns,
	};
	int error;

	options->progress = show_progress;
	options->context = &waiting;
	tw_command_catch_interrupts();
	error = tw_rate_measure(rate, options);
	tw_progress_end(&waiting.line);
	return error;
}

static int fail(int error, enum tw_counter_state state)
{
	const struct tw_trust_seen seen = { .state = state, .rate_error = error };
	struct tw_trust trust;

	tw_trust(NULL, &seen, &trust);
	return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s%s", trust.why_not,
			       error == -EAGAIN ? "; try a longer --window" :
						  "");
}

int tw_command_calibrate(int argc, char **argv)
{
	struct tw_counter_facts counter = TW_SIZED(struct tw_counter_facts);
	struct request request = {
		.options = TW_SIZED(struct tw_rate_options),
	};
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	int code, ret;

	(void)argc;
	code = tw_command_options(&tw_calibrate_options, &request, argv, NULL);
	if (code == TW_GO_ON)
		code = tw_command_try_html(NAME, &request.wanted);
	if (code != TW_GO_ON)
		return code;
	tw_counter_check(&counter);
	ret = measure(&rate, &request.options);
	if (ret && tw_command_is_interrupted())
		return tw_command_interrupted(NAME, 0);
	if (ret)
		return fail(ret, counter.state);
	tw_machine_read(&machine);
	code = tw_command_show(NAME, &request.wanted,
			       tw_calibrate_page(&rate, &machine, &counter), NULL,
			       tw_calibrate_json(&rate, &machine, &counter));
	return tw_command_finish(NAME, code);
}
