/* SPDX-License-Identifier: MIT */
/*
 * tickwise doctor: tells whether this machine is ready for measurements, and
 * how to correct what is not.
 */
#include <stdlib.h>

#include "command/command.h"
#include "command/doctor/doctor.h"
#include "command/show.h"

struct arguments {
	struct tw_wanted wanted;
	const char *fio;
};

static const struct tw_option table[] = {
	TW_OPTION_JSON(struct arguments, wanted),
	TW_OPTION_HTML(struct arguments, wanted),
	{ .name = "fio", .kind = TW_OPTION_PROGRAM, .value = "PROGRAM",
	  .otherwise = "FIO of the environment, else fio",
	  .help = "Check this fio", TW_OPTION_AT(struct arguments, fio) },
	{ .name = NULL },
};

const struct tw_options tw_doctor_options = {
	.command = TW_DOCTOR,
	.about =
	"Show what Tickwise needs of this machine and what disturbs measurements on it, a "
	"line each, with the command that fixes it. Nothing is changed.",
	.codes =
	"Exit codes: 0 all is good, 1 something is to be fixed, 2 something could not be "
	"decided, 64 and above could not run.",
	.table = table,
	.common = TW_HAS_OUTPUT | TW_HAS_VERBOSE,
};

static int exit_code(enum tw_doctor_status status)
{
	switch (status) {
	case TW_DOCTOR_GOOD:
		return TW_EXIT_GOOD;
	case TW_DOCTOR_FIX:
		return TW_EXIT_BAD_VERDICT;
	default:
		return TW_EXIT_UNDECIDED;
	}
}

int tw_command_doctor(int argc, char **argv)
{
	static struct tw_doctor_line lines[TW_DOCTOR_LINES];
	static struct tw_doctor_facts facts;
	struct arguments arguments = { .fio = getenv("FIO") };
	int code = tw_command_options(&tw_doctor_options, &arguments, argv, NULL);

	(void)argc;
	if (code == TW_GO_ON)
		code = tw_command_try_html(TW_DOCTOR, &arguments.wanted);
	if (code != TW_GO_ON)
		return code;
	tw_doctor_read(&facts, arguments.fio && *arguments.fio ? arguments.fio : "fio");
	tw_doctor_judge(&facts, lines);
	code = tw_command_show(TW_DOCTOR, &arguments.wanted, tw_doctor_page(lines), NULL,
			       tw_doctor_json(lines));
	return code == TW_EXIT_GOOD ?
		tw_command_finish(TW_DOCTOR, exit_code(tw_doctor_sum(lines))) : code;
}
