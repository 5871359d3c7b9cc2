/* SPDX-License-Identifier: MIT */
/*
 * Finds files that are built and installed together with this program. Some are
 * subcommands as separate programs: tickwise-NAME, which replaces this one. They load
 * programs into the kernel, need libraries that this program does not need, and have
 * another licence (plugin/attach/, plugin/helper/).
 */
#include "command/own_files.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "command/child.h"
#include "command/command.h"

/* Write the folder of this program; "" if it is not known. */
static void find_folder(char path[PATH_MAX])
{
	const char *started = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);
	char *slash;

	path[length > 0 ? length : 0] = '\0';
	/* Where /proc is not mounted: the path by which the program was started. */
	if (length <= 0 && started && !realpath(started, path))
		path[0] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

char *tw_own_file(const char *file, int mode)
{
	char own[PATH_MAX], path[2 * PATH_MAX];
	const char *const places[][2] = {
		{ own, "" }, { TW_ENGINE_DIR, "" }, { own, "/../lib/tickwise" },
		{ own, "/../../bin" }, { TW_ENGINE_DIR, "/.." }, { own, "/../lib" },
	};

	find_folder(own);
	for (size_t i = 0; i < TW_LENGTH(places); i++) {
		snprintf(path, sizeof(path), "%s%s/%s", places[i][0],
			 places[i][1], file);
		if (mode == X_OK ? tw_child_is_program(path) : access(path, mode) == 0)
			return realpath(path, NULL);
	}
	errno = ENOENT;
	return NULL;
}

int tw_own_file_missing(const char *name, const char *file, const char *what)
{
	return tw_command_fail(name, TW_EXIT_NO_INPUT, "no %s next to this program and "
			       "none in " TW_ENGINE_DIR "%s%s%s", file,
			       *what ? " (" : "", what, *what ? ")" : "");
}

/* ---- separate programs ---- */

#define AT(member)	TW_OPTION_AT(struct tw_attach_values, member)

static const char *const chances[] = {
	"auto", "1", "2", "4", "8", "16", "32", "64", "128", "256", "512", "1024", NULL,
};

static const struct tw_option attach_table[] = {
	{ .name = "interval", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .max = 1e7, .preset = "1",
	  .help = "Print a table at this interval, with 0 none", AT(interval_ns) },
	{ .name = "duration", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .max = 1e7, .otherwise = "with the program",
	  .help = "End after this time", AT(duration_ns) },
	{ .name = "slow", .kind = TW_OPTION_TIME, .value = "MS", .min = 1e-6, .max = 1e7,
	  .otherwise = "no lines",
	  .help = "Print a line for each wait or io_uring I/O of this time or longer, in place "
		  "of the tables",
	  .more = "At most 20 lines at once and 5 a second; --json has up to 100,000 waits and "
		  "as many I/Os.", AT(slow_ns) },
	{ .name = "every", .kind = TW_OPTION_WORD, .value = "N", .words = chances,
	  .preset = "auto",
	  .help = "Stamp one in N I/Os, chosen at random, and only count the others",
	  .more = "With auto, N is 1 up to 20,000 I/Os a second, and as large above that as "
		  "keeps the cost below about 2 % of one CPU's time.", AT(every) },
	{ .name = "causes",
	  .help = "Explain what kept the program's thread from running in the slowest "
		  "I/Os; costs time at each switch of the machine's CPUs", AT(causes) },
	{ .name = "name", .kind = TW_OPTION_TEXT, .value = "NAME",
	  .help = "Follow all processes of this name",
	  .more = "The name is that of /proc/PID/comm, of 15 characters at most.", AT(name) },
	{ .name = "cgroup", .kind = TW_OPTION_FILE, .value = "PATH",
	  .help = "Follow all processes in this cgroup and below it, also those that come",
	  .more = "PATH is a folder of a cgroup file system, or below where one is mounted, as "
		  "system.slice/postgresql.service.", AT(cgroup) },
	{ .name = "json", .kind = TW_OPTION_FILE, .value = "FILE", .bare = "-",
	  .is_written = 1,
	  .help = "Write the report as JSON to FILE, too, for `tickwise report`; to - "
		  "instead of the tables and the page",
	  .more = "Its keys are in tickwise-report(5).", AT(json) },
	{ .name = "html", .kind = TW_OPTION_FILE, .value = "FILE", .is_written = 1,
	  .help = "Write the page as HTML to FILE, too", AT(html) },
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FILE",
	  .is_written = 1,
	  .otherwise = "-, standard output; with a PROGRAM standard error",
	  .help = "Print to FILE",
	  .more = "The output of a PROGRAM stays its own.", AT(output) },
	{ .name = NULL },
};

const struct tw_options tw_attach_options = {
	.command = "attach",
	.arguments = "PID...\n--name=NAME\n--cgroup=PATH\n-- PROGRAM [ARGUMENT...]",
	.arguments_kind = TW_OPTION_PROGRAM,
	.about =
	"Show what a program waits for at its files and block devices: by call, file and reason, "
	"with the time in the device. I/Os through io_uring have their stages inside the kernel, "
	"from acceptance until the completion is in the ring. Follows processes that run, by PID, "
	"name or cgroup, or a PROGRAM, and all processes that descend from these. "
	"Ctrl-C or the end of the program prints the report; a second Ctrl-C ends attach at "
	"once. Needs root, or CAP_BPF, "
	"CAP_PERFMON and CAP_SYSLOG; for processes of other users CAP_SYS_PTRACE, too.",
	.codes =
	"Exit codes: 0 good, or that of PROGRAM; 64 wrong command line, 66 no such process, 70 could "
	"not run, 74 the output could not be written.",
	.table = attach_table,
	.common = TW_HAS_QUIET,
};

#undef AT
#define AT(member)	TW_OPTION_AT(struct tw_kernel_helper_values, member)

static const struct tw_option helper_table[] = {
	{ .name = "user", .kind = TW_OPTION_TEXT, .value = "NAME",
	  .otherwise = "the user who called sudo, else root",
	  .help = "Serve this user, by name or number",
	  .more = "Root is served in any case.", AT(user) },
	{ .name = "group", .kind = TW_OPTION_TEXT, .value = "NAME",
	  .help = "Serve the members of this group, and not a user",
	  .more = "Only root can serve a group, or another user.",
	  AT(group) },
	{ .name = "socket", .kind = TW_OPTION_FILE, .value = "PATH",
	  .preset = TW_KERNEL_HELPER_SOCKET,
	  .help = "Listen at PATH, which fio is told by TICKWISE_KERNEL_SOCKET",
	  .more = "The folder is made if it is not there. Only root and the helper's user "
		  "may be able to make files in that folder, or replace the folders of its "
		  "path.",
	  AT(socket) },
	{ .name = "check",
	  .help = "Only print which I/Os this kernel can split, and why it refuses the program",
	  AT(only_checks) },
	{ .name = NULL },
};

const struct tw_options tw_kernel_helper_options = {
	.command = "kernel-helper",
	.about =
	"Split the I/Os of fio jobs inside the kernel where fio itself may not load a "
	"program there. Runs until Ctrl-C; needs root. With CAP_BPF, CAP_PERFMON and "
	"CAP_SYSLOG alone it serves its own user. The engine finds it by itself "
	"(tw_kernel=auto).",
	.codes =
	"Exit codes: 0 ended by a signal, 64 wrong command line, 70 could not run, 74 the "
	"output could not be written.",
	.table = helper_table,
};

/* Become a separate program, which replaces this one. Without it, parse the options and
 * print their help here. */
static int become(const char *file, const struct tw_options *options, void *values,
		  char **argv)
{
	char *path = tw_own_file(file, X_OK);
	struct tw_arguments arguments;
	int code;

	if (!path) {
		code = tw_command_options(options, values, argv, &arguments);
		return code != TW_GO_ON ? code :
		       tw_own_file_missing(options->command, file, "build it with clang, "
					   "bpftool and libbpf-dev installed");
	}
	argv[0] = path;
	execv(path, argv);
	code = tw_command_fail(options->command, TW_EXIT_SOFTWARE, "can't run %s: %s", path,
			       strerror(errno));
	free(path);
	return code;
}

int tw_command_attach(char **argv)
{
	struct tw_attach_values values = { 0 };

	return become("tickwise-attach", &tw_attach_options, &values, argv);
}

int tw_command_kernel_helper(char **argv)
{
	struct tw_kernel_helper_values values = { 0 };

	return become("tickwise-kernel-helper", &tw_kernel_helper_options, &values, argv);
}

const char *tw_fio_program(const char *given)
{
	if (!given)
		given = getenv("FIO");
	return given && *given ? given : "fio";
}
