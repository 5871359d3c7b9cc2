/* SPDX-License-Identifier: MIT */
/*
 * The `tickwise` program: finds the subcommand and runs it.
 */
#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "base/allocate.h"
#include "command/own_files.h"
#include "tickwise.h"

#define COMMAND(name, word, does)	{ name, tw_command_##word, does, &tw_##word##_options },

static const struct tw_command commands[] = { TW_EACH_COMMAND(COMMAND) { .name = NULL } };

static void print_usage(FILE *stream)
{
	fputs("usage: tickwise COMMAND [options]\n\n"
	      "Show where the time of an I/O goes, in fio and in any other program.\n\n",
	      stream);
	for (const struct tw_command *command = commands; command->name; command++)
		fprintf(stream, "  %-14s %s\n", command->name, command->does);
	fputs("\nOptions:\n"
	      "  -h, --help     Print this page; `tickwise help COMMAND`: that of a "
	      "command\n"
	      "  -V, --version  Print the version\n"
	      "\n"
	      "Exit codes: 0 good, 1 bad verdict, 2 undecided, 64 and above: could not "
	      "run.\n`run` has those of fio.\n", stream);
}

static const struct tw_command *find_command(const char *name)
{
	const struct tw_command *command = commands;

	while (command->name && strcmp(command->name, name) != 0)
		command++;
	return command->name ? command : NULL;
}

static int fail_unknown(const char *name)
{
	struct tw_meant meant = { .given = name };

	for (const struct tw_command *command = commands; command->name; command++)
		tw_options_meant(&meant, command->name);
	return tw_command_fail(NULL, TW_EXIT_USAGE, "unknown %s '%s' (%s%s%s)",
			       name[0] == '-' ? "option" : "command", name,
			       meant.name ? "did you mean " : "see tickwise --help",
			       meant.name ? meant.name : "", meant.name ? "?" : "");
}

/* Print a file that is installed with the program; the build calls this.
 * Return: 0: there is no such file. */
static int print_made(const char *option, const char *of)
{
	const struct tw_command *command = find_command(of);
	int is_completion = strcmp(option, "--completion") == 0;

	if (is_completion && strcmp(of, "bash") == 0)
		tw_completion_print_bash(commands, stdout);
	else if (is_completion && strcmp(of, "zsh") == 0)
		tw_completion_print_zsh(commands, stdout);
	else if (strcmp(option, "--manual-options") == 0 && command)
		tw_options_print_manual(command->options, stdout);
	else
		return 0;
	return 1;
}

static int run(char **argv)
{
	const struct tw_command *command = find_command(argv[0]);
	int code = command ? command->run(argv) : fail_unknown(argv[0]);

	tw_release_texts();
	return tw_command_end(command ? command->name : NULL, code);
}

static int is_help(const char *name)
{
	return !strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help");
}

/* Print the help. @name: the command; NULL: the whole program. */
static int help_on(char *name)
{
	char help[] = "--help";
	char *argv[] = { name, help, NULL };

	if (name && !is_help(name))
		return run(argv);
	print_usage(stdout);
	return tw_command_finish(NULL, TW_EXIT_GOOD);
}

static int fail_extra(const char *name, const char *extra)
{
	return tw_command_fail(NULL, TW_EXIT_USAGE, "%s takes no '%s' (see tickwise "
			       "--help)", name, extra);
}

/* Without arguments, print examples on a terminal, where a user asks what there
 * is. A script has a mistake. */
static int fail_empty(void)
{
	if (isatty(STDERR_FILENO))
		fputs("  sudo tickwise run .            where the time of reads in this "
		      "folder goes\n"
		      "  sudo tickwise run JOB.fio      the same of a job of fio\n"
		      "  tickwise doctor                what this machine lacks, and what "
		      "fixes it\n"
		      "  tickwise help run              all of a command\n\n", stderr);
	print_usage(stderr);
	return TW_EXIT_USAGE;
}

/* Open /dev/null for each standard stream that is closed. Else a file that is
 * opened would get the stream's number, and the stream's text. /dev/null is
 * opened for reading, so that writing fails and nothing is read. */
static void open_closed_streams(void)
{
	int fd;

	do {
		fd = open("/dev/null", O_RDONLY);
	} while (fd >= 0 && fd < STDERR_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

int main(int argc, char **argv)
{
	json_set_alloc_funcs(tw_malloc, free);
	open_closed_streams();
	/* If the parent ignores SIGCHLD, the kernel forgets how children end. */
	signal(SIGCHLD, SIG_DFL);
	if (argc < 2)
		return fail_empty();
	if (is_help(argv[1]))
		return argc > 3 ? fail_extra(argv[1], argv[3]) : help_on(argv[2]);
	if (!strcmp(argv[1], "--version") || !strcmp(argv[1], "-V")) {
		if (argc > 2)
			return fail_extra(argv[1], argv[2]);
		puts("tickwise " TW_VERSION);
	} else if (argc != 3 || !print_made(argv[1], argv[2])) {
		return run(argv + 1);
	}
	return tw_command_finish(NULL, TW_EXIT_GOOD);
}
