/* SPDX-License-Identifier: MIT */
/*
 * Reads fio's command line as fio reads it, by getopt_long_only(). Some arguments
 * are job files, some are options of fio, and some are options of jobs; the latter
 * are kept as lines of one more job file.
 *
 * An option's name may be cut short, if only one option begins with it. After one
 * dash, letters of options may follow each other (-mr), and a value its letter
 * (-oFILE), unless a name begins like that (-out).
 */
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/run/run_parts.h"

enum what {
	PASSED,
	RUNS_NOTHING,
	ELSEWHERE,		/* jobs run for another host, or later */
	CLIENT,
	SECTION,
	AUX_PATH,
	OUTPUT,
	FORMAT,
	TRIGGER,
};

enum takes {
	NOTHING,
	OPTIONAL,		/* a value after a '=', or right after the letter */
	VALUE,			/* this may be an argument of its own, too */
};

/* fio's own options, which are not options of jobs. They are the same from 3.33
 * to 3.42. */
static const struct fio_option {
	const char *name;
	char letter;
	enum takes takes;
	enum what what;
} fio_options[] = {
	{ "output", 'o', VALUE, OUTPUT }, { "latency-log", 'l', VALUE, PASSED },
	{ "bandwidth-log", 'b', NOTHING, PASSED }, { "minimal", 'm', NOTHING, FORMAT },
	{ "output-format", 'F', VALUE, FORMAT },
	{ "append-terse", 'f', OPTIONAL, PASSED },
	{ "version", 'v', NOTHING, RUNS_NOTHING },
	{ "help", 'h', NOTHING, RUNS_NOTHING },
	{ "cmdhelp", 'c', OPTIONAL, RUNS_NOTHING },
	{ "enghelp", 'i', OPTIONAL, RUNS_NOTHING },
	{ "showcmd", 's', NOTHING, RUNS_NOTHING },
	{ "readonly", 'r', NOTHING, PASSED }, { "eta", 'e', VALUE, PASSED },
	{ "eta-interval", 'O', VALUE, PASSED }, { "eta-newline", 'E', VALUE, PASSED },
	{ "debug", 'd', VALUE, PASSED }, { "parse-only", 'P', NOTHING, RUNS_NOTHING },
	{ "section", 'x', VALUE, SECTION },
	{ "inflate-log", 'X', VALUE, RUNS_NOTHING },
	{ "alloc-size", 'a', VALUE, PASSED }, { "profile", 'p', VALUE, PASSED },
	{ "warnings-fatal", 'w', NOTHING, PASSED }, { "max-jobs", 'j', VALUE, PASSED },
	{ "terse-version", 'V', VALUE, PASSED },
	{ "server", 'S', OPTIONAL, ELSEWHERE }, { "daemonize", 'D', VALUE, ELSEWHERE },
	{ "client", 'C', VALUE, CLIENT },
	{ "remote-config", 'R', VALUE, ELSEWHERE },
	{ "cpuclock-test", 'T', NOTHING, RUNS_NOTHING },
	{ "crctest", 'G', OPTIONAL, RUNS_NOTHING },
	{ "memcpytest", 'M', OPTIONAL, RUNS_NOTHING },
	{ "idle-prof", 'I', VALUE, PASSED }, { "status-interval", 'L', VALUE, PASSED },
	{ "trigger-file", 'W', VALUE, TRIGGER },
	{ "trigger-timeout", 'B', VALUE, TRIGGER }, { "trigger", 'H', VALUE, PASSED },
	{ "trigger-remote", 'J', VALUE, PASSED }, { "aux-path", 'K', VALUE, AUX_PATH },
	{ "merge-blktrace-only", 'A', NOTHING, RUNS_NOTHING },
};

/* Find an option by its @name; NULL: by its @letter. */
static const struct fio_option *find_option(const char *name, char letter)
{
	for (size_t i = 0; i < TW_LENGTH(fio_options); i++)
		if (name ? !strcmp(fio_options[i].name, name) : fio_options[i].letter == letter)
			return &fio_options[i];
	return NULL;
}

/* ---- names --------------------------------------------------------------- */

/* The names that begin like a given one. */
struct names {
	const char *given, *found;
	int is_exact, several;
};

static void try_name(struct names *names, const char *name)
{
	if (names->is_exact || strncmp(name, names->given, strlen(names->given)) != 0)
		return;
	names->is_exact = strcmp(name, names->given) == 0;
	names->several = !names->is_exact && names->found &&
			 (names->several || strcmp(names->found, name) != 0);
	names->found = name;
}

static struct names find_names(struct tw_run_engines *engines, const char *given)
{
	/* --cmdhelp leaves out second names, such as "readwrite". fio lists these where the
	 * first letter alone has several meanings. */
	char *const asked[] = {
		tw_format("--cmdhelp"), tw_format("--enghelp=%s", engines->path),
		tw_format("--%.1s", given),
	};
	struct names names = { .given = given };

	for (size_t i = 0; i < TW_LENGTH(fio_options); i++)
		try_name(&names, fio_options[i].name);
	for (size_t i = 0; i < TW_LENGTH(asked) && !names.is_exact; i++) {
		const struct tw_run_options *options = tw_run_options_of(engines, asked[i]);

		for (size_t j = 0; j < options->count; j++)
			try_name(&names, options->names[j]);
	}
	return names;
}

/* Return the whole name of an option. */
static const char *whole_name(struct tw_run_engines *engines, const char *given)
{
	struct names names = find_names(engines, given);

	return names.found && !names.several ? names.found : given;
}

/* One argument: an option's name, and the value after a '='. */
struct given {
	const char *name;
	char *value;		/* NULL: it has no '=' */
};

static struct given take_apart(const char *argument)
{
	const char *dashless = argument + (argument[1] == '-' ? 2 : 1);
	char *equals = strchr(dashless, '=');
	size_t length = equals ? (size_t)(equals - dashless) : strlen(dashless);

	return (struct given) {
		.name = tw_format("%.*s", (int)length, dashless),
		.value = equals ? equals + 1 : NULL,
	};
}

/* Does an argument consist of letters, and perhaps a value? */
static int is_letters(struct tw_run_engines *engines, const char *argument)
{
	if (argument[1] == '-' || !find_option(NULL, argument[1]))
		return 0;
	return !argument[2] || !find_names(engines, take_apart(argument).name).found;
}

/* ---- what is given ------------------------------------------------------- */

static struct tw_run_argument *add(struct tw_run_arguments *arguments,
				   char **argv, int count)
{
	struct tw_run_argument *argument = tw_grow_by_one(arguments->list, arguments->count);

	*argument = (struct tw_run_argument) {
		.argv = argv, .count = count, .line = -1, .file = -1,
	};
	return argument;
}

/* fio sends it to the last --client before it, but all hosts get the same changes. */
static int refuse_section(void)
{
	tw_run_say("--section: only behind the one --client, as fio sends it to no other host");
	return 0;
}

/* Remember what an option of fio does. Return: 0: it is refused. */
static int note_option(struct tw_run_arguments *arguments, const char *argument,
		       const struct fio_option *option, const char *value)
{
	struct tw_run_argument *given = &arguments->list[arguments->count - 1];
	const struct tw_run_hosts *hosts = &arguments->hosts;

	switch (option->what) {
	case PASSED:
		break;
	case RUNS_NOTHING:
		arguments->runs_nothing = 1;
		break;
	case ELSEWHERE:
		tw_run_say("%s: not with run, which waits for fio and changes job files of this "
			   "machine", argument);
		return 0;
	case CLIENT:
		given->host = arguments->hosts.count;
		if (arguments->only_count)
			return refuse_section();
		if (value && !tw_run_add_hosts(&arguments->hosts, value))
			return 0;
		given->host_count = arguments->hosts.count - given->host;
		break;
	case SECTION:
		if (hosts->count > 1 && !hosts->list[hosts->count - 1].is_listed)
			return refuse_section();
		if (value)
			*tw_grow_by_one(arguments->only, arguments->only_count) = value;
		break;
	case AUX_PATH:
		arguments->aux_path = value;
		break;
	case OUTPUT:
		given->is_output = 1;
		arguments->output = value;
		break;
	case TRIGGER:
		arguments->has_trigger = 1;
		break;
	case FORMAT:
		/* Names, with commas. The last option counts, also --minimal. */
		arguments->is_json = value && strstr(value, "json");
		arguments->is_no_text = !value || strcmp(value, "normal") != 0;
		break;
	}
	return 1;
}

/* Take the option of fio in the last argument. Return: the number of arguments it takes; 0:
 * refused. */
static int take_option(struct tw_run_arguments *arguments, char **argv,
		       const struct fio_option *option, char *value)
{
	int count = option->takes == VALUE && !value && argv[1] ? 2 : 1;

	arguments->list[arguments->count - 1].count = count;
	return note_option(arguments, argv[0], option, count == 2 ? argv[1] : value) ?
		count : 0;
}

/* Add the options of an argument such as -mr or -oFILE. Return: as above. A letter
 * that fio does not know is for fio to refuse. */
static int add_letters(struct tw_run_arguments *arguments, char **argv)
{
	const struct fio_option *option;
	char *at = argv[0] + 1;
	struct tw_run_argument *added = add(arguments, argv, 1);

	while ((option = find_option(NULL, *at)) && option->takes == NOTHING && at[1]) {
		if (!note_option(arguments, argv[0], option, NULL))
			return 0;
		at++;
		added->before = tw_format("%.*s", (int)(at - argv[0]), argv[0]);
	}
	return option ? take_option(arguments, argv, option, at[1] ? at + 1 : NULL) : 1;
}

/* Is @next the value of an option of a job? fio is asked only where it matters. A job
 * file that does not exist is passed to fio, which reports the error. */
static int takes_next(struct tw_run_engines *engines, const struct given *given,
		      const char *next)
{
	if (given->value || !next)
		return 0;
	if (next[0] != '-' && access(next, F_OK) != 0)
		return 1;
	return tw_run_takes_next(engines, given->name);
}

static int add_job_option(struct tw_run_arguments *arguments, char **argv,
			  const struct given *given,
			  struct tw_run_engines *engines)
{
	struct tw_run_jobs *jobs = &arguments->jobs;
	struct tw_run_line *line;
	int is_next = takes_next(engines, given, argv[1]);
	char *value = is_next ? argv[1] : given->value;
	char *text = tw_format("%s", value ? value : "");

	if (strcmp(given->name, "name") == 0)
		tw_run_add_section(jobs, text);
	line = tw_run_add_line(jobs);
	line->name = tw_format("%s", given->name);
	line->value = text;
	line->text = tw_format("--%s%s%s", line->name, value ? "=" : "", text);
	add(arguments, argv, 1 + is_next)->line = (ptrdiff_t)jobs->line_count - 1;
	return 1 + is_next;
}

static int add_option(struct tw_run_arguments *arguments, char **argv,
		      struct tw_run_engines *engines)
{
	struct given given = take_apart(argv[0]);
	const struct fio_option *option;

	if (is_letters(engines, argv[0]))
		return add_letters(arguments, argv);
	given.name = whole_name(engines, given.name);
	option = find_option(given.name, 0);
	if (option) {
		add(arguments, argv, 1);
		return take_option(arguments, argv, option, given.value);
	}
	return add_job_option(arguments, argv, &given, engines);
}

int tw_run_read_arguments(struct tw_run_arguments *arguments, char **argv,
			  struct tw_run_engines *engines)
{
	int only_files = 0;

	/* Options before the first --name hold for all jobs. */
	tw_run_add_section(&arguments->jobs, tw_format("global"));
	while (*argv) {
		int taken = 1;

		if (only_files || (*argv)[0] != '-' || !(*argv)[1]) {
			add(arguments, argv, 1)->file = (ptrdiff_t)arguments->file_count;
			tw_grow_by_one(arguments->files, arguments->file_count)->path = *argv;
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

static char *path_of_copy(int fd)
{
	return tw_format("/proc/self/fd/%d", fd);
}

/* fio takes the files that follow a --client for its host alone. */
static void push_hosts(struct tw_texts *list, const struct tw_run_arguments *arguments,
		       const struct tw_run_argument *argument)
{
	for (size_t i = 0; i < argument->host_count; i++) {
		const struct tw_run_host *host = &arguments->hosts.list[argument->host + i];

		tw_push(list, tw_format("--client=%s", host->name));
		for (size_t j = 0; j < host->file_count; j++)
			tw_push(list, host->copy_count ? path_of_copy(host->copies[j]) :
				tw_format("%s", arguments->files[host->first_file + j].path));
	}
}

static void push(struct tw_texts *list, const struct tw_run_arguments *arguments,
		 const struct tw_run_argument *argument)
{
	const struct tw_run_jobs *jobs = &arguments->jobs;
	const int is_output = argument->is_output && arguments->hosts.out_fd;

	if (argument->before && (argument->host_count || is_output))
		tw_push(list, argument->before);
	if (argument->host_count) {
		push_hosts(list, arguments, argument);
	} else if (is_output || (arguments->hosts.count && argument->file >= 0)) {
		return;
	} else if (argument->file >= 0 && arguments->files[argument->file].copy) {
		tw_push(list, path_of_copy(arguments->files[argument->file].copy));
	} else if (argument->line >= 0 && jobs->is_changed) {
		const struct tw_run_line *line = &jobs->lines[argument->line];
		char *first = jobs->sections[line->section].first;

		if (line->text)
			tw_push(list, line->text);
		if (strcmp(line->name, "name") == 0 && first)
			tw_push(list, first);
		for (char **last = tw_run_last(jobs, (size_t)argument->line); last && *last;
		     last++)
			tw_push(list, tw_format("--%s", *last));
	} else {
		for (int i = 0; i < argument->count; i++)
			tw_push(list, argument->argv[i]);
	}
}

char **tw_run_fio_arguments(const struct tw_run_arguments *arguments,
			    const char *fio)
{
	struct tw_texts list = { .count = 0 };

	tw_push(&list, tw_format("%s", fio));
	/* fio sends options that follow a --client to the server. */
	if (arguments->hosts.out_fd)
		tw_push(&list, tw_format("--output=/proc/self/fd/%d", arguments->hosts.out_fd));
	/* fio knows an engine's options only after the engine's name. */
	if (arguments->jobs.sections[0].first)
		tw_push(&list, arguments->jobs.sections[0].first);
	for (size_t i = 0; i < arguments->count; i++)
		push(&list, arguments, &arguments->list[i]);
	return list.list;
}
