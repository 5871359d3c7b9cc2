/* SPDX-License-Identifier: MIT */
/*
 * The options of tickwise-attach and tickwise-kernel-helper.
 */
#include "command/separate.h"

#define AT(member)	TW_OPTION_AT(struct tw_attach_values, member)

static const struct tw_option attach_table[] = {
	{ .name = "interval", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .max = 1e7, .preset = "1",
	  .help = "Print a table at this interval, with 0 none", AT(interval_ns) },
	{ .name = "duration", .kind = TW_OPTION_TIME, .value = "SECONDS",
	  .max = 1e7, .otherwise = "with the program",
	  .help = "End after this time", AT(duration_ns) },
	{ .name = "causes",
	  .help = "Explain what kept the program's thread from running in the slowest "
		  "I/Os; costs time at each switch of the machine's CPUs", AT(causes) },
	{ .name = "json", .kind = TW_OPTION_FILE, .value = "FILE", .bare = "-",
	  .help = "Write the report as JSON to FILE, too, for `tickwise report`; to - "
		  "instead of the tables and the page",
	  .more = "Its keys are in tickwise-report(5).", AT(json) },
	{ .name = "html", .kind = TW_OPTION_FILE, .value = "FILE",
	  .help = "Write the page as HTML to FILE, too", AT(html) },
	{ .name = "output", .letter = 'o', .kind = TW_OPTION_FILE, .value = "FILE",
	  .otherwise = "-, standard output; with a PROGRAM standard error",
	  .help = "Print to FILE",
	  .more = "The output of a PROGRAM stays its own.", AT(output) },
	{ .name = NULL },
};

const struct tw_options tw_attach_options = {
	.command = "attach",
	.arguments = "PID\n-- PROGRAM [ARGUMENT...]",
	.arguments_kind = TW_OPTION_PROGRAM,
	.about =
	"Show where the I/Os of a program that uses io_uring spend their time inside the "
	"kernel, by ring, file and operation. The time is from the acceptance of an I/O "
	"until its completion is in the ring. Follows a process that runs, by its PID, or a "
	"PROGRAM, and all processes that descend from it. I/Os by other calls are not seen. "
	"Ctrl-C or the end of the program prints the report; a second Ctrl-C ends attach at "
	"once. Needs root, or CAP_BPF, "
	"CAP_PERFMON and CAP_SYSLOG; for processes of other users CAP_SYS_PTRACE, too.",
	.codes =
	"Exit codes: 0 good, or that of PROGRAM; 2 the process and those it started made no "
	"ring; 64 wrong command line, 66 no such process, 70 could not run, 74 the output "
	"could not be written.",
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
