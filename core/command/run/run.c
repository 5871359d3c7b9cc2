/* SPDX-License-Identifier: MIT */
/*
 * tickwise run: runs an fio job of io_uring on the tickwise engine; with
 * --convert also a job of another engine. fio uses the engine that a job file
 * names, whatever its command line contains. So fio gets a copy of the job file
 * with this line changed, and the reports that the engine wrote prove that it
 * ran.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "command/command.h"
#include "command/output/page.h"
#include "base/plain_text.h"
#include "command/run/run.h"

#define KILLED_BY	128	/* plus the signal's number, as in a shell */

struct wanted {
	const char *engine;	/* NULL: to be found */
	const char *fio;	/* NULL: to be found */
	int convert;
	int dry_run;
	int report, no_report;
	struct tw_option_texts ab;	/* with no text or two */
	int runs;
};

#define AT(member)	TW_OPTION_AT(struct wanted, member)

static const struct tw_option table[] = {
	{ .name = "convert",
	  .help = "Convert jobs of libaio, posixaio, sync, psync, vsync, pvsync, pvsync2 "
		  "and jobs without an ioengine, too",
	  .more = "Without it, only jobs of io_uring and io_uring_cmd run on the engine.",
	  AT(convert) },
	{ .name = "engine", .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "the one that `tickwise engine` prints",
	  .help = "Take the engine from FILE", AT(engine) },
	{ .name = "fio", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM",
	  .otherwise = "FIO of the environment, else fio",
	  .help = "Run this fio",
	  .more = "Only the version that the engine was built for can load it.",
	  AT(fio) },
	{ .name = "dry-run",
	  .help = "Print the changed job files and run nothing", AT(dry_run) },
	{ .name = "report",
	  .help = "Print the page of `tickwise report` also where fio prints no text, but "
		  "JSON or terse lines",
	  .more = "Where fio prints text, the page follows it, on standard output.",
	  AT(report) },
	{ .name = "no-report", .help = "Print no page", AT(no_report) },
	{ .name = "ab", .kind = TW_OPTION_TEXTS, .value = "OPTIONS",
	  .help = "Run the jobs with two sets of fio's options in turn, and "
		  "compare the runs as `tickwise diff` does; give this option "
		  "twice, for A and for B",
	  .more = "OPTIONS are as in a job file, with blanks between, and replace what a "
		  "job has: `--ab=iodepth=1 --ab='iodepth=8 hipri=1'`. They may be empty. "
		  "fio's own output is not shown. The exit code is that of `tickwise "
		  "diff`.", AT(ab) },
	{ .name = "runs", .kind = TW_OPTION_WHOLE, .value = "N",
	  .min = 1, .max = 32, .preset = "5",
	  .help = "With --ab, run each side N times",
	  .more = "A verdict takes five.", AT(runs) },
	{ .name = NULL },
};

const struct tw_options tw_run_options = {
	.command = TW_RUN_NAME,
	.arguments = "JOB.fio... [fio's arguments]",
	.arguments_kind = TW_OPTION_FILE,
	.about =
	"Run fio with a job as it is, but on tickwise's engine. fio reads a copy of the "
	"job file in which ioengine=io_uring and io_uring_cmd name that engine. Jobs on "
	"other engines are left as they are. Each change is reported on stderr. The page "
	"of `tickwise report` follows fio's text; fio's JSON gets the reports: a key "
	"tickwise in each job. Jobs can be given by fio's options, too.\n"
	"\n"
	"The options below may stand anywhere before a --. All other arguments are fio's.",
	.codes =
	"Exit codes: fio's own; 128 and the signal that fio died of. If fio could not "
	"run, or its jobs ran on another engine: 64 wrong command line, 65 a job file "
	"can't be used, 66 a file can't be opened, 70 and above all else.",
	.table = table,
	.common = TW_HAS_QUIET,
	.passes_on = 1,
};

void tw_run_say(const char *format, ...)
{
	char message[TW_COMMAND_MESSAGE];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	tw_command_fail(TW_RUN_NAME, TW_EXIT_GOOD, "%s", message);
}

/* ---- before fio ---- */

static int read_files(struct tw_run_arguments *arguments)
{
	int code = TW_EXIT_GOOD;

	for (size_t i = 0; i < arguments->file_count && code == TW_EXIT_GOOD; i++) {
		struct tw_run_jobs *jobs = &arguments->files[i];

		/* fio forgets --section and options before the first --name
		 * after the first file. */
		if (i == 0)
			jobs->before = &arguments->jobs;
		code = tw_run_read(jobs, jobs->path, arguments->only,
				   i ? 0 : arguments->only_count);
	}
	return code;
}

static int change_all(struct tw_run_arguments *arguments,
		      struct tw_run_engines *engines)
{
	struct tw_run_outcome outcome = { 0 };
	int code = tw_run_change(&arguments->jobs, engines, &outcome);

	for (size_t i = 0; i < arguments->file_count && code == TW_EXIT_GOOD; i++)
		code = tw_run_change(&arguments->files[i], engines, &outcome);
	if (code != TW_EXIT_GOOD)
		return code;
	tw_run_report_left(&outcome);
	if (!outcome.on_tickwise)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_DATA, "no job here "
				       "would run on tickwise's engine");
	return TW_EXIT_GOOD;
}

/* Find the engines. fio is asked later which options they have. */
static int find_engines(struct tw_run_engines *engines, const struct wanted *wanted,
			char *const *argv)
{
	*engines = (struct tw_run_engines) {
		.name = TW_RUN_NAME,
		.fio = wanted->fio,
		.convert = wanted->convert,
	};
	if (!*argv)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_USAGE,
				       "no job given (see --help)");
	return tw_run_find_engines(engines, wanted->engine);
}

/* Prepare a run. @options: the options of a side of --ab; or NULL. */
static int prepare(struct tw_run_arguments *arguments, struct tw_run_engines *engines,
		   const char *options, char **argv)
{
	int code = tw_run_read_arguments(arguments, argv, engines);

	if (code == TW_EXIT_GOOD && options)
		code = tw_run_check_sides(arguments);
	if (code == TW_EXIT_GOOD)
		code = read_files(arguments);
	if (code == TW_EXIT_GOOD && options)
		tw_run_add_options(arguments, options);
	if (code == TW_EXIT_GOOD)
		code = change_all(arguments, engines);
	return code;
}

/* Print @text quoted for a shell, without characters that move a cursor. */
static void print_quoted(const char *text, FILE *stream)
{
	size_t length;

	if (*text && !text[strspn(text, "abcdefghijklmnopqrstuvwxyz"
				  "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				  "0123456789_./+,:@%=-")]) {
		fprintf(stream, " %s", text);
		return;
	}
	fputs(" '", stream);
	for (; *text; text += length ? length : 1) {
		length = tw_plain_length(text);
		if (!length)
			fputc('?', stream);
		else if (*text == '\'')
			fputs("'\\''", stream);
		else
			fwrite(text, length, 1, stream);
	}
	fputs("'", stream);
}

void tw_run_print_command(const char *program, char *const *argv, FILE *file)
{
	fputs(program, file);
	while (*argv)
		print_quoted(*argv++, file);
	fputc('\n', file);
}

/* Print the job files as fio would read them, then the command line as a
 * comment. */
static int print_changed(const struct tw_run_arguments *arguments,
			 const char *fio)
{
	char **list = tw_run_fio_arguments(arguments, fio);

	for (size_t i = 0; i < arguments->file_count; i++)
		tw_run_print(&arguments->files[i], stdout);
	fputs(arguments->file_count ? "# run as: " : "", stdout);
	tw_run_print_command(list[0], list + 1, stdout);
	return tw_command_finish(TW_RUN_NAME, TW_EXIT_GOOD);
}

/* ---- after fio ---- */

static void say_reports(const struct tw_run_reports *reports)
{
	if (tw_command_is_quiet())
		return;
	tw_run_say("%zu report%s. To read %s (add --html=page.html for plots), type:",
		   reports->count, tw_format_plural(reports->count),
		   reports->count == 1 ? "it" : "them");
	fputs("  tickwise report", stderr);
	if (reports->list[0].path[0] == '-')
		fputs(" --", stderr);
	for (size_t i = 0; i < reports->count; i++)
		print_quoted(reports->list[i].path, stderr);
	fputc('\n', stderr);
}

static int print_reports(const struct tw_run_reports *reports)
{
	char **argv = NULL;
	size_t count = tw_push(&argv, 0, tw_format("report"));

	count = tw_push(&argv, count, tw_format("--"));
	for (size_t i = 0; i < reports->count; i++)
		count = tw_push(&argv, count, reports->list[i].path);
	tw_push(&argv, count, NULL);
	putchar('\n');
	return tw_command_report((int)count, argv);
}

int tw_run_exit_code(int status)
{
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	tw_run_say("fio was killed by signal %d", WTERMSIG(status));
	return KILLED_BY + WTERMSIG(status);
}

static int wants_page(const struct tw_run_arguments *arguments,
		      const struct wanted *wanted)
{
	return !wanted->no_report && (wanted->report || !arguments->is_no_text);
}

static int run_fio(struct tw_run_arguments *arguments,
		   const struct wanted *wanted)
{
	struct tw_run_reports reports = { NULL, 0 };
	time_t since = time(NULL);
	int code, status, added, checked;
	pid_t pid;

	tw_run_keep_output(arguments);
	code = tw_run_fio(arguments, wanted->fio, &pid, &status);
	if (code != TW_EXIT_GOOD)
		return code;
	code = tw_run_exit_code(status);
	if (arguments->runs_nothing)
		return code;
	tw_run_find_reports(&reports, arguments, pid, since);
	added = tw_run_add_to_json(arguments, &reports);
	/* If fio failed, it has printed why reports are missing. */
	checked = code ? code : tw_run_check_reports(&reports, arguments);
	checked = checked ? checked : added;
	if (reports.count && wants_page(arguments, wanted))
		code = print_reports(&reports);
	if (reports.count)
		say_reports(&reports);
	return checked ? checked : code;
}

static int prepare_and_run(const struct wanted *wanted, char **argv)
{
	struct tw_run_arguments arguments = { 0 };
	struct tw_run_engines engines;
	int code = find_engines(&engines, wanted, argv);

	if (code == TW_EXIT_GOOD)
		code = prepare(&arguments, &engines, NULL, argv);
	if (code != TW_EXIT_GOOD)
		return code;
	return wanted->dry_run ? print_changed(&arguments, wanted->fio) :
		run_fio(&arguments, wanted);
}

static int prepare_and_compare(const struct wanted *wanted, char **argv)
{
	struct tw_run_arguments sides[2] = { { 0 }, { 0 } };
	struct tw_run_engines engines;
	int code;

	if (wanted->ab.count != 2)
		return tw_command_fail(TW_RUN_NAME, TW_EXIT_USAGE, "--ab is given "
				       "twice: for A and for B");
	code = find_engines(&engines, wanted, argv);
	for (int i = 0; i < 2 && code == TW_EXIT_GOOD; i++)
		code = prepare(&sides[i], &engines, wanted->ab.list[i], argv);
	for (int i = 0; i < 2 && code == TW_EXIT_GOOD && wanted->dry_run; i++)
		code = print_changed(&sides[i], wanted->fio);
	return code != TW_EXIT_GOOD || wanted->dry_run ? code :
		tw_run_in_turn(sides, wanted->fio, wanted->runs);
}

int tw_command_run(int argc, char **argv)
{
	struct wanted wanted = { 0 };
	struct tw_arguments of_fio;
	int code;

	for (size_t i = 0; i < (size_t)argc; i++)
		wanted.ab.list = tw_grow(wanted.ab.list, i, sizeof(char *));
	code = tw_command_options(&tw_run_options, &wanted, argv, &of_fio);
	if (code != TW_GO_ON)
		return code;
	if (!wanted.fio)
		wanted.fio = getenv("FIO");
	if (!wanted.fio || !*wanted.fio)
		wanted.fio = "fio";
	code = wanted.ab.count ? prepare_and_compare(&wanted, of_fio.list) :
				 prepare_and_run(&wanted, of_fio.list);
	tw_release_texts();
	return code;
}
