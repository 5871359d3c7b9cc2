/* SPDX-License-Identifier: MIT */
/*
 * The `tickwise` program: finds the subcommand and hands over to it. Also what
 * subcommands share: reading options, printing JSON, and the two ways to end,
 * with a message or with the output checked to have arrived.
 */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "command/output/plain_text.h"
#include "tickwise.h"

/* What of a message is printed; names of files may be long. */
#define MESSAGE_SIZE	2048

struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *does;
};

static const struct command commands[] = {
	{ "check", tw_command_check,
	  "can this machine's counter be trusted, and why (not)?" },
	{ "calibrate", tw_command_calibrate,
	  "how fast does the counter run, and how well is that known?" },
	{ "bench", tw_command_bench,
	  "what does reading the time cost?" },
	{ "compare", tw_command_compare,
	  "how far off are fio's clocks and ours, and what do they cost?" },
	{ "memlat", tw_command_memlat,
	  "how long does a load take, cache by cache?" },
	{ "run", tw_command_run,
	  "run a fio job as it is, on the engine" },
	{ "profile", tw_command_profile,
	  "where does a program's time go, function by function?" },
	{ "report", tw_command_report,
	  "read and merge the reports that the fio engine wrote" },
	{ "attach", tw_command_attach,
	  "where does the time of another program's io_uring I/O go?" },
	{ "kernel-helper", tw_command_kernel_helper,
	  "stages inside the kernel for a fio without privileges" },
};

#define COMMANDS	(sizeof(commands) / sizeof(*commands))

int tw_command_fail(const char *name, int code, const char *format, ...)
{
	char message[MESSAGE_SIZE];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	/* It quotes names and contents of files; it stays one line. */
	fprintf(stderr, "tickwise%s%s: %s\n", name ? " " : "",
		name ? name : "", tw_plain_text(message));
	return code;
}

int tw_command_finish(const char *name, int code)
{
	errno = 0;
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	return tw_command_fail(name, TW_EXIT_IO, "can't write the output: %s",
			       errno ? strerror(errno) : "some of it is lost");
}

int tw_command_scan(const char *name, int argc, char **argv,
		    const struct option *known,
		    int (*take)(void *context, int option), void *context)
{
	int code = TW_EXIT_GOOD;

	optind = 1;
	opterr = 0;
	while (code == TW_EXIT_GOOD) {
		const char *given = argv[optind];
		int option = getopt_long(argc, argv, "+:", known, NULL);

		if (option == -1)
			break;
		if (option == ':')
			code = tw_command_fail(name, TW_EXIT_USAGE,
					       "%s needs a value", given);
		else if (option == '?')
			code = tw_command_fail(name, TW_EXIT_USAGE,
					       "unknown option %s (see --help)",
					       given);
		else
			code = take(context, option);
	}
	return code;
}

int tw_command_options(const char *name, int argc, char **argv,
		       const struct option *known,
		       int (*take)(void *context, int option), void *context)
{
	int code = tw_command_scan(name, argc, argv, known, take, context);

	if (code == TW_EXIT_GOOD && optind < argc)
		code = tw_command_fail(name, TW_EXIT_USAGE,
				       "takes no '%s' (see --help)",
				       argv[optind]);
	return code;
}

int tw_command_seconds(const char *name, const char *text, double least,
		       int most, double *seconds)
{
	char *end;

	*seconds = strtod(text, &end);
	if (end != text && !*end && *seconds >= least && *seconds <= most)
		return TW_EXIT_GOOD;
	return tw_command_fail(name, TW_EXIT_USAGE, "--seconds takes seconds, "
			       "%g to %d, not '%s'", least, most, text);
}

int tw_command_print_json(json_t *root)
{
	int failed;

	if (!root)
		return -ENOMEM;
	failed = json_dumpf(root, stdout, JSON_INDENT(2));
	json_decref(root);
	putchar('\n');
	return failed && !ferror(stdout) ? -ENOMEM : 0;
}

static void print_usage(FILE *stream)
{
	fputs("usage: tickwise COMMAND [options]\n\n", stream);
	for (size_t i = 0; i < COMMANDS; i++)
		fprintf(stream, "  %-14s %s\n", commands[i].name,
			commands[i].does);
	fputs("\nOptions:\n"
	      "  --help     this page; tickwise COMMAND --help: a command's\n"
	      "  --version  print the version\n"
	      "\n"
	      "Exit codes: 0 good, 1 bad verdict, 2 undecided, 64 and above: "
	      "could not run.\n", stream);
}

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

int main(int argc, char **argv)
{
	const struct command *command;

	/* A reader that went away shall be an error of writing, and said. */
	signal(SIGPIPE, SIG_IGN);
	if (argc < 2) {
		print_usage(stderr);
		return TW_EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return tw_command_finish(NULL, TW_EXIT_GOOD);
	}
	if (strcmp(argv[1], "--version") == 0) {
		puts("tickwise " TW_VERSION);
		return tw_command_finish(NULL, TW_EXIT_GOOD);
	}
	command = find_command(argv[1]);
	if (!command)
		return tw_command_fail(NULL, TW_EXIT_USAGE, "unknown %s '%s' "
				       "(see tickwise --help)",
				       argv[1][0] == '-' ? "option" : "command",
				       argv[1]);
	return command->run(argc - 1, argv + 1);
}
