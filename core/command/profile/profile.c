/* SPDX-License-Identifier: MIT */
/*
 * `tickwise profile`: reads what libtickwise-profile recorded, or has a program
 * recorded first, and prints it.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "command/command.h"
#include "command/profile/profile.h"
#include "command/profile/symbols.h"

#define DEFAULT_TOP	40

enum { OPTION_TOP = 1000, OPTION_RECORD, OPTION_KEEP, OPTION_EXCLUDE,
       OPTION_AGAINST, OPTION_HELP };

static const struct option known[] = {
	{ "callers", no_argument, NULL, PROFILE_CALLERS },
	{ "folded", no_argument, NULL, PROFILE_FOLDED },
	{ "csv", no_argument, NULL, PROFILE_CSV },
	{ "json", no_argument, NULL, PROFILE_JSON },
	{ "trace", no_argument, NULL, PROFILE_TRACE },
	{ "svg", no_argument, NULL, PROFILE_SVG },
	{ "against", required_argument, NULL, OPTION_AGAINST },
	{ "top", required_argument, NULL, OPTION_TOP },
	{ "record", required_argument, NULL, OPTION_RECORD },
	{ "keep", required_argument, NULL, OPTION_KEEP },
	{ "exclude", required_argument, NULL, OPTION_EXCLUDE },
	{ "help", no_argument, NULL, OPTION_HELP },
	{ NULL, 0, NULL, 0 },
};

static void print_usage(void)
{
	puts("usage: tickwise profile [options] FILE\n"
	     "       tickwise profile [options] -- PROGRAM [ARGUMENT...]\n"
	     "\n"
	     "Time per function of a program that was built with\n"
	     "-finstrument-functions and linked with -ltickwise-profile.\n"
	     "\n"
	     "  --callers        who calls each function, and whom it calls\n"
	     "  --folded         a line for each path of calls, for flame graphs\n"
	     "  --svg            a flame graph, one file with nothing beside it\n"
	     "  --csv            a line for each function\n"
	     "  --json           one JSON object\n"
	     "  --trace          the calls in time, for ui.perfetto.dev (record\n"
	     "                   them with --record=events)\n"
	     "  --against=PERF   compare each function's share of the time with\n"
	     "                   that in PERF, a file of perf record or the text\n"
	     "                   of perf script --no-demangle (table, --json)\n"
	     "  --top=N          so many functions of the tables (40; 0: all)\n"
	     "  --record=WORDS   how to record: words of TICKWISE_PROFILE\n"
	     "                   (fence=rdtscp,histogram,depth=1000 ...)\n"
	     "  --exclude=NAME   don't time functions of the program with that\n"
	     "                   name, * and ? for any; may be given again\n"
	     "  --keep=FILE      keep what was recorded there\n"
	     "  --help           this page");
}

static int take_top(struct profile_want *want, const char *value)
{
	char *end;
	unsigned long number = strtoul(value, &end, 10);

	if (end == value || *end || number > 1000000 || *value == '-')
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_USAGE,
				       "--top=%s: not a number of functions",
				       value);
	want->top = (unsigned)number;
	return TW_EXIT_GOOD;
}

/* No exit code: all has been said. */
#define HELPED	(-1)

static int take(void *context, int option)
{
	struct profile_want *want = context;

	switch (option) {
	case OPTION_HELP:
		print_usage();
		return HELPED;
	case OPTION_TOP:
		return take_top(want, optarg);
	case OPTION_RECORD:
		want->options = optarg;
		return TW_EXIT_GOOD;
	case OPTION_AGAINST:
		want->against = optarg;
		return TW_EXIT_GOOD;
	case OPTION_KEEP:
		want->keep = optarg;
		return TW_EXIT_GOOD;
	case OPTION_EXCLUDE:
		want->exclude[want->exclude_count++] = optarg;
		return TW_EXIT_GOOD;
	default:
		want->format = (enum profile_format)option;
		return TW_EXIT_GOOD;
	}
}

static int print(const struct profile_want *want,
		 const struct profile_file *file,
		 const struct profile_result *result,
		 const struct profile_against *against)
{
	switch (want->format) {
	case PROFILE_FLAT:
		if (against)
			tw_profile_print_against(against, want->top);
		else
			tw_profile_print_flat(file, result, want->top);
		return 0;
	case PROFILE_CALLERS:
		tw_profile_print_callers(file, result, want->top);
		return 0;
	case PROFILE_FOLDED:
		return tw_profile_print_folded(file, result);
	case PROFILE_CSV:
		tw_profile_print_csv(file, result);
		return 0;
	case PROFILE_JSON:
		return tw_profile_print_json(file, result, against);
	case PROFILE_SVG:
		return tw_profile_print_flame(file, result);
	case PROFILE_TRACE:
		return tw_profile_print_trace(file, result);
	}
	return 0;
}

static int fail_memory(void)
{
	return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE,
			       "no memory for this profile");
}

static int show(const struct profile_want *want, struct profile_file *file,
		const struct perf_samples *samples)
{
	struct profile_against against = { 0 };
	struct profile_result result;
	int failed = tw_profile_functions(&result, file);

	if (!failed)
		failed = tw_profile_name(&result, file);
	if (!failed && samples)
		failed = tw_profile_against(&against, &result, samples,
					    want->against);
	if (!failed)
		failed = print(want, file, &result, samples ? &against : NULL);
	tw_profile_against_free(&against);
	tw_profile_functions_free(&result);
	if (failed == -ENODATA)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_DATA,
				       "%s: no sample is of a function of this "
				       "profile", want->against);
	return failed ? fail_memory() :
	       tw_command_finish(TW_PROFILE_NAME, TW_EXIT_GOOD);
}

static int read_samples(const char *path, struct perf_samples *samples)
{
	unsigned line = 0;
	int failed = tw_perf_script_read(samples, path, &line);

	switch (failed) {
	case 0:
		return TW_EXIT_GOOD;
	case -EINVAL:
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_DATA,
				       "%s: line %u: neither a file of perf "
				       "record nor what perf script "
				       "--no-demangle prints", path, line);
	case -EPROTO:
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_DATA,
				       "%s: perf script can't read it", path);
	case -ENOEXEC:
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_SOFTWARE,
				       "%s: perf is needed to read it, and is "
				       "not installed (Debian: linux-perf)",
				       path);
	case -ENOMEM:
		return fail_memory();
	}
	return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_NO_INPUT, "%s: %s",
			       path, strerror(-failed));
}

static int read_file(struct profile_file *file, const char *path)
{
	unsigned line;
	int failed = tw_profile_file_read(file, path, &line);

	if (failed == -EINVAL)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_DATA,
				       "%s: line %u: not a profile of ours, or "
				       "not all of it", path, line);
	if (failed == -ENOMEM)
		return fail_memory();
	if (failed)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_NO_INPUT,
				       "%s: %s", path, strerror(-failed));
	return TW_EXIT_GOOD;
}

/* With what children of fork wrote there. */
static void remove_directory(const char *path)
{
	DIR *directory = opendir(path);
	struct dirent *entry;

	while (directory && (entry = readdir(directory)) != NULL)
		unlinkat(dirfd(directory), entry->d_name, 0);
	if (directory)
		closedir(directory);
	rmdir(path);
}

/* Leaves nothing behind but what is to be kept. */
static int run_and_read(const struct profile_want *want, char **argv,
			struct profile_file *file)
{
	const char *tmp = getenv("TMPDIR");
	char directory[2048], path[4096];
	struct stat before = { 0 }, now;
	int code;

	snprintf(directory, sizeof(directory), "%s/tickwise-profile.XXXXXX",
		 tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(directory))
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_IO,
				       "can't make %s: %s", directory,
				       strerror(errno));
	snprintf(path, sizeof(path), "%s/profile", directory);
	if (want->keep)
		snprintf(path, sizeof(path), "%s", want->keep);
	stat(path, &before);
	code = tw_profile_run(argv, path, want);
	/* It is written aside and renamed: the same file is an earlier run's. */
	if (code == TW_EXIT_GOOD &&
	    (stat(path, &now) || now.st_ino == before.st_ino))
		code = tw_command_fail(TW_PROFILE_NAME, TW_EXIT_NO_INPUT,
				       "%s wrote no profile: was it linked "
				       "with -ltickwise-profile, and did it "
				       "return from main() or call exit()?",
				       argv[0]);
	else if (code == TW_EXIT_GOOD)
		code = read_file(file, path);
	remove_directory(directory);
	return code;
}

static int run_or_read(const struct profile_want *want, int argc, char **argv,
		       const struct perf_samples *samples)
{
	struct profile_file file;
	int code;

	if (strcmp(argv[optind - 1], "--") == 0) {
		tw_profile_signals_take();
		code = run_and_read(want, argv + optind, &file);
		tw_profile_signals_give_back();
	} else if (optind + 1 < argc) {
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_USAGE,
				       "takes one file, not '%s' as well",
				       argv[optind + 1]);
	} else {
		code = read_file(&file, argv[optind]);
	}
	if (code != TW_EXIT_GOOD)
		return code;
	code = show(want, &file, samples);
	tw_profile_file_free(&file);
	return code;
}

static int with(struct profile_want *want, int argc, char **argv)
{
	struct perf_samples samples;
	int code = tw_command_scan(TW_PROFILE_NAME, argc, argv, known, take,
				   want);

	if (code == HELPED)
		return tw_command_finish(TW_PROFILE_NAME, TW_EXIT_GOOD);
	if (code != TW_EXIT_GOOD)
		return code;
	if (want->against && want->format != PROFILE_FLAT &&
	    want->format != PROFILE_JSON)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_USAGE,
				       "--against goes with the table and with "
				       "--json");
	if (optind == argc)
		return tw_command_fail(TW_PROFILE_NAME, TW_EXIT_USAGE,
				       "no file given, and no program after "
				       "-- (see --help)");
	if (!want->against)
		return run_or_read(want, argc, argv, NULL);
	/* Before a program runs for minutes. */
	code = read_samples(want->against, &samples);
	if (code != TW_EXIT_GOOD)
		return code;
	code = run_or_read(want, argc, argv, &samples);
	tw_perf_samples_free(&samples);
	return code;
}

int tw_command_profile(int argc, char **argv)
{
	struct profile_want want = { .top = DEFAULT_TOP, .options = "" };
	int code;

	want.exclude = calloc((size_t)argc, sizeof(*want.exclude));
	if (!want.exclude)
		return fail_memory();
	code = with(&want, argc, argv);
	free(want.exclude);
	return code;
}
