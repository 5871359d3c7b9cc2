/* SPDX-License-Identifier: MIT */
/*
 * Subcommands that are programs of their own: tickwise-NAME, which takes this one's
 * place. They load programs into the kernel, need libraries that this one does without,
 * and are under another licence (plugin/kernel/).
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/command.h"
#include "command/own_files.h"

static int become(const char *file, char **argv)
{
	const char *name = argv[0];
	char *path = tw_own_file(file, X_OK);

	if (!path)
		return tw_command_fail(name, TW_EXIT_NO_INPUT, "no %s next to "
				       "this program and none in %s (build it "
				       "with clang, bpftool and libbpf-dev "
				       "installed)", file, TW_ENGINE_DIR);
	/* main() ignores it, which would be inherited. */
	signal(SIGPIPE, SIG_DFL);
	argv[0] = path;
	execv(path, argv);
	tw_command_fail(name, TW_EXIT_SOFTWARE, "can't run %s: %s", path,
			strerror(errno));
	free(path);
	return TW_EXIT_SOFTWARE;
}

int tw_command_attach(int argc, char **argv)
{
	(void)argc;
	return become("tickwise-attach", argv);
}

int tw_command_kernel_helper(int argc, char **argv)
{
	(void)argc;
	return become("tickwise-kernel-helper", argv);
}
