/* SPDX-License-Identifier: MIT */
/*
 * Reads fio's command line as fio reads it. Some arguments are job files, some
 * are options of fio, and some are options of jobs; the latter are kept as
 * lines of one more job file. fio accepts an option's name cut short, if only
 * one option begins with it, as getopt_long_only() does. Here this works for
 * ioengine only.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run/run.h"

enum what {
	PASSED,
	RUNS_NOTHING,
	ELSEWHERE,		/* jobs run on another host, or later */
	SECTION,
	AUX_PATH,
	OUTPUT,
	FORMAT,
	TERSE,			/* replaces any format before it */
};

/* fio's own options, which are not options of jobs. They are the same from 3.33
 * to 3.42. */
static const struct fio_option {
	const char *name;
	char letter;
	int takes_value;	/* the value may be an argument of its own */
	enum what what;
} fio_options[] = {
	{ "output", 'o', 1, OUTPUT },
	{ "latency-log", 'l', 1, PASSED },
	{ "bandwidth-log", 'b', 0, PASSED },
	{ "minimal", 'm', 0, TERSE },
	{ "output-format", 'F', 1, FORMAT },
	{ "append-terse", 'f', 0, PASSED },
	{ "version", 'v', 0, RUNS_NOTHING },
	{ "help", 'h', 0, RUNS_NOTHING },
	{ "cmdhelp", 'c', 0, RUNS_NOTHING },
	{ "enghelp", 'i', 0, RUNS_NOTHING },
	{ "showcmd", 's', 0, RUNS_NOTHING },
	{ "readonly", 'r', 0, PASSED },
	{ "eta", 'e', 1, PASSED },
	{ "eta-interval", 'O', 1, PASSED },
	{ "eta-newline", 'E', 1, PASSED },
	{ "debug", 'd', 1, PASSED },
	{ "parse-only", 'P', 0, RUNS_NOTHING },
	{ "section", 'x', 1, SECTION },
	{ "inflate-log", 'X', 1, RUNS_NOTHING },
	{ "alloc-size", 'a', 1, PASSED },
	{ "profile", 'p', 1, PASSED },
	{ "warnings-fatal", 'w', 0, PASSED },
	{ "max-jobs", 'j', 1, PASSED },
	{ "terse-version", 'V', 1, PASSED },
	{ "server", 'S', 0, ELSEWHERE },
	{ "daemonize", 'D', 1, ELSEWHERE },
	{ "client", 'C', 1, ELSEWHERE },
	{ "remote-config", 'R', 1, ELSEWHERE },
	{ "cpuclock-test", 'T', 0, RUNS_NOTHING },
	{ "crctest", 'G', 0, RUNS_NOTHING },
	{ "memcpytest", 'M', 0, RUNS_NOTHING },
	{ "idle-prof", 'I', 1, PASSED },
	{ "status-interval", 'L', 1, PASSED },
	{ "trigger-file", 'W', 1, PASSED },
	{ "trigger-timeout", 'B', 1, PASSED },
	{ "trigger", 'H', 1, PASSED },
	{ "trigger-remote", 'J', 1, PASSED },
	{ "aux-path", 'K', 1, AUX_PATH },
	{ "merge-blktrace-only", 'A', 0, RUNS_NOTHING },
};

#define FIO_OPTIONS	(sizeof(fio_options) / sizeof(*fio_options))

/* One argument, and the next one, which may be its value. */
struct given {
	char *name;		/* without dashes and "=value" */
	char *value;		/* NULL: it has no '=' */
	char *next;		/* NULL: none follows, or an option does */
};

static struct given take_apart(char **argv)
{
	char *dashless = argv[0] + (argv[0][1] == '-' ? 2 : 1);
	char *equals = strchr(dashless, '=');
	size_t length = equals ? (size_t)(equals - dashless) : strlen(dashless);
	char *next = equals ? NULL : argv[1];

	return (struct given) {
		.name = tw_run_format("%.*s", (int)length, dashless),
		.value = equals ? equals + 1 : NULL,
		.next = next && (*next != '-' || !next[1]) ? next : NULL,
	};
}

static const struct fio_option *find_option(const char *argument,
					    const char *name)
{
	int is_letter = argument[1] != '-' && name[0] && !name[1];

	for (size_t i = 0; i < FIO_OPTIONS; i++)
		if (is_letter ? fio_options[i].letter == name[0] :
		    strcmp(fio_options[i].name, name) == 0)
			return &fio_options[i];
	return NULL;
}

static struct tw_run_argument *add(struct tw_run_arguments *arguments,
				   char **argv, int count)
{
	struct tw_run_argument *argument;

	arguments->list = tw_run_grow(arguments->list, arguments->count,
				      sizeof(*arguments->list));
	argument = &arguments->list[arguments->count++];
	*argument = (struct tw_run_argument) {
		.argv = argv, .count = count, .line = -1, .file = -1,
	};
	return argument;
}

static void add_file(struct tw_run_arguments *arguments, char **argv)
{
	struct tw_run_argument *argument = add(arguments, argv, 1);

	argument->file = (ptrdiff_t)arguments->file_count;
	arguments->files = tw_run_grow(arguments->files, arguments->file_count,
				       sizeof(*arguments->files));
	arguments->files[arguments->file_count++] =
		(struct tw_run_jobs) { .path = argv[0] };
}

/* Remember the output's format. @names: the value of --output-format, with
 * commas; "" for fio's terse lines. */
static void note_format(struct tw_run_arguments *arguments, const char *names)
{
	arguments->is_json = strstr(names, "json") != NULL;
	arguments->is_no_text = strcmp(names, "normal") != 0;
}

/* Add an option of fio. Return: the number of arguments it takes; 0:
 * refused. */
static int add_fio_option(struct tw_run_arguments *arguments, char **argv,
			  const struct fio_option *option,
			  const struct given *given)
{
	const char *value = given->value ? given->value : argv[1];
	int count = option->takes_value && !given->value && argv[1] ? 2 : 1;

	add(arguments, argv, count);
	if (option->what == RUNS_NOTHING)
		arguments->runs_nothing = 1;
	if (option->what == ELSEWHERE) {
		tw_command_fail(TW_RUN_NAME, TW_EXIT_USAGE, "%s: not with run: "
				"the engine's path and its reports are of this "
				"machine (put ioengine=external:PATH into the "
				"job file)", argv[0]);
		return 0;
	}
	if (option->what == AUX_PATH)
		arguments->aux_path = value;
	if (option->what == OUTPUT)
		arguments->output = value;
	if (option->what == FORMAT || option->what == TERSE)
		note_format(arguments, option->what == FORMAT && value ? value : "");
	if (option->what == SECTION && value) {
		arguments->only = tw_run_grow(arguments->only,
					      arguments->only_count,
					      sizeof(*arguments->only));
		arguments->only[arguments->only_count++] = value;
	}
	return count;
}

static char *full_name(char *name)
{
	size_t length = strlen(name);

	/* No other option of fio begins with these three letters. */
	return length >= 3 && strncmp(name, "ioengine", length) == 0 ?
		tw_run_format("ioengine") : name;
}

static int may_be_file(const char *argument)
{
	return strcmp(argument, "-") == 0 || access(argument, F_OK) == 0;
}

/* Add an option of a job. The argument after an option is its value; if the
 * option needs no value, an existing file is a job file. A job file that does
 * not exist is passed to fio, which reports the error. */
static int add_job_option(struct tw_run_arguments *arguments, char **argv,
			  const struct given *given,
			  struct tw_run_engines *engines)
{
	struct tw_run_jobs *jobs = &arguments->jobs;
	struct tw_run_line *line;
	int takes_next = given->next && (!may_be_file(given->next) ||
					 !tw_run_is_flag(engines, given->name));
	char *value = takes_next ? given->next : given->value;

	if (strcmp(given->name, "name") == 0)
		tw_run_add_section(jobs, tw_run_format("%s", value ? value : ""));
	line = tw_run_add_line(jobs);
	line->name = full_name(given->name);
	line->value = tw_run_format("%s", value ? value : "");
	line->text = tw_run_format("--%s%s%s", line->name, value ? "=" : "",
				   line->value);
	add(arguments, argv, 1 + takes_next)->line =
		(ptrdiff_t)jobs->line_count - 1;
	return 1 + takes_next;
}

static int add_option(struct tw_run_arguments *arguments, char **argv,
		      struct tw_run_engines *engines)
{
	struct given given = take_apart(argv);
	const struct fio_option *option = find_option(argv[0], given.name);

	if (option)
		return add_fio_option(arguments, argv, option, &given);
	return add_job_option(arguments, argv, &given, engines);
}

int tw_run_read_arguments(struct tw_run_arguments *arguments, char **argv,
			  struct tw_run_engines *engines)
{
	int only_files = 0;

	/* Options before the first --name hold for all jobs. */
	tw_run_add_section(&arguments->jobs, tw_run_format("global"));
	while (*argv) {
		int taken = 1;

		if (only_files || (*argv)[0] != '-' || !(*argv)[1]) {
			add_file(arguments, argv);
		} else if (strcmp(*argv, "--") == 0) {
			only_files = 1;
			add(arguments, argv, 1);
		} else {
			taken = add_option(arguments, argv, engines);
		}
		if (!taken)
			return TW_EXIT_USAGE;
		argv += taken;
	}
	return TW_EXIT_GOOD;
}

/* ---- and what fio is given instead ---- */

static size_t push_argument(char ***list, size_t count,
			    const struct tw_run_arguments *arguments,
			    const struct tw_run_argument *argument)
{
	const struct tw_run_jobs *jobs = &arguments->jobs;

	if (argument->file >= 0 && arguments->files[argument->file].copy)
		return tw_run_push(list, count, arguments->files[argument->file].copy);
	if (argument->line >= 0 && jobs->is_changed) {
		const struct tw_run_line *line = &jobs->lines[argument->line];
		char *first = jobs->sections[line->section].first;

		if (line->text)
			count = tw_run_push(list, count, line->text);
		return strcmp(line->name, "name") == 0 && first ?
			tw_run_push(list, count, first) : count;
	}
	for (int i = 0; i < argument->count; i++)
		count = tw_run_push(list, count, argument->argv[i]);
	return count;
}

char **tw_run_fio_arguments(const struct tw_run_arguments *arguments,
			    const char *fio)
{
	char **list = NULL;
	size_t count = tw_run_push(&list, 0, tw_run_format("%s", fio));

	/* fio knows an engine's options only after the engine's name. */
	if (arguments->jobs.sections[0].first)
		count = tw_run_push(&list, count, arguments->jobs.sections[0].first);
	for (size_t i = 0; i < arguments->count; i++)
		count = push_argument(&list, count, arguments,
				      &arguments->list[i]);
	tw_run_push(&list, count, NULL);
	return list;
}
