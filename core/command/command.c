/* SPDX-License-Identifier: MIT */
/*
 * What subcommands share: they read options, and end with a message.
 */
#include <stdarg.h>
#include <stdio.h>

#include "command/command.h"
#include "base/plain_text.h"

int tw_command_fail(const char *name, int code, const char *format, ...)
{
	char message[TW_COMMAND_MESSAGE];
	va_list args;

	va_start(args, format);
	vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	/* Messages quote names and contents of files, but stay on one line. */
	fprintf(stderr, "tickwise%s%s: %s\n", name ? " " : "",
		name ? name : "", tw_plain_text(message));
	return code;
}

int tw_command_options(const struct tw_options *options, void *values, char **argv,
		       struct tw_arguments *arguments)
{
	char problem[TW_OPTIONS_PROBLEM];
	struct tw_arguments none;

	arguments = arguments ? arguments : &none;
	switch (tw_options_read(options, values, argv, arguments, problem)) {
	case 0:
		return tw_command_take_common(options->command, &arguments->common);
	case TW_OPTIONS_HELP:
		tw_options_print_help(options, stdout);
		return tw_command_finish(options->command, TW_EXIT_GOOD);
	default:
		return tw_command_fail(options->command, TW_EXIT_USAGE, "%s",
				       problem);
	}
}
