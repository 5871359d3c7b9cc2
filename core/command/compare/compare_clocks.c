/* SPDX-License-Identifier: MIT */
/*
 * Finds the clocks that can be compared on this machine, and the libraries that are put
 * into fio.
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/allocate.h"
#include "command/command.h"
#include "command/compare/compare_parts.h"
#include "command/own_files.h"
#include "trust.h"

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
		return tw_command_fail(TW_COMPARE_NAME, TW_EXIT_NO_INPUT,
				       "can't run %s: %s", fio, strerror(-ret));
	if (strncmp(text, "fio-", 4) != 0)
		return tw_command_fail(TW_COMPARE_NAME, TW_EXIT_NO_INPUT,
				       "%s is not fio", fio);
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

int tw_compare_find(struct tw_compare_result *result,
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
		return tw_own_file_missing(TW_COMPARE_NAME, "tickwise-fio_probe.so", "");
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
