/* SPDX-License-Identifier: MIT */
/*
 * Finds the clocks that can be compared on this machine, and the libraries that
 * are put into fio.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/compare/compare.h"
#include "command/own_files.h"
#include "trust.h"

#define LIBRARY_WINDOW_NS	1000000000ULL

/* Read the first line that a program writes to stdout, up to @size. Return: 0;
 * -errno: the program can't be run. */
static int first_line(char *line, size_t size, const char *const *argv)
{
	static const char *const none[] = { NULL };
	struct tw_compare_process process = { 0 };
	int ret = tw_compare_spawn(&process, argv, none, STDOUT_FILENO);

	if (ret)
		return ret;
	if (!fgets(line, (int)size, process.says))
		line[0] = '\0';
	line[strcspn(line, "\n")] = '\0';
	tw_compare_end(&process, 0);
	return 0;
}

static int read_version(char *version, size_t size, const char *fio)
{
	const char *const argv[] = { fio, "--version", NULL };
	int ret = first_line(version, size, argv);

	if (ret)
		return tw_command_fail(TW_COMPARE_NAME, TW_EXIT_NO_INPUT,
				       "can't run %s: %s", fio, strerror(-ret));
	if (!strncmp(version, "fio-", 4))
		return TW_EXIT_GOOD;
	return tw_command_fail(TW_COMPARE_NAME, TW_EXIT_NO_INPUT,
			       "%s is not fio", fio);
}

/* Does this fio have a clock source of this name? */
static int has_clocksource(const char *fio, const char *name)
{
	const char *const argv[] = { fio, "--cmdhelp=clocksource", NULL };
	static const char *const none[] = { NULL };
	struct tw_compare_process process = { 0 };
	char line[256];
	int found = 0;

	if (tw_compare_spawn(&process, argv, none, STDOUT_FILENO))
		return 0;
	while (fgets(line, sizeof(line), process.says))
		found |= strstr(line, name) != NULL;
	tw_compare_end(&process, 0);
	return found;
}

static int try_path(char *path, size_t size, const char *directory,
		    const char *below, const char *name)
{
	int length = snprintf(path, size, "%s/%s%s", directory, below, name);

	if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
		return 1;
	path[0] = '\0';
	return 0;
}

/* Find a library where this program is built, or where it was installed; else
 * "". */
static void find_library(char *path, size_t size, const char *name)
{
	char self[PATH_MAX];

	tw_own_folder(self);
	if (!self[0] || (!try_path(path, size, self, "", name) &&
			 !try_path(path, size, self, "../lib/", name) &&
			 !try_path(path, size, self, "../lib/tickwise/", name)))
		if (!try_path(path, size, TW_ENGINE_DIR, "", name))
			try_path(path, size, TW_ENGINE_DIR, "../", name);
}

static struct tw_compare_clock *add(struct tw_compare_result *result,
				    const char *name, const char *what)
{
	struct tw_compare_clock *clock = &result->clock[result->clocks++];

	*clock = (struct tw_compare_clock) { .name = name, .what = what };
	return clock;
}

static void add_fio(struct tw_compare_result *result, const char *name,
		    const char *what, const char *fio, const char *clocksource,
		    const char *version)
{
	struct tw_compare_clock *clock = add(result, name, what);

	clock->fio = fio;
	clock->clocksource = clocksource;
	snprintf(clock->version, sizeof(clock->version), "%s", version);
}

static int add_stock(struct tw_compare_result *result, const char *fio)
{
	char version[64];
	int code = read_version(version, sizeof(version), fio);

	if (code != TW_EXIT_GOOD)
		return code;
	add_fio(result, "stock-cpu", "fio --clocksource=cpu", fio, "cpu",
		version);
	add_fio(result, "stock-clock_gettime",
		"fio --clocksource=clock_gettime", fio, "clock_gettime",
		version);
	if (result->preload[0]) {
		add_fio(result, "preload", "that under libtickwise-preload.so",
			fio, "clock_gettime", version);
		result->clock[result->clocks - 1].preload = 1;
	}
	return TW_EXIT_GOOD;
}

static int add_patched(struct tw_compare_result *result, const char *fio)
{
	char version[64];
	int code = read_version(version, sizeof(version), fio);

	if (code != TW_EXIT_GOOD)
		return code;
	add_fio(result, "patched-cpu", "patched fio --clocksource=cpu", fio,
		"cpu", version);
	if (has_clocksource(fio, "tickwise"))
		add_fio(result, "patched-tickwise",
			"patched fio --clocksource=tickwise", fio, "tickwise",
			version);
	return TW_EXIT_GOOD;
}

int tw_compare_find(struct tw_compare_result *result,
		    const struct tw_compare_arguments *arguments)
{
	struct tw_compare_clock *clock;
	int code = TW_EXIT_GOOD;

	find_library(result->preload, sizeof(result->preload),
		     "libtickwise-preload.so");
	find_library(result->probe, sizeof(result->probe),
		     "tickwise-fio_probe.so");
	find_library(result->counter, sizeof(result->counter),
		     "tickwise-count_reads.so");
	if (!result->probe[0])
		return tw_own_file_missing(TW_COMPARE_NAME,
					   "tickwise-fio_probe.so", "");
	if (arguments->fio[0])
		code = add_stock(result, arguments->fio);
	if (code == TW_EXIT_GOOD && arguments->fio_patched)
		code = add_patched(result, arguments->fio_patched);
	if (code != TW_EXIT_GOOD)
		return code;
	clock = add(result, "engine", "tw_clock as the engine sets it up, 20 ms");
	clock->window_ns = TW_TRUST_ENGINE_WINDOW_NS;
	clock->check = 1;
	clock = add(result, "library", "tw_clock_init(), one second");
	clock->window_ns = LIBRARY_WINDOW_NS;
	return TW_EXIT_GOOD;
}
