/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile`: reads what libtickwise-profile recorded, or runs a
 * program that records, and prints the profile.
 */
#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "base/allocate.h"
#include "base/private_folder.h"
#include "base/write_file.h"
#include "profile/command/profiles.h"

#define AT(member)	TW_OPTION_AT(struct profile_want, member)

static const struct tw_option table[] = {
	{ .name = "callers", .sets = PROFILE_CALLERS,
	  .help = "Print who calls each function, and whom it calls",
	  .more = "With calls and inclusive times.", AT(format) },
	{ .name = "folded", .sets = PROFILE_FOLDED,
	  .help = "Print a line for each path of calls, for flame graphs",
	  .more = "With its nanoseconds, for programs that draw flame graphs.",
	  AT(format) },
	{ .name = "svg", .sets = PROFILE_SVG,
	  .help = "Print a flame graph, one file that needs no other",
	  .more = "A browser shows it; there is no script in it. A column is a path of "
		  "calls, the outermost at the bottom, as wide as the time of the call "
		  "with everything called in it, hooks taken out. A frame's title, which "
		  "shows while the pointer is on it, has its times.", AT(format) },
	{ .name = "csv", .sets = PROFILE_CSV,
	  .help = "Print a line for each function",
	  .more = "Times are in nanoseconds.", AT(format) },
	{ .name = "json", .sets = PROFILE_JSON,
	  .help = "Print one JSON object",
	  .more = "It has percentiles if `histogram` was recorded.", AT(format) },
	{ .name = "trace", .sets = PROFILE_TRACE,
	  .help = "Print the calls in time, for ui.perfetto.dev or chrome://tracing",
	  .more = "Record the program with --record=events. These times are as stamped.",
	  AT(format) },
	{ .name = "top", .kind = TW_OPTION_WHOLE, .value = "N", .max = 1000000,
	  .preset = "40",
	  .help = "Print N functions of the tables, with 0 all", AT(top) },
	{ .name = "record", .kind = TW_OPTION_TEXT, .value = "WORDS",
	  .help = "Record with these words of TICKWISE_PROFILE, such as "
		  "fence=rdtscp,histogram,depth=1000",
	  .more = "See `ENVIRONMENT`.", AT(options) },
	{ .name = "exclude", .kind = TW_OPTION_TEXTS, .value = "NAME",
	  .help = "Leave functions of the program with that name untimed; may be given "
		  "again",
	  .more = "Their calls are counted. Their time is their callers'. In NAME, * and "
		  "? stand for any characters.", AT(exclude) },
	{ .name = "keep", .kind = TW_OPTION_FILE, .value = "FILE", .is_written = 1,
	  .help = "Keep in FILE what was recorded",
	  .more = "Processes that PROGRAM forks keep theirs in FILE.PID.", AT(keep) },
	{ .name = NULL },
};

const struct tw_options tw_profile_options = {
	.command = TW_PROFILE_NAME,
	.arguments = "FILE\n-- PROGRAM [ARGUMENT...]",
	.arguments_kind = TW_OPTION_FILE,
	.about =
	"Print the time per function of a program that was built with "
	"-finstrument-functions and linked with -ltickwise-profile. FILE is what such a "
	"program recorded; PROGRAM is run and recorded.",
	.codes =
	"Exit codes: 0 printed, 64 wrong command line, 65 a file is not a profile, 66 a "
	"file can't be opened or PROGRAM wrote none, 70 could not run, 74 the output "
	"could not be written.",
	.table = table,
	.common = TW_HAS_OUTPUT,
};

/* Print a message. Return: @code. */
#define FAIL(code, ...)	tw_command_fail(TW_PROFILE_NAME, code, __VA_ARGS__)

static int show(const struct profile_want *want, struct profile_file *file)
{
	static tw_profile_printer *const printers[] = {
		[PROFILE_FLAT] = tw_profile_print_flat,
		[PROFILE_CALLERS] = tw_profile_print_callers,
		[PROFILE_FOLDED] = tw_profile_print_folded,
		[PROFILE_CSV] = tw_profile_print_csv,
		[PROFILE_JSON] = tw_profile_print_json,
		[PROFILE_TRACE] = tw_profile_print_trace,
		[PROFILE_SVG] = tw_profile_print_flame,
	};
	struct profile_result result;

	tw_profile_functions(&result, file);
	tw_profile_name(&result);
	result.shown = want->top && want->top < result.function_count ? want->top :
		       result.function_count;
	printers[want->format](&result);
	tw_profile_functions_free(&result);
	return tw_command_finish(TW_PROFILE_NAME, TW_EXIT_GOOD);
}

/* Read a profile, which may be what @takes says. Return: an enum tw_exit, after a message if
 * it failed. */
static int read_file(const char *path, struct profile_file *file, int takes)
{
	unsigned line = 0;
	int failed = tw_must(tw_profile_file_read(file, path, takes, &line));

	if (!failed)
		return TW_EXIT_GOOD;
	return failed == -EINVAL ?
	       FAIL(TW_EXIT_DATA, "%s: line %u: not a profile of libtickwise-profile, or cut "
		    "off", path, line) :
	       FAIL(TW_EXIT_NO_INPUT, "%s: %s", path, tw_file_error(-failed));
}

/* Children of a program that forks write files next to its own. */
static void tell_children(const char *path)
{
	glob_t children;

	if (glob(tw_format("%s.*", path), 0, NULL, &children))
		return;
	FAIL(0, "%zu process%s that it forked %s not shown: --keep=FILE keeps %s in FILE.PID",
	     children.gl_pathc, children.gl_pathc == 1 ? "" : "es",
	     children.gl_pathc == 1 ? "is" : "are", children.gl_pathc == 1 ? "its" : "theirs");
	globfree(&children);
}

/* Run the program and read its profile. Only files that the user wants to keep remain. */
static int run_and_read(const struct profile_want *want, char **argv,
			struct profile_file *file)
{
	char *folder = tw_command_private_folder(TW_PROFILE_NAME);
	struct stat before = { 0 }, now;
	const char *path;
	int code;

	if (!folder)
		return TW_EXIT_IO;
	path = want->keep ? want->keep : tw_format("%s/profile", folder);
	stat(path, &before);
	code = tw_profile_run(argv, path, tw_format("%s/filter", folder), want);
	/* The library writes another file and renames it. So if the file is the
	 * same, it is of an earlier run. */
	if (code == TW_EXIT_GOOD &&
	    (stat(path, &now) || now.st_ino == before.st_ino))
		code = FAIL(TW_EXIT_NO_INPUT, "%s wrote no profile: was it linked with "
			    "-ltickwise-profile, and did it return from main() or call exit()?",
			    argv[0]);
	else if (code == TW_EXIT_GOOD)
		code = read_file(path, file, TW_INPUT_OWN);
	if (!want->keep)
		tell_children(path);
	tw_private_folder_remove(folder);
	return code;
}

static int run_or_read(const struct profile_want *want, const struct tw_arguments *given)
{
	struct profile_file file;
	int code;

	if (given->after_dashes) {
		tw_profile_signals_take();
		code = run_and_read(want, given->after_dashes, &file);
		tw_profile_signals_give_back();
	} else {
		code = read_file(given->list[0], &file, TW_INPUT_PIPE);
	}
	if (code != TW_EXIT_GOOD)
		return code;
	code = show(want, &file);
	tw_profile_file_free(&file);
	return code;
}

int tw_command_profile(char **argv)
{
	struct profile_want want = { .options = "" };
	struct tw_arguments given;
	int code = tw_command_options(&tw_profile_options, &want, argv, &given);

	if (code != TW_GO_ON)
		return code;
	if (!given.count)
		return FAIL(TW_EXIT_USAGE, "no file given, and no program after -- (see --help)");
	if (given.after_dashes && given.after_dashes != given.list)
		return FAIL(TW_EXIT_USAGE, "takes a file or a program, not '%s' as well",
			    given.list[0]);
	if (!given.after_dashes && given.count > 1)
		return FAIL(TW_EXIT_USAGE, "takes one file, not '%s' as well", given.list[1]);
	return run_or_read(&want, &given);
}
