/* SPDX-License-Identifier: MIT */
/*
 * Subcommands that are separate programs: tickwise-NAME, which replaces this
 * one. They load programs into the kernel, need libraries that this program
 * does not need, and have another licence (plugin/kernel/).
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/own_files.h"
#include "command/separate.h"

/* Without the program, parse the options and print their help here. */
static int lack(const char *file, const struct tw_options *options, void *values,
		char **argv)
{
	struct tw_arguments arguments;
	int code = tw_command_options(options, values, argv, &arguments);

	return code != TW_GO_ON ? code :
	       tw_own_file_missing(options->command, file, "build it with clang, "
				   "bpftool and libbpf-dev installed");
}

static int become(char *path, char **argv)
{
	const char *name = argv[0];

	argv[0] = path;
	execv(path, argv);
	return tw_command_fail(name, TW_EXIT_SOFTWARE, "can't run %s: %s", path,
			       strerror(errno));
}

static int become_or_lack(const char *file, const struct tw_options *options,
			  void *values, char **argv)
{
	char *path = tw_own_file(file, X_OK);
	int code = path ? become(path, argv) : lack(file, options, values, argv);

	free(path);
	return code;
}

int tw_command_attach(int argc, char **argv)
{
	struct tw_attach_values values;

	(void)argc;
	return become_or_lack("tickwise-attach", &tw_attach_options, &values, argv);
}

int tw_command_kernel_helper(int argc, char **argv)
{
	struct tw_kernel_helper_values values;

	(void)argc;
	return become_or_lack("tickwise-kernel-helper", &tw_kernel_helper_options,
			      &values, argv);
}
