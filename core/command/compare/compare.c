/* SPDX-License-Identifier: MIT */
/*
 * tickwise compare: compares fio's clocks and Tickwise's: how far off each is,
 * and what it costs. Finds the clocks that can be compared on this machine, and the
 * libraries that are put into fio.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/compare/compare_parts.h"
#include "command/own_files.h"
#include "trust.h"

#define NAME		"compare"
#define LOOPS_PER_CPU	2

#define AT(member)	TW_OPTION_AT(struct tw_compare_arguments, member)

static const struct tw_option option_table[] = {
	TW_OPTION_FIO(struct tw_compare_arguments, fio,
		      "Compare the clocks of this fio; `none` compares only Tickwise's"),
	{ .name = "fio-patched", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM",
	  .otherwise = "FIO_PATCHED of the environment, else none",
	  .help = "Compare the clocks of a second fio, too", AT(fio_patched) },
	{ .name = "starts", .kind = TW_OPTION_WHOLE, .value = "N",
	  .min = 1, .max = TW_COMPARE_MAX_STARTS, .preset = "5",
	  .help = "Start each clock N times", AT(starts) },
	{ .name = "seconds", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .min = 0.1, .max = 3600, .preset = "4",
	  .help = "Compare each start over this time", AT(window_ns) },
	{ .name = "load", .kind = TW_OPTION_WORD,
	  .words = TW_OPTION_WORD_LIST("idle", "busy", "both"), .preset = "both",
	  .sets = 1 << TW_COMPARE_IDLE,
	  .help = "Compare on an idle machine, with two busy loops for each CPU, or with "
		  "both", AT(loads) },
	{ .name = "rounds", .kind = TW_OPTION_WHOLE, .value = "N",
	  .max = TW_COMPARE_MAX_ROUNDS, .preset = "3",
	  .help = "Run fio's null engine N times with each clock, one second each",
	  .more = "The clocks take turns. The median is shown.", AT(rounds) },
	TW_OPTION_JSON(struct tw_compare_arguments, wanted),
	TW_OPTION_HTML(struct tw_compare_arguments, wanted),
	{ .name = NULL },
};

const struct tw_options tw_compare_options = {
	.command = NAME,
	.about =
	"Compare fio's clocks and Tickwise's: how far off each is from one start to the "
	"next, idle and under load, and what it costs. fio's clock is read inside a fio "
	"that does no I/O. Takes some 40 seconds.",
	.codes =
	"Exit codes: 0 compared, 2 a clock could not be measured, or interrupted, 64 and "
	"above could not run.",
	.table = option_table,
	.common = TW_HAS_OUTPUT | TW_HAS_QUIET | TW_HAS_VERBOSE,
};

/* ---- the clocks ---- */

#define LIBRARY_WINDOW_NS	1000000000ULL

/* Read what fio says about itself. Return: 0; -errno: the program can't be run. */
static int ask(const char *fio, const char *option, char *text, size_t size)
{
	const char *const argv[] = { fio, option, NULL }, *const none[] = { NULL };
	struct tw_compare_process process = { 0 };
	int ret = tw_compare_spawn(&process, argv, none, STDOUT_FILENO);

	if (ret)
		return ret;
	text[fread(text, 1, size - 1, process.says)] = '\0';
	tw_compare_end(&process, SIGKILL);
	return 0;
}

static int read_version(const char **version, const char *fio)
{
	char text[4096];
	int ret = ask(fio, "--version", text, sizeof(text));

	if (ret)
		return tw_command_fail(NAME, TW_EXIT_NO_INPUT, "can't run %s: %s", fio,
				       strerror(-ret));
	if (strncmp(text, "fio-", 4) != 0)
		return tw_command_fail(NAME, TW_EXIT_NO_INPUT, "%s is not fio", fio);
	*version = tw_format("%.*s", (int)strcspn(text, "\n"), text);
	return TW_EXIT_GOOD;
}

/* Does this fio have a clock source of this name? */
static int has_clocksource(const char *fio, const char *name)
{
	char text[4096];

	return !ask(fio, "--cmdhelp=clocksource", text, sizeof(text)) && strstr(text, name);
}

enum { OWN, STOCK, PATCHED, FIOS };

static const struct known {
	struct tw_compare_clock clock;
	int fio;			/* OWN: none */
} known[TW_COMPARE_CLOCKS] = {
	{ { .name = "stock-cpu", .what = "fio --clocksource=cpu", .clocksource = "cpu" },
	  STOCK },
	{ { .name = "stock-clock_gettime", .what = "fio --clocksource=clock_gettime",
	    .clocksource = "clock_gettime" }, STOCK },
	{ { .name = "preload", .what = "that under libtickwise-preload.so",
	    .clocksource = "clock_gettime", .preload = 1 }, STOCK },
	{ { .name = "patched-cpu", .what = "patched fio --clocksource=cpu",
	    .clocksource = "cpu" }, PATCHED },
	{ { .name = "patched-tickwise", .what = "patched fio --clocksource=tickwise",
	    .clocksource = "tickwise" }, PATCHED },
	{ { .name = "engine", .what = "tw_clock as the engine sets it up, 20 ms",
	    .window_ns = TW_TRUST_ENGINE_WINDOW_NS, .check = 1 }, OWN },
	{ { .name = "library", .what = "tw_clock_init(), one second",
	    .window_ns = LIBRARY_WINDOW_NS }, OWN },
};

/* Find the clocks and the libraries they need. Return: an enum tw_exit. */
static int find_clocks(struct tw_compare_result *result,
		       const struct tw_compare_arguments *arguments)
{
	const char *const fios[FIOS] = {
		[STOCK] = arguments->fio[0] ? arguments->fio : NULL,
		[PATCHED] = arguments->fio_patched,
	};
	const char *versions[FIOS] = { NULL };
	int code = TW_EXIT_GOOD;

	result->preload = tw_own_file("libtickwise-preload.so", R_OK);
	result->probe = tw_own_file("tickwise-fio_probe.so", R_OK);
	if (!result->probe)
		return tw_own_file_missing(NAME, "tickwise-fio_probe.so", "");
	for (int i = STOCK; i < FIOS && code == TW_EXIT_GOOD; i++)
		if (fios[i])
			code = read_version(&versions[i], fios[i]);
	for (size_t i = 0; i < TW_COMPARE_CLOCKS && code == TW_EXIT_GOOD; i++) {
		struct tw_compare_clock clock = known[i].clock;

		clock.fio = fios[known[i].fio];
		clock.version = versions[known[i].fio];
		/* A patched fio need not have our clock source. */
		if ((known[i].fio != OWN && !clock.fio) ||
		    (clock.preload && !result->preload) ||
		    (clock.fio && !strcmp(clock.clocksource, "tickwise") &&
		     !has_clocksource(clock.fio, "tickwise")))
			continue;
		result->clock[result->clocks++] = clock;
	}
	return code;
}

/* ---- a comparison ---- */

/* Measure how long a tick is, precisely enough for the brackets. */
static int calibrate(struct tw_compare_result *result)
{
	const struct tw_rate_options options = {
		.size = sizeof(options),
		.window_ns = 100000000, .longest_ns = 800000000,
	};
	struct tw_machine machine = TW_SIZED(struct tw_machine);
	struct tw_rate rate = TW_SIZED(struct tw_rate);
	struct tw_trust trust;

	if (!tw_trust_rate(tw_rate_measure(&rate, &options), &trust))
		return tw_command_fail(NAME, TW_EXIT_SOFTWARE, "%s",
				       trust.why_not);
	tw_machine_read(&machine);
	result->ns_per_tick = 1e9 / rate.hz;
	result->steering_ppb = machine.ntp_steering_ppb;
	snprintf(result->clocksource, sizeof(result->clocksource), "%s",
		 machine.clocksource);
	return TW_EXIT_GOOD;
}

static double estimate_s(const struct tw_compare_result *result,
			 const struct tw_compare_arguments *arguments)
{
	double starts = arguments->starts * result->clocks;
	double s = 0;

	for (unsigned i = 0; i < result->clocks; i++)
		s += result->clock[i].fio ? TW_COMPARE_NULL_S * arguments->rounds : 0;
	for (int load = 0; load < TW_COMPARE_LOADS; load++)
		if (arguments->loads >> load & 1)
			s += (double)arguments->window_ns / 1e9 + starts *
			     (load == TW_COMPARE_BUSY ? TW_COMPARE_BUSY_S : TW_COMPARE_IDLE_S);
	return s;
}

/* What it allocates lives until the program ends. */
static int compare(struct tw_compare_result *result,
		   const struct tw_compare_arguments *arguments)
{
	int code = find_clocks(result, arguments);
	unsigned measured = 0, missing = 0;

	tw_command_catch_interrupts();
	if (code == TW_EXIT_GOOD)
		code = calibrate(result);
	if (code != TW_EXIT_GOOD)
		return code;
	result->busy_loops = LOOPS_PER_CPU * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	result->all_s = estimate_s(result, arguments);
	result->line = tw_progress_begin(NAME);
	tw_compare_starts(result, arguments);
	tw_compare_null(result, arguments->rounds);
	tw_progress_end(&result->line);
	for (unsigned i = 0; i < result->clocks; i++)
		for (int load = 0; load < TW_COMPARE_LOADS; load++) {
			measured += result->sum[i][load].starts != 0;
			missing += arguments->loads >> load & 1 &&
				   !result->sum[i][load].starts;
		}
	if (tw_command_is_interrupted() && !measured)
		return tw_command_interrupted(NAME, 0);
	code = tw_command_show(NAME, &arguments->wanted, tw_compare_page(result, arguments),
			       NULL, tw_compare_json(result));
	return code == TW_EXIT_GOOD && missing ? TW_EXIT_UNDECIDED : code;
}

int tw_command_compare(char **argv)
{
	const char *patched = getenv("FIO_PATCHED");
	struct tw_compare_arguments arguments = {
		.fio = tw_fio_program(NULL),
		.fio_patched = patched && *patched ? patched : NULL,
	};
	static struct tw_compare_result result;
	int code = tw_command_options(&tw_compare_options, &arguments, argv, NULL);

	if (code != TW_GO_ON)
		return code;
	if (strcmp(arguments.fio, "none") == 0)
		arguments.fio = "";
	return compare(&result, &arguments);
}
