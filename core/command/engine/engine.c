/* SPDX-License-Identifier: MIT */
/*
 * tickwise engine prints where the engine for a fio is; tickwise build-engine
 * builds one. The script plugin/fio/build-engine.sh, which knows fio's source, does
 * the building. This file parses the command line for it.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/private_folder.h"
#include "command/command.h"
#include "command/own_files.h"
#include "command/run/run_parts.h"

#define ENGINE_NAME	"engine"
#define BUILD_NAME	"build-engine"
#define BUILD_SCRIPT	"tickwise-build-engine"

struct wanted {
	const char *fio;
	const char *source, *output;	/* NULL: to be found */
};

#define AT(member)	TW_OPTION_AT(struct wanted, member)

static const struct tw_option engine_table[] = {
	TW_OPTION_FIO(struct wanted, fio, "Find the engine for this fio"),
	{ .name = NULL },
};

const struct tw_options tw_engine_options = {
	.command = ENGINE_NAME,
	.about =
	"Print the path of the engine that fio can load, for job files: "
	"ioengine=external:PATH. The engines for NVMe passthrough and for memory are in "
	"the same folder: tickwise-cmd.so and tickwise-memory.so.",
	.codes =
	"Exit codes: 0 good; 64 wrong command line, 66 there is no engine, 70 fio can't "
	"load it.",
	.table = engine_table,
};

static const struct tw_option build_table[] = {
	TW_OPTION_FIO(struct wanted, fio, "Build the engines for this fio"),
	{ .name = "source", .kind = TW_OPTION_FILE, .value = "PATH",
	  .otherwise = "the folder that fio was built in, its source package, or fio's git",
	  .help = "Take fio's source from this folder or archive",
	  .more = "It must be the source that exactly this fio was built from. "
		  "With it, nothing is fetched.", AT(source) },
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FOLDER",
	  .otherwise = "where `tickwise run` finds them",
	  .help = "Put the engines into FOLDER",
	  .more = "By default this is /var/lib/tickwise for root, else tickwise in "
		  "$XDG_DATA_HOME or ~/.local/share; there, a folder for each version "
		  "of fio.", AT(output) },
	{ .name = NULL },
};

const struct tw_options tw_build_engine_options = {
	.command = BUILD_NAME,
	.about =
	"Build the engines for another fio than the installed engines are for. An "
	"engine can be loaded only by the fio that it was built for. Prints what "
	"was built, and from which source.",
	.codes =
	"Exit codes: 0 good; 64 wrong command line, 66 there is no such fio or no source "
	"of it, 70 the engine could not be built, 74 FOLDER can't be written.",
	.table = build_table,
};

static int read_options(const struct tw_options *options, struct wanted *wanted,
			char **argv)
{
	int code = tw_command_options(options, wanted, argv, NULL);

	wanted->fio = tw_fio_program(wanted->fio);
	return code;
}

/* ---- tickwise engine ---- */

int tw_command_engine(char **argv)
{
	struct wanted wanted = { 0 };
	struct tw_run_engines engines = { .fio = NULL };
	int code = read_options(&tw_engine_options, &wanted, argv);

	if (code != TW_GO_ON)
		return code;
	tw_run_name = ENGINE_NAME;
	engines.fio = wanted.fio;
	code = tw_run_find_engines(&engines, NULL);
	if (code == TW_EXIT_GOOD)
		code = tw_run_try_engine(&engines, engines.path);
	if (code == TW_EXIT_GOOD)
		puts(engines.path);
	return code;
}

/* ---- tickwise build-engine ---- */

int tw_command_build_engine(char **argv)
{
	struct wanted wanted = { 0 };
	int code = read_options(&tw_build_engine_options, &wanted, argv);
	char *script, *work;
	const char *folder;

	if (code != TW_GO_ON)
		return code;
	folder = wanted.output ? wanted.output : tw_run_built_folder(wanted.fio);
	if (!folder)
		return tw_command_fail(BUILD_NAME, TW_EXIT_NO_INPUT, "%s is no fio that "
				       "can be run", wanted.fio);
	script = tw_own_file(BUILD_SCRIPT, X_OK);
	if (!script)
		return tw_own_file_missing(BUILD_NAME, BUILD_SCRIPT, "");
	work = tw_command_private_folder(BUILD_NAME);
	if (!work)
		return TW_EXIT_IO;
	execl(script, script, wanted.fio, wanted.source ? wanted.source : "", folder, work,
	      wanted.output ? NULL : "found", NULL);
	code = tw_command_fail(BUILD_NAME, TW_EXIT_SOFTWARE, "can't run %s: %s", script,
			       strerror(errno));
	tw_private_folder_remove(work);
	free(script);
	return code;
}
